package io.sluice.replicator.sources.kafka;

import io.sluice.config.TopicRule.MessageFact;
import io.sluice.evolution.SourceTable;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.RowType;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.rows.RowColumns;
import io.sluice.replicator.messages.rows.RowColumns.NumbersAsTimes;
import io.sluice.replicator.messages.rows.RowWriter;
import io.sluice.replicator.messages.rows.TableInference;
import io.sluice.sinks.RoutedTable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rows as their messages have them, column for field. */
final class CopyRoute implements Route {

  private final Handover handover;
  private final TopicTable table;
  private final TableInference inference;
  private final RowColumns columns;
  private @Nullable RowWriter writer;
  private @Nullable RoutedTable written;

  /**
   * @param metadata columns that hold facts about the message
   * @param numbers what a number means in a column that is a point in time
   */
  CopyRoute(
      Handover handover,
      TopicTable table,
      TableInference inference,
      Map<String, MessageFact> metadata,
      NumbersAsTimes numbers) {
    this.handover = handover;
    this.table = table;
    this.inference = inference;
    Map<String, RowColumns.Source> sources = new HashMap<>();
    metadata.forEach((column, fact) -> sources.put(column, new RowColumns.Fact(fact)));
    this.columns = new RowColumns(sources, RowColumns.Rest.BY_NAME, Set.of(), numbers);
  }

  @Override
  public TopicTable table() {
    return table;
  }

  @Override
  public void take(Message message, Change change) throws BadMessageException {
    if (change.kind() == Change.Kind.TRUNCATE) {
      handover.truncate(table);
      return;
    }
    if (handover.leaves(table)) {
      return;
    }
    if (!hasFacts(table.routed()) && !grow(message, change)) {
      return;
    }
    RoutedTable routed = Objects.requireNonNull(table.routed());
    boolean keyless = routed.lakeSchema().primaryKeys().isEmpty();
    boolean delete = change.kind() == Change.Kind.DELETE;
    if (keyless && (delete || change.before() != null)) {
      throw new BadMessageException(
          Reason.KEY,
          "Table "
              + table.id()
              + " has no key, so that "
              + (delete ? "a delete" : "an update")
              + " can't tell which row it means. Give it one with primary-key in tables.rules.");
    }
    RowWriter into = writer(routed);
    long micros = Handover.micros(change, message.timestampMillis());
    if (!delete && !keyless && into.movesKey(change)) {
      if (!fits(into.writeBefore(message, change), into, message, change)) {
        return;
      }
      handover.pending().add(table, into.row(), micros);
    }
    RowKind kind =
        delete ? RowKind.DELETE : change.before() == null ? RowKind.INSERT : RowKind.UPDATE_AFTER;
    if (fits(into.write(message, change, kind), into, message, change)) {
      handover.pending().add(table, into.row(), micros);
    }
  }

  /** Whether the table is there, with all columns for facts: a rule may have more than before. */
  private boolean hasFacts(@Nullable RoutedTable routed) {
    if (routed == null) {
      return false;
    }
    return routed == written
        || columns.sources().keySet().stream()
            .allMatch(column -> routed.lakeSchema().rowType().position(column) >= 0);
  }

  private RowWriter writer(RoutedTable routed) {
    RowWriter now = writer;
    if (now == null || written != routed) {
      now = writer(routed.lakeSchema().rowType(), routed.lakeSchema().primaryKeys());
      writer = now;
      written = routed;
    }
    return now;
  }

  private RowWriter writer(RowType lake, List<String> key) {
    return RowWriter.of(lake, key, columns);
  }

  /** If it doesn't fit the table grows, and then the message is read again. */
  private boolean fits(RowWriter.Outcome outcome, RowWriter into, Message message, Change change)
      throws BadMessageException {
    if (outcome == RowWriter.Outcome.FITS) {
      return true;
    }
    BadMessageException misfit = into.misfit();
    SourceTable before = table.definition();
    if (grow(message, change) && Objects.equals(before, table.definition())) {
      throw misfit;
    }
    return false;
  }

  private boolean grow(Message message, Change change) throws BadMessageException {
    SourceTable wanted = inference.with(table.definition(), change);
    return handover.grow(
        table, wanted, columns -> tryOut(columns, wanted.primaryKey(), message, change));
  }

  private void tryOut(RowType columns, List<String> key, Message message, Change change)
      throws BadMessageException {
    RowWriter trial = writer(columns, key);
    RowKind kind = change.kind() == Change.Kind.DELETE ? RowKind.DELETE : RowKind.INSERT;
    if (trial.write(message, change, kind) != RowWriter.Outcome.FITS
        || trial.movesKey(change) && trial.writeBefore(message, change) != RowWriter.Outcome.FITS) {
      throw trial.misfit();
    }
  }
}
