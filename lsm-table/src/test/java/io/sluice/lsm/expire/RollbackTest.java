package io.sluice.lsm.expire;

import static io.sluice.lsm.testing.TestFiles.append;
import static io.sluice.lsm.testing.TestFiles.file;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.commit.TestTable;
import io.sluice.lsm.error.CommitConflictException;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.manifest.PartitionPaths;
import io.sluice.lsm.snapshot.BranchStore;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.Tag;
import io.sluice.lsm.snapshot.TagStore;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.FaultyFileIO;
import io.sluice.lsm.testing.FaultyFileIO.Fault;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.TestFiles;
import io.sluice.lsm.testing.TestIds;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a rollback leaves when storage fails, when it is killed, and beside another writer. */
class RollbackTest {

  private static final Retention KEEP_TWO = new Retention(Duration.ZERO, 2, 1000, 500);

  private final FakeClock clock = new FakeClock();
  private final TestIds ids = new TestIds();

  private TestTable table(FileIO storage) {
    return new TestTable(
        storage,
        "/lake/t",
        TestFiles.schema(Map.of("manifest.merge-min-count", "3", "manifest.compression", "none")),
        clock,
        ids);
  }

  private static TagStore tags(TestTable table) {
    return new TagStore(table.storage, table.paths, table.snapshots);
  }

  private static Rollback rollback(TestTable table) {
    return new Rollback(
        table.storage,
        table.paths,
        table.snapshots,
        tags(table),
        table.manifests,
        new PartitionPaths(table.paths, table.schema));
  }

  /** Eight snapshots; with a tag of the third, which has expired, as all but the newest two. */
  private MemoryFileIO storage(boolean expired) throws IOException {
    MemoryFileIO memory = new MemoryFileIO();
    TestTable table = table(memory).createSchema();
    for (int i = 1; i <= 8; i++) {
      clock.advance(Duration.ofSeconds(1));
      table.append(i, append(0, file("f" + i, 0, i * 10, i * 10 + 5)));
    }
    if (expired) {
      tags(table).create(new Tag("third", table.snapshots.read(3), null, null));
      table.expiry.expire(KEEP_TWO);
      assertThat(table.snapshots.listIds()).containsExactly(7L, 8L);
    }
    return memory;
  }

  private static Snapshot target(TestTable table, boolean expired) throws IOException {
    return expired ? tags(table).read("third").snapshot() : table.snapshots.read(3);
  }

  /** The newest snapshot as Paimon finds it: by the hint, if no snapshot follows it. */
  private static long newestByHint(TestTable table) throws IOException {
    List<Long> there = table.snapshots.listIds();
    try {
      long hint =
          Long.parseLong(
              new String(table.storage.readAll(table.paths.latestHint()), StandardCharsets.UTF_8));
      if (!there.contains(hint + 1)) {
        return hint;
      }
    } catch (FileNotFoundException e) {
      // No hint: the highest one there is.
    }
    return there.get(there.size() - 1);
  }

  private static void requireNewestWhole(TestTable table, String what) throws IOException {
    Snapshot newest = table.snapshots.findLatest();
    assertThat(newest).as(what).isNotNull();
    assertThat(newestByHint(table)).as(what).isEqualTo(newest.id());
    // Throws where a manifest is missing.
    ReachableFiles needed =
        new ReachableFiles(
            table.storage,
            table.paths,
            table.manifests,
            new PartitionPaths(table.paths, table.schema));
    needed.add(newest, what);
    needed.addBranches(new BranchStore(table.storage, table.paths));
    for (String path : needed.all()) {
      assertThat(table.storage.exists(path)).as(what + " " + path).isTrue();
    }
  }

  @Test
  void leavesTheNewestSnapshotWholeWhateverOperationFailsOrIsTheLast() throws IOException {
    for (boolean expired : List.of(false, true)) {
      MemoryFileIO before = storage(expired);
      for (Fault fault : List.of(Fault.FAIL, Fault.NO_ANSWER, Fault.CRASH, Fault.CRASH_AFTER)) {
        int broken = 0;
        for (int n = 1; ; n++) {
          MemoryFileIO memory = before.copy();
          FaultyFileIO storage = new FaultyFileIO(memory).inject(n, fault);
          TestTable faulty = table(storage);
          String what = fault + " at operation " + n + (expired ? ", to a tag" : "");
          try {
            rollback(faulty).to(target(faulty, expired));
          } catch (IOException e) {
            broken++;
          }
          if (storage.operations() < n) {
            break;
          }
          TestTable whole = table(memory);
          requireNewestWhole(whole, what);
          rollback(whole).to(target(whole, expired));
          requireNewestWhole(whole, what + ", and again");
          assertThat(whole.snapshots.findLatest().id()).as(what).isEqualTo(3);
          assertThat(whole.live()).as(what).hasSize(3);
        }
        assertThat(broken).isPositive();
      }
    }
  }

  @Test
  void deletesNoFilesIfAnotherWriterCommitsMeanwhile() throws IOException {
    MemoryFileIO memory = storage(false);
    FaultyFileIO storage = new FaultyFileIO(memory);
    TestTable table = table(storage);
    String eighth = table.paths.snapshot(8);
    storage.observe(
        (number, verb, path) -> {
          if (verb.equals("delete") && path.equals(eighth)) {
            table(memory).append(9, append(0, file("f9", 0, 90, 95)));
          }
        });
    assertThatThrownBy(() -> rollback(table).to(table.snapshots.read(3)))
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("its newest one is 9")
        .hasMessageContaining("another writer");
    requireNewestWhole(table(memory), "after the other's commit");
    assertThat(table(memory).live()).hasSize(9);
  }

  @Test
  void refusesATargetWhoseNumberAnotherSnapshotHas() throws IOException {
    MemoryFileIO memory = storage(false);
    TestTable table = table(memory);
    Snapshot third = table.snapshots.read(3);
    rollback(table).to(table.snapshots.read(2));
    table.append(100, append(0, file("other", 0, 500, 505)));
    assertThatThrownBy(() -> rollback(table).to(third))
        .isInstanceOf(UnsupportedTableException.class)
        .hasMessageContaining("under the number 3");
    requireNewestWhole(table, "after the refusal");
    assertThat(table.live()).hasSize(3);
  }
}
