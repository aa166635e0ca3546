package io.sluice.lsm.datafile;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows of megabytes: nobody may hold a thousand of them at once. ORC has a test of its own. */
class FormatsLargeRowsTest {

  private static final int LARGE = 4 << 20;

  @TempDir Path folder;

  private final DataFileFormats formats = new DataFileFormats(Clock.systemUTC());
  private final LocalFileIO io = new LocalFileIO(new TestIds());

  private static TableSchema schema(String format) {
    return new TableSchema(
        0,
        new RowType(
            List.of(
                new DataField(0, "id", DataTypes.INT.withNullable(false)),
                new DataField(1, "payload", DataTypes.BYTES))),
        1,
        List.of(),
        List.of("id"),
        Map.of("bucket", "1", "file.format", format),
        null,
        0);
  }

  private static int size(int id) {
    return id < 100 ? LARGE : id % 50;
  }

  @ParameterizedTest
  @ValueSource(strings = {"parquet", "avro"})
  void takesFewOfThemAtOnce(String format) throws Exception {
    TableSchema schema = schema(format);
    String path = folder + "/data-0." + format;
    KeyValueWriter writer =
        formats.createWriter(
            io, new NewFile(path, schema, 0, DataFileMeta.SOURCE_FLUSH, NewFile.UNKNOWN));
    for (int id = 0; id < 3_000; id++) {
      // Compresses to nothing, so that only what is not compressed bounds a batch.
      byte[] payload = new byte[size(id)];
      Arrays.fill(payload, (byte) id);
      writer.write(TestRows.row(schema.rowType(), id, payload), id, RowKind.INSERT);
    }
    DataFileMeta file = writer.finish();
    assertThat(file.fileSize()).isLessThan(1 << 20);
    BytesView view = new BytesView();
    int id = 0;
    try (KeyValueReader reader =
        formats.createReader(io, new StoredFile(path, file, schema, schema.rowType()))) {
      while (reader.advance()) {
        reader.row().getBytes(1, view);
        assertThat(reader.row().getInt(0)).isEqualTo(id);
        assertThat(view.length).isEqualTo(size(id));
        assertThat(view.length == 0 ? (byte) id : view.array[view.offset + view.length - 1])
            .isEqualTo((byte) id);
        // Of Parquet it is the page's array: of a page with several of them a batch holds all.
        assertThat(view.array.length).isLessThan(2 * LARGE + LARGE / 2);
        id++;
      }
    }
    assertThat(id).isEqualTo(3_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"parquet", "avro"})
  void rollsAFileAtItsTargetAlsoWithinAThousandRows(String format) throws Exception {
    TableSchema schema = schema(format);
    int[] files = {0};
    RollingWriter writer =
        new RollingWriter(
            formats,
            io,
            () ->
                new NewFile(
                    folder + "/rolled-" + files[0]++ + "." + format,
                    schema,
                    1,
                    DataFileMeta.SOURCE_COMPACTION,
                    NewFile.UNKNOWN),
            16 << 20);
    Random random = new Random(11);
    for (int id = 0; id < 20; id++) {
      byte[] payload = new byte[LARGE];
      random.nextBytes(payload);
      writer.write(TestRows.row(schema.rowType(), id, payload), id, RowKind.INSERT);
    }
    List<DataFileMeta> written = writer.finish();
    assertThat(written).hasSizeBetween(3, 6);
    assertThat(written).allMatch(file -> file.fileSize() < 32 << 20);
    assertThat(written.stream().mapToLong(DataFileMeta::rowCount).sum()).isEqualTo(20);
  }
}
