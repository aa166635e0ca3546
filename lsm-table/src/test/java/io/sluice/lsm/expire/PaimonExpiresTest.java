package io.sluice.lsm.expire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.Tag;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.Golden;
import io.sluice.lsm.testing.PaimonOracle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.paimon.options.ExpireConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expiry leaves the very files that Paimon's leaves, on tables that Paimon wrote. */
class PaimonExpiresTest {

  @TempDir Path folder;

  private static Set<String> files(Path table) throws IOException {
    try (Stream<Path> paths = Files.walk(table)) {
      return paths
          .filter(Files::isRegularFile)
          .map(path -> table.relativize(path).toString())
          // Hints, which nobody trusts.
          .filter(path -> !path.endsWith("LATEST") && !path.endsWith("EARLIEST"))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static void expireByPaimon(Path table, int keep) {
    new PaimonOracle(table)
        .table()
        .newExpireSnapshots()
        .config(
            ExpireConfig.builder()
                .snapshotRetainMin(keep)
                .snapshotRetainMax(keep)
                .snapshotTimeRetain(Duration.ZERO)
                .snapshotMaxDeletes(1000)
                .build())
        .expire();
  }

  private static SnapshotExpiry.Result expire(LsmTable table, int keep) throws IOException {
    return table.newExpiry().expire(new Retention(Duration.ZERO, keep, keep, 1000));
  }

  @ParameterizedTest
  @CsvSource({
    "dedup-orc, 3",
    "dedup-orc, 1",
    "partitioned, 1",
    "deletion-vectors, 5",
    "deletion-vectors, 1",
    "dynamic-bucket, 2",
    "dynamic-bucket, 1",
    "changelog-lookup, 3",
    "changelog-lookup, 1",
    "changelog-full-compaction, 2",
    "file-index, 1",
    "first-row, 2",
    "tags-branches, 1"
  })
  void deletesWhatPaimonDeletes(String name, int keep) throws Exception {
    Golden ours = Golden.of(name).copyTo(folder.resolve("ours"));
    Golden theirs = Golden.of(name).copyTo(folder.resolve("theirs"));
    Set<String> before = files(ours.folder());
    expireByPaimon(theirs.folder(), keep);
    LsmTable table = ours.open();
    SnapshotExpiry.Result result = expire(table, keep);
    assertThat(result.skipped()).isNull();
    assertThat(files(ours.folder())).isEqualTo(files(theirs.folder()));
    if (!name.equals("tags-branches")) { // there a consumer keeps both snapshots
      assertThat(files(ours.folder()).size()).isLessThan(before.size());
    }
    assertThat(new PaimonOracle(ours.folder()).readLatest())
        .isEqualTo(new PaimonOracle(theirs.folder()).readLatest());
  }

  @Test
  void sparesWhatTagsHoldAsPaimonDoesAndTakesItWithTheTag() throws Exception {
    for (String name : List.of("dedup-orc", "deletion-vectors", "dynamic-bucket")) {
      Golden ours = Golden.of(name).copyTo(folder.resolve(name + "-ours"));
      Golden theirs = Golden.of(name).copyTo(folder.resolve(name + "-theirs"));
      LsmTable table = ours.open();
      long latest = table.snapshots().findLatest().id();
      for (long id : List.of(2L, latest - 1)) {
        Snapshot snapshot = table.snapshots().read(id);
        assertThat(table.tags().create(new Tag("t" + id, snapshot, null, null))).isTrue();
        new PaimonOracle(theirs.folder()).table().createTag("t" + id, id);
      }
      List<?> tagged = new PaimonOracle(ours.folder()).read(2);

      expire(table, 1);
      expireByPaimon(theirs.folder(), 1);
      assertThat(files(ours.folder())).as(name).isEqualTo(files(theirs.folder()));
      assertThat(
              PaimonOracle.read(
                  new PaimonOracle(ours.folder())
                      .table()
                      .copy(java.util.Map.of("scan.tag-name", "t2"))))
          .isEqualTo(tagged);

      for (String tag : List.of("t2", "t" + (latest - 1))) {
        assertThat(table.newTagRemoval().delete(tag)).as(name + " " + tag).isPositive();
        new PaimonOracle(theirs.folder()).table().deleteTag(tag);
        assertThat(files(ours.folder())).as(name + " " + tag).isEqualTo(files(theirs.folder()));
      }
      assertThat(new PaimonOracle(ours.folder()).readLatest())
          .isEqualTo(new PaimonOracle(theirs.folder()).readLatest());
    }
  }

  @Test
  void letsGoOfATagWhoseManifestsAreMissing() throws Exception {
    Golden golden = Golden.of("dedup-orc").copyTo(folder.resolve("t"));
    LsmTable first = golden.open();
    Snapshot second = first.snapshots().read(2);
    assertThat(first.tags().create(new Tag("broken", second, null, null))).isTrue();
    expire(first, 2);
    assertThat(first.snapshots().listIds()).doesNotContain(2L);
    Files.delete(Path.of(first.paths().manifest(second.deltaManifestList())));
    // One that remembers no manifests.
    LsmTable table = golden.open();
    assertThatThrownBy(() -> expire(table, 1))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining("Tag broken");
    List<?> rows = new PaimonOracle(golden.folder()).readLatest();
    Set<String> before = files(golden.folder());

    assertThat(table.newTagRemoval().delete("broken")).isZero();

    before.remove("tag/tag-broken");
    assertThat(files(golden.folder())).isEqualTo(before);
    assertThat(expire(table, 1).snapshots()).isPositive();
    assertThat(new PaimonOracle(golden.folder()).readLatest()).isEqualTo(rows);
  }

  @Test
  void sparesWhatABranchReadsEvenIfNoTagProtectsIt() throws Exception {
    Golden golden = Golden.of("tags-branches").copyTo(folder.resolve("t"));
    LsmTable table = golden.open();
    table.consumers().delete("etl");
    for (String tag : table.tags().names()) {
      table.newTagRemoval().delete(tag);
    }
    expire(table, 1);
    assertThat(table.snapshots().listIds()).hasSize(1);
    for (var expected : golden.expected().get("branches")) {
      var scan = table.branch(expected.get("branch").asText()).newScan();
      assertThat(CanonicalRows.sorted(CanonicalRows.read(scan)))
          .isEqualTo(Golden.rows(expected.get("rows"), scan));
    }
    // Nothing is left that nothing leads to.
    assertThat(table.newOrphanFiles().find(Long.MAX_VALUE, List::of)).isEmpty();
  }

  @Test
  void rollsBackAsPaimonDoesAndLeavesNoOrphans() throws Exception {
    for (String name : List.of("dedup-orc", "deletion-vectors", "changelog-lookup")) {
      Golden ours = Golden.of(name).copyTo(folder.resolve(name + "-ours"));
      LsmTable table = ours.open();
      List<?> then = new PaimonOracle(ours.folder()).read(3);
      Rollback.Result result = table.newRollback().to(table.snapshots().read(3));
      assertThat(result.snapshots()).isPositive();
      assertThat(result.files()).isPositive();
      assertThat(new PaimonOracle(ours.folder()).readLatest()).as(name).isEqualTo(then);
      assertThat(table.newOrphanFiles().find(Long.MAX_VALUE, List::of)).as(name).isEmpty();
    }
  }

  @Test
  void rollsBackToATagWhoseSnapshotHasExpired() throws Exception {
    Golden golden = Golden.of("tags-branches").copyTo(folder.resolve("t"));
    LsmTable table = golden.open();
    table.newTagRemoval().delete("v2 with ttl");
    Tag tag = table.tags().read("v1");
    table.newRollback().to(tag.snapshot());
    assertThat(table.snapshots().listIds()).containsExactly(tag.snapshot().id());
    assertThat(new PaimonOracle(golden.folder()).readLatest())
        .isEqualTo(Golden.rows(golden.expected().get("tags").get(0).get("rows"), table.newScan()));
    new PaimonOracle(golden.folder())
        .write(
            List.of(
                org.apache.paimon.data.GenericRow.of(
                    7, org.apache.paimon.data.BinaryString.fromString("after"))));
    assertThat(table.snapshots().findLatest().id()).isEqualTo(tag.snapshot().id() + 1);
    assertThat(new PaimonOracle(golden.folder()).readLatest()).hasSize(3);
  }
}
