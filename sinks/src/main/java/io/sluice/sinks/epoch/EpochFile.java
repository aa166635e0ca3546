package io.sluice.sinks.epoch;

import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.commit.PreparedDelta;
import io.sluice.sinks.Parked;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One epoch: all that is needed to put it into its tables and to go on after it. Its file is
 * written and read by {@link EpochJson}.
 *
 * @param number from 1
 * @param incarnation random id of the process that made it
 * @param position where the source stands after it, in the source's words; null before the first
 * @param sourceTimeMicros commit time of its newest change, epoch microseconds; 0 if unknown
 * @param timeMillis epoch milliseconds when it was cut
 * @param nextSequence the event counter: no number from here up has been given to a record
 * @param changes the tables that it changes
 * @param lastEpochs tables with the last epoch that gave them a snapshot, this one included: to
 *     notice that one was rolled back meanwhile
 * @param sources every captured source table, where it goes, how far its backfill is
 * @param historyFile file in the pipeline's folder with the older history records; null if none
 * @param history the source's history records that are not in the file, oldest first
 * @param watermark record time up to which all is in the tables, epoch milliseconds; null: unknown
 */
public record EpochFile(
    long number,
    String pipeline,
    String incarnation,
    @Nullable String position,
    long sourceTimeMicros,
    long timeMillis,
    long nextSequence,
    List<TableChange> changes,
    SortedMap<LakeTable, Long> lastEpochs,
    Map<SourceTableId, SourceFacts> sources,
    @Nullable String historyFile,
    List<String> history,
    @Nullable Long watermark) {

  /** Of a source that promises no watermark. */
  public EpochFile(
      long number,
      String pipeline,
      String incarnation,
      @Nullable String position,
      long sourceTimeMicros,
      long timeMillis,
      long nextSequence,
      List<TableChange> changes,
      SortedMap<LakeTable, Long> lastEpochs,
      Map<SourceTableId, SourceFacts> sources,
      @Nullable String historyFile,
      List<String> history) {
    this(
        number,
        pipeline,
        incarnation,
        position,
        sourceTimeMicros,
        timeMillis,
        nextSequence,
        changes,
        lastEpochs,
        sources,
        historyFile,
        history,
        null);
  }

  public EpochFile {
    if (number < 1 || nextSequence < 0) {
      throw new IllegalArgumentException("Epoch " + number + ", next sequence " + nextSequence);
    }
    changes = List.copyOf(changes);
    lastEpochs = java.util.Collections.unmodifiableSortedMap(new TreeMap<>(lastEpochs));
    sources = java.util.Collections.unmodifiableMap(new java.util.LinkedHashMap<>(sources));
    history = List.copyOf(history);
  }

  /**
   * Up to which place in the source this epoch has the rows of a lake table: its own place if it
   * catches up, else that of the epoch.
   */
  public @Nullable String positionOf(LakeTable table) {
    for (SourceFacts facts : sources.values()) {
      Parked parked = facts.parked();
      if (parked != null && parked.catchingUp() && facts.lakeTable().equals(table)) {
        return parked.position();
      }
    }
    return position;
  }

  /** How an epoch changes a table. */
  public enum Kind {
    /** New files. */
    APPEND,
    /** Deletes every row: TRUNCATE. */
    OVERWRITE,
    /** New schemas only: no snapshot. */
    SCHEMA
  }

  /**
   * What an epoch does to one table.
   *
   * @param schemas to be created before the snapshot, ascending ids
   * @param delta of an APPEND; else null
   * @param base id of the table's newest snapshot before this file was written; 0 if none
   */
  public record TableChange(
      LakeTable table,
      Kind kind,
      List<SchemaText> schemas,
      @Nullable PreparedDelta delta,
      long base) {
    public TableChange {
      schemas = List.copyOf(schemas);
      if ((kind == Kind.APPEND) != (delta != null)) {
        throw new IllegalArgumentException(kind + " of " + table + " with delta " + delta);
      }
    }
  }

  /** A schema file's id and full text. */
  public record SchemaText(long id, String text) {}

  /**
   * @param backfill the backfill's progress, in its own words; null if it has said nothing yet
   * @param parked null for a table that goes on with the others
   * @param staleBelow the table is being copied over rows that it has: records with a smaller
   *     number than this that are left when all rows have been copied are no rows of the source any
   *     more; 0: it is not
   */
  public record SourceFacts(
      LakeTable lakeTable, @Nullable String backfill, @Nullable Parked parked, long staleBelow) {

    /** Of a table that goes on with the others. */
    public SourceFacts(LakeTable lakeTable, @Nullable String backfill) {
      this(lakeTable, backfill, null, 0);
    }
  }
}
