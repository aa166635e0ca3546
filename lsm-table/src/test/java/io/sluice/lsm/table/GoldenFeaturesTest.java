package io.sluice.lsm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.scan.PredicateParser;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.Golden;
import io.sluice.lsm.testing.PaimonOracle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is read though it is not written: deletion vectors, dynamic buckets, indexes, changelogs.
 */
class GoldenFeaturesTest {

  @TempDir Path folder;

  private static void assertRows(TableScan scan, JsonNode rows) throws IOException {
    assertThat(CanonicalRows.sorted(CanonicalRows.read(scan))).isEqualTo(Golden.rows(rows, scan));
  }

  @ParameterizedTest
  @CsvSource({
    "deletion-vectors,deletion-vectors.enabled = true",
    "dynamic-bucket,bucket = -1",
    "postpone,bucket = -2",
    "changelog-lookup,changelog-producer = lookup",
    "first-row,changelog-producer = lookup",
    "changelog-full-compaction,changelog-producer = full-compaction"
  })
  void refusesToWriteByName(String name, String feature) throws Exception {
    LsmTable table = Golden.of(name).open();
    assertThatThrownBy(
            () ->
                table.newBucketWriter(
                    table.newestSchema(),
                    io.sluice.lsm.binary.BinaryRow.EMPTY,
                    0,
                    new io.sluice.lsm.write.MemoryPool(1 << 20)))
        .isInstanceOf(UnsupportedTableException.class)
        .hasMessageContaining(feature);
  }

  @Test
  void readsThePostponedRowsOnceTheyAreInTheirBuckets() throws Exception {
    Golden golden = Golden.of("postpone");
    TableScan scan = golden.open().newScan();
    assertThat(scan.splits()).isEmpty();
    assertThat(golden.open().statistics(scan.snapshot()).records()).isEqualTo(2);
  }

  @Test
  void fileIndexesDoNotDisturbFilteredReads() throws Exception {
    int filters = 0;
    for (Golden golden : List.of(Golden.of("file-index"), Golden.of("file-index").second())) {
      if (!golden.expected().has("filters")) {
        continue;
      }
      for (JsonNode filter : golden.expected().get("filters")) {
        TableScan scan =
            golden
                .open()
                .newScan()
                .where(
                    PredicateParser.parse(
                        filter
                            .get("where")
                            .asText()
                            .replaceAll(
                                "(\\w+) between (\\S+) and (\\S+)", "$1 >= $2 and $1 <= $3")));
        assertRows(scan, filter.get("rows"));
        filters++;
      }
    }
    assertThat(filters).isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"false", "true"})
  void readsDeletionVectorsThatPaimonWritesInBothForms(String bitmap64) throws Exception {
    Path root = folder.resolve("dv");
    new SchemaManager(
            org.apache.paimon.fs.local.LocalFileIO.create(),
            new org.apache.paimon.fs.Path("file://" + root))
        .createTable(
            Schema.newBuilder()
                .column("id", DataTypes.INT().notNull())
                .column("v", DataTypes.STRING())
                .primaryKey("id")
                .option("bucket", "1")
                .option("file.format", "orc")
                .option("deletion-vectors.enabled", "true")
                .option("deletion-vectors.bitmap64", bitmap64)
                .build());
    PaimonOracle paimon = new PaimonOracle(root);
    for (int round = 0; round < 4; round++) {
      int from = round * 50;
      paimon.write(
          Stream.iterate(from, i -> i < from + 300, i -> i + (from == 0 ? 1 : 3))
              .map(i -> GenericRow.of(i, BinaryString.fromString("round " + from + " " + i)))
              .toList());
    }
    LsmTable table =
        LsmTable.open(
            new io.sluice.lsm.io.LocalFileIO(new io.sluice.lsm.testing.TestIds()),
            root.toString(),
            new io.sluice.lsm.testing.FakeClock(),
            new io.sluice.lsm.testing.TestIds());
    assertThat(table.snapshots().findLatest().indexManifest()).isNotNull();
    for (long id : table.snapshots().listIds()) {
      assertThat(CanonicalRows.sorted(CanonicalRows.read(table.newScan(id))))
          .as("snapshot " + id)
          .isEqualTo(paimon.read(id));
    }
  }

  @Test
  void refusesADamagedDeletionVectorAndNamesIt() throws Exception {
    Golden golden = Golden.of("deletion-vectors").copyTo(folder.resolve("t"));
    JsonNode vector = golden.expected().get("deletionVectors").get(0);
    Path file = golden.folder().resolve("index").resolve(vector.get("indexFile").asText());
    byte[] content = Files.readAllBytes(file);
    content[vector.get("offset").asInt() + 12] ^= 1;
    Files.write(file, content);
    assertThatThrownBy(() -> CanonicalRows.read(golden.open().newScan()))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining(vector.get("dataFile").asText())
        .hasMessageContaining(vector.get("indexFile").asText())
        .hasMessageContaining("checksum");
  }
}
