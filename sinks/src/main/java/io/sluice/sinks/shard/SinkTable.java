package io.sluice.sinks.shard;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.table.LsmTable;
import io.sluice.sinks.epoch.LakeTable;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A lake table as router, chunks and workers share it: its buckets, its open chunks, how many
 * deleted keys it remembers. Thread safe.
 */
public final class SinkTable {

  private final LakeTable name;
  private final LsmTable lsm;
  private final int totalBuckets;
  private final int bucketsOfPartition;
  private final boolean partitioned;
  private final List<ShardWorker> workers;
  private final AtomicReferenceArray<@Nullable Bucket> unpartitioned;
  private final ConcurrentHashMap<BinaryRow, AtomicReferenceArray<@Nullable Bucket>> partitions =
      new ConcurrentHashMap<>();
  private final CopyOnWriteArrayList<OpenChunk> openChunks = new CopyOnWriteArrayList<>();
  private final AtomicInteger rememberedKeys = new AtomicInteger();

  /**
   * @param schema any schema of the table: buckets and partition columns never change
   */
  public SinkTable(
      LakeTable name,
      LsmTable lsm,
      TableSchema schema,
      int totalBuckets,
      List<ShardWorker> workers) {
    this.name = name;
    this.lsm = lsm;
    this.totalBuckets = totalBuckets;
    // A table without a key has one, number 0.
    int buckets = Math.max(1, totalBuckets);
    this.bucketsOfPartition = buckets;
    this.partitioned = !schema.partitionKeys().isEmpty();
    this.workers = List.copyOf(workers);
    this.unpartitioned = new AtomicReferenceArray<>(partitioned ? 0 : buckets);
  }

  public LakeTable name() {
    return name;
  }

  public LsmTable lsm() {
    return lsm;
  }

  int totalBuckets() {
    return totalBuckets;
  }

  /** The bucket of a row; {@code partition} may be a view, it is copied when it is new. */
  public Bucket bucket(BinaryRow partition, int number) {
    AtomicReferenceArray<@Nullable Bucket> row = unpartitioned;
    if (partitioned) {
      AtomicReferenceArray<@Nullable Bucket> known = partitions.get(partition);
      row =
          known != null
              ? known
              : partitions.computeIfAbsent(
                  partition.copy(), p -> new AtomicReferenceArray<>(bucketsOfPartition));
    }
    Bucket bucket = row.get(number);
    if (bucket != null) {
      return bucket;
    }
    BinaryRow ownPartition = partitioned ? partition.copy() : BinaryRow.EMPTY;
    int hash = (name.hashCode() * 31 + ownPartition.hashCode()) * 31 + number;
    // Neighbours of one table go to different workers, whatever the hash does.
    int worker = Math.floorMod(Integer.hashCode(hash - number) + number, workers.size());
    Bucket created = new Bucket(this, ownPartition, number, workers.get(worker));
    return row.compareAndSet(number, null, created) ? created : bucketAgain(row, number);
  }

  private static Bucket bucketAgain(AtomicReferenceArray<@Nullable Bucket> row, int number) {
    Bucket bucket = row.get(number);
    if (bucket == null) {
      throw new IllegalStateException("A bucket is never taken away");
    }
    return bucket;
  }

  /** Chunks whose rows may still come; the router adds and removes under its lock. */
  public CopyOnWriteArrayList<OpenChunk> openChunks() {
    return openChunks;
  }

  AtomicInteger rememberedKeys() {
    return rememberedKeys;
  }

  @Override
  public String toString() {
    return name.name();
  }
}
