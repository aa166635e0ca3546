package io.sluice.sinks.pipeline;

import static io.sluice.sinks.pipeline.TestLake.awaitPosition;
import static io.sluice.sinks.pipeline.TestLake.definition;
import static io.sluice.sinks.pipeline.TestLake.position;
import static io.sluice.sinks.pipeline.TestLake.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.commit.CommitRequest;
import io.sluice.lsm.commit.CommitRequest.AttemptGuard;
import io.sluice.lsm.commit.SnapshotCommitter;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.FaultyFileIO;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.write.BucketWriter;
import io.sluice.lsm.write.MemoryPool;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.RoutedTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The rules that keep an epoch in all its tables once, each with the order of events it is for. */
class RulesTest {

  private final MemoryFileIO memory = new MemoryFileIO();
  private final FaultyFileIO storage = new FaultyFileIO(memory);
  private final TestLake lake = new TestLake("/lake");
  private final TablePaths a = new TablePaths(lake.root("a"));
  private final AtomicBoolean dead = new AtomicBoolean();
  private Pipeline pipeline;
  private ChangeInput changes;
  private RoutedTable table;

  @AfterEach
  void end() {
    if (pipeline != null) {
      pipeline.abort();
    }
  }

  /** A pipeline with a row in table a, committed at position 1. */
  private void begin() throws Exception {
    pipeline = lake.start(storage);
    changes = pipeline.changes();
    table = changes.tableChanged(definition("a"), null).orElseThrow();
    put(1, "one");
    changes.cutPoint(position(1), 1);
    awaitPosition(pipeline, position(1));
  }

  private void put(long id, String v) {
    changes.row(table, row(table, RowKind.INSERT, id, v), 1);
  }

  /** The process dies before an operation on such a path. */
  private void dieBefore(String verbPart, String pathPart) {
    storage.observe(
        (number, verb, path) -> {
          if (dead.get() || verb.contains(verbPart) && path.contains(pathPart)) {
            dead.set(true);
            throw new IOException("dead");
          }
        });
  }

  /** Puts a second row into an epoch whose file is written, but not its snapshot. */
  private void dieBetweenEpochFileAndSnapshot() throws Exception {
    begin();
    dieBefore("createExclusively", "/a/snapshot/snapshot-2");
    put(2, "two");
    changes.cutPoint(position(2), 2);
    assertThatThrownBy(() -> pipeline.terminated().join()).isNotNull();
    pipeline.abort();
    storage.observe((number, verb, path) -> {});
  }

