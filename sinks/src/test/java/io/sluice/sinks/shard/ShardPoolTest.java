package io.sluice.sinks.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.io.Backoff;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.TestIds;
import io.sluice.lsm.write.MemoryPool;
import io.sluice.sinks.ChunkOutdatedException.Cause;
import io.sluice.sinks.Liveness;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.epoch.LakeTable;
import io.sluice.sinks.epoch.StorageRetry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workers, barriers and queues by themselves. */
class ShardPoolTest {

  private static final TableSchema SCHEMA =
      new TableSchema(
          0,
          new RowType(
              List.of(
                  new DataField(0, "id", DataTypes.BIGINT.withNullable(false)),
                  new DataField(1, "v", DataTypes.STRING))),
          1,
          List.of(),
          List.of("id"),
          Map.of("bucket", "1", "file.format", "orc"),
          null,
          0);

  private final MemoryFileIO storage = new MemoryFileIO();
  private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
  private ShardPool pool = pool(64 << 20, 1 << 20);

  private ShardPool pool(long memoryBytes, long queueBytes) {
    return pool(1, new MemoryPool(memoryBytes), queueBytes);
  }

  private ShardPool pool(int workers, MemoryPool memory, long queueBytes) {
    return new ShardPool(
        "test",
        workers,
        queueBytes,
        1000,
        memory,
        new StorageRetry(Backoff.NONE, 2, PipelineListener.NONE),
        new Liveness(),
        failure::complete);
  }

  @AfterEach
  void end() throws Exception {
    pool.close();
    pool.join(10_000);
  }

  private SinkTable table(String name) {
    LakeTable table = new LakeTable("db", name);
    return new SinkTable(
        table,
        LsmTable.planned(storage, table.root("/lake"), SCHEMA, new FakeClock(), new TestIds(name)),
        SCHEMA,
        1,
        pool.workers());
  }

  private static RowBatch batch(SinkTable table, long id, long sequence) {
    RowBatch batch = new RowBatch(table.bucket(BinaryRow.EMPTY, 0), SCHEMA, null, 0);
    batch.add(row(id), sequence);
    return batch;
  }

  private static BinaryRow row(long id) {
    BinaryRowWriter writer = new BinaryRowWriter(2);
    writer.writeLong(0, id);
    writer.writeString(1, "v" + id);
    return writer.finish(RowKind.INSERT);
  }

  private static long rows(Map<SinkTable, List<CommitMessage>> handedOver, SinkTable table) {
    return handedOver.getOrDefault(table, List.of()).stream()
        .flatMap(message -> message.newFiles().stream())
        .mapToLong(file -> file.rowCount())
        .sum();
  }

  @Test
  void aBarrierHandsOverExactlyWhatCameBeforeIt() throws Exception {
    SinkTable a = table("a");
    EpochBarrier first = new EpochBarrier(1);
    EpochBarrier second = new EpochBarrier(1);
    EpochBarrier third = new EpochBarrier(1);
    pool.pushToAll(batch(a, 1, 1));
    pool.pushToAll(batch(a, 2, 2));
    pool.pushToAll(new ShardMessage.Barrier(first));
    pool.pushToAll(batch(a, 3, 3));
    pool.pushToAll(new ShardMessage.Barrier(second));
    pool.pushToAll(new ShardMessage.Barrier(third));
    pool.start();
    assertThat(rows(first.await().orElseThrow(), a)).isEqualTo(2);
    assertThat(rows(second.await().orElseThrow(), a)).isEqualTo(1);
    assertThat(third.await().orElseThrow()).isEmpty();
  }

  @Test
  void aDiscardDropsOnlyWhatIsNotHandedOver() throws Exception {
    SinkTable a = table("a");
    SinkTable b = table("b");
    EpochBarrier first = new EpochBarrier(1);
    EpochBarrier second = new EpochBarrier(1);
    pool.pushToAll(batch(a, 1, 1));
    pool.pushToAll(new ShardMessage.Barrier(first));
    pool.pushToAll(batch(a, 2, 2));
    pool.pushToAll(batch(b, 2, 3));
    pool.pushToAll(new ShardMessage.Discard(a));
    pool.pushToAll(batch(a, 4, 4));
    pool.pushToAll(new ShardMessage.Barrier(second));
    pool.start();
    Map<SinkTable, List<CommitMessage>> one = first.await().orElseThrow();
    assertThat(rows(one, a)).isEqualTo(1);
    Map<SinkTable, List<CommitMessage>> two = second.await().orElseThrow();
    assertThat(rows(two, a)).isEqualTo(1);
    assertThat(rows(two, b)).isEqualTo(1);
    String name = one.get(a).get(0).newFiles().get(0).fileName();
    assertThat(storage.paths()).anyMatch(path -> path.endsWith(name));
  }

