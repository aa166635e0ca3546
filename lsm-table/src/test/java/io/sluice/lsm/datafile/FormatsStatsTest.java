package io.sluice.lsm.datafile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.datafile.formats.DataFileFormats;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.testing.TestIds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bounds are the same whatever gathers them. */
class FormatsStatsTest {

  @TempDir Path folder;

  private final DataFileFormats formats = new DataFileFormats(Clock.systemUTC());
  private final LocalFileIO io = new LocalFileIO(new TestIds());
  private int files;

  private static TableSchema schema(String format) {
    return new TableSchema(
        0,
        new RowType(
            List.of(
                new DataField(0, "id", DataTypes.INT.withNullable(false)),
                new DataField(1, "d", DataTypes.DOUBLE),
                new DataField(2, "f", DataTypes.FLOAT))),
        2,
        List.of(),
        List.of("id"),
        // Many row groups, stripes, blocks.
        Map.of("bucket", "1", "file.format", format, "file.block-size", "1 kb"),
        null,
        0);
  }

  /** Rows of equal values: first so many of one, then so many of the next. */
  private DataFileMeta write(String format, int each, double... values) throws IOException {
    TableSchema schema = schema(format);
    String path = folder + "/data-" + files++ + "." + format;
    KeyValueWriter writer =
        formats.createWriter(
            io, new NewFile(path, schema, 0, DataFileMeta.SOURCE_FLUSH, NewFile.UNKNOWN));
    int id = 0;
    for (double value : values) {
      for (int i = 0; i < each; i++) {
        writer.write(TestRows.row(schema.rowType(), id, value, (float) value), id, RowKind.INSERT);
        id++;
      }
    }
    return writer.finish();
  }

  private static BinaryRow row(byte[] stored) {
    return BinaryRow.deserialize(stored);
  }

  @ParameterizedTest
  @ValueSource(strings = {"orc", "parquet", "avro"})
  void knowsNoBoundsWhereThereIsANaN(String format) throws Exception {
    for (int each : new int[] {1, 2_000}) {
      for (double[] values :
          new double[][] {{1.0, Double.NaN}, {Double.NaN, 1.0}, {1.0, Double.NaN, 2.0}}) {
        DataFileMeta file = write(format, each, values);
        BinaryRow min = row(file.valueStats().minValues());
        BinaryRow max = row(file.valueStats().maxValues());
        assertThat(min.getInt(0)).isZero();
        assertThat(max.getInt(0)).isEqualTo(each * values.length - 1);
        for (int column = 1; column <= 2; column++) {
          assertThat(min.isNullAt(column)).isTrue();
          assertThat(max.isNullAt(column)).isTrue();
          assertThat(file.valueStats().nullCounts().get(column)).isZero();
        }
      }
      DataFileMeta file = write(format, each, 1.0, -0.0, 3.5);
      assertThat(row(file.valueStats().minValues()).getDouble(1)).isEqualTo(-0.0);
      assertThat(row(file.valueStats().maxValues()).getDouble(1)).isEqualTo(3.5);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"orc", "parquet", "avro"})
  void knowsTheBoundsOfTexts(String format) throws Exception {
    TableSchema schema =
        new TableSchema(
            0,
            new RowType(
                List.of(
                    new DataField(0, "id", DataTypes.STRING.withNullable(false)),
                    new DataField(1, "a.b", DataTypes.STRING),
                    new DataField(2, "b", DataTypes.BYTES),
                    new DataField(3, "none", DataTypes.STRING))),
            3,
            List.of(),
            List.of("id"),
            Map.of("bucket", "1", "file.format", format, "file.block-size", "1 kb"),
            null,
            0);
    if (format.equals("avro")) {
      // Names are stricter there.
      schema =
          new TableSchema(
              0,
              new RowType(
                  schema.rowType().fields().stream()
                      .map(
                          field ->
                              new DataField(
                                  field.id(), field.name().replace('.', '_'), field.type()))
                      .toList()),
              3,
              List.of(),
              List.of("id"),
              schema.options(),
              null,
              0);
    }
    String path = folder + "/data-texts." + format;
    KeyValueWriter writer =
        formats.createWriter(
            io, new NewFile(path, schema, 0, DataFileMeta.SOURCE_FLUSH, NewFile.UNKNOWN));
    for (int id = 1000; id < 4000; id++) {
      String text = id % 3 == 0 ? null : id == 2000 ? "\uD83D\uDE00" : id + "x".repeat(20);
      writer.write(
          TestRows.row(schema.rowType(), "k" + id, text, id % 5 == 0 ? null : new byte[] {1}, null),
          id,
          RowKind.INSERT);
    }
    DataFileMeta file = writer.finish();
    BinaryRow min = row(file.valueStats().minValues());
    BinaryRow max = row(file.valueStats().maxValues());
    assertThat(text(min, 0)).isEqualTo("k1000");
    assertThat(text(max, 0)).isEqualTo("k3999");
    assertThat(text(min, 1)).isEqualTo("1000" + "x".repeat(12));
    assertThat(text(max, 1)).isEqualTo("\uD83D\uDE00");
    for (int column = 2; column <= 3; column++) {
      assertThat(min.isNullAt(column)).isTrue();
      assertThat(max.isNullAt(column)).isTrue();
    }
    assertThat(file.valueStats().nullCounts()).containsExactly(0L, 1000L, 600L, 3000L);
    assertThat(text(row(file.keyStats().minValues()), 0)).isEqualTo("k1000");
    assertThat(text(row(file.keyStats().maxValues()), 0)).isEqualTo("k3999");
  }

  private static String text(BinaryRow row, int column) {
    BytesView view = new BytesView();
    row.getBytes(column, view);
    return new String(view.toByteArray(), StandardCharsets.UTF_8);
  }
}
