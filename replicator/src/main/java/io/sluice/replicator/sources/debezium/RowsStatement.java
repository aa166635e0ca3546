package io.sluice.replicator.sources.debezium;

import com.github.shyiko.mysql.binlog.event.TableMapEventData;
import io.sluice.evolution.SourceTableId;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The statement whose rows the binlog brings now: its tables, and its text where the server logs it
 * (binlog_rows_query_log_events). A statement's tables come before its rows, all together, and
 * between them and its last rows nothing else does. One thread.
 */
final class RowsStatement {

  private final Map<Long, TableMapEventData> tables = new HashMap<>();
  private final Map<Long, TableMapEventData> view = Collections.unmodifiableMap(tables);
  private boolean mapping;
  private boolean moreUnread;
  private @Nullable String text;

  /** By number; the same map for every statement, always of the present one. */
  Map<Long, TableMapEventData> tables() {
    return view;
  }

  void table(TableMapEventData table) {
    if (!mapping) {
      tables.clear();
      mapping = true;
    }
    moreUnread = false;
    tables.put(table.getTableId(), table);
  }

  /** Rows of it came. */
  void rows() {
    mapping = false;
    moreUnread = false;
  }

  /**
   * Rows of it came that can't be read.
   *
   * @param more whether it has further rows, as far as these tell
   */
  void unreadRows(boolean more) {
    mapping = false;
    moreUnread = more;
  }

  /** Whether what comes next can only be rows of it, whatever it looks like. */
  boolean expectsRows() {
    return mapping || moreUnread;
  }

  void text(String sql) {
    text = sql;
    moreUnread = false;
  }

  /** Whatever comes behind belongs to another transaction. */
  void ended() {
    tables.clear();
    mapping = false;
    moreUnread = false;
    text = null;
  }

  /** The table that has this number; all of its tables if none has. */
  List<SourceTableId> tableOrAll(@Nullable Long number) {
    TableMapEventData one = number == null ? null : tables.get(number);
    return one != null
        ? List.of(id(one))
        : tables.values().stream().map(RowsStatement::id).distinct().toList();
  }

  /** For the end of a message: {@code , statement "UPDATE..."}; empty where it is not logged. */
  String quoted() {
    return text == null ? "" : ", statement \"" + StatementRules.excerpt(text) + "\"";
  }

  /**
   * Which columns the rows of a table lack; empty if none.
   *
   * @param images the columns of each row image
   */
  static Optional<String> lacking(TableMapEventData table, List<BitSet> images) {
    int columns = table.getColumnTypes().length;
    return images.stream()
        .filter(image -> image.cardinality() < columns)
        .findFirst()
        .map(image -> missing(table, image, columns));
  }

  /** The columns' names, where the server logs them (binlog_row_metadata=FULL). */
  private static String missing(TableMapEventData table, BitSet image, int columns) {
    List<String> names =
        table.getEventMetadata() == null ? null : table.getEventMetadata().getColumnNames();
    if (names == null || names.size() != columns) {
      return image.cardinality() + " of " + columns + " columns";
    }
    return IntStream.range(0, columns)
        .filter(i -> !image.get(i))
        .mapToObj(names::get)
        .collect(Collectors.joining(", ", "without ", ""));
  }

  static SourceTableId id(TableMapEventData table) {
    return new SourceTableId(table.getDatabase(), table.getTable());
  }
}
