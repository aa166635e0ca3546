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
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
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
    return new ShardPool(
        "test",
        1,
        queueBytes,
        1000,
        new MemoryPool(memoryBytes),
        new StorageRetry(Backoff.NONE, 2, PipelineListener.NONE),
        new Liveness(),
        failure::complete);
  }

  @AfterEach
  void end() throws Exception {
    pool.close();
    pool.join(10_000);
  }

  private SinkTable table(String name, BucketPressure pressure) {
    LakeTable table = new LakeTable("db", name);
    return new SinkTable(
        table,
        LsmTable.planned(storage, table.root("/lake"), SCHEMA, new FakeClock(), new TestIds(name)),
        SCHEMA,
        1,
        pressure,
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
    SinkTable a = table("a", BucketPressure.NONE);
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
    SinkTable a = table("a", BucketPressure.NONE);
    SinkTable b = table("b", BucketPressure.NONE);
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
  void aStalledBucketHoldsUpNobodyElse() throws Exception {
    CountDownLatch relief = new CountDownLatch(1);
    BucketPressure stalled =
        new BucketPressure() {
          @Override
          public boolean stalled(BinaryRow partition, int bucket) {
            return relief.getCount() > 0;
          }

          @Override
          public boolean awaitRelief(BinaryRow partition, int bucket, long millis)
              throws InterruptedException {
            return relief.await(millis, TimeUnit.MILLISECONDS);
          }
        };
    SinkTable slow = table("slow", stalled);
    SinkTable quick = table("quick", BucketPressure.NONE);
    EpochBarrier barrier = new EpochBarrier(1);
    pool.pushToAll(batch(slow, 1, 1));
    pool.pushToAll(batch(quick, 1, 2));
    pool.pushToAll(new ShardMessage.Barrier(barrier));
    pool.start();
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (storage.paths().stream().noneMatch(path -> path.contains("/quick/bucket-0/"))) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.yield();
    }
    assertThat(storage.paths()).noneMatch(path -> path.contains("/slow/bucket-0/"));
    relief.countDown();
    Map<SinkTable, List<CommitMessage>> all = barrier.await().orElseThrow();
    assertThat(rows(all, slow)).isEqualTo(1);
    assertThat(rows(all, quick)).isEqualTo(1);
  }

  @Test
  void shortMemoryMakesFilesBeforeTheBarrier() throws Exception {
    pool = pool(1, 1 << 20);
    SinkTable a = table("a", BucketPressure.NONE);
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
    SinkTable a = table("a", BucketPressure.NONE);
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
    OpenChunk done = new OpenChunk(table("a", BucketPressure.NONE), 7);
    assertThat(done.finish()).isTrue();
    assertThat(done.outdate(Cause.DELETES_OUTGREW_MEMORY)).isFalse();
    assertThat(done.outdated()).isNull();
    OpenChunk outdated = new OpenChunk(table("a", BucketPressure.NONE), 8);
    assertThat(outdated.outdate(Cause.TRUNCATED)).isTrue();
    assertThat(outdated.outdate(Cause.ALTERED)).isFalse();
    assertThat(outdated.finish()).isFalse();
    assertThat(outdated.outdated()).isEqualTo(Cause.TRUNCATED);
  }

  @Test
  void aWorkerThatFailsSaysSo() throws Exception {
    SinkTable a =
        table(
            "a",
            new BucketPressure() {
              @Override
              public boolean stalled(BinaryRow partition, int bucket) {
                throw new IllegalStateException("broken");
              }

              @Override
              public boolean awaitRelief(BinaryRow partition, int bucket, long millis) {
                return true;
              }
            });
    pool.pushToAll(batch(a, 1, 1));
    pool.pushToAll(new ShardMessage.Barrier(new EpochBarrier(1)));
    pool.start();
    assertThat(failure.get(30, TimeUnit.SECONDS)).hasMessage("broken");
  }
}
