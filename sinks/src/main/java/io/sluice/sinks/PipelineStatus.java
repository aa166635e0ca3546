package io.sluice.sinks;

import io.sluice.evolution.SourceTableId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The facts of one moment, for the status page and metrics.
 *
 * @param epoch newest finished epoch
 * @param lastCommitMillis epoch milliseconds when it was finished
 * @param freshnessSeconds now minus commit time of the oldest change not yet visible; 0 if none
 */
public record PipelineStatus(
    String pipeline,
    long epoch,
    long lastCommitMillis,
    Optional<SourcePosition> position,
    long sourceTimeMicros,
    double freshnessSeconds,
    long memtableBytes,
    long compactionPendingBytes,
    List<TableStatus> tables) {

  public PipelineStatus {
    tables = List.copyOf(tables);
  }

  /**
   * @param rows records taken in since the start, by kind: inserts, updates, deletes
   * @param sortedRuns of the worst bucket
   * @param parked null for a table that goes on
   */
  public record TableStatus(
      SourceTableId source,
      String lakeTable,
      long snapshotId,
      long inserts,
      long updates,
      long deletes,
      long backfillRows,
      double freshnessSeconds,
      int sortedRuns,
      long liveFiles,
      @Nullable String backfillProgress,
      @Nullable Parked parked) {

    /** Of a table that goes on. */
    public TableStatus(
        SourceTableId source,
        String lakeTable,
        long snapshotId,
        long inserts,
        long updates,
        long deletes,
        long backfillRows,
        double freshnessSeconds,
        int sortedRuns,
        long liveFiles,
        @Nullable String backfillProgress) {
      this(
          source,
          lakeTable,
          snapshotId,
          inserts,
          updates,
          deletes,
          backfillRows,
          freshnessSeconds,
          sortedRuns,
          liveFiles,
          backfillProgress,
          null);
    }
  }
}