  private static void assertProtected(Throwable thrown, String text) {
    assertThat(thrown)
        .isInstanceOfSatisfying(
            PipelineStoppedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.PROTECTED))
        .hasMessageContaining(text);
  }

  private Throwable startFailure() {
    try {
      pipeline = lake.start(memory);
      throw new AssertionError("It started");
    } catch (PipelineStoppedException e) {
      return e;
    }
  }

  @Test
  void aRestartPutsTheEpochIntoTheTableThatLacksIt() throws Exception {
    dieBetweenEpochFileAndSnapshot();
    assertThat(lake.rows(memory, "a")).isEqualTo(Map.of(1L, "one"));
    pipeline = lake.start(memory);
    assertThat(pipeline.recovered().position()).contains(position(2));
    assertThat(lake.rows(memory, "a")).isEqualTo(Map.of(1L, "one", 2L, "two"));
    assertThat(lake.snapshots(memory, "a")).hasSize(2);
  }

  @Test
  void othersMayCommitInBetween() throws Exception {
    dieBetweenEpochFileAndSnapshot();
    foreignCommit(3, "foreign");
    pipeline = lake.start(memory);
    assertThat(lake.rows(memory, "a")).isEqualTo(Map.of(1L, "one", 2L, "two", 3L, "foreign"));
    pipeline.abort();
    pipeline = lake.start(memory);
    assertThat(lake.snapshots(memory, "a")).hasSize(3);
  }

  private void foreignCommit(long id, String v) throws IOException {
    LsmTable lsm = lake.table(memory, "a");
    BucketWriter writer =
        lsm.newBucketWriter(lsm.newestSchema(), BinaryRow.EMPTY, 0, new MemoryPool(1 << 20));
    writer.write(row(table, RowKind.INSERT, id, v), 1_000);
    SnapshotCommitter committer = lsm.committer();
    committer.commit(
        new CommitRequest(
            "somebody",
            1,
            new CommitRequest.Append(
                committer.prepare(
                    List.of(
                        new CommitMessage(
                            BinaryRow.EMPTY, 0, 2, writer.drain(), List.of(), List.of())))),
            Map.of()),
        AttemptGuard.ALWAYS);
  }

  @Test
  void aTableThatWasRolledBackStopsTheStart() throws Exception {
    dieBetweenEpochFileAndSnapshot();
    memory.delete(a.snapshot(1));
    assertProtected(startFailure(), "rolled back");
  }

  @Test
  void aMissingSnapshotAboveBaseStopsTheStart() throws Exception {
    dieBetweenEpochFileAndSnapshot();
    foreignCommit(3, "foreign");
    foreignCommit(4, "foreign");
    memory.delete(a.snapshot(2));
    assertProtected(startFailure(), "snapshot-2");
  }

  @Test
  void anotherSchemaUnderTheSameIdStopsTheStart() throws Exception {
    begin();
    dieBefore("createExclusively", "/a/schema/schema-1");
    table = changes.tableChanged(definition("a", "c"), null).orElseThrow();
    changes.cutPoint(position(2), 2);
    assertThatThrownBy(() -> pipeline.terminated().join()).isNotNull();
    pipeline.abort();
    String text = new String(memory.readAll(a.schema(0)), StandardCharsets.UTF_8);
    memory.put(
        a.schema(1),
        text.replaceFirst("\"id\" : 0", "\"id\" : 1").getBytes(StandardCharsets.UTF_8));
    assertProtected(startFailure(), "schema-1");
  }

  @Test
  void aReplacedSnapshotIsNoticedBeforeItsEpochFileGoes() throws Exception {
    begin();
    Snapshot ours = lake.snapshots(memory, "a").get(0);
    String text = new String(memory.readAll(a.snapshot(1)), StandardCharsets.UTF_8);
    memory.put(
        a.snapshot(1),
        text.replace("\"" + ours.commitUser() + "\"", "\"intruder\"")
            .getBytes(StandardCharsets.UTF_8));
    changes.cutPoint(position(2), 2);
    assertThatThrownBy(() -> pipeline.terminated().join())
        .satisfies(e -> assertProtected(e.getCause(), "intruder"));
  }

  /** Trap 8. */
  @Test
  void aKillBetweenSnapshotAndHintDoublesNothing() throws Exception {
    begin();
    dieBefore("", "/a/snapshot/LATEST");
    put(2, "two");
    changes.cutPoint(position(2), 2);
    TestLake.await(dead::get);
    pipeline.abort();
    pipeline = lake.start(memory);
    assertThat(pipeline.recovered().position()).contains(position(2));
    assertThat(lake.rows(memory, "a")).isEqualTo(Map.of(1L, "one", 2L, "two"));
    assertThat(lake.snapshots(memory, "a")).hasSize(2);
  }

  /** Trap 7. */
  @Test
  void aTableThatCannotBeWrittenHoldsTheEpochBack() throws Exception {
    AtomicBoolean broken = new AtomicBoolean();
    CountDownLatch failed = new CountDownLatch(3);
    CountDownLatch healed = new CountDownLatch(1);
    PipelineListener listener =
        new PipelineListener() {
          @Override
          public void storageFailed(String doing, Exception failure, int attempt) {
            failed.countDown();
          }

          @Override
          public void storageRecovered(String doing) {
            healed.countDown();
          }
        };
    pipeline =
        lake.start(storage, lake.settings(), new TestLake.Source(), listener, Integer.MAX_VALUE);
    changes = pipeline.changes();
    table = changes.tableChanged(definition("a"), null).orElseThrow();
    RoutedTable b = changes.tableChanged(definition("b"), null).orElseThrow();
    put(1, "one");
    changes.row(b, row(b, RowKind.INSERT, 1, "one"), 1);
    changes.cutPoint(position(1), 1);
    awaitPosition(pipeline, position(1));
    storage.observe(
        (number, verb, path) -> {
          if (broken.get() && path.contains("/b/bucket-")) {
            throw new IOException("Permission denied: " + path);
          }
        });
    broken.set(true);
    put(2, "two");
    changes.row(b, row(b, RowKind.INSERT, 2, "two"), 1);
    changes.cutPoint(position(2), 2);
    failed.await();
    assertThat(pipeline.status().position()).contains(position(1));
    assertThat(lake.rows(memory, "a")).isEqualTo(Map.of(1L, "one"));
    for (String path : memory.paths()) {
      if (path.contains("/_sluice/shop/epoch-")) {
        assertThat(new String(memory.readAll(path), StandardCharsets.UTF_8))
            .doesNotContain("\\\"at\\\":2");
      }
    }
    broken.set(false);
    awaitPosition(pipeline, position(2));
    healed.await();
    assertThat(lake.rows(memory, "a")).isEqualTo(Map.of(1L, "one", 2L, "two"));
    assertThat(lake.rows(memory, "b")).isEqualTo(Map.of(1L, "one", 2L, "two"));
  }

  /** Trap 40: the pin keeps our newest snapshot, and nothing before it. */
  @Test
  void aStartDoesNotAskForSnapshotsBeforeOurNewest() throws Exception {
    begin();
    put(2, "two");
    changes.cutPoint(position(2), 2);
    awaitPosition(pipeline, position(2));
    pipeline.abort();
    foreignCommit(3, "foreign");
    memory.delete(a.snapshot(1));
    pipeline = lake.start(memory);
    assertThat(pipeline.recovered().position()).contains(position(2));
    assertThat(lake.rows(memory, "a")).isEqualTo(Map.of(1L, "one", 2L, "two", 3L, "foreign"));
  }

  /** Others commit between base and our snapshot, and expire before the next start. */
  @Test
  void aStartDoesNotAskForSnapshotsBetweenBaseAndOurNewest() throws Exception {
    dieBetweenEpochFileAndSnapshot();
    foreignCommit(3, "foreign");
    List<String> epochs = memory.paths().stream().filter(p -> p.contains("epoch-")).toList();
    String epochFile = epochs.get(epochs.size() - 1);
    byte[] epochContent = memory.readAll(epochFile);
    lake.start(memory).abort();
    assertThat(lake.snapshots(memory, "a")).hasSize(3);
    // The start's own empty epoch took the place of the one that named the table.
    memory.delete(a.snapshot(1));
    memory.delete(a.snapshot(2));
    memory.paths().stream().filter(p -> p.contains("epoch-")).forEach(memory::delete);
    memory.put(epochFile, epochContent);
    pipeline = lake.start(memory);
    assertThat(pipeline.recovered().position()).contains(position(2));
    assertThat(lake.rows(memory, "a")).isEqualTo(Map.of(1L, "one", 2L, "two", 3L, "foreign"));
  }

  /** A dead daemon's last request lands while the next one has already looked. */
  @Test
  void aStartBeginsAgainWhenAnOlderDaemonsEpochLandsMeanwhile() throws Exception {
    begin();
    dieBefore("createExclusively", "/a/snapshot/snapshot-2");
    put(2, "two");
    changes.cutPoint(position(2), 2);
    assertThatThrownBy(() -> pipeline.terminated().join()).isNotNull();
    pipeline.abort();
    String late =
        memory.paths().stream().filter(p -> p.contains("epoch-")).sorted().toList().get(1);
    byte[] content = memory.readAll(late);
    memory.delete(late);
    FaultyFileIO starting = new FaultyFileIO(memory);
    AtomicBoolean landed = new AtomicBoolean();
    starting.observe(
        (number, verb, path) -> {
          if (verb.equals("createExclusively") && path.equals(late) && !landed.getAndSet(true)) {
            memory.put(late, content);
          }
        });
    pipeline = lake.start(starting);
    assertThat(landed).isTrue();
    assertThat(pipeline.recovered().position()).contains(position(2));
    assertThat(lake.rows(memory, "a")).isEqualTo(Map.of(1L, "one", 2L, "two"));
  }

  /** A daemon sleeps after it has won an epoch; another finishes it; both write the same. */
  @Test
  void anEpochWonByASleeperIsFinishedOnceByWhomeverComesFirst() throws Exception {
    begin();
    CountDownLatch asleep = new CountDownLatch(1);
    CountDownLatch wakeUp = new CountDownLatch(1);
    storage.observe(
        (number, verb, path) -> {
          if (verb.equals("createExclusively")
              && path.contains("/a/snapshot/snapshot-2")
              && asleep.getCount() > 0) {
            asleep.countDown();
            try {
              wakeUp.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
          }
        });
    put(2, "two");
    changes.cutPoint(position(2), 2);
    asleep.await();
    Pipeline second = lake.start(memory);
    try {
      assertThat(second.recovered().position()).contains(position(2));
      RoutedTable again = second.changes().restoreTable(definition("a")).orElseThrow();
      second.changes().row(again, row(again, RowKind.INSERT, 3, "three"), 1);
      second.changes().cutPoint(position(3), 3);
      awaitPosition(second, position(3));
      wakeUp.countDown();
      // The sleeper finds its epoch there, goes on, and loses its next creation.
      changes.cutPoint(position(99), 99);
      assertThatThrownBy(() -> pipeline.terminated().join())
          .satisfies(e -> assertProtected(e.getCause(), "fenced"));
      assertThat(lake.rows(memory, "a")).isEqualTo(Map.of(1L, "one", 2L, "two", 3L, "three"));
      assertThat(lake.snapshots(memory, "a").stream().map(Snapshot::deltaManifestList))
          .doesNotHaveDuplicates();
    } finally {
      wakeUp.countDown();
      second.abort();
    }
  }
}
