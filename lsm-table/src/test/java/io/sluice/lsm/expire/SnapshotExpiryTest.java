package io.sluice.lsm.expire;

import static io.sluice.lsm.testing.TestFiles.append;
import static io.sluice.lsm.testing.TestFiles.compact;
import static io.sluice.lsm.testing.TestFiles.file;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.commit.TestTable;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.manifest.ManifestFileMeta;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.FaultyFileIO;
import io.sluice.lsm.testing.FaultyFileIO.Fault;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.TestFiles;
import io.sluice.lsm.testing.TestIds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SnapshotExpiryTest {

  private static final Retention KEEP_TWO = new Retention(Duration.ZERO, 2, 1000, 500);

  private final MemoryFileIO memory = new MemoryFileIO();
  private final FakeClock clock = new FakeClock();
  private final TestIds ids = new TestIds();
  private final Map<String, String> mergeOften =
      Map.of(
          "manifest.merge-min-count",
          "3",
          "manifest.full-compaction-threshold-size",
          "4 kb",
          "manifest.compression",
          "none");

  private TestTable table(FileIO storage) {
    return new TestTable(storage, "/lake/t", TestFiles.schema(mergeOften), clock, ids);
  }

  /** Appends, upgrades, compactions and truncates, a second apart. */
  private TestTable busyTable(FileIO storage, int commits, long seed) throws IOException {
    TestTable table = table(storage).createSchema();
    Random random = new Random(seed);
    List<DataFileMeta> live = new ArrayList<>();
    int next = 0;
    for (int i = 1; i <= commits; i++) {
      clock.advance(Duration.ofSeconds(1));
      int what = random.nextInt(10);
      if (what < 6 || live.size() < 2) {
        DataFileMeta file = file("f" + i, 0, next, next + 5);
        next += 10;
        live.add(file);
        table.append(i, append(0, file));
      } else if (what < 7) {
        table.truncate(i);
        live.clear();
      } else if (what < 8) {
        DataFileMeta moved = live.remove(live.size() - 1);
        int level = moved.level() + 1;
        live.add(moved.withLevel(level));
        table.compact(i, compact(0, List.of(moved), List.of(moved.withLevel(level))));
      } else {
        DataFileMeta merged = file("m" + i, 9, next, next + 5);
        next += 10;
        table.compact(i, compact(0, live, List.of(merged)));
        live.clear();
        live.add(merged);
      }
    }
    return table;
  }

  @Test
  void keepsWhatTheRetentionKeeps() throws IOException {
    TestTable table = busyTable(memory, 40, 1);

    // Everything is young.
    assertThat(table.expiry.expire(Retention.DEFAULT).snapshots()).isZero();
    // 20 seconds: those of the last 20 seconds stay, whatever the minimum.
    expect(table, new Retention(Duration.ofSeconds(20), 1, 1000, 500), 20);
    // The minimum stays, however old.
    clock.advance(Duration.ofHours(3));
    expect(table, new Retention(Duration.ofHours(1), 15, 1000, 500), 26);
    // No more than the maximum stays, however young.
    expect(table, new Retention(Duration.ofDays(30), 5, 8, 500), 33);
    // A run is bounded.
    SnapshotExpiry.Result bounded =
        table.expiry.expire(new Retention(Duration.ofHours(1), 2, 1000, 3));
    assertThat(bounded.snapshots()).isEqualTo(3);
    assertThat(bounded.more()).isTrue();
    expect(table, new Retention(Duration.ofHours(1), 2, 1000, 500), 39);
    assertThat(memory.readAll(table.paths.earliestHint())).isEqualTo(bytes("39"));
    // The newest always stays.
    expect(table, new Retention(Duration.ZERO, 1, 1, 500), 40);
    table.append(41, append(1, file("later", 0, 1, 1)));
    table.requireAllReadable();
  }

  private void expect(TestTable table, Retention retention, long earliest) throws IOException {
    Set<String> live = table.live();
    table.expiry.expire(retention);
    assertThat(table.snapshots.listIds().get(0)).isEqualTo(earliest);
    assertThat(table.live()).isEqualTo(live);
    table.requireAllReadable();
    requireNothingElse(table);
    assertThat(table.expiry.expire(retention)).isEqualTo(SnapshotExpiry.Result.NOTHING);
  }

  /** Nothing but what the snapshots need is on storage. */
  private void requireNothingElse(TestTable table) throws IOException {
    Set<String> needed = needed(table, table.snapshots.listIds());
    Set<String> there = new TreeSet<>(((MemoryFileIO) table.storage).paths());
    there.removeIf(
        path -> path.contains("/schema/") || path.endsWith("LATEST") || path.endsWith("EARLIEST"));
    assertThat(there).isEqualTo(needed);
  }

  private static Set<String> needed(TestTable table, List<Long> snapshotIds) throws IOException {
    Set<String> needed = new TreeSet<>();
    for (long id : snapshotIds) {
      Snapshot snapshot = table.snapshots.read(id);
      String base = snapshot.baseManifestList();
      String delta = snapshot.deltaManifestList();
      needed.add(table.paths.snapshot(id));
      needed.add(table.paths.manifest(base));
      needed.add(table.paths.manifest(delta));
      for (ManifestFileMeta manifest : table.manifests.manifests(snapshot)) {
        needed.add(table.paths.manifest(manifest.fileName()));
      }
      for (ManifestEntry entry : table.manifests.liveFiles(snapshot).entries()) {
        needed.add(table.folders.file(entry.partition(), entry.bucket(), entry.file().fileName()));
      }
    }
    return needed;
  }

  @Test
  void leavesNothingBehindAndTakesNothingAway() throws IOException {
    long seed = Long.getLong("test.seed", 4711L);
    for (int round = 0; round < 5; round++) {
      MemoryFileIO fresh = new MemoryFileIO();
      TestTable table = busyTable(fresh, 30, seed + round);
      Set<String> live = table.live();
      Random random = new Random(seed + round);
      long earliest = 1;
      while (earliest < 25) {
        earliest += 1 + random.nextInt(15);
        table.expiry.expire(
            new Retention(Duration.ZERO, (int) Math.max(1, 31 - earliest), 1000, 500));
        table.requireAllReadable();
        requireNothingElse(table);
        assertThat(table.live()).as("seed %d round %d", seed, round).isEqualTo(live);
      }
    }
  }

  @Test
  void keepsAFileThatOnlyMovedToAnotherLevel() throws IOException {
    TestTable table = table(memory).createSchema();
    DataFileMeta a = file("a", 0, 1, 10);
    table.append(1, append(0, a));
    table.compact(1, compact(0, List.of(a), List.of(a.withLevel(5))));
    table.append(2);
    table.append(3);

    table.expiry.expire(new Retention(Duration.ZERO, 1, 1, 500));

    assertThat(table.snapshots.listIds()).containsExactly(4L);
    assertThat(table.live()).containsExactly("a@5");
    table.requireAllReadable();
  }

  @Test
  void respectsConsumers() throws IOException {
    TestTable table = busyTable(memory, 30, 5);
    ConsumerFiles consumers = new ConsumerFiles(memory, table.paths);
    consumers.advance("sluice-shop", 12);
    consumers.advance("etl", 25);

    expectWithConsumers(table, 12);
    consumers.advance("sluice-shop", 27);
    expectWithConsumers(table, 25);
    consumers.delete("etl");
    expectWithConsumers(table, 27);
    consumers.delete("sluice-shop");
    expectWithConsumers(table, 29);

    // A number that is already gone holds back all that is left.
    consumers.advance("late", 3);
    table.expiry.expire(new Retention(Duration.ZERO, 1, 1, 500));
    assertThat(table.snapshots.listIds()).containsExactly(29L, 30L);
  }

  private void expectWithConsumers(TestTable table, long earliest) throws IOException {
    table.expiry.expire(KEEP_TWO);
    assertThat(table.snapshots.listIds().get(0)).isEqualTo(earliest);
    table.requireAllReadable();
  }

  @Test
  void movesConsumersForwardOnly() throws IOException {
    TestTable table = table(memory);
    ConsumerFiles consumers = new ConsumerFiles(memory, table.paths);

    assertThat(consumers.read("x")).isEmpty();
    assertThat(consumers.advance("x", 5)).isEqualTo(5);
    assertThat(consumers.advance("x", 3)).isEqualTo(5);
    assertThat(consumers.advance("x", 8)).isEqualTo(8);
    assertThat(consumers.read("x")).hasValue(8);
    assertThat(consumers.list()).containsExactly(Map.entry("x", 8L));
    assertThat(new String(memory.readAll(table.paths.consumer("x")), StandardCharsets.UTF_8))
        .as("as Paimon writes it")
        .isEqualTo("{\n  \"nextSnapshot\" : 8\n}");
  }

  @Test
  void deletesNothingWhenItCannotReadWhatMustStay() throws IOException {
    TestTable table = busyTable(memory, 20, 6);
    Set<String> before = new TreeSet<>(memory.paths());

    memory.put(table.paths.consumer("odd"), bytes("{}"));
    assertThatThrownBy(() -> table.expiry.expire(KEEP_TWO))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining("consumer-odd holds no nextSnapshot");
    memory.delete(table.paths.consumer("odd"));

    memory.put(table.paths.tagFolder() + "/tag-x", bytes("{"));
    assertThatThrownBy(() -> table.expiry.expire(KEEP_TWO))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining("tag-x");
    memory.delete(table.paths.tagFolder() + "/tag-x");

    String list = table.paths.manifest(table.snapshots.read(19).deltaManifestList());
    byte[] content = memory.readAll(list);
    memory.delete(list);
    TestTable other = table(memory);
    assertThatThrownBy(() -> other.expiry.expire(KEEP_TWO))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining(
            "Snapshot 19 of table /lake/t must stay readable, but refers to a file that is missing");
    memory.put(list, content);

    memory.put("/lake/t/branch/branch-b/snapshot/snapshot-1", bytes("{}"));
    assertThatThrownBy(() -> other.expiry.expire(KEEP_TWO))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining("branch-b/snapshot/snapshot-1");
    memory.delete("/lake/t/branch/branch-b/snapshot/snapshot-1");

    assertThat(new TreeSet<>(memory.paths())).isEqualTo(before);
    assertThat(other.expiry.expire(KEEP_TWO).snapshots()).isEqualTo(18);
    requireNothingElse(other);
  }

  @Test
  void keepsTheFilesOfAnOldSnapshotWhoseManifestIsGone() throws IOException {
    TestTable table = table(memory).createSchema();
    DataFileMeta a = file("a", 0, 1, 10);
    table.append(1, append(0, a));
    Snapshot compaction = table.compact(1, compact(0, List.of(a), List.of(file("b", 5, 1, 10))));
    table.append(2);
    table.append(3);
    memory.delete(table.paths.manifest(compaction.deltaManifestList()));
    clock.advance(Duration.ofSeconds(1));

    table(memory).expiry.expire(KEEP_TWO);

    assertThat(table.snapshots.listIds()).containsExactly(3L, 4L);
    assertThat(memory.paths()).as("an orphan, not a loss").contains("/lake/t/bucket-0/a");
    table.requireAllReadable();
  }

  @Test
  void keepsWhatTagsNeed() throws IOException {
    TestTable table = busyTable(memory, 30, 7);
    Set<String> needed = needed(table, List.of(9L, 17L));
    Set<String> liveAtTag = table.live(table.snapshots.read(9));
    for (long id : List.of(9L, 17L)) {
      byte[] json = memory.readAll(table.paths.snapshot(id));
      memory.put(table.paths.tagFolder() + "/tag-of " + id, json);
      needed.remove(table.paths.snapshot(id));
    }

    table.expiry.expire(KEEP_TWO);

    assertThat(table.snapshots.listIds()).containsExactly(29L, 30L);
    assertThat(memory.paths()).containsAll(needed);
    Snapshot tagged = table.snapshots.readCopy(table.paths.tagFolder() + "/tag-of 9");
    assertThat(table(memory).live(tagged)).isEqualTo(liveAtTag);
    table.requireAllReadable();
  }

  @Test
  void leavesASnapshotInAHoleAlone() throws IOException {
    TestTable table = busyTable(memory, 20, 8);
    byte[] stray = memory.readAll(table.paths.snapshot(4));
    table.expiry.expire(KEEP_TWO);
    memory.put(table.paths.snapshot(4), stray);
    table.append(21);

    table.expiry.expire(KEEP_TWO);

    assertThat(table.snapshots.listIds()).containsExactly(4L, 20L, 21L);
  }

  /** At every operation something goes wrong; then it is run again. */
  @Test
  void survivesAFaultAtEveryOperation() throws IOException {
    busyTable(memory, 8, 9);
    Set<String> live = table(memory).live();
    for (Fault fault : Fault.values()) {
      for (int n = 1; ; n++) {
        MemoryFileIO fresh = memory.copy();
        FaultyFileIO faulty = new FaultyFileIO(fresh).inject(n, fault);
        String at = fault + " at " + n;
        boolean reached = true;
        try {
          table(faulty).expiry.expire(KEEP_TWO);
          reached = faulty.operations() >= n;
        } catch (IOException e) {
          assertThat(e).as(at).hasMessageFindingMatch("Injected|The process is dead");
        }
        TestTable after = table(fresh);
        // Whatever happened, every snapshot that can be found can be read.
        after.requireAllReadable();
        assertThat(after.live()).as(at).isEqualTo(live);
        assertThat(after.snapshots.listIds()).as(at).contains(7L, 8L);
        // The next process finishes it, late requests come at last.
        after.expiry.expire(KEEP_TWO);
        faulty.landLateRequests();
        after.expiry.expire(KEEP_TWO);
        assertThat(after.snapshots.listIds()).as(at).containsExactly(7L, 8L);
        after.requireAllReadable();
        requireNothingElse(after);
        if (!reached) {
          break;
        }
      }
    }
  }

  @Test
  void goesOnAfterACrashEvenWhenAConsumerHasComeMeanwhile() throws IOException {
    busyTable(memory, 8, 10);
    for (int n = 1; ; n++) {
      MemoryFileIO fresh = memory.copy();
      FaultyFileIO faulty = new FaultyFileIO(fresh).inject(n, Fault.CRASH);
      boolean reached = true;
      try {
        table(faulty).expiry.expire(KEEP_TWO);
        reached = false;
      } catch (IOException e) {
        assertThat(e).hasMessageFindingMatch("Injected|The process is dead");
      }
      TestTable after = table(fresh);
      long oldest = after.snapshots.listIds().get(0);
      new ConsumerFiles(fresh, after.paths).advance("c", oldest);
      after.expiry.expire(KEEP_TWO);
      assertThat(after.snapshots.listIds().get(0)).isEqualTo(oldest);
      after.requireAllReadable();
      new ConsumerFiles(fresh, after.paths).delete("c");
      after.expiry.expire(KEEP_TWO);
      requireNothingElse(after);
      if (!reached) {
        break;
      }
    }
  }

  @Test
  void runsBesideCommitters() throws Exception {
    TestTable writer = table(memory).createSchema();
    Set<String> wanted = new TreeSet<>();
    Thread expiring =
        new Thread(
            () -> {
              TestTable mine = table(memory);
              while (!Thread.currentThread().isInterrupted()) {
                try {
                  mine.expiry.expire(new Retention(Duration.ZERO, 3, 1000, 500));
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              }
            });
    List<Throwable> failures = new ArrayList<>();
    expiring.setUncaughtExceptionHandler((thread, e) -> failures.add(e));
    expiring.start();
    DataFileMeta before = null;
    for (int i = 1; i <= 100; i++) {
      DataFileMeta file = file("f" + i, 0, i * 10, i * 10 + 5);
      writer.append(i, append(0, file));
      if (before != null && i % 3 == 0) {
        DataFileMeta merged = file("m" + i, 5, i * 10 - 5, i * 10 - 1);
        writer.compact(i, compact(0, List.of(before, file), List.of(merged)));
        wanted.remove(before.fileName() + "@0");
        wanted.add("m" + i + "@5");
        before = null;
      } else {
        wanted.add("f" + i + "@0");
        before = file;
      }
    }
    expiring.interrupt();
    expiring.join();
    assertThat(failures).isEmpty();
    assertThat(writer.live()).isEqualTo(wanted);
    writer.requireAllReadable();
    table(memory).expiry.expire(new Retention(Duration.ZERO, 3, 1000, 500));
    requireNothingElse(writer);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
