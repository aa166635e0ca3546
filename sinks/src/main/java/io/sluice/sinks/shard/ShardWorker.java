package io.sluice.sinks.shard;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.write.BucketAssigner;
import io.sluice.lsm.write.BucketWriter;
import io.sluice.lsm.write.MemoryPool;
import io.sluice.sinks.ChunkOutdatedException.Cause;
import io.sluice.sinks.Liveness;
import io.sluice.sinks.epoch.StorageRetry;
import io.sluice.sinks.epoch.TableFaultException;
import io.sluice.sinks.shard.ShardMessage.Barrier;
import io.sluice.sinks.shard.ShardMessage.ChunkClosed;
import io.sluice.sinks.shard.ShardMessage.ChunkOpened;
import io.sluice.sinks.shard.ShardMessage.Discard;
import io.sluice.sinks.shard.ShardMessage.Dismiss;
import io.sluice.sinks.shard.ShardMessage.Shrink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the buckets that hash to it, on one thread, in the order of its queue.
 *
 * <p>At a barrier it flushes the buckets that have something to hand over, whatever their
 * compaction does: a bucket that has more sorted runs than it should is slower to read, and holds
 * up nobody.
 */
public final class ShardWorker implements Runnable {

  /** Writers kept although they have nothing to write; beyond, the longest unused are closed. */
  private static final int IDLE_WRITERS_MAX = 512;

  private final ShardQueue queue;
  private final MemoryPool memory;
  private final StorageRetry retry;
  private final Liveness.Stage stage;
  private final int rememberedDeletesMax;
  private final Consumer<Throwable> onFailure;
  private final List<ShardWorker> peers;
  private final AtomicBoolean askedToShrink = new AtomicBoolean();
  private final LinkedHashSet<Bucket> writers = new LinkedHashSet<>();
  private final List<Bucket> dirty = new ArrayList<>();

  /** Tables whose folder refuses their files, and why: their rows are dropped until dismissed. */
  private final Map<SinkTable, String> refused = new LinkedHashMap<>();

  private final Map<SinkTable, Chunks> chunks = new HashMap<>();

  /** Of the largest memtable here. */
  private volatile long largestBytes;

  /** Open chunks of one table, and the buckets here that remember deletes for them. */
  private static final class Chunks {
    final TreeMap<Long, OpenChunk> open = new TreeMap<>();
    final Set<Bucket> remembering = new LinkedHashSet<>();
    @Nullable BucketAssigner keys;
    long keysSchema = -1;

    BucketAssigner keys(TableSchema schema) {
      BucketAssigner assigner = keys;
      if (assigner == null || keysSchema != schema.id()) {
        assigner = new BucketAssigner(schema);
        keys = assigner;
        keysSchema = schema.id();
      }
      return assigner;
    }
  }

  /**
   * @param peers all workers of the pool, this one too; read after construction only
   */
  ShardWorker(
      long queueBytesMax,
      MemoryPool memory,
      StorageRetry retry,
      Liveness.Stage stage,
      int rememberedDeletesMax,
      List<ShardWorker> peers,
      Consumer<Throwable> onFailure) {
    this.queue = new ShardQueue(queueBytesMax);
    this.memory = memory;
    this.retry = retry;
    this.stage = stage;
    this.rememberedDeletesMax = rememberedDeletesMax;
    this.peers = peers;
    this.onFailure = onFailure;
  }

  /** Never waits; see {@link #awaitRoom}. */
  public void push(ShardMessage message) {
    stage.hasWork();
    queue.push(message);
  }

  /** Waits while this worker is behind. Not under the router's lock. */
  public void awaitRoom() throws InterruptedException {
    queue.awaitRoom();
  }

  /** Whether {@link #awaitRoom} would wait. */
  public boolean full() {
    return queue.full();
  }

  void close() {
    queue.close();
  }

