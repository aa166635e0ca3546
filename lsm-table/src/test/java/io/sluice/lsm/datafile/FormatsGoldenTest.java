package io.sluice.lsm.datafile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.ColumnStats;
import io.sluice.lsm.datafile.formats.DataFileFormats;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TableSchemaJson;
import io.sluice.lsm.schema.UnsupportedFeatures;
import io.sluice.lsm.testing.PaimonFiles;
import io.sluice.lsm.testing.TestIds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that Paimon 1.4.2 wrote, written again by us, are described as Paimon described them. */
class FormatsGoldenTest {

  private static final Path GOLDEN = Path.of("src/test/resources/golden");

  @TempDir Path folder;

  private final DataFileFormats formats = new DataFileFormats(Clock.systemUTC());
  private final LocalFileIO io = new LocalFileIO(new TestIds());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dedup-orc/warehouse/default.db/orders",
        "sequence-field/warehouse/default.db/seqt",
        "partitioned/warehouse/default.db/events",
        "thin-mode/warehouse/default.db/thin",
        "parquet/warehouse/default.db/pq",
        "avro/warehouse/default.db/av"
      })
  void describesFilesAsPaimonDoes(String name) throws IOException {
    Path table = GOLDEN.resolve(name);
    Path file = table.resolve("schema/schema-0");
    TableSchema stored = TableSchemaJson.read(Files.readAllBytes(file), file.toString());
    // What can't be written has no statistics either.
    List<DataField> written =
        stored.rowType().fields().stream()
            .filter(field -> !UnsupportedFeatures.holdsVariant(field.type()))
            .toList();
    TableSchema schema =
        new TableSchema(
            0,
            new RowType(written),
            stored.highestFieldId(),
            stored.partitionKeys(),
            stored.primaryKeys(),
            stored.options(),
            null,
            0);
    int compared = 0;
    try (Stream<Path> manifests = Files.list(table.resolve("manifest"))) {
      for (Path manifest :
          manifests.filter(path -> !path.getFileName().toString().contains("list")).toList()) {
        try (DataFileReader<GenericRecord> entries =
            new DataFileReader<>(manifest.toFile(), new GenericDatumReader<>())) {
          for (GenericRecord entry : entries) {
            compared += compare(table, schema, (GenericRecord) entry.get("_FILE"), compared);
          }
        }
      }
    }
    assertThat(compared).isGreaterThan(1);
  }

  private int compare(Path table, TableSchema schema, GenericRecord theirs, int number)
      throws IOException {
    String fileName = theirs.get("_FILE_NAME").toString();
    Path data;
    try (Stream<Path> files = Files.walk(table)) {
      data = files.filter(path -> path.endsWith(fileName)).findFirst().orElse(null);
    }
    if (data == null) {
      return 0;
    }
    DataFileMeta stored = PaimonFiles.described(data.toString(), number(theirs, "_ROW_COUNT"));
    String copy = folder + "/" + number + "-" + fileName;
    KeyValueWriter writer =
        formats.createWriter(io, new NewFile(copy, schema, 0, 0, NewFile.UNKNOWN));
    try (KeyValueReader reader =
        formats.createReader(
            io, new StoredFile(data.toString(), stored, schema, schema.rowType()))) {
      while (reader.advance()) {
        writer.write(reader.row(), reader.sequenceNumber(), reader.kind());
      }
    }
    DataFileMeta ours = writer.finish();
    assertThat(ours.rowCount()).isEqualTo(number(theirs, "_ROW_COUNT"));
    assertThat(ours.minKey()).isEqualTo(bytes(theirs, "_MIN_KEY"));
    assertThat(ours.maxKey()).isEqualTo(bytes(theirs, "_MAX_KEY"));
    assertThat(ours.deleteRowCount()).isEqualTo(number(theirs, "_DELETE_ROW_COUNT"));
    assertThat(ours.minSequenceNumber()).isEqualTo(number(theirs, "_MIN_SEQUENCE_NUMBER"));
    assertThat(ours.maxSequenceNumber()).isEqualTo(number(theirs, "_MAX_SEQUENCE_NUMBER"));
    List<?> columns = (List<?>) theirs.get("_VALUE_STATS_COLS");
    assertThat(ours.valueStatsCols())
        .isEqualTo(columns == null ? null : columns.stream().map(Object::toString).toList());
    compareStats(ours.keyStats(), (GenericRecord) theirs.get("_KEY_STATS"));
    compareStats(ours.valueStats(), (GenericRecord) theirs.get("_VALUE_STATS"));
    return 1;
  }

  private static void compareStats(ColumnStats ours, GenericRecord theirs) {
    assertThat(BinaryRow.deserialize(ours.minValues()))
        .isEqualTo(BinaryRow.deserialize(bytes(theirs, "_MIN_VALUES")));
    assertThat(BinaryRow.deserialize(ours.maxValues()))
        .isEqualTo(BinaryRow.deserialize(bytes(theirs, "_MAX_VALUES")));
    List<Long> counts = new ArrayList<>();
    ((List<?>) theirs.get("_NULL_COUNTS")).forEach(count -> counts.add((Long) count));
    assertThat(ours.nullCounts()).isEqualTo(counts);
  }

  private static byte[] bytes(GenericRecord record, String field) {
    ByteBuffer buffer = (ByteBuffer) record.get(field);
    byte[] result = new byte[buffer.remaining()];
    buffer.duplicate().get(result);
    return result;
  }

  private static long number(GenericRecord record, String field) {
    return ((Number) record.get(field)).longValue();
  }
}
