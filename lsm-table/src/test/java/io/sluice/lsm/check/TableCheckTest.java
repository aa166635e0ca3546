package io.sluice.lsm.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.check.TableCheck.Depth;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.Golden;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableCheckTest {

  @TempDir Path folder;

  private static List<Finding> findings(LsmTable table, Depth depth) throws IOException {
    return table.newCheck().run(depth).findings();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dedup-orc",
        "partitioned",
        "sequence-field",
        "all-types",
        "partial-update",
        "aggregation",
        "first-row",
        "deletion-vectors",
        "dynamic-bucket",
        "postpone",
        "changelog-lookup",
        "changelog-full-compaction",
        "file-index",
        "tags-branches",
        "parquet",
        "avro",
        "append",
        "schema-evolution",
        "thin-mode"
      })
  void findsNothingInTablesOfPaimons(String name) throws Exception {
    TableCheck.Report report = Golden.of(name).open().newCheck().run(Depth.RECORDS);
    assertThat(report.findings()).isEmpty();
    assertThat(report.snapshots()).isPositive();
    assertThat(report.files()).isPositive();
  }

  @Test
  void namesAFileThatIsMissingAndOneThatIsCut() throws Exception {
    Golden golden = Golden.of("dedup-orc").copyTo(folder.resolve("t"));
    LsmTable table = golden.open();
    Snapshot latest = table.snapshots().findLatest();
    List<ManifestEntry> live = table.liveFiles(latest);
    Path missing = path(table, live.get(0));
    Path cut = path(table, live.get(1));
    Files.delete(missing);
    Files.write(cut, new byte[10]);
    assertThat(findings(table, Depth.REFERENCES))
        .extracting(Finding::toString)
        .contains(missing + ": it is missing")
        .contains(cut + ": it has 10 bytes, not " + live.get(1).file().fileSize())
        .allMatch(text -> text.startsWith(missing + ":") || text.startsWith(cut + ":"));
  }

  private static Path path(LsmTable table, ManifestEntry entry) {
    return Path.of(
        table.partitionPaths().file(entry.partition(), entry.bucket(), entry.file().fileName()));
  }

  @Test
  void namesBrokenReferencesOfSnapshotsTagsAndBranches() throws Exception {
    Golden golden = Golden.of("tags-branches").copyTo(folder.resolve("t"));
    LsmTable table = golden.open();
    Path root = golden.folder();
    String tagList = table.tags().read("v1").snapshot().baseManifestList();
    Snapshot ofBranch = table.branch("empty").snapshots().findLatest();
    Files.delete(root.resolve("manifest/" + tagList));
    Files.delete(root.resolve("manifest/" + ofBranch.deltaManifestList()));
    Files.writeString(root.resolve("snapshot/LATEST"), "9");
    Files.writeString(root.resolve("consumer/consumer-etl"), "{}");
    Path third = root.resolve("snapshot/snapshot-4");
    Files.writeString(
        third,
        Files.readString(third).replace("\"totalRecordCount\" : 5", "\"totalRecordCount\" : 6"));
    assertThat(findings(golden.open(), Depth.REFERENCES))
        .extracting(Finding::toString)
        .anyMatch(text -> text.contains(tagList + ": it is missing, named by tag v1"))
        .anyMatch(text -> text.contains("named by branch empty, snapshot 1"))
        .anyMatch(text -> text.startsWith("snapshot/LATEST: it says 9"))
        .anyMatch(text -> text.startsWith("consumer: ") && text.contains("consumer-etl"))
        .contains("snapshot 4: totalRecordCount says 6, its files have 5");
  }

  @Test
  void namesAHoleInTheHistoryAndAMissingSchema() throws Exception {
    Golden golden = Golden.of("dedup-orc").copyTo(folder.resolve("t"));
    Path root = golden.folder();
    Files.delete(root.resolve("snapshot/snapshot-5"));
    Path last = root.resolve("snapshot/snapshot-10");
    Files.writeString(last, Files.readString(last).replace("\"schemaId\" : 0", "\"schemaId\" : 7"));
    assertThat(findings(golden.open(), Depth.REFERENCES))
        .extracting(Finding::toString)
        .contains("snapshot 6: there is a hole before it: the one below is 4")
        .anyMatch(text -> text.startsWith("snapshot 10: ") && text.contains("schema-7"));
  }
}
