package io.sluice.lsm.commit;

import static io.sluice.lsm.testing.TestFiles.append;
import static io.sluice.lsm.testing.TestFiles.compact;
import static io.sluice.lsm.testing.TestFiles.file;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.expire.Retention;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.SchemaStore;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.TestFiles;
import io.sluice.lsm.testing.TestIds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.TableRead;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Paimon 1.4.2's own classes read what the committer has made, and go on with it. */
class PaimonReadsCommitsTest {

  @TempDir Path folder;

  private final FakeClock clock = new FakeClock();
  private final TestIds ids = new TestIds();
  private final FileIO disk = new LocalFileIO(new TestIds("tmp"));

  private static FileStoreTable paimon(String root) {
    return FileStoreTableFactory.create(
        org.apache.paimon.fs.local.LocalFileIO.create(), new org.apache.paimon.fs.Path(root));
  }

  @Test
  void plansTheSameFilesAtEverySnapshot() throws IOException {
    for (boolean partitioned : new boolean[] {false, true}) {
      Map<String, String> options =
          Map.of(
              "manifest.merge-min-count", "3", "manifest.full-compaction-threshold-size", "9 kb");
      TableSchema schema =
          partitioned ? TestFiles.partitionedSchema(options) : TestFiles.schema(options);
      TestTable table =
          new TestTable(disk, folder + "/t" + partitioned, schema, clock, ids).createSchema();
      List<DataFileMeta> level0 = new ArrayList<>();
      for (int i = 1; i <= 25; i++) {
        clock.advance(Duration.ofMinutes(1));
        DataFileMeta file = file("data-" + i + "-0.orc", 0, i * 10, i * 10 + 5);
        if (partitioned) {
          table.append(i, append(TestFiles.partition("p" + i % 3 + "/é"), i % 2, file));
          continue;
        }
        level0.add(file);
        table.append(i, append(0, file));
        if (level0.size() == 5) {
          table.compact(
              i,
              compact(
                  0,
                  level0,
                  List.of(
                      file("data-m" + i + "-0.orc", 4, i * 10 - 40, i * 10 - 1),
                      level0.get(4).withLevel(5))));
          level0.clear();
        }
        if (i == 17) {
          table.truncate(17);
          level0.clear();
        }
      }

      assertSamePlans(table);
      table.expiry.expire(new Retention(Duration.ofMinutes(10), 3, 1000, 500));
      assertThat(table.snapshots.listIds().get(0)).isGreaterThan(10);
      assertSamePlans(table);
    }
  }

  private static void assertSamePlans(TestTable table) throws IOException {
    FileStoreTable paimon = paimon(table.paths.root());
    assertThat(paimon.snapshotManager().latestSnapshotId())
        .isEqualTo(table.snapshots.findLatest().id());
    assertThat(paimon.snapshotManager().earliestSnapshotId())
        .isEqualTo(table.snapshots.listIds().get(0));
    for (long id : table.snapshots.listIds()) {
      Snapshot ours = table.snapshots.read(id);
      Set<String> wanted = new TreeSet<>();
      for (ManifestEntry entry : table.manifests.liveFiles(ours).entries()) {
        wanted.add(
            table.folders.file(entry.partition(), entry.bucket(), entry.file().fileName())
                + "@"
                + entry.file().level());
      }
      Set<String> planned = new TreeSet<>();
      for (org.apache.paimon.manifest.ManifestEntry entry :
          paimon.store().newScan().withSnapshot(id).plan().files()) {
        planned.add(
            paimon
                    .store()
                    .pathFactory()
                    .createDataFilePathFactory(entry.partition(), entry.bucket())
                    .toPath(entry.file())
                    .toUri()
                    .getPath()
                + "@"
                + entry.level());
      }
      assertThat(planned).as("snapshot %d", id).isEqualTo(wanted);
      org.apache.paimon.Snapshot theirs = paimon.snapshotManager().snapshot(id);
      assertThat(theirs.commitKind().name()).isEqualTo(ours.commitKind().name());
      assertThat(theirs.totalRecordCount()).isEqualTo(ours.totalRecordCount());
      assertThat(theirs.properties()).isEqualTo(ours.properties());
    }
  }

  @Test
  void readsRowsOfItsOwnTableAfterOurCommits() throws IOException {
    Path golden = Path.of("src/test/resources/golden/dedup-orc/warehouse/default.db/orders");
    copy(golden, folder.resolve("orders"));
    TableSchema schema =
        new SchemaStore(disk, new io.sluice.lsm.io.TablePaths(folder + "/orders")).findLatest();
    TestTable table = new TestTable(disk, folder + "/orders", schema, clock, ids);
    FileStoreTable paimon = paimon(table.paths.root());
    List<String> before = rows(paimon);
    assertThat(before).hasSizeGreaterThan(300);
    Snapshot latest = table.snapshots.findLatest();

    // A file of bucket 0 goes to a level of its own: same rows, another shape.
    ManifestEntry moved =
        table.manifests.liveFiles(latest).entries().stream()
            .filter(e -> e.file().level() == 4 && e.bucket() == 0)
            .findFirst()
            .orElseThrow();
    table.commit(
        "c",
        1,
        new CommitRequest.Compaction(
            List.of(compact(0, List.of(moved.file()), List.of(moved.file().withLevel(3))))));
    assertThat(rows(paimon)).isEqualTo(before);
    table.append(2);
    assertThat(rows(paimon)).isEqualTo(before);

    // Paimon writes on top of our snapshots, we on top of its.
    var write = paimon.newBatchWriteBuilder();
    try (var writer = write.newWrite();
        var commit = write.newCommit()) {
      writer.write(
          org.apache.paimon.data.GenericRow.of(
              777_777L, BinaryString.fromString("new"), null, BinaryString.fromString("x"), null));
      commit.commit(writer.prepareCommit());
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    Snapshot theirs = table.snapshots.findLatest();
    assertThat(theirs.id()).isGreaterThan(latest.id() + 2);
    assertThat(rows(paimon)).hasSize(before.size() + 1);
    Snapshot ours = table.append(3);
    assertThat(ours.totalRecordCount()).isEqualTo(theirs.totalRecordCount());
    assertThat(rows(paimon)).hasSize(before.size() + 1);

    // Its expiry and ours agree with each other's snapshots.
    clock.advance(Duration.ofDays(30_000));
    table.expiry.expire(new Retention(Duration.ofHours(1), 3, 1000, 500));
    assertThat(rows(paimon)).hasSize(before.size() + 1);
    paimon
        .newExpireSnapshots()
        .config(
            org.apache.paimon.options.ExpireConfig.builder()
                .snapshotRetainMax(1)
                .snapshotRetainMin(1)
                .snapshotTimeRetain(Duration.ZERO)
                .build())
        .expire();
    assertThat(table.snapshots.listIds()).containsExactly(ours.id());
    assertThat(rows(paimon)).hasSize(before.size() + 1);
    table.truncate(4);
    assertThat(rows(paimon)).isEmpty();
  }

  private static List<String> rows(FileStoreTable stale) throws IOException {
    FileStoreTable table = paimon(stale.location().toUri().getPath());
    ReadBuilder builder = table.newReadBuilder();
    TableRead read = builder.newRead();
    List<String> rows = new ArrayList<>();
    try (var reader = read.createReader(builder.newScan().plan())) {
      reader.forEachRemaining(
          (InternalRow row) -> rows.add(row.getString(1) + "|" + row.getLong(0)));
    }
    rows.sort(null);
    return rows;
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target);
        }
      }
    }
  }
}
