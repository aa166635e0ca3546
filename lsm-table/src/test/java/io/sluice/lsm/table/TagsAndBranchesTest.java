package io.sluice.lsm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.Tag;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.Golden;
import io.sluice.lsm.testing.PaimonOracle;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TagsAndBranchesTest {

  @TempDir Path folder;

  private static void assertRows(TableScan scan, JsonNode rows) throws IOException {
    assertThat(CanonicalRows.sorted(CanonicalRows.read(scan))).isEqualTo(Golden.rows(rows, scan));
  }

  @Test
  void readsEveryTagOfAGoldenTableAlsoOneWhoseSnapshotHasExpired() throws Exception {
    Golden golden = Golden.of("tags-branches");
    LsmTable table = golden.open();
    assertThat(golden.expected().get("tags")).hasSize(2);
    for (JsonNode expected : golden.expected().get("tags")) {
      Tag tag = table.tags().read(expected.get("tag").asText());
      assertThat(table.snapshots().readIfThere(tag.snapshot().id())).isNull();
      assertRows(table.newScan(tag.snapshot()), expected.get("rows"));
    }
    Tag withTime = table.tags().read("v2 with ttl");
    assertThat(withTime.timeRetained()).isEqualTo(Duration.ofDays(3650));
    assertThat(withTime.createTime())
        .isEqualTo(LocalDateTime.of(2026, 11, 29, 12, 23, 36, 6_784_487));
    assertThat(withTime.isOver(LocalDateTime.of(2036, 11, 26, 12, 23, 36))).isFalse();
    assertThat(withTime.isOver(LocalDateTime.of(2036, 11, 28, 0, 0))).isTrue();
    assertThat(table.tags().list()).extracting(Tag::name).containsExactly("v1", "v2 with ttl");
    assertThatThrownBy(() -> table.tags().read("v3")).isInstanceOf(FileNotFoundException.class);
  }

  @Test
  void readsEveryBranchOfAGoldenTable() throws Exception {
    Golden golden = Golden.of("tags-branches");
    LsmTable table = golden.open();
    assertThat(table.branches().names()).containsExactly("empty", "exp");
    for (JsonNode expected : golden.expected().get("branches")) {
      LsmTable branch = table.branch(expected.get("branch").asText());
      TableScan scan = branch.newScan();
      assertThat(scan.snapshot().id()).isEqualTo(expected.get("snapshotId").asLong());
      assertRows(scan, expected.get("rows"));
    }
    LsmTable branch = table.branch("exp");
    assertRows(
        branch.newScan(branch.tags().read("v1").snapshot()),
        golden.expected().get("tags").get(0).get("rows"));
    assertRows(table.newScan(), golden.expected().get("latest").get("rows"));
    assertThat(table.consumers().list()).isEqualTo(Map.of("etl", 3L));
    assertThatThrownBy(() -> table.branch("none"))
        .isInstanceOf(FileNotFoundException.class)
        .hasMessageContaining("[empty, exp]");
    assertThatThrownBy(branch::committer)
        .isInstanceOf(UnsupportedTableException.class)
        .hasMessageContaining("branch exp");
  }

  @Test
  void makesTagsThatPaimonReads() throws Exception {
    Golden golden = Golden.of("dedup-orc").copyTo(folder.resolve("t"));
    LsmTable table = golden.open();
    Snapshot third = table.snapshots().read(3);
    assertThat(table.tags().create(new Tag("a b", third, null, null))).isTrue();
    assertThat(table.tags().create(new Tag("a b", table.snapshots().read(4), null, null)))
        .isFalse();
    LocalDateTime time = LocalDateTime.of(2026, 2, 3, 4, 5, 6, 7);
    assertThat(
            table
                .tags()
                .create(new Tag("short", third, time, Duration.ofDays(30).plusMillis(1500))))
        .isTrue();
    var paimon = new PaimonOracle(golden.folder()).table();
    var tags = paimon.tagManager();
    assertThat(tags.allTagNames()).containsExactlyInAnyOrder("a b", "short");
    assertThat(tags.getOrThrow("a b").trimToSnapshot().id()).isEqualTo(3);
    assertThat(tags.getOrThrow("short").getTagCreateTime()).isEqualTo(time);
    assertThat(tags.getOrThrow("short").getTagTimeRetained())
        .isEqualTo(Duration.ofDays(30).plusMillis(1500));
    assertThat(PaimonOracle.read(paimon.copy(Map.of("scan.tag-name", "a b"))))
        .isEqualTo(new PaimonOracle(golden.folder()).read(3));
    assertThat(table.tags().read("short").timeRetained())
        .isEqualTo(Duration.ofDays(30).plusMillis(1500));
    for (String bad : List.of("", " ", "7", "-3", "a/b")) {
      assertThatThrownBy(() -> table.tags().create(new Tag(bad, third, null, null)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void makesNoTagOfASnapshotThatIsGone() throws Exception {
    LsmTable table = Golden.of("dedup-orc").copyTo(folder.resolve("t")).open();
    Snapshot first = table.snapshots().read(1);
    Files.delete(Path.of(table.paths().snapshot(1)));
    assertThatThrownBy(() -> table.tags().create(new Tag("late", first, null, null)))
        .isInstanceOf(FileNotFoundException.class)
        .hasMessageContaining("late");
    assertThat(table.tags().names()).isEmpty();
  }
}
