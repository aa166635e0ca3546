package io.sluice.replicator.sources.kafka;

import io.sluice.evolution.PlanOptions;
import io.sluice.evolution.PlannedTable;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TableKind;
import io.sluice.evolution.TablePlanner;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.schema.RowType;
import io.sluice.replicator.letters.KeptLetter;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.DeadLetter;
import io.sluice.sinks.RoutedTable;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one message has given so far: rows that wait until all of it has been read, whether a table
 * grew by it, a table that it empties. Of the source's thread.
 */
final class Handover {

  private final ChangeInput input;
  private final PendingRows pending = new PendingRows();
  private boolean grown;
  private @Nullable TopicTable truncated;
  private @Nullable TopicTable left;
  private @Nullable KeptLetter letter;
  private @Nullable SourceTableId only;
  private boolean catchesUp;
  private int numbers;

  /** Writes a change as it would be in columns that the table hasn't yet. */
  interface Trial {
    /**
     * @throws BadMessageException it has no place there either
     */
    void write(RowType columns) throws BadMessageException;
  }

  Handover(ChangeInput input) {
    this.input = input;
  }

  ChangeInput input() {
    return input;
  }

  PendingRows pending() {
    return pending;
  }

  /** Forgets the message. */
  void begin() {
    grown = false;
    truncated = null;
    left = null;
    numbers = 0;
    pending.clear();
  }

  /** From here on messages are no letters, or this one. */
  void replays(@Nullable KeptLetter kept) {
    letter = kept;
  }

  /** Whether the message is a letter. */
  boolean isReplay() {
    return letter != null;
  }

  /** From here on messages are taken for this table alone; null: for all. */
  void isFor(@Nullable SourceTableId table) {
    only = table;
  }

  /** From here on messages are taken for a table that catches up; or, null, by the stream. */
  void catchesUp(@Nullable SourceTableId table) {
    only = table;
    catchesUp = table != null;
  }

  /** Whether messages are taken for this table now. */
  boolean wants(TopicTable table) {
    SourceTableId one = only;
    return one == null || one.equals(table.id());
  }

  /** A number that orders the row being made, as it would have in its message's place. */
  long nextNumber() {
    KeptLetter replayed = letter;
    return replayed == null
        ? input.nextNumber()
        : replayed.sequence() + Math.min(numbers++, DeadLetter.ROWS_MAX - 1);
  }

  /** Whether the table takes no rows. */
  boolean leaves(TopicTable table) {
    if (catchesUp || !input.isParked(table.id())) {
      return false;
    }
    left = table;
    return true;
  }

  /** A table that takes no rows, of which the message has some; null if there is none. */
  @Nullable TopicTable left() {
    return left;
  }

  /** Whether a table grew: rows written before are of the old one, so the message is read again. */
  boolean grown() {
    return grown;
  }

  /**
   * Hands over what a letter has given, each row with a number of the letter's.
   *
   * @param sourceTimeMicros of the newest message: how long a letter has waited is no lag
   * @return why that isn't done; null: it is
   */
  @Nullable String handOver(KeptLetter kept, long sourceTimeMicros) {
    TopicTable emptied = truncated;
    if (emptied != null) {
      return "It empties table " + emptied.id() + ", with all that has come since.";
    }
    TopicTable parked = left;
    if (parked != null) {
      return "Table " + parked.id() + " is parked.";
    }
    if (pending.size() > DeadLetter.ROWS_MAX) {
      return "It has "
          + pending.size()
          + " rows; at most "
          + DeadLetter.ROWS_MAX
          + " have a place.";
    }
    pending.forEach(
        new PendingRows.Consumer() {
          private long sequence = kept.sequence();

          @Override
          public void row(TopicTable table, BinaryRow row, long micros) {
            input.replayedRow(
                Objects.requireNonNull(table.routed()), row, sourceTimeMicros, sequence++);
          }
        });
    return null;
  }

  /** Whether the message empties a table. */
  boolean truncates() {
    return truncated != null;
  }

  void truncate(TopicTable table) throws BadMessageException {
    if (!pending.isEmpty() || truncated != null) {
      throw new BadMessageException(
          Reason.MALFORMED, "A TRUNCATE stands among other changes in one message.");
    }
    truncated = table;
  }

  /**
   * Makes a table what a change needs.
   *
   * @param wanted its definition then
   * @param trial a message that has no place in the wider table either must leave no trace in it
   * @return false if the table is parked, perhaps just now: its rows are dropped
   */
  boolean grow(TopicTable table, SourceTable wanted, Trial trial) throws BadMessageException {
    if (table.routed() != null && wanted.equals(table.definition())) {
      return true;
    }
    if (wanted.columns().isEmpty()) {
      throw new BadMessageException(
          Reason.INCOMPLETE, "Nothing but nulls: table " + table.id() + " gets no column by it.");
    }
    PlanOptions options =
        new PlanOptions("trial", "trial", 1, List.of(), Map.of(), false, TableKind.GATHERED);
    // If it can't be planned, the gate says why.
    if (TablePlanner.plan(wanted, options, 0) instanceof PlannedTable.Planned planned) {
      trial.write(planned.schema().rowType());
    }
    Optional<RoutedTable> routed = input.tableChanged(wanted, TableRecords.write(wanted));
    grown = true;
    routed.ifPresentOrElse(
        now -> table.become(wanted, now),
        () -> {
          left = table;
          // When it goes on, it does so as what it is.
          SourceTable standing = table.definition();
          input.history(
              standing == null ? TableRecords.gone(table.id()) : TableRecords.write(standing));
        });
    return routed.isPresent();
  }

  /** Hands over what the message has given. */
  void handOver() {
    TopicTable emptied = truncated;
    if (emptied == null) {
      pending.forEach(
          (table, row, micros) -> input.row(Objects.requireNonNull(table.routed()), row, micros));
      return;
    }
    RoutedTable routed = emptied.routed();
    SourceTable definition = emptied.definition();
    if (routed != null && definition != null && (catchesUp || !input.isParked(emptied.id()))) {
      emptied.become(definition, input.truncate(routed, 0));
    }
  }

  /** When the change was made at its source, epoch microseconds. */
  static long micros(Change change, long messageMillis) {
    return change.sourceTimeMicros() > 0
        ? change.sourceTimeMicros()
        : Math.max(0, messageMillis) * 1000;
  }
}
