package io.sluice.sinks.shard;

import io.sluice.lsm.binary.BinaryRow;

/** Whether a bucket has so many sorted runs that its writer must wait. Thread safe. */
public interface BucketPressure {

  /** Never waits. */
  BucketPressure NONE =
      new BucketPressure() {
        @Override
        public boolean stalled(BinaryRow partition, int bucket) {
          return false;
        }

        @Override
        public boolean awaitRelief(BinaryRow partition, int bucket, long millis) {
          return true;
        }
      };

  /** Past the stop trigger: a compaction must end before the next flush. */
  boolean stalled(BinaryRow partition, int bucket);

  /** Waits at most so long; whether the bucket may be flushed now. */
  boolean awaitRelief(BinaryRow partition, int bucket, long millis) throws InterruptedException;
}
