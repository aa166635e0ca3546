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
import io.sluice.sinks.Liveness;
import io.sluice.sinks.RoutedTable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which stages count as hung: those that work and don't move, and none that waits or retries. */
class LivenessTest {

  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final MemoryFileIO memory = new MemoryFileIO();
  private final FaultyFileIO storage = new FaultyFileIO(memory);
  private final TestLake lake = new TestLake("/lake");
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private Pipeline pipeline;
  private RoutedTable table;

  @BeforeEach
  void begin() throws Exception {
    pipeline = lake.start(storage);
    table = pipeline.changes().tableChanged(definition("a"), null).orElseThrow();
    put(1);
    cut(1);
    awaitPosition(pipeline, position(1));
  }

  @AfterEach
  void end() {
    released.countDown();
    pipeline.abort();
  }

  private void put(long id) {
    pipeline.changes().row(table, row(table, RowKind.INSERT, id, "v".repeat(200)), id);
  }

  private void cut(long at) {
    pipeline.changes().cutPoint(position(at), at);
  }

  private void pass(Duration time) {
    lake.livenessNanos.addAndGet(time.toNanos());
  }

  /** Storage takes a request on such a path and never answers, until it is released. */
  private void hangAt(String verbPart, String pathPart) {
    AtomicBoolean once = new AtomicBoolean();
    storage.observe(
        (number, verb, path) -> {
          if (verb.contains(verbPart) && path.contains(pathPart) && !once.getAndSet(true)) {
            reached.countDown();
            try {
              released.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
          }
        });
  }

  /** Others may still have been at work when the time passed: they come to rest by themselves. */
  private void awaitOneHung() {
    await(() -> lake.liveness.hung(LIMIT).size() == 1);
  }

  @Test
  void aQuietPipelineNeverHangs() {
    // The epoch is in its tables, but the committer may still clean up after it.
    await(
        () -> {
          pass(LIMIT.multipliedBy(2));
          return lake.liveness.hung(LIMIT).isEmpty();
        });
    pass(Duration.ofDays(1));
    await(() -> lake.liveness.hung(LIMIT).isEmpty());
  }

  @Test
  void aWorkerWhoseStorageNeverAnswersHangsAndNobodyElse() throws Exception {
    hangAt("create", "/data-");
    put(2);
    cut(2);
    reached.await();
    pass(LIMIT.plusSeconds(30));
    awaitOneHung();
    assertThat(lake.liveness.hung(LIMIT))
        .singleElement()
        .asString()
        .matches("shard worker \\d \\(for 90 s\\)");
    released.countDown();
    awaitPosition(pipeline, position(2));
    await(() -> lake.liveness.hung(LIMIT).isEmpty());
  }

  @Test
  void aCommitterWhoseStorageNeverAnswersHangsAndNobodyElse() throws Exception {
    hangAt("createExclusively", "/epoch-");
    put(2);
    cut(2);
    reached.await();
    pass(LIMIT.plusSeconds(1));
    awaitOneHung();
    assertThat(lake.liveness.hung(LIMIT)).containsExactly("committer (for 61 s)");
    released.countDown();
    awaitPosition(pipeline, position(2));
    await(() -> lake.liveness.hung(LIMIT).isEmpty());
  }

  @Test
  void aCompactionWhoseStorageNeverAnswersHangsAndNobodyElse() throws Exception {
    AtomicBoolean once = new AtomicBoolean();
    storage.observe(
        (number, verb, path) -> {
          if (verb.equals("create")
              && path.contains("/data-")
              && Thread.currentThread().getName().contains("-compaction-")
              && !once.getAndSet(true)) {
            reached.countDown();
            try {
              released.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
          }
        });
    // More and more sorted runs, until there is a compaction.
    for (long at = 2; reached.getCount() > 0; at++) {
      put(at);
      put(at + 100);
      put(at + 200);
      cut(at);
      awaitPosition(pipeline, position(at));
    }
    pass(LIMIT.plusSeconds(30));
    awaitOneHung();
    assertThat(lake.liveness.hung(LIMIT))
        .singleElement()
        .asString()
        .matches("compaction thread \\d \\(for 90 s\\)");
    released.countDown();
    await(() -> lake.liveness.hung(LIMIT).isEmpty());
  }

  @Test
  void storageThatIsTriedAgainForHoursIsNoHang() throws Exception {
    AtomicInteger left = new AtomicInteger(7);
    AtomicInteger hung = new AtomicInteger();
    storage.observe(
        (number, verb, path) -> {
          if (verb.contains("create") && path.contains("/data-") && left.getAndDecrement() > 0) {
            pass(LIMIT.dividedBy(2));
            // The other stages had no time to come to rest: this test's clock runs ahead of them.
            String worker =
                "shard worker " + Thread.currentThread().getName().replaceAll("\\D", "");
            lake.liveness.hung(LIMIT).stream()
                .filter(stage -> stage.startsWith(worker))
                .forEach(stage -> hung.incrementAndGet());
            throw new IOException("Disk full");
          }
        });
    put(2);
    cut(2);
    awaitPosition(pipeline, position(2));
    assertThat(left.get()).isNegative();
    assertThat(hung.get()).isZero();
    await(() -> lake.liveness.hung(LIMIT).isEmpty());
  }

  @Test
  void aSourceThatWaitsForRoomDoesNotHang() throws Exception {
    hangAt("create", "/data-");
    put(2);
    cut(2);
    reached.await();
    Liveness.Stage source = lake.liveness.stage("source");
    Thread filling =
        new Thread(
            () -> {
              source.enter();
              for (long id = 10; id < 50_000; id++) {
                source.works();
                put(id);
              }
              source.rests();
            });
    filling.start();
    await(() -> filling.getState() == Thread.State.WAITING);
    pass(Duration.ofHours(1));
    awaitOneHung();
    assertThat(lake.liveness.hung(LIMIT)).singleElement().asString().startsWith("shard worker");
    released.countDown();
    filling.join();
    cut(3);
    awaitPosition(pipeline, position(3));
    await(() -> lake.liveness.hung(LIMIT).isEmpty());
  }

  @Test
  void aTransactionOfAnyLengthIsNoHangWhileItMoves() {
    Liveness.Stage source = lake.liveness.stage("source");
    source.enter();
    for (long id = 10; id < 400; id++) {
      source.works();
      put(id);
      pass(Duration.ofSeconds(50));
      assertThat(lake.liveness.hung(LIMIT)).doesNotContain("source");
    }
    source.leave();
    pass(LIMIT);
    awaitOneHung();
    assertThat(lake.liveness.hung(LIMIT)).containsExactly("source (for 110 s)");
  }

  @Test
  void aStageThatDoesNotTakeItsWorkHangs() {
    Liveness.Stage stage = lake.liveness.stage("sleeper");
    pass(Duration.ofHours(1));
    assertThat(lake.liveness.hung(LIMIT)).doesNotContain("sleeper");
    stage.hasWork();
    pass(LIMIT.dividedBy(2));
    // More work is no sign of life.
    stage.hasWork();
    pass(LIMIT);
    assertThat(lake.liveness.hung(LIMIT)).contains("sleeper (for 90 s)");
  }
}
