package io.sluice.lsm.commit;

import static io.sluice.lsm.testing.TestFiles.append;
import static io.sluice.lsm.testing.TestFiles.compact;
import static io.sluice.lsm.testing.TestFiles.file;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.commit.CommitRequest.Append;
import io.sluice.lsm.commit.CommitRequest.AttemptGuard;
import io.sluice.lsm.commit.CommitRequest.Compaction;
import io.sluice.lsm.commit.CommitRequest.DeletePartitions;
import io.sluice.lsm.commit.CommitRequest.Seen;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.error.CommitConflictException;
import io.sluice.lsm.error.CommitUnknownException;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.NotDurableException;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.schema.TableSchemaJson;
import io.sluice.lsm.snapshot.CommitKind;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotJson;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.FaultyFileIO;
import io.sluice.lsm.testing.FaultyFileIO.Fault;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.PowerCutFileIO;
import io.sluice.lsm.testing.TestFiles;
import io.sluice.lsm.testing.TestIds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TableCommitterTest {

  private final MemoryFileIO memory = new MemoryFileIO();
  private final FakeClock clock = new FakeClock();
  private final TestIds ids = new TestIds();

  private TestTable table(FileIO storage) {
    return new TestTable(storage, "/lake/t", TestFiles.schema(Map.of()), clock, ids);
  }

  private TestTable created() throws IOException {
    return table(memory).createSchema();
  }

  @Test
  void makesSnapshotsOneUponTheOther() throws IOException {
    TestTable table = created();

    Snapshot first = table.append(1, append(0, file("a", 0, 1, 10)), append(1, file("b", 0, 1, 5)));
    clock.advance(Duration.ofSeconds(2));
    Snapshot second = table.append(2, append(0, file("c", 0, 1, 2)));
    Snapshot third = table.append(3);

    assertThat(first.id()).isEqualTo(1);
    assertThat(first.commitKind()).isEqualTo(CommitKind.APPEND);
    assertThat(first.totalRecordCount()).isEqualTo(15);
    assertThat(first.nextRowId()).isZero();
    assertThat(second.totalRecordCount()).isEqualTo(17);
    assertThat(second.deltaRecordCount()).isEqualTo(2);
    assertThat(second.properties()).containsEntry("n", "2");
    assertThat(second.timeMillis() - first.timeMillis()).isEqualTo(2000);
    assertThat(third.deltaRecordCount()).isZero();
    assertThat(table.live(first)).containsExactly("a@0", "b@0");
    assertThat(table.live()).containsExactly("a@0", "b@0", "c@0");
    assertThat(table.snapshots.findLatest()).isEqualTo(third);
    assertThat(memory.readAll(table.paths.latestHint())).isEqualTo(bytes("3"));
    assertThat(second.baseManifestListSize())
        .isEqualTo(memory.readAll(table.paths.manifest(second.baseManifestList())).length);
    assertThat(second.deltaManifestListSize())
        .isEqualTo(memory.readAll(table.paths.manifest(second.deltaManifestList())).length);
    table.requireAllReadable();
  }

  @Test
  void replacesFilesByACompaction() throws IOException {
    TestTable table = created();
    DataFileMeta a = file("a", 0, 1, 10);
    DataFileMeta b = file("b", 0, 5, 20);
    DataFileMeta lone = file("c", 0, 30, 40);
    table.append(1, append(0, a, b, lone));

    Snapshot compacted =
        table.compact(
            1, compact(0, List.of(a, b, lone), List.of(file("ab", 5, 1, 20), lone.withLevel(5))));

    assertThat(compacted.commitKind()).isEqualTo(CommitKind.COMPACT);
    assertThat(compacted.commitUser()).isEqualTo("u-compaction");
    assertThat(compacted.deltaRecordCount()).isEqualTo(20 - 10 - 16);
    assertThat(table.live()).containsExactly("ab@5", "c@5");
    table.requireAllReadable();
  }

  @Test
  void refusesACompactionThatNoLongerFits() throws IOException {
    TestTable table = created();
    DataFileMeta a = file("a", 0, 1, 10);
    DataFileMeta b = file("b", 0, 5, 20);
    table.append(1, append(0, a, b));
    table.compact(1, compact(0, List.of(a), List.of(a.withLevel(5))));
    int files = memory.paths().size();

    // Its input was moved.
    conflict(table, 2, List.of(a), List.of(file("x", 5, 1, 10)), "deleted or moved bucket 0 a");
    // Its output overlaps what is at the level.
    conflict(table, 3, List.of(b), List.of(b.withLevel(5)), "would overlap");
    // Touching ends overlap as well.
    conflict(table, 4, List.of(b), List.of(file("y", 5, 10, 12)), "would overlap");
    conflict(table, 5, List.of(b, b), List.of(), "names bucket 0 b at level 0 twice");
    assertThatThrownBy(
            () ->
                table.commit(
                    "c",
                    6,
                    new Compaction(
                        List.of(
                            new CommitMessage(
                                BinaryRow.EMPTY,
                                0,
                                3,
                                List.of(),
                                List.of(b),
                                List.of(file("z", 4, 5, 20)))))))
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("2 buckets, the new files are made for 3");

    assertThat(memory.paths()).as("a refused compaction leaves nothing").hasSize(files);
    assertThat(table.live()).containsExactly("a@5", "b@0");
    // Other levels and other buckets do not count.
    table.commit(
        "c", 7, new Compaction(List.of(compact(0, List.of(b), List.of(file("w", 4, 5, 20))))));
    assertThat(table.live()).containsExactly("a@5", "w@4");
  }

  private static Seen seen(Snapshot snapshot, DataFileMeta... files) {
    return new Seen(
        snapshot,
        Stream.of(files)
            .map(f -> new ManifestEntry(ManifestEntry.Kind.ADD, BinaryRow.EMPTY, 0, 2, f))
            .toList());
  }

  @Test
  void aCompactionGoesByWhatItHasSeenAndByWhatCameSince() throws IOException {
    TestTable table = created();
    DataFileMeta a = file("a", 0, 1, 10);
    DataFileMeta b = file("b", 0, 5, 20);
    DataFileMeta ab = file("ab", 4, 1, 20);
    table.append(1, append(0, a, b), append(1, file("c", 0, 1, 5)));
    Snapshot first = table.snapshots.findLatest();
    table.append(2, append(0, file("d", 0, 1, 10)), append(1, file("e", 0, 1, 5)));

    FaultyFileIO watched = new FaultyFileIO(memory);
    TestTable other = table(watched);
    CommitMessage message = compact(0, List.of(a, b), List.of(ab));
    other.store(message);
    int from = watched.operations();
    other.commit("c", 1, new Compaction(List.of(message), seen(first, a, b)));
    // Of the manifests that of snapshot 2 alone was looked at.
    assertThat(
            watched.log().subList(from, watched.operations()).stream()
                .filter(operation -> operation.matches("readAll .*/manifest/manifest-(?!list).*")))
        .hasSize(1);

    assertThat(other.live()).containsExactly("ab@4", "c@0", "d@0", "e@0");
    other.requireAllReadable();

    // Moved since: by the delta of a snapshot above the one that was seen.
    Compaction again =
        new Compaction(
            List.of(compact(0, List.of(a), List.of(file("x", 5, 1, 10)))), seen(first, a, b));
    assertThatThrownBy(() -> table.commit("c", 2, again))
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("deleted or moved bucket 0 a");
    // What was seen of a bucket counts for the overlap, too.
    Snapshot third = table.snapshots.findLatest();
    DataFileMeta d = file("d", 0, 1, 10);
    Compaction overlaps =
        new Compaction(
            List.of(compact(0, List.of(d), List.of(d.withLevel(4)))), seen(third, ab, d));
    assertThatThrownBy(() -> table.commit("c", 3, overlaps))
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("would overlap");
  }

  @Test
  void whatWasSeenOfASnapshotThatIsNoMoreIsLookedAtAnew() throws IOException {
    TestTable table = created();
    DataFileMeta a = file("a", 0, 1, 10);
    DataFileMeta b = file("b", 0, 5, 20);
    table.append(1, append(0, a));
    table.append(2, append(0, b));
    Snapshot gone = table.snapshots.findLatest();
    // A roll-back, and another commit under the same number.
    memory.delete(table.paths.snapshot(2));
    TestTable other = table(memory);
    other.append(3, append(0, file("z", 0, 1, 3)));

    Compaction stale =
        new Compaction(List.of(compact(0, List.of(b), List.of(b.withLevel(5)))), seen(gone, a, b));
    assertThatThrownBy(() -> table.commit("c", 1, stale))
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("deleted or moved bucket 0 b");
    Compaction good =
        new Compaction(List.of(compact(0, List.of(a), List.of(a.withLevel(5)))), seen(gone, a, b));
    table.commit("c", 2, good);
    assertThat(table.live()).containsExactly("a@5", "z@0");
  }

  private static void conflict(
      TestTable table, long n, List<DataFileMeta> before, List<DataFileMeta> after, String text) {
    assertThatThrownBy(
            () -> table.commit("c", n, new Compaction(List.of(compact(0, before, after)))))
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("Cannot commit a compaction of table /lake/t")
        .hasMessageContaining(text);
  }

  @Test
  void emptiesATableAsItIsAtTheAttempt() throws IOException {
    TestTable table = created();
    assertThat(table.truncate(1).commitKind()).isEqualTo(CommitKind.OVERWRITE);
    table.append(2, append(0, file("a", 0, 1, 10)));
    TestTable other = table(memory);
    // Another writer comes in between the look and the creation.
    FaultyFileIO watched = new FaultyFileIO(memory);
    TestTable slow = table(watched);
    AtomicInteger once = new AtomicInteger();
    watched.observe(
        (n, verb, path) -> {
          if (verb.equals("createExclusively") && once.getAndIncrement() == 0) {
            other.append(3, append(1, file("b", 0, 1, 7)));
          }
        });

    Snapshot emptied = slow.truncate(4);

    assertThat(emptied.id()).isEqualTo(4);
    assertThat(emptied.totalRecordCount()).isZero();
    assertThat(emptied.deltaRecordCount()).isEqualTo(-17);
    assertThat(slow.live()).isEmpty();
    slow.append(5, append(0, file("d", 0, 1, 1)));
    assertThat(slow.live()).containsExactly("d@0");
  }

  @Test
  void emptiesOnePartition() throws IOException {
    TestTable table =
        new TestTable(memory, "/p", TestFiles.partitionedSchema(Map.of()), clock, ids)
            .createSchema();
    BinaryRow eu = TestFiles.partition("eu");
    table.append(
        1,
        append(eu, 0, file("a", 0, 1, 10)),
        append(TestFiles.partition("a longer name"), 0, file("b", 0, 1, 5)));

    table.commit("u", 2, new DeletePartitions(live -> Set.of(eu)));

    assertThat(table.live()).containsExactly("b@0");
    table.requireAllReadable();
  }

  @Test
  void asksTheGuardBeforeEveryAttempt() throws IOException {
    TestTable table = created();
    table.append(1);
    List<Snapshot> seen = new ArrayList<>();
    TestTable other = table(memory);
    PreparedDelta delta = table.committer.prepare(List.of(append(0, file("a", 0, 1, 2))));

    Snapshot none =
        table.committer.commit(
            new CommitRequest("u", 2, new Append(delta), Map.of()),
            latest -> {
              seen.add(latest);
              return AttemptGuard.Decision.ALREADY_COMMITTED;
            });
    Snapshot made =
        table.committer.commit(
            new CommitRequest("u", 2, new Append(delta), Map.of()),
            latest -> {
              seen.add(latest);
              if (seen.size() == 2) {
                other.append(9);
              }
              return AttemptGuard.Decision.PROCEED;
            });

    assertThat(none).isNull();
    assertThat(made.id()).isEqualTo(3);
    assertThat(seen).extracting(Snapshot::id).containsExactly(1L, 1L, 2L);
    assertThatThrownBy(
            () ->
                table.committer.commit(
                    new CommitRequest("u", 3, new Append(delta), Map.of()),
                    latest -> {
                      throw new IllegalStateException("stop");
                    }))
        .hasMessage("stop");
  }

  @Test
  void losesNoCommitWhenSixteenRace() throws Exception {
    created();
    int threads = 16;
    int commits = 12;
    var pool = Executors.newFixedThreadPool(threads);
    CyclicBarrier start = new CyclicBarrier(threads);
    List<Future<Void>> done = new ArrayList<>();
    Set<String> wanted = new TreeSet<>();
    for (int t = 0; t < threads; t++) {
      TestTable mine = table(memory);
      String name = "t" + t;
      for (int c = 0; c < commits; c++) {
        wanted.add(name + "-" + c + "@0");
      }
      done.add(
          pool.submit(
              () -> {
                start.await();
                for (int c = 0; c < commits; c++) {
                  mine.store(append(0, file(name + "-" + c, 0, 1, 3)));
                  mine.commit(
                      name,
                      c,
                      new Append(
                          mine.committer.prepare(
                              List.of(append(0, file(name + "-" + c, 0, 1, 3))))));
                }
                return null;
              }));
    }
    for (Future<Void> future : done) {
      future.get();
    }
    pool.shutdown();
    TestTable table = table(memory);
    assertThat(table.live()).isEqualTo(wanted);
    assertThat(table.snapshots.listIds()).hasSize(threads * commits);
    assertThat(table.snapshots.findLatest().totalRecordCount()).isEqualTo(threads * commits * 3);
    table.requireAllReadable();
    requireNoOrphanMetadata(table);
  }

  /** Lost attempts clean up behind them: every manifest file is referred to by some snapshot. */
  private void requireNoOrphanMetadata(TestTable table) throws IOException {
    Set<String> referred = new TreeSet<>();
    for (long id : table.snapshots.listIds()) {
      Snapshot snapshot = table.snapshots.read(id);
      referred.add(table.paths.manifest(snapshot.baseManifestList()));
      referred.add(table.paths.manifest(snapshot.deltaManifestList()));
      table
          .manifests
          .manifests(snapshot)
          .forEach(m -> referred.add(table.paths.manifest(m.fileName())));
    }
    Set<String> there = new TreeSet<>(memory.paths());
    there.removeIf(path -> !path.contains("/manifest/"));
    assertThat(there).isEqualTo(referred);
  }

  /** Every operation of a sequence of commits fails in every way; nothing is lost or doubled. */
  @Test
  void survivesAFaultAtEveryOperation() throws IOException {
    for (Fault fault : Fault.values()) {
      for (int n = 1; ; n++) {
        MemoryFileIO fresh = new MemoryFileIO();
        FaultyFileIO faulty = new FaultyFileIO(fresh);
        TestTable table = table(faulty).createSchema();
        int begin = faulty.operations();
        faulty.inject(begin + n, fault);
        Set<String> sure = new TreeSet<>();
        String at = fault + " at " + n;
        run(table, faulty, fault, sure, at);
        boolean reached = faulty.operations() >= begin + n;
        faulty.heal();
        faulty.landLateRequests();

        TestTable reader = table(fresh);
        reader.requireAllReadable();
        assertThat(reader.live()).as(at).isEqualTo(sure);
        if (!reached) {
          break;
        }
      }
    }
  }

  /**
   * The power fails at every operation, before it is done or after: what was not made durable may
   * be gone. What was committed is there, whole, and the table goes on.
   */
  @Test
  void survivesAPowerCutAtEveryOperation() throws IOException {
    long seed = Long.getLong("test.seed", System.nanoTime());
    for (Fault fault : List.of(Fault.CRASH, Fault.CRASH_AFTER)) {
      for (int n = 1; ; n++) {
        MemoryFileIO fresh = new MemoryFileIO();
        PowerCutFileIO disk = new PowerCutFileIO(fresh, seed + n);
        FaultyFileIO faulty = new FaultyFileIO(disk);
        TestTable table = table(faulty).createSchema();
        int begin = faulty.operations();
        faulty.inject(begin + n, fault);
        Set<String> sure = new TreeSet<>();
        String at = fault + " at " + n + ", -Dtest.seed=" + seed;
        run(table, faulty, fault, sure, at, disk::cutPower);
        boolean reached = faulty.operations() >= begin + n;
        // Nor is anything lost if it fails once more behind the last commit.
        disk.cutPower();

        TestTable reader = table(fresh);
        assertThatCode(reader::requireAllReadable).as(at).doesNotThrowAnyException();
        assertThat(reader.live()).as(at).isEqualTo(sure);
        if (!reached) {
          break;
        }
      }
    }
  }

  /**
   * What is to be durable with the snapshot and can't be: the commit is tried anew, with others.
   */
  @Test
  void commitsWithOtherFilesWhereItsOwnCannotBeMadeDurable() throws IOException {
    created();
    FaultyFileIO faulty = new FaultyFileIO(memory);
    TestTable table = table(faulty);
    DataFileMeta a = file("a", 0, 1, 10);
    table.append(1, append(0, a));
    CommitMessage message = compact(0, List.of(a), List.of(file("m", 5, 1, 10)));
    table.store(message);
    Set<String> before = new TreeSet<>(memory.paths());
    AtomicInteger syncs = new AtomicInteger();
    faulty.observe(
        (number, verb, path) -> {
          if (verb.equals("sync") && syncs.getAndIncrement() == 0) {
            faulty.inject(number, Fault.FAIL);
          }
        });

    assertThatThrownBy(() -> table.commit("c", 2, new Compaction(List.of(message))))
        .isInstanceOf(NotDurableException.class);
    assertThat(memory.paths()).as("nothing stays of the attempt").containsExactlyElementsOf(before);
    table.commit("c", 2, new Compaction(List.of(message)));

    assertThat(table.live()).containsExactly("m@5");
    table.requireAllReadable();
    requireNoOrphanMetadata(table);
  }

  /** What is called when a crash was found, before the next process starts. */
  @FunctionalInterface
  private interface OnCrash {
    void run() throws IOException;
  }

  private void run(TestTable table, FaultyFileIO faulty, Fault fault, Set<String> sure, String at)
      throws IOException {
    run(table, faulty, fault, sure, at, () -> {});
  }

  /** Two appends, a compaction of both, another append; each tried again until it is known. */
  private void run(
      TestTable table,
      FaultyFileIO faulty,
      Fault fault,
      Set<String> sure,
      String at,
      OnCrash onCrash)
      throws IOException {
    DataFileMeta a = file("a", 0, 1, 10);
    DataFileMeta b = file("b", 0, 5, 20);
    DataFileMeta merged = file("m", 5, 1, 20);
    table = appendUntilKnown(table, faulty, fault, 1, a, at, onCrash);
    sure.add("a@0");
    table = appendUntilKnown(table, faulty, fault, 2, b, at, onCrash);
    sure.add("b@0");
    table = compactUntilKnown(table, faulty, fault, List.of(a, b), merged, at, onCrash);
    sure.clear();
    sure.add("m@5");
    appendUntilKnown(table, faulty, fault, 3, file("c", 0, 1, 1), at, onCrash);
    sure.add("c@0");
  }

  private TestTable appendUntilKnown(
      TestTable first,
      FaultyFileIO faulty,
      Fault fault,
      long n,
      DataFileMeta file,
      String at,
      OnCrash onCrash)
      throws IOException {
    TestTable table = first;
    PreparedDelta delta = null;
    for (int tries = 0; ; tries++) {
      assertThat(tries).as(at).isLessThan(5);
      try {
        if (delta == null) {
          table.store(append(0, file));
          delta = table.committer.prepare(List.of(append(0, file)));
        }
        long identifier = n;
        TestTable asked = table;
        table.committer.commit(
            new CommitRequest("u", identifier, new Append(delta), Map.of()),
            latest -> alreadyThere(asked, latest, identifier));
        return table;
      } catch (IOException e) {
        if (faulty.crashed()) {
          // A new process: it knows the delta from the epoch file, or starts the epoch anew.
          faulty.heal();
          onCrash.run();
          table = table(faulty);
        }
        if (delta == null) {
          faulty.delete(table.folders.file(BinaryRow.EMPTY, 0, file.fileName()));
        }
      }
    }
  }

  /** Rule 3 of the design in small. */
  private static AttemptGuard.Decision alreadyThere(TestTable table, Snapshot latest, long n)
      throws IOException {
    for (long id = latest == null ? 0 : latest.id(); id > 0; id--) {
      Snapshot snapshot = table.snapshots.read(id);
      if (snapshot.commitUser().equals("u") && snapshot.commitIdentifier() == n) {
        return AttemptGuard.Decision.ALREADY_COMMITTED;
      }
    }
    return AttemptGuard.Decision.PROCEED;
  }

  private TestTable compactUntilKnown(
      TestTable first,
      FaultyFileIO faulty,
      Fault fault,
      List<DataFileMeta> before,
      DataFileMeta after,
      String at,
      OnCrash onCrash)
      throws IOException {
    TestTable table = first;
    CommitMessage message = compact(0, before, List.of(after));
    String output = table.folders.file(BinaryRow.EMPTY, 0, after.fileName());
    boolean stored = false;
    for (int tries = 0; ; tries++) {
      assertThat(tries).as(at).isLessThan(5);
      try {
        if (!stored) {
          table.store(message);
          stored = true;
        }
        table.commit("u-compaction", 7, new Compaction(List.of(message)));
        return table;
      } catch (CommitConflictException e) {
        // Only a new process may meet its predecessor's compaction as another's.
        assertThat(table.live()).as(at).contains("m@5");
        return table;
      } catch (IOException e) {
        if (faulty.crashed()) {
          faulty.heal();
          onCrash.run();
          table = table(faulty);
        }
        if (!stored) {
          // There may be half a file.
          faulty.delete(output);
        }
      }
    }
  }

  @Test
  void takesUpACommitThatLandsLate() throws IOException {
    created();
    FaultyFileIO faulty = new FaultyFileIO(memory);
    TestTable table = table(faulty);
    table.append(1, append(0, file("a", 0, 1, 10)));
    PreparedDelta delta = table.committer.prepare(List.of(append(0, file("b", 0, 1, 2))));
    table.store(append(0, file("b", 0, 1, 2)));
    CommitRequest request = new CommitRequest("u", 2, new Append(delta), Map.of());
    lateCreation(faulty);

    assertThatThrownBy(() -> table.committer.commit(request, AttemptGuard.ALWAYS))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("snapshot-2 was created for APPEND 2 of user 'u' to table /lake/t")
        .hasMessageContaining("may be there or still appear");
    // It lands between two attempts.
    faulty.landLateRequests();
    Snapshot found = table.committer.commit(request, AttemptGuard.ALWAYS);

    assertThat(found.id()).isEqualTo(2);
    assertThat(table.snapshots.listIds()).containsExactly(1L, 2L);
    table.requireAllReadable();
  }

  @Test
  void makesTheSameSnapshotAgainWhileItMayStillLand() throws IOException {
    created();
    FaultyFileIO faulty = new FaultyFileIO(memory);
    TestTable table = table(faulty);
    table.append(1, append(0, file("a", 0, 1, 10)));
    PreparedDelta delta = table.committer.prepare(List.of(append(0, file("b", 0, 1, 2))));
    table.store(append(0, file("b", 0, 1, 2)));
    CommitRequest request = new CommitRequest("u", 2, new Append(delta), Map.of());
    lateCreation(faulty);
    assertThatThrownBy(() -> table.committer.commit(request, AttemptGuard.ALWAYS))
        .isInstanceOf(IOException.class);
    clock.advance(Duration.ofSeconds(1));

    Snapshot made = table.committer.commit(request, AttemptGuard.ALWAYS);
    faulty.landLateRequests();

    assertThat(table.snapshots.listIds()).containsExactly(1L, 2L);
    assertThat(table.snapshots.findLatest()).isEqualTo(made);
    table.append(3);
    table.requireAllReadable();
  }

  @Test
  void commitsAnewOnceAnothersSnapshotHasTheNumber() throws IOException {
    created();
    FaultyFileIO faulty = new FaultyFileIO(memory);
    TestTable table = table(faulty);
    DataFileMeta a = file("a", 0, 1, 10);
    table.append(1, append(0, a));
    CommitMessage message = compact(0, List.of(a), List.of(file("m", 5, 1, 10)));
    table.store(message);
    CommitRequest request = new CommitRequest("c", 2, new Compaction(List.of(message)), Map.of());
    lateCreation(faulty);
    assertThatThrownBy(() -> table.committer.commit(request, AttemptGuard.ALWAYS))
        .isInstanceOf(IOException.class);
    table(memory).append(9, append(0, file("b", 0, 1, 2)));

    Snapshot made = table.committer.commit(request, AttemptGuard.ALWAYS);
    faulty.landLateRequests();

    assertThat(made.id()).isEqualTo(3);
    assertThat(table.live()).containsExactly("b@0", "m@5");
    table.requireAllReadable();
    requireNoOrphanMetadata(table);
  }

  private static void lateCreation(FaultyFileIO faulty) {
    AtomicInteger once = new AtomicInteger();
    faulty.observe(
        (n, verb, path) -> {
          if (verb.equals("createExclusively") && once.getAndIncrement() == 0) {
            faulty.injectNext(Fault.LATE);
          }
        });
  }

  @Test
  void stopsWhenItsSnapshotLiesInAHole() throws IOException {
    created();
    FaultyFileIO watched = new FaultyFileIO(memory);
    TestTable slow = table(watched);
    TestTable others = table(memory);
    for (int i = 1; i <= 3; i++) {
      others.append(i, append(0, file("a" + i, 0, i, i)));
    }
    // While the slow one sleeps before its creation, others go past it and expire what it knew.
    AtomicInteger once = new AtomicInteger();
    watched.observe(
        (n, verb, path) -> {
          if (verb.equals("createExclusively") && once.getAndIncrement() == 0) {
            for (int i = 4; i <= 9; i++) {
              others.append(i, append(0, file("a" + i, 0, i, i)));
            }
            for (int id = 1; id <= 6; id++) {
              memory.delete(others.paths.snapshot(id));
            }
          }
        });

    assertThatThrownBy(() -> slow.append(1, append(0, file("s", 0, 1, 1))))
        .isInstanceOf(CommitUnknownException.class)
        .hasMessageContaining("snapshot-4 was created, but the snapshot before it has expired");
    assertThat(table(memory).snapshots.findLatest().id()).isEqualTo(9);
  }

  @Test
  void stopsWhenTheFirstSnapshotLiesInAHole() throws IOException {
    created();
    FaultyFileIO watched = new FaultyFileIO(memory);
    TestTable slow = table(watched);
    TestTable others = table(memory);
    AtomicInteger once = new AtomicInteger();
    watched.observe(
        (n, verb, path) -> {
          if (verb.equals("createExclusively") && once.getAndIncrement() == 0) {
            others.append(1, append(0, file("a", 0, 1, 1)));
            others.append(2, append(0, file("b", 0, 1, 1)));
            memory.delete(others.paths.snapshot(1));
          }
        });

    assertThatThrownBy(() -> slow.append(1, append(0, file("s", 0, 1, 1))))
        .isInstanceOf(CommitUnknownException.class);
  }

  @Test
  void knowsItsFirstSnapshotWhenOthersHaveBuiltOnIt() throws IOException {
    created();
    FaultyFileIO watched = new FaultyFileIO(memory);
    TestTable table = table(watched);
    TestTable others = table(memory);
    AtomicInteger created = new AtomicInteger();
    watched.observe(
        (n, verb, path) -> {
          if (memory.exists(others.paths.snapshot(1)) && created.getAndIncrement() == 0) {
            others.append(2, append(0, file("b", 0, 1, 1)));
          }
        });

    assertThat(table.append(1, append(0, file("a", 0, 1, 1))).id()).isEqualTo(1);
    assertThat(table.live()).containsExactly("a@0", "b@0");
  }

  @Test
  void aSnapshotIsInTheChainAlsoWhenTheOneBeforeItHasExpired() throws IOException {
    TestTable table = created();
    for (int i = 1; i <= 4; i++) {
      table.append(i, append(0, file("a" + i, 0, i, i)));
    }
    Snapshot third = table.snapshots.read(3);
    Snapshot fourth = table.snapshots.read(4);
    memory.delete(table.paths.snapshot(1));
    memory.delete(table.paths.snapshot(2));
    assertThat(table(memory).committer.isInChain(third)).as("the next is built on it").isTrue();
    memory.delete(table.paths.snapshot(3));
    assertThat(table(memory).committer.isInChain(fourth)).as("the newest").isTrue();
  }

  @Test
  void aSnapshotInAHoleIsNotInTheChain() throws IOException {
    TestTable table = created();
    for (int i = 1; i <= 4; i++) {
      table.append(i, append(0, file("a" + i, 0, i, i)));
    }
    // Others' snapshot-2 has expired, and a slow writer that knows snapshot-1 alone takes its name.
    MemoryFileIO then = memory.copy();
    for (int i = 2; i <= 4; i++) {
      then.delete(table.paths.snapshot(i));
    }
    Snapshot slow = table(then).append(9, append(0, file("s", 0, 9, 9)));
    for (String path : then.paths()) {
      if (!memory.exists(path)) {
        memory.put(path, then.readAll(path));
      }
    }
    memory.delete(table.paths.snapshot(1));
    memory.delete(table.paths.snapshot(2));
    memory.put(table.paths.snapshot(2), SnapshotJson.write(slow));
    assertThat(table(memory).committer.isInChain(slow)).as("3 is built on another").isFalse();
    memory.delete(table.paths.snapshot(3));
    assertThat(table(memory).committer.isInChain(slow)).as("3 is gone").isFalse();
  }

  @Test
  void saysWhichFileTheNewestSnapshotLacks() throws IOException {
    TestTable table = created();
    Snapshot first = table.append(1, append(0, file("a", 0, 1, 10)));
    memory.delete(table.paths.manifest(first.deltaManifestList()));

    assertThatThrownBy(() -> table(memory).append(2))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining("/lake/t/snapshot/snapshot-1 refers to a file that is missing")
        .hasMessageContaining(first.deltaManifestList());
    assertThatThrownBy(() -> table(new MemoryFileIO()).append(1))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining("no schema file");
  }

  @Test
  void carriesForwardWhatIsNotItsOwn() throws IOException {
    TestTable table = created();
    Snapshot first = table.append(1, append(0, file("a", 0, 1, 10)));
    Snapshot foreign =
        new Snapshot(
            3,
            2,
            0,
            first.baseManifestList(),
            null,
            first.deltaManifestList(),
            null,
            null,
            null,
            "index-manifest-1",
            "p",
            5,
            CommitKind.APPEND,
            clock.millis() + 60_000,
            10,
            0,
            null,
            77L,
            "stat-1",
            Map.of("k", "v"),
            3L);
    memory.put(table.paths.snapshot(2), SnapshotJson.write(foreign));

    Snapshot third = table.append(2, append(0, file("b", 0, 1, 1)));

    assertThat(third.indexManifest()).isEqualTo("index-manifest-1");
    assertThat(third.watermark()).isEqualTo(77);
    assertThat(third.statistics()).isEqualTo("stat-1");
    assertThat(third.nextRowId()).isEqualTo(3);
    assertThat(third.properties()).containsOnlyKeys("n");
    assertThat(third.timeMillis()).as("never runs back").isEqualTo(foreign.timeMillis());
    table.schemas.createExclusively(
        1,
        new String(TableSchemaJson.write(table.schema), StandardCharsets.UTF_8)
            .replaceFirst("\"id\" : 0", "\"id\" : 1"));
    Snapshot fourth = table.append(3, append(0, file("c", 0, 1, 1)));
    assertThat(fourth.schemaId()).isEqualTo(1);
    assertThat(fourth.statistics()).isNull();
  }

  @Test
  void readsNothingAgainForASmallCommit() throws IOException {
    created();
    FaultyFileIO counting = new FaultyFileIO(memory);
    TestTable table = table(counting);
    List<DataFileMeta> files = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      DataFileMeta file = file("f" + i, 0, i, i);
      files.add(file);
      table.append(i, append(0, file));
      if (files.size() == 5) {
        table.compact(i, compact(0, files, List.of(file("m" + i, 5, i - 4, i))));
        files.clear();
      }
    }

    // The probe for the next snapshot and the check of the last one are all that is read.
    assertThat(counting.log()).noneMatch(op -> op.matches("(readAll|open) .*/manifest/.*"));
    assertThat(counting.log().stream().filter(op -> op.startsWith("list ")).count()).isLessThan(5);
    table.requireAllReadable();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
