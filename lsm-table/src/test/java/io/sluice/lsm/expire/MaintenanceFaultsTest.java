package io.sluice.lsm.expire;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.check.TableCheck.Depth;
import io.sluice.lsm.error.LsmException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.Tag;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.FaultyFileIO;
import io.sluice.lsm.testing.FaultyFileIO.Fault;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.TestFiles;
import io.sluice.lsm.testing.TestIds;
import io.sluice.lsm.testing.TestTable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Every operation on storage of making a tag, deleting one, rolling back and cleaning up goes wrong
 * in every way: whatever is left, each snapshot and tag that can be found has its rows, and doing
 * it again ends as if nothing had happened.
 */
class MaintenanceFaultsTest {

  private static final String ROOT = "/lake/w.db/t";
  private static final Retention KEEP_TWO = new Retention(Duration.ZERO, 2, 2, 500);

  /** What is done to a table. */
  @FunctionalInterface
  private interface Act {
    void on(LsmTable table) throws IOException;
  }

  private final MemoryFileIO memory = new MemoryFileIO();
  private final Map<Long, List<Map<String, String>>> rows = new TreeMap<>();

  private static LsmTable open(FileIO files) throws IOException {
    return LsmTable.open(files, ROOT, new FakeClock(), new TestIds(), LsmTable.Waits.NONE);
  }

  /** Eight snapshots or so, with compactions between; the tags "old" and "older", which expired. */
  @BeforeEach
  void fill() throws Exception {
    TableSchema schema =
        TestFiles.schema(
            Map.of("manifest.merge-min-count", "3", "bucket", "1", "file.format", "avro"));
    try (TestTable table = TestTable.create(memory, ROOT, schema, new FakeClock())) {
      for (int commit = 0; commit < 5; commit++) {
        for (int id = commit; id < commit + 5; id++) {
          table.write(io.sluice.lsm.binary.TestRows.row(schema.rowType(), id, "v" + commit));
        }
        table.commit();
        if (commit == 2 || commit == 4) {
          table.compactFully();
        }
      }
      LsmTable lsm = table.table();
      for (long id : lsm.snapshots().listIds()) {
        rows.put(id, read(lsm, lsm.snapshots().read(id)));
      }
      tag(lsm, "older", 2);
      tag(lsm, "old", 3);
      lsm.newExpiry().expire(KEEP_TWO);
      assertThat(lsm.snapshots().listIds()).hasSize(2);
    }
  }

  private static List<Map<String, String>> read(LsmTable table, Snapshot snapshot)
      throws IOException {
    return CanonicalRows.sorted(CanonicalRows.read(table.newScan(snapshot)));
  }

  private static void tag(LsmTable table, String name, long snapshot) throws IOException {
    assertThat(table.tags().create(new Tag(name, table.snapshots().read(snapshot), null, null)))
        .isTrue();
  }

  /** All that can be found has its rows, and nothing that leads to files leads into the void. */
  private void requireWhole(LsmTable table, String at) throws IOException {
    for (long id : table.snapshots().listIds()) {
      assertThat(read(table, table.snapshots().read(id))).as(at).isEqualTo(rows.get(id));
    }
    for (Tag tag : table.tags().list()) {
      assertThat(read(table, tag.snapshot()))
          .as("%s, tag %s", at, tag.name())
          .isEqualTo(rows.get(tag.snapshot().id()));
    }
    // A roll-back that broke off has holes among the snapshots that it takes away.
    assertThat(table.newCheck().run(Depth.REFERENCES).findings())
        .as(at)
        .allMatch(finding -> finding.what().startsWith("there is a hole before it"));
  }

  private static void cleanUp(LsmTable table) throws IOException {
    OrphanFiles orphans = table.newOrphanFiles();
    orphans.delete(orphans.find(Long.MAX_VALUE, List::of));
  }

  /** The act, broken at each of its operations, and done again; always the same is left. */
  private void survivesAnyFault(Act act) throws IOException {
    MemoryFileIO plain = memory.copy();
    act.on(open(plain));
    cleanUp(open(plain));
    requireWhole(open(plain), "without a fault");
    for (Fault fault : Fault.values()) {
      int broken = 0;
      for (int n = 1; ; n++) {
        MemoryFileIO files = memory.copy();
        FaultyFileIO faulty = new FaultyFileIO(files).inject(n, fault);
        String at = fault + " at " + n;
        try {
          act.on(open(faulty));
        } catch (IOException | LsmException e) {
          assertThat(e).as(at).hasMessageFindingMatch("Injected|The process is dead");
          broken++;
        }
        requireWhole(open(files), at);
        if (fault == Fault.LATE) {
          faulty.landLateRequests();
          requireWhole(open(files), at + ", landed");
        }
        act.on(open(files));
        requireWhole(open(files), at + ", done again");
        cleanUp(open(files));
        assertThat(files.paths()).as(at).isEqualTo(plain.paths());
        if (faulty.operations() < n) {
          break;
        }
      }
      assertThat(broken).as("%s", fault).isPositive();
    }
  }

  @Test
  void makesATagOrNone() throws Exception {
    long newest = open(memory).snapshots().findLatest().id();
    survivesAnyFault(
        table -> {
          Tag tag = new Tag("new", table.snapshots().read(newest), null, null);
          if (!table.tags().create(tag)) {
            assertThat(table.tags().read("new").snapshot()).isEqualTo(tag.snapshot());
          }
        });
  }

  @Test
  void deletesATagWithNothingThatOthersNeed() throws Exception {
    survivesAnyFault(
        table -> {
          try {
            table.newTagRemoval().delete("older");
          } catch (FileNotFoundException e) {
            // Deleted by the run that broke.
            assertThat(table.tags().names()).doesNotContain("older");
          }
        });
  }

  @Test
  void rollsBackToATag() throws Exception {
    survivesAnyFault(table -> table.newRollback().to(table.tags().read("old").snapshot()));
  }

  @Test
  void cleansUpWhatNothingLeadsTo() throws Exception {
    LsmTable table = open(memory);
    for (String path :
        List.of(
            "/bucket-0/data-killed-0.orc",
            "/bucket-0/data-killed-1.orc",
            "/manifest/manifest-killed-0",
            "/manifest/manifest-list-killed-0",
            "/snapshot/.snapshot-9.tmp")) {
      memory.put(ROOT + path, "left".getBytes(StandardCharsets.UTF_8));
    }
    int before = memory.paths().size();
    survivesAnyFault(MaintenanceFaultsTest::cleanUp);
    cleanUp(table);
    assertThat(memory.paths()).hasSize(before - 5);
  }
}
