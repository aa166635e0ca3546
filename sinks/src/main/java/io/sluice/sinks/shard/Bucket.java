package io.sluice.sinks.shard;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.write.BucketWriter;
import org.jspecify.annotations.Nullable;

/**
 * One bucket of a table and the worker that owns it. The fields without {@code final} belong to one
 * thread each, as they say.
 */
public final class Bucket {

  private final SinkTable table;
  private final BinaryRow partition;
  private final int number;
  private final ShardWorker worker;

  /** The stream's batch that is being filled. Under the router's lock. */
  public @Nullable RowBatch filling;

  /**
   * Whether its last batch was full, so that the next one starts large. Under the router's lock.
   */
  public boolean lastBatchFull;

  /** Null while the bucket costs nothing. The worker's. */
  @Nullable BucketWriter writer;

  /** Whether the writer may have something to hand over. The worker's. */
  boolean dirty;

  /** Memtable bytes as last seen. The worker's. */
  long memtableBytes;

  /** Keys deleted while chunks are open; null if none. The worker's. */
  @Nullable DeletedKeys deletedKeys;

  Bucket(SinkTable table, BinaryRow partition, int number, ShardWorker worker) {
    this.table = table;
    this.partition = partition;
    this.number = number;
    this.worker = worker;
  }

  public SinkTable table() {
    return table;
  }

  public BinaryRow partition() {
    return partition;
  }

  public int number() {
    return number;
  }

  public ShardWorker worker() {
    return worker;
  }

  @Override
  public String toString() {
    return table + " bucket " + number;
  }
}
