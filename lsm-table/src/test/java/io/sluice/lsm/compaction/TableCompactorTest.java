package io.sluice.lsm.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.level.BucketId;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.CommitKind;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.FaultyFileIO;
import io.sluice.lsm.testing.FaultyFileIO.Fault;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.TestTable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TableCompactorTest {

  private static final String ROOT = "/lake/w.db/t";
  private static final Duration SOON = Duration.ofMillis(1);
  private static final String REFRESH_FAILED = "failed: reading the newest snapshot for compaction";

  private final MemoryFileIO memory = new MemoryFileIO();
  private final Recorder recorder = new Recorder();

  /** Remembers what happened; {@link #awaitCommit} waits for the first result. */
  private static class Recorder implements CompactionListener {
    final List<String> events = new ArrayList<>();
    final CountDownLatch committed = new CountDownLatch(1);

    @Override
    public synchronized void committed(Set<BucketId> buckets, long snapshotId) {
      events.add("committed");
      committed.countDown();
    }

    @Override
    public synchronized void conflicted(Set<BucketId> buckets, Throwable cause) {
      events.add("conflicted");
    }

    @Override
    public synchronized void failed(String what, Throwable cause, Duration retryIn) {
      events.add("failed: " + what);
    }

    final List<CompactionPlan> plans = new ArrayList<>();

    @Override
    public synchronized void begun(BucketId bucket, CompactionPlan plan) {
      plans.add(plan);
    }

    void awaitCommit() throws InterruptedException {
      assertThat(committed.await(30, TimeUnit.SECONDS)).as("events %s", events).isTrue();
    }
  }

  private static TableSchema schema(int buckets) {
    return new TableSchema(
        0,
        new RowType(
            List.of(
                new DataField(0, "id", DataTypes.INT.withNullable(false)),
                new DataField(1, "v", DataTypes.STRING))),
        1,
        List.of(),
        List.of("id"),
        Map.of("bucket", Integer.toString(buckets), "file.format", "orc"),
        null,
        0);
  }

  private static TableSchema writeOnlySchema() {
    return new TableSchema(
        0,
        schema(1).rowType(),
        1,
        List.of(),
        List.of("id"),
        Map.of("bucket", "1", "file.format", "orc", "write-only", "true"),
        null,
        0);
  }

  private static TestTable filled(FileIO fileIO, int buckets, int commits) throws IOException {
    TestTable table = TestTable.create(fileIO, ROOT, schema(buckets), new FakeClock());
    for (int commit = 0; commit < commits; commit++) {
      fill(table, commit);
    }
    return table;
  }

  private static void fill(TestTable table, int commit) throws IOException {
    RowType type = schema(1).rowType();
    for (int id = commit; id < 30; id++) {
      table.write(TestRows.row(type, id, "v" + commit));
    }
    BinaryRow gone = TestRows.row(type, 29, "gone");
    gone.setKind(RowKind.DELETE);
    table.write(gone);
    table.commit();
  }

  private TableCompactor compactor(LsmTable table, Executor executor) {
    return table.newCompactor(
        new TableCompactor.Settings("test-compaction", SOON, Duration.ofMillis(20)),
        executor,
        recorder);
  }

  private static List<Map<String, String>> rows(LsmTable table) throws IOException {
    return CanonicalRows.read(table.newScan());
  }

  private static void assertAllFilesThere(MemoryFileIO files, LsmTable table) throws IOException {
    for (long id : table.snapshots().listIds()) {
      for (ManifestEntry entry : table.liveFiles(table.snapshots().read(id))) {
        assertThat(files.paths())
            .contains(
                table
                    .partitionPaths()
                    .file(entry.partition(), entry.bucket(), entry.file().fileName()));
      }
    }
  }

  @Test
  void survivesAnyFaultOfAnyOperation() throws Exception {
    List<Map<String, String>> expected;
    try (TestTable table = filled(memory, 1, 6)) {
      expected = rows(table.table());
    }
    assertThat(expected).hasSize(29);
    for (Fault fault : List.of(Fault.FAIL, Fault.TEAR, Fault.NO_ANSWER, Fault.LATE)) {
      int operations = Integer.MAX_VALUE;
      for (int n = 1; n <= operations; n++) {
        operations = oneFault(fault, n, expected);
      }
    }
  }

  /** How many operations there were. */
  private int oneFault(Fault fault, int n, List<Map<String, String>> expected) throws Exception {
    MemoryFileIO files = memory.copy();
    FaultyFileIO faulty = new FaultyFileIO(files);
    Recorder here = new Recorder();
    try (TestTable table = TestTable.open(faulty, ROOT, new FakeClock())) {
      int before = faulty.operations();
      faulty.inject(before + n, fault);
      try (TableCompactor compactor =
          table
              .table()
              .newCompactor(
                  new TableCompactor.Settings("test-compaction", SOON, Duration.ofMillis(20)),
                  Runnable::run,
                  here)) {
        compactor.wake();
        here.awaitCommit();
      }
      int operations = faulty.operations() - before;
      faulty.heal();
      faulty.landLateRequests();
      LsmTable again = TestTable.open(files, ROOT, new FakeClock()).table();
      assertThat(rows(again)).as("%s at %d of %s", fault, n, faulty.log()).isEqualTo(expected);
      assertAllFilesThere(files, again);
      Snapshot latest = again.snapshots().findLatest();
      assertThat(latest.commitKind()).isEqualTo(CommitKind.COMPACT);
      assertThat(again.statistics(latest).files()).isEqualTo(1);
      return operations;
    }
  }

  @Test
  void startsOverWhenAnotherWriterWasFaster() throws Exception {
    filled(memory, 2, 6).close();
    FaultyFileIO watched = new FaultyFileIO(memory);
    AtomicBoolean done = new AtomicBoolean();
    watched.observe(
        (number, verb, path) -> {
          if (path.contains("/data-") && verb.startsWith("create") && !done.getAndSet(true)) {
            try (TestTable other = TestTable.open(memory, ROOT, new FakeClock())) {
              other.compactFully();
              for (int commit = 6; commit < 12; commit++) {
                fill(other, commit);
              }
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
          }
        });
    try (TestTable table = TestTable.open(watched, ROOT, new FakeClock());
        TableCompactor compactor = compactor(table.table(), Runnable::run)) {
      compactor.wake();
      recorder.awaitCommit();
      assertThat(recorder.events).contains("conflicted", "committed");
      assertThat(rows(table.table())).hasSize(29).allMatch(row -> row.get("v").matches("v[0-9]+"));
      assertAllFilesThere(memory, table.table());
      assertThat(compactor.worstSortedRuns()).isLessThan(5);
    }
  }

  @Test
  void makesWritersWaitPastTheStopTriggerOnly() throws Exception {
    Queue<Runnable> tasks = new ArrayDeque<>();
    try (TestTable table = filled(memory, 1, 9);
        TableCompactor compactor = compactor(table.table(), tasks::add)) {
      compactor.wake();
      tasks.remove().run();
      assertThat(compactor.sortedRuns(BinaryRow.EMPTY, 0)).isEqualTo(9);
      assertThat(compactor.pendingBytes()).isPositive();
      CompletableFuture<Void> waiting = compactor.belowStop(BinaryRow.EMPTY, 0);
      assertThat(waiting).isNotDone();
      assertThat(compactor.belowStop(BinaryRow.EMPTY, 1)).isCompleted();
      while (!tasks.isEmpty()) {
        tasks.remove().run();
      }
      assertThat(waiting).isCompleted();
      assertThat(compactor.sortedRuns(BinaryRow.EMPTY, 0)).isEqualTo(1);
      assertThat(compactor.pendingBytes()).isZero();
    }
  }

  @Test
  void aWriterThatWaitsLooksByItselfWhereTheThreadsAreBusy() throws Exception {
    Queue<Runnable> tasks = new ArrayDeque<>();
    try (TestTable table = filled(memory, 1, 3);
        TableCompactor compactor = compactor(table.table(), tasks::add)) {
      // As many commits as would be too many runs, if they were all of this bucket.
      for (int i = 0; i < 9; i++) {
        compactor.wake();
      }
      assertThat(compactor.belowStop(BinaryRow.EMPTY, 0)).isNotDone();
      compactor.awaitBelowStop(BinaryRow.EMPTY, 0);
      assertThat(compactor.sortedRuns(BinaryRow.EMPTY, 0)).isEqualTo(3);
      assertThat(tasks).hasSize(1);
      tasks.remove().run();
    }
  }

  @Test
  void mergesWhatCameWhileTheCompactionWaitedForAThread() throws Exception {
    Queue<Runnable> tasks = new ArrayDeque<>();
    try (TestTable table = filled(memory, 1, 6);
        TableCompactor compactor = compactor(table.table(), tasks::add)) {
      compactor.wake();
      tasks.remove().run();
      assertThat(tasks).hasSize(1);
      fill(table, 6);
      fill(table, 7);
      while (!tasks.isEmpty()) {
        tasks.remove().run();
      }
      assertThat(recorder.plans).hasSize(1);
      assertThat(recorder.plans.get(0).files()).hasSize(8);
    }
  }

  @Test
  void closingTellsWaitingWritersAndDropsTheWork() throws Exception {
    Queue<Runnable> tasks = new ArrayDeque<>();
    try (TestTable table = filled(memory, 1, 9)) {
      TableCompactor compactor = compactor(table.table(), tasks::add);
      compactor.wake();
      tasks.remove().run();
      CompletableFuture<Void> waiting = compactor.belowStop(BinaryRow.EMPTY, 0);
      CompletableFuture<Void> closing = CompletableFuture.runAsync(compactor::close);
      assertThatThrownBy(() -> waiting.get(30, TimeUnit.SECONDS)).hasMessageContaining("closed");
      tasks.forEach(Runnable::run);
      closing.get(30, TimeUnit.SECONDS);
      assertThat(table.table().snapshots().findLatest().commitKind()).isEqualTo(CommitKind.APPEND);
      assertAllFilesThere(memory, table.table());
    }
  }

  @Test
  void sortedRunsThatHavePiledUpAreCompactedWithFewFilesOpen() throws Exception {
    int commits = 100;
    try (TestTable table = filled(memory, 1, 1)) {
      for (int commit = 1; commit < commits; commit++) {
        fill(table, commit % 29);
      }
      List<Map<String, String>> expected = rows(table.table());
      try (TableCompactor compactor = compactor(table.table(), Runnable::run)) {
        compactor.wake();
        assertThat(compactor.worstSortedRuns()).isLessThanOrEqualTo(5);
      }
      assertThat(rows(table.table())).isEqualTo(expected);
      assertFewFilesOpen();
    }
  }

  @Test
  void compactsFullyInStepsWhereSortedRunsHavePiledUp() throws Exception {
    try (TestTable table = TestTable.create(memory, ROOT, writeOnlySchema(), new FakeClock())) {
      for (int commit = 0; commit < 100; commit++) {
        fill(table, commit % 29);
      }
      List<Map<String, String>> expected = rows(table.table());
      try (TableCompactor compactor = compactor(table.table(), Runnable::run)) {
        assertThat(compactor.compactFully()).isEqualTo(1);
        assertThat(compactor.worstSortedRuns()).isEqualTo(1);
      }
      assertThat(rows(table.table())).isEqualTo(expected);
      assertThat(table.table().liveFiles(table.table().snapshots().findLatest()))
          .allMatch(entry -> entry.file().level() == 5 && !entry.file().mayHoldDeletes());
      assertFewFilesOpen();
    }
  }

  @Test
  void compactsFullyWhatABackgroundCompactionHasJustChanged() throws Exception {
    filled(memory, 1, 6).close();
    AtomicReference<@Nullable Thread> blind = new AtomicReference<>();
    FaultyFileIO storage =
        new FaultyFileIO(memory)
            .observe(
                (number, verb, path) -> {
                  if (Thread.currentThread().equals(blind.get())) {
                    throw new IOException("Not to be read now");
                  }
                });
    Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    AtomicBoolean atOnce = new AtomicBoolean();
    Executor executor =
        task -> {
          synchronized (tasks) {
            if (!atOnce.get()) {
              tasks.add(task);
              return;
            }
          }
          task.run();
        };
    Recorder turningBlind =
        new Recorder() {
          @Override
          public synchronized void committed(Set<BucketId> buckets, long snapshotId) {
            super.committed(buckets, snapshotId);
            blind.set(Thread.currentThread());
          }
        };
    TableCompactor.Settings settings =
        new TableCompactor.Settings("test-compaction", SOON, Duration.ofMillis(20));
    try (TestTable table = TestTable.open(storage, ROOT, new FakeClock());
        TableCompactor compactor = table.table().newCompactor(settings, executor, turningBlind)) {
      compactor.wake();
      tasks.remove().run();
      FutureTask<Integer> byHand = new FutureTask<>(compactor::compactFully);
      Thread maintenance = new Thread(byHand, "maintenance");
      maintenance.start();
      while (maintenance.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      // Its result is committed, and then it can't look at the snapshot that it made.
      tasks.remove().run();
      blind.set(null);
      synchronized (tasks) {
        atOnce.set(true);
      }
      tasks.forEach(Runnable::run);
      assertThat(byHand.get(30, TimeUnit.SECONDS)).as("buckets changed").isZero();
      assertThat(turningBlind.events).containsExactly("committed", REFRESH_FAILED);
      assertThat(rows(table.table())).hasSize(29);
    }
  }

  private void assertFewFilesOpen() {
    assertThat(recorder.plans)
        .hasSizeGreaterThan(3)
        .allMatch(plan -> plan.runs().size() <= CompactionPicker.LEVEL_ZERO_RUNS_MAX + 5);
  }

  @Test
  void readsNoManifestsOfTheWholeTableToCommit() throws Exception {
    int buckets = 16;
    try (TestTable table = filled(memory, buckets, 6)) {
      table.compactFully();
      for (int commit = 0; commit < 6; commit++) {
        fill(table, commit);
      }
    }
    FaultyFileIO watched = new FaultyFileIO(memory);
    try (TestTable table = TestTable.open(watched, ROOT, new FakeClock());
        TableCompactor compactor = compactor(table.table(), Runnable::run)) {
      int from = watched.operations();
      compactor.wake();
      assertThat(recorder.events).contains("committed");
      // Once, to begin with; then it goes by what it knows and by what was added since. A few are
      // read to be joined; without that knowledge each of the 16 commits would read them all.
      long reads =
          watched.log().subList(from, watched.operations()).stream()
              .filter(operation -> operation.matches("readAll .*/manifest/manifest-(?!list).*"))
              .count();
      int manifests =
          (int) memory.paths().stream().filter(p -> p.matches(".*/manifest-(?!list).*")).count();
      assertThat(reads).isPositive().isLessThanOrEqualTo(2L * manifests);
    }
  }

  @Test
  void writeOnlyTablesAreLeftToOthers() throws Exception {
    try (TestTable table = TestTable.create(memory, ROOT, writeOnlySchema(), new FakeClock())) {
      for (int commit = 0; commit < 10; commit++) {
        fill(table, commit);
      }
      try (TableCompactor compactor = compactor(table.table(), Runnable::run)) {
        compactor.wake();
        assertThat(compactor.sortedRuns(BinaryRow.EMPTY, 0)).isEqualTo(10);
        assertThat(compactor.belowStop(BinaryRow.EMPTY, 0)).isCompleted();
      }
    }
  }

  @Test
  void manyBucketsKeepUpWithFrequentCommits() throws Exception {
    int buckets = 4;
    try (TestTable table = filled(memory, buckets, 1);
        CompactionPool pool = new CompactionPool(2, task -> new Thread(task, "compaction"));
        TableCompactor compactor = compactor(table.table(), pool)) {
      for (int commit = 1; commit < 60; commit++) {
        for (int bucket = 0; bucket < buckets; bucket++) {
          compactor.awaitBelowStop(BinaryRow.EMPTY, bucket);
        }
        fill(table, commit % 29);
        compactor.wake();
      }
      assertThat(rows(table.table())).hasSize(29);
      assertAllFilesThere(memory, table.table());
      Snapshot latest = table.table().snapshots().findLatest();
      // Stop trigger 8, 6 levels; the levels known lag behind by the commits not yet looked at.
      assertThat(table.table().statistics(latest).sortedRunsMax()).isLessThanOrEqualTo(8 + 6);
      assertThat(recorder.events).doesNotContain("conflicted").anyMatch("committed"::equals);
    }
  }
}
