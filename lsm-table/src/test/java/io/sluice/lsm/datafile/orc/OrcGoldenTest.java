package io.sluice.lsm.datafile.orc;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.ColumnStats;
import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.datafile.KeyValueWriter;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TableSchemaJson;
import io.sluice.lsm.schema.TypeRoot;
import java.io.File;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data files that Paimon 1.4.2 wrote, read directly. */
class OrcGoldenTest {

  private static final Path GOLDEN = Path.of("src/test/resources/golden");

  @TempDir Path folder;

  private final FolderFileIO io = new FolderFileIO();
  private final OrcFormat format = new OrcFormat(Clock.systemUTC());

  private static TableSchema schema(Path table) throws IOException {
    Path file = table.resolve("schema/schema-0");
    return TableSchemaJson.read(Files.readAllBytes(file), file.toString());
  }

  private static RowType plainColumns(RowType type) {
    return type.project(
        IntStream.range(0, type.size()).filter(i -> !type.type(i).root().isNested()).toArray());
  }

  @Test
  void readsAllTypes() throws IOException {
    JsonNode expected =
        new ObjectMapper().readTree(GOLDEN.resolve("all-types/expected.json").toFile());
    Path table = GOLDEN.resolve("all-types").resolve(expected.get("table").asText());
    TableSchema schema = schema(table);
    RowType wanted = plainColumns(schema.rowType());
    List<List<String>> rows = new ArrayList<>();
    for (JsonNode live : expected.get("liveFiles")) {
      String path = table + "/" + live.get("path").asText() + "/" + live.get("file").asText();
      DataFileMeta file = OrcFormatTest.stored(path, live.get("rowCount").asLong());
      try (KeyValueReader reader = format.createReader(io, path, file, schema, wanted)) {
        while (reader.advance()) {
          List<Object> values = TestRows.values(wanted, reader.row());
          rows.add(
              IntStream.range(0, wanted.size())
                  .mapToObj(i -> canonical(wanted.type(i), values.get(i)))
                  .toList());
        }
      }
    }
    List<List<String>> expectedRows = new ArrayList<>();
    for (JsonNode row : expected.get("latest").get("rows")) {
      expectedRows.add(
          wanted.fields().stream()
              .map(field -> row.get(field.name()))
              .map(value -> value.isNull() ? "null" : value.asText())
              .toList());
    }
    assertThat(rows).containsExactlyInAnyOrderElementsOf(expectedRows);
  }

  private static String canonical(DataType type, Object value) {
    if (value instanceof LocalDateTime time) {
      int precision = ((TemporalType) type).precision();
      String text = time.format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss"));
      String nanos = String.format("%09d", time.getNano());
      return text
          + (precision == 0 ? "" : "." + nanos.substring(0, precision))
          + (type.root() == TypeRoot.TIMESTAMP_LTZ ? "Z" : "");
    }
    if (value instanceof LocalTime time) {
      return time.format(DateTimeFormatter.ofPattern("HH:mm:ss.SSS"));
    }
    return value instanceof BigDecimal decimal ? decimal.toPlainString() : String.valueOf(value);
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

  /** Rewrites each file and compares what Paimon's manifest says of the original. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "dedup-orc/warehouse/default.db/orders",
        "sequence-field/warehouse/default.db/seqt",
        "partitioned/warehouse/default.db/events"
      })
  void describesFilesAsPaimonDoes(String name) throws IOException {
    Path table = GOLDEN.resolve(name);
    TableSchema schema = schema(table);
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
    assertThat(compared).isGreaterThan(3);
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
    DataFileMeta stored = OrcFormatTest.stored(data.toString(), number(theirs, "_ROW_COUNT"));
    String copy = folder + File.separator + "data-" + number + ".orc";
    KeyValueWriter writer = format.createWriter(io, copy, schema, 0, 0);
    try (KeyValueReader reader =
        format.createReader(io, data.toString(), stored, schema, schema.rowType())) {
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
    assertThat(theirs.get("_VALUE_STATS_COLS")).isNull();
    assertThat(ours.valueStatsCols()).isNull();
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
}
