package io.sluice.sinks.shard;

import io.sluice.lsm.binary.BinaryRow;

/** Takes away the memory of deletes, to show that a copy needs it. */
public final class ForgottenDeletes {

  private ForgottenDeletes() {}

  /** Only while the table's workers have nothing to do. */
  public static void forget(SinkTable table, int buckets) {
    for (int number = 0; number < buckets; number++) {
      table.bucket(BinaryRow.EMPTY, number).deletedKeys = null;
    }
  }
}
