package io.sluice.lsm.write;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.TableSchema;

/**
 * Tells the partition and the bucket of rows of one schema (fixed buckets). One thread at a time:
 * it reuses its buffers.
 */
public final class BucketAssigner {

  public BucketAssigner(TableSchema schema) {
    throw new UnsupportedOperationException();
  }

  /** The option {@code bucket}. */
  public int totalBuckets() {
    throw new UnsupportedOperationException();
  }

  /**
   * Partition values of a row: a view, good until the next call; {@link BinaryRow#EMPTY} without.
   */
  public BinaryRow partition(Row row) {
    throw new UnsupportedOperationException();
  }

  public int bucket(Row row) {
    throw new UnsupportedOperationException();
  }

  /** The trimmed primary key of a row: a view, good until the next call. */
  public BinaryRow key(Row row) {
    throw new UnsupportedOperationException();
  }
}
