package io.sluice.replicator.sources.debezium;

import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import io.sluice.evolution.SourceTableId;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The statement whose rows the binlog brings now: its tables, and its text where the server logs it
 * (binlog_rows_query_log_events). A statement's tables come before its rows, all together. One
 * thread.
 */
final class RowsStatement {

  private final Predicate<SourceTableId> captured;
  private final Map<Long, TableMapEventData> tables = new HashMap<>();
  private boolean mapping;
  private @Nullable String text;

  RowsStatement(Predicate<SourceTableId> captured) {
    this.captured = captured;
  }

  void table(TableMapEventData table) {
    if (!mapping) {
      tables.clear();
      mapping = true;
    }
    tables.put(table.getTableId(), table);
  }

  /** Rows of it come, whatever they look like. */
  void rows() {
    mapping = false;
  }

  void text(String sql) {
    text = sql;
  }

  /** Whatever comes behind belongs to another transaction. */
  void ended() {
    tables.clear();
    mapping = false;
    text = null;
  }

  /** Its captured tables, for a message; empty if it has none. */
  Optional<String> capturedTables() {
    String names =
        tables.values().stream()
            .map(RowsStatement::id)
            .filter(captured)
            .map(SourceTableId::toString)
            .sorted()
            .collect(Collectors.joining(", "));
    return names.isEmpty() ? Optional.empty() : Optional.of(names);
  }

  /** For the end of a message: {@code , statement "UPDATE..."}; empty where it is not logged. */
  String quoted() {
    return text == null ? "" : ", statement \"" + StatementRules.excerpt(text) + "\"";
  }

  /**
   * The captured table whose rows come without all of its columns.
   *
   * @param images the columns of each row image
   */
  Optional<String> lacking(long tableId, BitSet... images) {
    TableMapEventData table = tables.get(tableId);
    if (table == null) {
      return Optional.empty();
    }
    int columns = table.getColumnTypes().length;
    for (BitSet image : images) {
      if (image.cardinality() < columns && captured.test(id(table))) {
        return Optional.of(id(table) + missing(table, image, columns));
      }
    }
    return Optional.empty();
  }

  /** The columns' names, where the server logs them (binlog_row_metadata=FULL). */
  private static String missing(TableMapEventData table, BitSet image, int columns) {
    List<String> names =
        table.getEventMetadata() == null ? null : table.getEventMetadata().getColumnNames();
    if (names == null || names.size() != columns) {
      return " (" + image.cardinality() + " of " + columns + " columns)";
    }
    return IntStream.range(0, columns)
        .filter(i -> !image.get(i))
        .mapToObj(names::get)
        .collect(Collectors.joining(", ", " (without ", ")"));
  }

  private static SourceTableId id(TableMapEventData table) {
    return new SourceTableId(table.getDatabase(), table.getTable());
  }
}
