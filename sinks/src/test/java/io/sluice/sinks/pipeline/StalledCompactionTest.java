package io.sluice.sinks.pipeline;

import static io.sluice.sinks.pipeline.TestLake.await;
import static io.sluice.sinks.pipeline.TestLake.awaitPosition;
import static io.sluice.sinks.pipeline.TestLake.definition;
import static io.sluice.sinks.pipeline.TestLake.position;
import static io.sluice.sinks.pipeline.TestLake.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.testing.FaultyFileIO;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.sinks.BackfillInput.Chunk;
import io.sluice.sinks.PipelineStatus.TableStatus;
import io.sluice.sinks.RoutedTable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Storage takes a request of a compaction and never answers. No epoch waits for that: neither of
 * other tables nor of that one, whose rows are committed beyond the stop trigger. Its copy waits.
 */
class StalledCompactionTest {

  /** The stop trigger is 8. */
  private static final int EPOCHS = 40;

  private final MemoryFileIO memory = new MemoryFileIO();
  private final FaultyFileIO storage = new FaultyFileIO(memory);
  private final TestLake lake = new TestLake("/lake");
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final AtomicReference<String> hanging = new AtomicReference<>("/slow/");
  private Pipeline pipeline;
  private RoutedTable slow;
  private RoutedTable quick;
  private long at;

  @BeforeEach
  void begin() throws Exception {
    storage.observe(
        (number, verb, path) -> {
          if (path.contains(hanging.get())
              && path.contains("/data-")
              && Thread.currentThread().getName().contains("-compaction-")) {
            reached.countDown();
            try {
              released.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
          }
        });
    pipeline = lake.start(storage);
    slow = pipeline.changes().tableChanged(definition("slow"), null).orElseThrow();
    quick = pipeline.changes().tableChanged(definition("quick"), null).orElseThrow();
    while (reached.getCount() > 0) {
      epoch();
    }
  }

  @AfterEach
  void end() {
    released.countDown();
    pipeline.abort();
  }

  /** Rows of both tables, in all buckets; until it is in both. */
  private void epoch() throws Exception {
    at++;
    for (long id = 0; id < 8; id++) {
      pipeline.changes().row(slow, row(slow, RowKind.INSERT, id, "v" + at), at);
      pipeline.changes().row(quick, row(quick, RowKind.INSERT, id, "v" + at), at);
    }
    pipeline.changes().cutPoint(position(at), at);
    awaitPosition(pipeline, position(at));
  }

  private TableStatus status(RoutedTable table) {
    return pipeline.status().tables().stream()
        .filter(each -> each.source().equals(table.source().id()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void holdsUpNoEpoch() throws Exception {
    for (int i = 0; i < EPOCHS; i++) {
      epoch();
      assertThat(pipeline.status().memtableBytes()).as("epoch %d", i).isZero();
    }
    for (RoutedTable table : new RoutedTable[] {slow, quick}) {
      assertThat(lake.rows(storage, table.source().id().table()).values())
          .hasSize(8)
          .allMatch(("v" + at)::equals);
    }
    // Committed far beyond the trigger, and caught up with once storage answers.
    var table = lake.table(storage, "slow");
    assertThat(table.statistics(table.snapshots().findLatest()).sortedRunsMax())
        .isGreaterThan(EPOCHS);
    released.countDown();
    await(
        () -> {
          try {
            epoch();
          } catch (Exception e) {
            throw new AssertionError(e);
          }
          return status(slow).sortedRuns() <= 8 && status(quick).sortedRuns() <= 8;
        });
    assertThat(lake.rows(storage, "slow").values()).hasSize(8).allMatch(("v" + at)::equals);
  }

  @Test
  void itsCopyWaits() throws Exception {
    for (int i = 0; i < EPOCHS; i++) {
      epoch();
    }
    CompletableFuture<Chunk> chunk = new CompletableFuture<>();
    Thread reader =
        new Thread(
            () -> {
              try {
                chunk.complete(pipeline.backfill().openChunk(slow));
              } catch (Throwable e) {
                chunk.completeExceptionally(e);
              }
            });
    // Known to be behind as soon as its compactor has heard of the epochs.
    reader.start();
    await(() -> reader.getState() == Thread.State.TIMED_WAITING || chunk.isDone());
    assertThat(chunk).isNotDone();
    released.countDown();
    Chunk opened = chunk.get(30, TimeUnit.SECONDS);
    opened.abandon();
    reader.join();
  }

  @Test
  void theEndDoesNotWaitForItsCopy() throws Exception {
    for (int i = 0; i < EPOCHS; i++) {
      epoch();
    }
    CompletableFuture<Throwable> ended = new CompletableFuture<>();
    Thread reader =
        new Thread(
            () -> {
              try {
                pipeline.backfill().openChunk(slow);
                ended.complete(new AssertionError("opened"));
              } catch (Throwable e) {
                ended.complete(e);
              }
            });
    reader.start();
    await(() -> reader.getState() == Thread.State.TIMED_WAITING);
    CompletableFuture<Void> aborting = CompletableFuture.runAsync(pipeline::abort);
    assertThat(ended.get(30, TimeUnit.SECONDS)).hasMessageContaining("aborted");
    released.countDown();
    aborting.get(30, TimeUnit.SECONDS);
    reader.join();
  }
}
