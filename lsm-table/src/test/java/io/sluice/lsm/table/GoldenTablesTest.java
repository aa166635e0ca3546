package io.sluice.lsm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.UnsupportedFeatures;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.Golden;
import java.io.IOException;
import java.net.URISyntaxException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tables that Paimon 1.4.2 wrote give the rows that Paimon reads: all cases there are, at every
 * snapshot, tag and branch of which an expectation is held. Changelogs: {@code ChangeScanTest}.
 */
class GoldenTablesTest {

  static List<String> names() throws IOException, URISyntaxException {
    return Golden.names();
  }

  private static void assertRows(TableScan scan, JsonNode rows, String what) throws IOException {
    List<String> readable =
        scan.schema().rowType().fields().stream()
            .filter(field -> !UnsupportedFeatures.holdsVariant(field.type()))
            .map(DataField::name)
            .toList();
    TableScan wanted = scan.columns(readable);
    assertThat(CanonicalRows.sorted(CanonicalRows.read(wanted)))
        .as(what)
        .isEqualTo(Golden.rows(rows, wanted));
  }

  /** How many expectations were held. */
  private static int assertAll(Golden golden) throws IOException {
    LsmTable table = golden.open();
    JsonNode latest = golden.expected().get("latest");
    TableScan scan = table.newScan();
    assertThat(scan.snapshot().id()).isEqualTo(latest.get("snapshotId").asLong());
    assertRows(scan, latest.get("rows"), "the newest snapshot");
    int held = 1;
    for (JsonNode then : golden.expected().path("timeTravel")) {
      long id = then.get("snapshotId").asLong();
      assertRows(table.newScan(id), then.get("rows"), "snapshot " + id);
      held++;
    }
    for (JsonNode tag : golden.expected().path("tags")) {
      String name = tag.get("tag").asText();
      assertRows(table.newScan(table.tags().read(name).snapshot()), tag.get("rows"), name);
      held++;
    }
    for (JsonNode branch : golden.expected().path("branches")) {
      String name = branch.get("branch").asText();
      assertRows(table.branch(name).newScan(), branch.get("rows"), name);
      held++;
    }
    assertThat(table.snapshots().listIds()).hasSize(golden.expected().get("snapshots").size());
    return held;
  }

  @ParameterizedTest
  @MethodSource("names")
  void readsAllThatPaimonReads(String name) throws Exception {
    Golden golden = Golden.of(name);
    int held = assertAll(golden);
    if (golden.expected().has("secondTable")) {
      held += assertAll(golden.second());
    }
    assertThat(held).isPositive();
  }

  @Test
  void refusesVariantColumnsByName() throws Exception {
    LsmTable table = Golden.of("parquet").open();
    assertThatThrownBy(() -> table.newScan().open())
        .isInstanceOf(UnsupportedTableException.class)
        .hasMessageContaining("VARIANT");
  }

  @ParameterizedTest
  @MethodSource("names")
  void showsTheLiveFilesThatPaimonShows(String name) throws Exception {
    Golden golden = Golden.of(name);
    JsonNode files = golden.expected().get("liveFiles");
    LsmTable table = golden.open();
    TableStatistics statistics = table.statistics(table.snapshots().findLatest());
    assertThat(statistics.files()).isEqualTo(files.size());
    long records = 0;
    long max = -1;
    for (JsonNode file : files) {
      records += file.get("rowCount").asLong();
      max = Math.max(max, file.get("maxSequence").asLong());
    }
    assertThat(statistics.records()).isEqualTo(records);
    assertThat(statistics.maxSequenceNumber()).isEqualTo(max);
  }
}
