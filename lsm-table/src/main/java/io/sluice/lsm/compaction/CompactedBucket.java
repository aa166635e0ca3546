package io.sluice.lsm.compaction;

import io.sluice.lsm.level.BucketId;
import io.sluice.lsm.level.Levels;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What a {@link TableCompactor} knows of one bucket. Under its lock. */
final class CompactedBucket {

  /** From planning until the result shows in the known levels a bucket isn't planned again. */
  enum Phase {
    IDLE,
    /** Has a task, or a result in commit. */
    BUSY,
    /** Its result is committed or given up, the known levels don't show it yet. */
    STALE,
    /** Pauses after a failure. */
    PAUSED
  }

  final BucketId id;
  Levels levels;
  int totalBuckets;
  Phase phase = Phase.IDLE;
  Optional<CompactionPlan> plan = Optional.empty();
  int failures;

  /** Refreshes begun when it became stale; a later one shows what happened. */
  long staleSince;

  /** Of the writers that wait for fewer runs; one for all of them. */
  @Nullable CompletableFuture<Void> belowStop;

  CompactedBucket(BucketId id, Levels levels) {
    this.id = id;
    this.levels = levels;
  }
}
