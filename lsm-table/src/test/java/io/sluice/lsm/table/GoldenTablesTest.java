package io.sluice.lsm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.UnsupportedFeatures;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.TestIds;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that Paimon 1.4.2 wrote give the rows that Paimon reads, at every snapshot. */
class GoldenTablesTest {

  private static final Pattern SURROGATES =
      Pattern.compile("\\\\u([dD][89abAB]\\p{XDigit}{2})\\\\u([dD][c-fC-F]\\p{XDigit}{2})");

  private record Golden(LsmTable table, JsonNode expected) {}

  private static Golden open(String name) throws IOException, URISyntaxException {
    Path folder =
        Path.of(GoldenTablesTest.class.getResource("/golden/" + name + "/expected.json").toURI())
            .getParent();
    JsonNode expected =
        new ObjectMapper().readTree(Files.readAllBytes(folder.resolve("expected.json")));
    return new Golden(table(name, expected), expected);
  }

  private static LsmTable table(String name, JsonNode expected)
      throws IOException, URISyntaxException {
    Path folder =
        Path.of(GoldenTablesTest.class.getResource("/golden/" + name + "/expected.json").toURI())
            .getParent();
    return LsmTable.open(
        new LocalFileIO(new TestIds()),
        folder.resolve(expected.get("table").asText()).toString(),
        new FakeClock(),
        new TestIds());
  }

  private static List<Map<String, String>> rows(JsonNode rows, List<String> columns) {
    List<Map<String, String>> result = new ArrayList<>();
    for (JsonNode row : rows) {
      Map<String, String> values = new LinkedHashMap<>();
      for (String column : columns) {
        JsonNode value = row.get(column);
        values.put(column, value == null || value.isNull() ? null : plain(value.asText()));
      }
      result.add(values);
    }
    return CanonicalRows.sorted(result);
  }

  /** Nested values are JSON in which pairs of surrogates are escaped. */
  private static String plain(String text) {
    return SURROGATES
        .matcher(text)
        .replaceAll(
            pair ->
                String.valueOf(
                    new char[] {
                      (char) Integer.parseInt(pair.group(1), 16),
                      (char) Integer.parseInt(pair.group(2), 16)
                    }));
  }

  /** All columns that the engine reads. */
  private static TableScan readable(TableScan scan) {
    return scan.columns(
        scan.schema().rowType().fields().stream()
            .filter(field -> !UnsupportedFeatures.holdsVariant(field.type()))
            // Functions over nested values are not computed.
            .filter(
                field ->
                    !field.type().root().isNested()
                        || !scan.schema()
                            .options()
                            .containsKey("fields." + field.name() + ".aggregate-function"))
            .map(DataField::name)
            .toList());
  }

  private static void assertRows(TableScan scan, JsonNode rows) throws IOException {
    TableScan readable = readable(scan);
    List<String> columns = readable.rowType().fields().stream().map(DataField::name).toList();
    assertThat(CanonicalRows.sorted(CanonicalRows.read(readable))).isEqualTo(rows(rows, columns));
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
        "parquet",
        "avro",
        "thin-mode",
        "schema-evolution",
        "append"
      })
  void readsEverySnapshotAsPaimonDoes(String name) throws Exception {
    Golden golden = open(name);
    JsonNode latest = golden.expected().get("latest");
    TableScan scan = golden.table().newScan();
    assertThat(scan.snapshot().id()).isEqualTo(latest.get("snapshotId").asLong());
    assertRows(scan, latest.get("rows"));
    for (JsonNode then : golden.expected().get("timeTravel")) {
      assertRows(golden.table().newScan(then.get("snapshotId").asLong()), then.get("rows"));
    }
  }

  @Test
  void readsTheSecondTableOfACase() throws Exception {
    for (String name : List.of("append", "partitioned")) {
      JsonNode expected = open(name).expected().get("secondTable");
      LsmTable table = table(name, expected);
      assertRows(table.newScan(), expected.get("latest").get("rows"));
      for (JsonNode then : expected.path("timeTravel")) {
        assertRows(table.newScan(then.get("snapshotId").asLong()), then.get("rows"));
      }
    }
  }

  @Test
  void refusesVariantColumnsByName() throws Exception {
    Golden golden = open("parquet");
    assertThatThrownBy(() -> golden.table().newScan().open())
        .isInstanceOf(UnsupportedTableException.class)
        .hasMessageContaining("VARIANT");
  }

  @Test
  void showsTheLiveFilesThatPaimonShows() throws Exception {
    for (String name : List.of("dedup-orc", "partitioned", "sequence-field", "all-types")) {
      Golden golden = open(name);
      JsonNode files = golden.expected().get("liveFiles");
      TableStatistics statistics =
          golden.table().statistics(golden.table().snapshots().findLatest());
      assertThat(statistics.files()).as(name).isEqualTo(files.size());
      long records = 0;
      long max = -1;
      for (JsonNode file : files) {
        records += file.get("rowCount").asLong();
        max = Math.max(max, file.get("maxSequence").asLong());
      }
      assertThat(statistics.records()).as(name).isEqualTo(records);
      assertThat(statistics.maxSequenceNumber()).as(name).isEqualTo(max);
    }
  }
}
