package io.sluice.lsm.datafile.orc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.datafile.KeyValueWriter;
import io.sluice.lsm.datafile.NewFile;
import io.sluice.lsm.datafile.StoredFile;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.testing.PaimonFiles;
import io.sluice.lsm.testing.TestIds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ORC files with changed bytes: checksums of ours, streams that end too early in anybody's. */
class OrcDamageTest {

  private static final int ROWS = 100;

  @TempDir Path folder;

  private final OrcFormat format = new OrcFormat(Clock.systemUTC());
  private final LocalFileIO io = new LocalFileIO(new TestIds());
  private final Random random = new Random(4);

  private static TableSchema schema(Map<String, String> more) {
    Map<String, String> options = new java.util.HashMap<>(more);
    options.put("bucket", "-1");
    options.put("file.format", "orc");
    return new TableSchema(
        0,
        new RowType(
            List.of(
                new DataField(0, "number", DataTypes.BIGINT),
                new DataField(1, "text", DataTypes.STRING))),
        1,
        List.of(),
        List.of(),
        options,
        null,
        0);
  }

  private List<BinaryRow> rows(TableSchema schema, int count) {
    List<BinaryRow> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rows.add(TestRows.row(schema.rowType(), random.nextLong(), "text " + random.nextInt(10)));
    }
    return rows;
  }

  private DataFileMeta write(String path, TableSchema schema, List<BinaryRow> rows)
      throws Exception {
    KeyValueWriter writer =
        format.createWriter(
            io, new NewFile(path, schema, 0, DataFileMeta.SOURCE_FLUSH, NewFile.UNKNOWN));
    for (BinaryRow row : rows) {
      writer.write(row, 0, RowKind.INSERT);
    }
    return writer.finish();
  }

  private List<List<Object>> read(String path, DataFileMeta file, TableSchema schema)
      throws Exception {
    List<List<Object>> rows = new ArrayList<>();
    try (KeyValueReader reader =
        format.createReader(io, new StoredFile(path, file, schema, schema.rowType()))) {
      while (reader.advance()) {
        rows.add(TestRows.values(schema.rowType(), reader.row()));
      }
    }
    return rows;
  }

  /**
   * Makes the run of integers of full width longer than its stream, in a file that isn't
   * compressed.
   */
  private static void lengthenRun(Path path) throws Exception {
    byte[] bytes = Files.readAllBytes(path);
    int found = -1;
    for (int i = 0; i + 1 < bytes.length; i++) {
      if (bytes[i] == 0b01_11111_0 && bytes[i + 1] == ROWS - 1) {
        assertThat(found).as("places of such a run").isEqualTo(-1);
        found = i;
      }
    }
    assertThat(found).as("the run's place").isPositive();
    bytes[found + 1] = (byte) 255;
    Files.write(path, bytes);
  }

  @Test
  void aStreamOfIntegersThatEndsTooEarlyIsAnErrorAtOnce() throws Exception {
    TableSchema schema = schema(Map.of());
    // Paimon's files have no checksums.
    String path = folder + "/data-theirs-0.orc";
    new PaimonFiles("orc", schema.rowType().fields()).write(path, rows(schema, ROWS), "none");
    DataFileMeta file = PaimonFiles.described(path, ROWS);
    assertThat(read(path, file, schema)).hasSize(ROWS);
    lengthenRun(Path.of(path));
    assertTimeoutPreemptively(
        Duration.ofSeconds(30),
        () ->
            assertThatThrownBy(() -> read(path, file, schema))
                .isInstanceOf(CorruptTableException.class)
                .hasMessageContaining("data-theirs-0.orc")
                .hasMessageContaining("ends too early"));
  }

  @Test
  void theSameInAFileOfOursIsSeenByItsChecksum() throws Exception {
    TableSchema schema = schema(Map.of("file.compression", "none"));
    String path = folder + "/data-ours-0.orc";
    DataFileMeta file = write(path, schema, rows(schema, ROWS));
    lengthenRun(Path.of(path));
    assertThatThrownBy(() -> read(path, file, schema))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining("data-ours-0.orc")
        .hasMessageContaining("bytes 0 to")
        .hasMessageContaining("CRC32C");
  }

  @Test
  void noChangedByteGivesOtherRows() throws Exception {
    for (String compression : List.of("zstd", "none")) {
      TableSchema schema = schema(Map.of("file.compression", compression));
      String path = folder + "/data-" + compression + "-0.orc";
      DataFileMeta file = write(path, schema, rows(schema, 20));
      List<List<Object>> expected = read(path, file, schema);
      byte[] bytes = Files.readAllBytes(Path.of(path));
      int refused = 0;
      for (int at = 0; at < bytes.length; at++) {
        byte[] damaged = bytes.clone();
        damaged[at] ^= (byte) (1 + random.nextInt(255));
        Files.write(Path.of(path), damaged);
        try {
          assertThat(read(path, file, schema))
              .as("rows after a change at %s", at)
              .isEqualTo(expected);
        } catch (CorruptTableException e) {
          refused++;
        }
      }
      // All of such a small file is read, so that no change is overlooked.
      assertThat(refused).as("changes seen, %s", compression).isEqualTo(bytes.length);
    }
  }

  @Test
  void aLargeFileIsReadByBlocksAndTheDamagedOneIsNamed() throws Exception {
    TableSchema schema =
        schema(Map.of("file.compression", "none", "orc.stripe.row.count", "10000"));
    String path = folder + "/data-large-0.orc";
    DataFileMeta file = write(path, schema, rows(schema, 30_000));
    assertThat(file.fileSize()).isGreaterThan(10 * BlockChecksums.BLOCK_BYTES);
    assertThat(read(path, file, schema)).hasSize(30_000);
    byte[] bytes = Files.readAllBytes(Path.of(path));
    int at = 5 * BlockChecksums.BLOCK_BYTES + 17;
    bytes[at]++;
    Files.write(Path.of(path), bytes);
    assertThatThrownBy(() -> read(path, file, schema))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining(
            "bytes "
                + 5 * BlockChecksums.BLOCK_BYTES
                + " to "
                + (6 * BlockChecksums.BLOCK_BYTES - 1));
  }
}
