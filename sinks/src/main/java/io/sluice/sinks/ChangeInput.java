package io.sluice.sinks;

import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.binary.BinaryRow;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The stream's way into the pipeline. One source thread calls it, in the order of the source's log.
 * Calls block while the pipeline is behind (back-pressure) and throw {@link
 * PipelineStoppedException} once it has ended.
 */
public interface ChangeInput {

  /**
   * Routes a table known from the recovered history; no schema is changed. Empty if the table is
   * not captured, or parked. Must be called for each table before {@link #tableChanged} or rows of
   * it after a start.
   */
  Optional<RoutedTable> restoreTable(SourceTable definition);

  /**
   * A table was created or altered (or is met for the first time): the lake table is created or
   * evolved with the epoch that takes this in. Empty if the table is not captured, or parked: then
   * the record alone is taken.
   *
   * @param historyRecord the source's own record of the DDL, one line; part of the epoch
   * @throws TableRefusedException if the change can't be followed and the pipeline doesn't park
   *     tables; nothing of it has been taken in
   */
  Optional<RoutedTable> tableChanged(SourceTable definition, @Nullable String historyRecord);

  /**
   * A table can't be followed from here on, by the source's word: it is left behind, with what the
   * epoch now gathered has of it. Rows of it that still come are dropped.
   *
   * @param reason what happened, where, and what can be done
   * @return false if this pipeline parks no tables: the caller has to stop
   */
  default boolean park(SourceTableId table, String reason) {
    return false;
  }

  /** Whether tables that can't go on are left behind; else the caller has to stop. Thread safe. */
  default boolean parksTables() {
    return false;
  }

  /**
   * A table is copied again beside the stream, over the rows that it has in the lake; a parked one
   * comes back by it. From here on its rows are taken; {@link BackfillInput#progress} demands the
   * copy. Readers see a full table all the time.
   *
   * @param definition the table as it is where the stream stands
   * @param part null: all rows
   * @return the table's next generation
   * @throws TableRefusedException if the lake table can't become what the source has, or a part is
   *     asked for of a table that isn't wholly copied; nothing has changed
   */
  default RoutedTable resync(SourceTable definition, @Nullable PartCopy part) {
    throw new UnsupportedOperationException("resync of " + definition.id());
  }

  /** Whether the table is left behind. Thread safe. */
  default boolean isParked(SourceTableId table) {
    return false;
  }

  /** The tables that are left behind, those that catch up as well. Thread safe. */
  default Map<SourceTableId, Parked> parked() {
    return Map.of();
  }

  /**
   * Where a table that was left behind would go on from, by its folder. Changes nothing.
   *
   * @throws TableRefusedException if that can't be known
   */
  default TablePlace place(SourceTableId table) {
    throw new UnsupportedOperationException("place of " + table);
  }

  /**
   * A table that was left behind comes back: from here on the source reads for it, beside the
   * stream, from a place of the table's own. {@link #tableChanged}, {@link #row} and {@link
   * #truncate} are for that reading alone then; {@link #isParked} holds until {@link #join}. While
   * it lasts {@link #tableChanged} throws what it can't follow, and takes nothing of it. A table
   * that catches up when the pipeline starts is begun with again, from the place that it has.
   *
   * @param definition as it was where the table stands; null: it isn't known, the first row makes
   *     it
   * @return empty if the first row makes the lake table
   * @throws TableRefusedException if the lake table can't take its rows; it stays where it is
   */
  default Optional<RoutedTable> catchUp(
      SourceTableId table, @Nullable SourceTable definition, TablePlace from) {
    throw new UnsupportedOperationException("catching up of " + table);
  }

  /**
   * Exactly what the source holds up to this place of the table's own was handed over for it. The
   * caller follows with {@link #cutPoint}. Does nothing for a table that was parked meanwhile.
   */
  default void caughtUpTo(SourceTableId table, SourcePosition position) {
    throw new UnsupportedOperationException("catching up of " + table);
  }

  /**
   * Tells the place of a table that is left behind in other words: parts of the source have come
   * up. The caller follows with {@link #cutPoint}. Does nothing if the place is another one by now.
   */
  default void restate(SourceTableId table, SourcePosition before, SourcePosition now) {
    throw new UnsupportedOperationException("catching up of " + table);
  }

  /**
   * The table's own place is the one that the next {@link #cutPoint} tells, which has to follow at
   * once: it is one like the others again. Does nothing for a table that was parked meanwhile.
   */
  default void join(SourceTableId table) {
    throw new UnsupportedOperationException("catching up of " + table);
  }

  /** A history record that changes no captured table. */
  void history(String historyRecord);

  /**
   * One row change. {@code row} is in {@code table.lakeSchema()}'s columns, its kind stands in it
   * (+I, +U, -D; updates that keep the key send +U alone, key changes -D then +I); its bytes are
   * copied.
   *
   * @param sourceTimeMicros commit time at the source, epoch microseconds
   */
  void row(RoutedTable table, BinaryRow row, long sourceTimeMicros);

  /**
   * A record that has no place in its table: kept in {@link DeadLetterTable}, as part of the epoch
   * that takes in what came before and after it.
   *
   * @throws PipelineStoppedException if it can't be kept: then nothing may go on
   */
  default void deadLetter(DeadLetter letter) {
    throw new UnsupportedOperationException("a dead letter of " + letter.source());
  }

  /**
   * What became of a letter that was kept before, see {@link DeadLetter.State}; part of the same
   * epoch as the rows around it.
   *
   * @param sequence the letter's
   */
  default void deadLetterNow(DeadLetter letter, DeadLetter.State state, long sequence) {
    throw new UnsupportedOperationException("a dead letter of " + letter.source());
  }

  /**
   * As {@link #row}, of a record that was kept as a dead letter: it counts as if it had come in its
   * place.
   *
   * @param sequence the letter's for its first row, one more for each further one, up to {@link
   *     DeadLetter#ROWS_MAX}
   */
  default void replayedRow(RoutedTable table, BinaryRow row, long sourceTimeMicros, long sequence) {
    throw new UnsupportedOperationException("a replayed row of " + table.lakeTable());
  }

  /**
   * A number that no record has and that is larger than all drawn before, over restarts too: for
   * columns that keep the order of events.
   */
  default long nextNumber() {
    throw new UnsupportedOperationException("a number");
  }

  /**
   * All rows of the table are gone. Ends the epoch: the caller follows with {@link #cutPoint}
   * before anything else. Returns the table's next generation.
   */
  RoutedTable truncate(RoutedTable table, long sourceTimeMicros);

  /**
   * Everything handed over so far is exactly what the source's log holds up to this position, and
   * the position lies between transactions, known to be complete. An epoch may be cut here, now or
   * later as long as nothing else is handed over.
   *
   * @param sourceTimeMicros commit time of the newest change, epoch microseconds; 0 if unknown
   */
  void cutPoint(SourcePosition position, long sourceTimeMicros);

  /**
   * The same with a promise: of no table comes a row any more whose record is older than the
   * watermark, but from parts of the source that were silent for long. It goes into the snapshots
   * of the epoch; one that is smaller than the one before counts for nothing.
   *
   * @param watermarkMillis record time, epoch milliseconds; null: nothing is promised
   */
  default void cutPoint(
      SourcePosition position, long sourceTimeMicros, @Nullable Long watermarkMillis) {
    cutPoint(position, sourceTimeMicros);
  }

  /** The routed table now, by source name; empty for a parked one. Thread safe. */
  Optional<RoutedTable> routed(SourceTableId id);
}
