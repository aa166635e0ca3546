package io.sluice.lsm.compaction;

import io.sluice.lsm.level.BucketId;
import java.time.Duration;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hears what background compaction of one table does. Called from its threads; must not block. */
public interface CompactionListener {

  /** A compaction of one bucket begins; told once for each attempt. */
  default void begun(BucketId bucket, CompactionPlan plan) {}

  /** Results became a snapshot. */
  void committed(Set<BucketId> buckets, long snapshotId);

  /** Another writer was first: results are dropped, the buckets are planned anew. */
  void conflicted(Set<BucketId> buckets, Throwable cause);

  /** Something failed and is tried again; nothing of the table was changed by it. */
  void failed(String what, Throwable cause, Duration retryIn);

  /** Writes log lines about table {@code name}. */
  static CompactionListener logging(String name) {
    Logger log = LoggerFactory.getLogger(CompactionListener.class);
    return new CompactionListener() {
      @Override
      public void begun(BucketId bucket, CompactionPlan plan) {
        if (log.isDebugEnabled()) {
          log.debug(
              "Compacting {} of {}: {} bytes into level {}, of runs (level: bytes) {}",
              text(bucket),
              name,
              plan.bytes(),
              plan.outputLevel(),
              plan.runs().stream().map(run -> run.level() + ": " + run.bytes()).toList());
        }
      }

      @Override
      public void committed(Set<BucketId> buckets, long snapshotId) {
        if (log.isDebugEnabled()) {
          for (BucketId bucket : buckets) {
            log.debug("Compacted {} of {} in snapshot {}", text(bucket), name, snapshotId);
          }
        }
      }

      @Override
      public void conflicted(Set<BucketId> buckets, Throwable cause) {
        log.info(
            "Compaction of {} lost against another writer and starts over: {}",
            name,
            cause.getMessage());
      }

      @Override
      public void failed(String what, Throwable cause, Duration retryIn) {
        log.warn(
            "Table {}: {} failed and is tried again in {} ms: {}",
            name,
            what,
            retryIn.toMillis(),
            cause.toString(),
            cause);
      }

      /** The partition by its bytes: a name for each, not for people. */
      private String text(BucketId bucket) {
        return bucket.partition().size() == 0
            ? "bucket " + bucket.bucket()
            : "bucket "
                + bucket.bucket()
                + " in partition #"
                + Integer.toHexString(bucket.partition().hashCode());
      }
    };
  }
}
