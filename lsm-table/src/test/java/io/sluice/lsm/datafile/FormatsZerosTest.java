package io.sluice.lsm.datafile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.datafile.formats.DataFileFormats;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.PaimonFiles;
import io.sluice.lsm.testing.RandomValues;
import io.sluice.lsm.testing.TestIds;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Columns of nothing but zeros keep the sign of each. ORC's reader calls a batch of them repeating:
 * 0.0 == -0.0.
 */
class FormatsZerosTest {

  private static final double[] ZEROS = {0.0, -0.0, 0.0, -0.0, -0.0};

  @TempDir Path folder;

  private final DataFileFormats formats = new DataFileFormats(Clock.systemUTC());
  private final LocalFileIO io = new LocalFileIO(new TestIds());

  private static TableSchema schema(String format) {
    return new TableSchema(
        0,
        new RowType(
            List.of(
                new DataField(0, "id", DataTypes.INT.withNullable(false)),
                new DataField(1, "d", DataTypes.DOUBLE),
                new DataField(2, "f", DataTypes.FLOAT),
                new DataField(3, "sparse", DataTypes.DOUBLE),
                new DataField(4, "list", new ArrayType(DataTypes.DOUBLE, true)),
                new DataField(5, "small", new ArrayType(DataTypes.FLOAT, true)))),
        5,
        List.of(),
        List.of("id"),
        Map.of("bucket", "1", "file.format", format),
        null,
        0);
  }

  private static List<BinaryRow> rows(TableSchema schema) {
    List<BinaryRow> rows = new ArrayList<>();
    for (int id = 0; id < ZEROS.length; id++) {
      double zero = ZEROS[id];
      List<Object> values =
          Arrays.asList(
              (long) id,
              zero,
              zero,
              id % 2 == 0 ? zero : null,
              List.of(zero, -zero),
              List.of(-zero));
      rows.add(RandomValues.binary(schema.rowType(), values, RowKind.INSERT));
    }
    return rows;
  }

  private static List<String> texts(TableSchema schema) {
    return rows(schema).stream()
        .map(row -> CanonicalRows.of(schema.rowType(), row).toString())
        .toList();
  }

  private List<String> read(DataFileReader opened, TableSchema schema) throws Exception {
    List<String> read = new ArrayList<>();
    try (DataFileReader reader = opened) {
      while (reader.advance()) {
        read.add(CanonicalRows.of(schema.rowType(), reader.row()).toString());
      }
    }
    return read;
  }

  @ParameterizedTest
  @ValueSource(strings = {"orc", "parquet", "avro"})
  void keepTheirSigns(String format) throws Exception {
    TableSchema schema = schema(format);
    String ours = folder + "/data-ours-0." + format;
    KeyValueWriter writer =
        formats.createWriter(
            io, new NewFile(ours, schema, 0, DataFileMeta.SOURCE_FLUSH, NewFile.UNKNOWN));
    List<BinaryRow> rows = rows(schema);
    for (int i = 0; i < rows.size(); i++) {
      writer.write(rows.get(i), i, RowKind.INSERT);
    }
    DataFileMeta file = writer.finish();
    assertThat(texts(schema)).anyMatch(text -> text.contains("d=-0.0, f=-0.0"));
    assertThat(
            read(
                formats.createReader(io, new StoredFile(ours, file, schema, schema.rowType())),
                schema))
        .isEqualTo(texts(schema));
    assertThat(
            read(
                formats.createValueReader(io, new StoredFile(ours, file, schema, schema.rowType())),
                schema))
        .isEqualTo(texts(schema));

    // Paimon writes them right, too.
    TableSchema append =
        new TableSchema(
            0, schema.rowType(), 5, List.of(), List.of(), Map.of("bucket", "-1"), null, 0);
    PaimonFiles paimon = new PaimonFiles(format, schema.rowType().fields());
    String theirs = folder + "/data-theirs-0." + format;
    paimon.write(theirs, rows);
    DataFileMeta described = PaimonFiles.described(theirs, rows.size());
    assertThat(
            read(
                formats.createReader(
                    io, new StoredFile(theirs, described, append, schema.rowType())),
                append))
        .isEqualTo(texts(schema));

    // But of ORC it reads the first one's sign, unless it reads row by row.
    List<Map<String, String>> seen = paimon.read(theirs);
    if (format.equals("orc")) {
      for (Map<String, String> row : seen) {
        assertThat(row).containsEntry("d", "0.0").containsEntry("f", "0.0");
      }
    } else {
      assertThat(seen.stream().map(Object::toString).toList()).isEqualTo(texts(schema));
    }
    List<Map<String, String>> exact = paimon.rowByRow().read(theirs);
    for (int i = 0; i < rows.size(); i++) {
      // Two elements are a batch again.
      Map<String, String> expected = CanonicalRows.of(schema.rowType(), rows.get(i));
      expected.remove("list");
      exact.get(i).remove("list");
      assertThat(exact.get(i)).isEqualTo(expected);
    }
  }
}