  @Override
  public void run() {
    stage.enter();
    try {
      while (true) {
        stage.rests();
        ShardMessage message = queue.take();
        if (message == null) {
          return;
        }
        stage.works();
        handle(message);
        queue.release(message);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      onFailure.accept(e);
    } finally {
      stage.rests();
      for (Bucket bucket : writers) {
        closeWriter(bucket);
      }
    }
  }

  private void handle(ShardMessage message) {
    if (message instanceof RowBatch batch) {
      write(batch);
      relieveMemory();
    } else if (message instanceof Barrier barrier) {
      pass(barrier.epoch());
    } else if (message instanceof ChunkOpened opened) {
      chunks
          .computeIfAbsent(opened.chunk().table(), t -> new Chunks())
          .open
          .put(opened.chunk().readNumber(), opened.chunk());
    } else if (message instanceof ChunkClosed closed) {
      closeChunk(closed.chunk());
    } else if (message instanceof Discard discard) {
      discard(discard.table());
    } else if (message instanceof Dismiss dismiss) {
      dismiss(dismiss.table());
    } else if (message instanceof Shrink) {
      askedToShrink.set(false);
      if (memory.exhausted()) {
        flushLargest();
      }
    }
  }

  private void write(RowBatch batch) {
    OpenChunk chunk = batch.chunk();
    if (chunk != null && chunk.outdated() != null) {
      return;
    }
    Bucket bucket = batch.bucket();
    if (refused.containsKey(bucket.table())) {
      return;
    }
    try {
      write(batch, bucket);
    } catch (TableFaultException e) {
      refuse(bucket, e);
    }
  }

  /** What the table has lost here must not be committed in part: the next epoch leaves it out. */
  private void refuse(Bucket bucket, TableFaultException fault) {
    refused.put(bucket.table(), String.valueOf(fault.getMessage()));
    writers.remove(bucket);
    closeWriter(bucket);
  }

  private void write(RowBatch batch, Bucket bucket) {
    OpenChunk chunk = batch.chunk();
    BucketWriter writer = writer(bucket, batch);
    if (writer == null) {
      return;
    }
    if (!bucket.dirty) {
      bucket.dirty = true;
      dirty.add(bucket);
    }
    Chunks open = chunks.isEmpty() ? null : chunks.get(bucket.table());
    RowBatch.Cursor cursor = batch.cursor();
    if (chunk != null) {
      writeChunkRows(
          bucket, writer, cursor, chunk, open == null ? null : open.keys(batch.schema()));
    } else if (open != null) {
      BucketAssigner keys = open.keys(batch.schema());
      while (cursor.advance()) {
        if (cursor.row.kind().isRetract()) {
          remember(open, bucket, keys.key(cursor.row), cursor.sequenceNumber);
        }
        write(bucket, writer, cursor);
      }
    } else {
      while (cursor.advance()) {
        write(bucket, writer, cursor);
      }
    }
    account(bucket, writer.memtableBytes());
  }

  private void writeChunkRows(
      Bucket bucket,
      BucketWriter writer,
      RowBatch.Cursor cursor,
      OpenChunk chunk,
      @Nullable BucketAssigner keys) {
    DeletedKeys deleted = bucket.deletedKeys;
    while (cursor.advance()) {
      if (deleted != null
          && keys != null
          && deleted.deletedAfter(keys.key(cursor.row), chunk.readNumber())) {
        continue;
      }
      write(bucket, writer, cursor);
    }
  }

  private void write(Bucket bucket, BucketWriter writer, RowBatch.Cursor cursor) {
    try {
      writer.write(cursor.row, cursor.sequenceNumber);
    } catch (IOException e) {
      // The row is in the memtable; what failed is the flush of a full one.
      retry.run(flushing(bucket), writer::flush);
    }
  }

  /** The bucket's writer at the batch's schema; null if the batch is of an older one. */
  private @Nullable BucketWriter writer(Bucket bucket, RowBatch batch) {
    TableSchema schema = batch.schema();
    BucketWriter writer = bucket.writer;
    if (writer == null) {
      writer =
          bucket.table().lsm().newBucketWriter(schema, bucket.partition(), bucket.number(), memory);
      bucket.writer = writer;
      writers.add(bucket);
      return writer;
    }
    if (writer.schemaId() < schema.id()) {
      BucketWriter changing = writer;
      retry.run(flushing(bucket), () -> changing.changeSchema(schema));
      account(bucket, writer.memtableBytes());
    } else if (writer.schemaId() > schema.id()) {
      OpenChunk chunk = batch.chunk();
      if (chunk != null) {
        chunk.outdate(Cause.ALTERED);
        return null;
      }
      throw new IllegalStateException(
          "Rows of schema-" + schema.id() + " of " + bucket + " after schema-" + writer.schemaId());
    }
    return writer;
  }

  private static String flushing(Bucket bucket) {
    return "flushing " + bucket;
  }

  private void remember(Chunks open, Bucket bucket, BinaryRow key, long sequenceNumber) {
    DeletedKeys deleted = bucket.deletedKeys;
    if (deleted == null) {
      deleted = new DeletedKeys();
      bucket.deletedKeys = deleted;
      open.remembering.add(bucket);
    }
    SinkTable table = bucket.table();
    if (deleted.remember(key, sequenceNumber)
        && table.rememberedKeys().incrementAndGet() > rememberedDeletesMax) {
      // Chunks that are done stay: their last rows are on the way and must be held against this.
      for (OpenChunk chunk : table.openChunks()) {
        chunk.outdate(Cause.DELETES_OUTGREW_MEMORY);
      }
      open.open.values().removeIf(chunk -> chunk.outdated() != null);
      forget(table, open);
    }
  }

  private void closeChunk(OpenChunk chunk) {
    Chunks open = chunks.get(chunk.table());
    if (open != null) {
      open.open.remove(chunk.readNumber());
      forget(chunk.table(), open);
      if (open.open.isEmpty()) {
        chunks.remove(chunk.table());
      }
    }
  }

  /** Drops the keys that no chunk still open can ask for. */
  private static void forget(SinkTable table, Chunks open) {
    long lowest = open.open.isEmpty() ? Long.MAX_VALUE : open.open.firstKey();
    Iterator<Bucket> buckets = open.remembering.iterator();
    while (buckets.hasNext()) {
      Bucket bucket = buckets.next();
      DeletedKeys deleted = bucket.deletedKeys;
      if (deleted != null) {
        table.rememberedKeys().addAndGet(-deleted.forgetUpTo(lowest));
        if (deleted.size() == 0) {
          bucket.deletedKeys = null;
          buckets.remove();
        }
      }
    }
  }

  private void discard(SinkTable table) {
    for (Bucket bucket : writers) {
      BucketWriter writer = bucket.writer;
      if (bucket.table() == table && writer != null) {
        writer.discard();
        account(bucket, 0);
      }
    }
  }

  private void dismiss(SinkTable table) {
    refused.remove(table);
    Iterator<Bucket> all = writers.iterator();
    while (all.hasNext()) {
      Bucket bucket = all.next();
      if (bucket.table() == table) {
        all.remove();
        closeWriter(bucket);
        bucket.deletedKeys = null;
      }
    }
    chunks.remove(table);
  }

  private void pass(EpochBarrier epoch) {
    for (Bucket bucket : dirty) {
      handOver(bucket, epoch);
    }
    dirty.clear();
    largestBytes = 0;
    refused.forEach(epoch::leaveOut);
    epoch.passed();
    closeIdleWriters();
  }

  private void handOver(Bucket bucket, EpochBarrier epoch) {
    bucket.dirty = false;
    BucketWriter writer = bucket.writer;
    if (writer == null || refused.containsKey(bucket.table())) {
      return;
    }
    List<DataFileMeta> files;
    try {
      files = retry.run(flushing(bucket), writer::drain);
    } catch (TableFaultException e) {
      refuse(bucket, e);
      return;
    }
    account(bucket, writer.memtableBytes());
    if (!files.isEmpty()) {
      epoch.handOver(
          bucket.table(),
          new CommitMessage(
              bucket.partition(),
              bucket.number(),
              bucket.table().totalBuckets(),
              files,
              List.of(),
              List.of()));
    }
    // The most recently used are last.
    writers.remove(bucket);
    writers.add(bucket);
  }

  private void closeIdleWriters() {
    Iterator<Bucket> oldest = writers.iterator();
    while (writers.size() > IDLE_WRITERS_MAX && oldest.hasNext()) {
      Bucket bucket = oldest.next();
      oldest.remove();
      closeWriter(bucket);
    }
  }

  private void closeWriter(Bucket bucket) {
    BucketWriter writer = bucket.writer;
    if (writer != null) {
      writer.close();
      bucket.writer = null;
      account(bucket, 0);
    }
  }

  private void account(Bucket bucket, long bytesNow) {
    bucket.memtableBytes = bytesNow;
    if (bytesNow > largestBytes) {
      largestBytes = bytesNow;
    }
  }

  /** When memory is short: the largest memtable of all workers is flushed. */
  private void relieveMemory() {
    if (!memory.exhausted()) {
      return;
    }
    ShardWorker most = this;
    for (ShardWorker peer : peers) {
      if (peer.largestBytes > most.largestBytes) {
        most = peer;
      }
    }
    if (most == this) {
      flushLargest();
    } else if (most.askedToShrink.compareAndSet(false, true)) {
      most.queue.pushFirst(new Shrink());
    }
  }

  private void flushLargest() {
    Bucket largest = null;
    long next = 0;
    for (Bucket bucket : dirty) {
      if (largest == null || bucket.memtableBytes > largest.memtableBytes) {
        next = largest == null ? 0 : largest.memtableBytes;
        largest = bucket;
      } else {
        next = Math.max(next, bucket.memtableBytes);
      }
    }
    largestBytes = next;
    if (largest != null && largest.memtableBytes > 0) {
      BucketWriter writer = largest.writer;
      if (writer != null) {
        try {
          retry.run(flushing(largest), writer::flush);
          account(largest, writer.memtableBytes());
        } catch (TableFaultException e) {
          refuse(largest, e);
        }
      }
    }
  }
}