  @Test
  void shortMemoryMakesFilesBeforeTheBarrier() throws Exception {
    pool = pool(1, 1 << 20);
    SinkTable a = table("a");
    EpochBarrier barrier = new EpochBarrier(1);
    for (int i = 0; i < 5; i++) {
      pool.pushToAll(batch(a, i, i));
    }
    pool.pushToAll(new ShardMessage.Barrier(barrier));
    pool.start();
    Map<SinkTable, List<CommitMessage>> all = barrier.await().orElseThrow();
    assertThat(all.get(a).get(0).newFiles()).hasSize(5);
  }

  @Test
  void aFullQueueMakesProducersWait() throws Exception {
    pool = pool(64 << 20, 2_000);
    SinkTable a = table("a");
    ShardWorker worker = pool.workers().get(0);
    pool.pushToAll(batch(a, 1, 1));
    assertThat(worker.full()).isFalse();
    pool.pushToAll(batch(a, 2, 2));
    assertThat(worker.full()).isTrue();
    CompletableFuture<Void> producer =
        CompletableFuture.runAsync(
            () -> {
              try {
                worker.awaitRoom();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    assertThat(producer).isNotDone();
    pool.start();
    producer.get(30, TimeUnit.SECONDS);
    assertThat(worker.full()).isFalse();
  }

  @Test
  void aDoneChunkIsNeverOutdated() {
    OpenChunk done = new OpenChunk(table("a"), 7);
    assertThat(done.finish()).isTrue();
    assertThat(done.outdate(Cause.DELETES_OUTGREW_MEMORY)).isFalse();
    assertThat(done.outdated()).isNull();
    OpenChunk outdated = new OpenChunk(table("a"), 8);
    assertThat(outdated.outdate(Cause.TRUNCATED)).isTrue();
    assertThat(outdated.outdate(Cause.ALTERED)).isFalse();
    assertThat(outdated.finish()).isFalse();
    assertThat(outdated.outdated()).isEqualTo(Cause.TRUNCATED);
  }

  @Test
  void aWorkerThatFailsSaysSo() throws Exception {
    // A schema that grows older makes no sense.
    TableSchema next =
        new TableSchema(
            1, SCHEMA.rowType(), 1, List.of(), List.of("id"), SCHEMA.options(), null, 0);
    SinkTable a = table("a");
    RowBatch newer = new RowBatch(a.bucket(BinaryRow.EMPTY, 0), next, null, 0);
    newer.add(row(1), 1);
    pool.pushToAll(newer);
    pool.pushToAll(batch(a, 1, 2));
    pool.start();
    assertThat(failure.get(30, TimeUnit.SECONDS)).hasMessageContaining("after schema-1");
  }

  @Test
  void shortMemoryFlushesTheLargestMemtableOfAllWorkers() throws Exception {
    MemoryPool memory = new MemoryPool(1 << 20);
    // With room for nothing, a worker has room when it has worked everything off.
    pool = pool(2, memory, 1);
    List<SinkTable> ofZero = new ArrayList<>();
    List<SinkTable> ofOne = new ArrayList<>();
    for (int i = 0; ofZero.size() < 12 || ofOne.isEmpty(); i++) {
      SinkTable table = table("t" + i);
      boolean zero = table.bucket(BinaryRow.EMPTY, 0).worker() == pool.workers().get(0);
      (zero ? ofZero : ofOne).add(table);
    }
    pool.start();
    long sequence = 0;
    for (int i = 0; i < 60; i++) {
      write(ofOne.get(0), sequence++);
    }
    long largest = memory.bytesUsed();
    assertThat(largest).isLessThan(memory.bytesMax() / 2);
    // Many tables that are each far smaller, and together larger; the last drop is theirs.
    for (int i = 0; !memory.exhausted() && storage.paths().isEmpty(); i++) {
      write(ofZero.get(i % 12), sequence++);
    }
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (storage.paths().isEmpty()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.yield();
    }
    assertThat(storage.paths().get(0)).contains("/" + ofOne.get(0).name().table() + "/");
    assertThat(failure).isNotDone();
  }

  /** A row of 4 KiB, that is in its memtable on return. */
  private void write(SinkTable table, long id) throws InterruptedException {
    RowBatch batch = new RowBatch(table.bucket(BinaryRow.EMPTY, 0), SCHEMA, null, 0);
    BinaryRowWriter writer = new BinaryRowWriter(2);
    writer.writeLong(0, id);
    writer.writeString(1, "v".repeat(4 << 10));
    batch.add(writer.finish(RowKind.INSERT), id);
    ShardWorker worker = batch.bucket().worker();
    worker.push(batch);
    worker.awaitRoom();
  }
}
