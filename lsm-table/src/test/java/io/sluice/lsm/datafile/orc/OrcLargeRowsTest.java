package io.sluice.lsm.datafile.orc;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.datafile.KeyValueWriter;
import io.sluice.lsm.datafile.NewFile;
import io.sluice.lsm.datafile.RollingWriter;
import io.sluice.lsm.datafile.StoredFile;
import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of megabytes: nobody may hold a thousand of them at once. */
class OrcLargeRowsTest {

  private static final int LARGE = 4 << 20;

  private static final TableSchema SCHEMA =
      new TableSchema(
          0,
          new RowType(
              List.of(
                  new DataField(0, "id", DataTypes.INT.withNullable(false)),
                  new DataField(1, "payload", DataTypes.BYTES))),
          1,
          List.of(),
          List.of("id"),
          Map.of("bucket", "1", "file.format", "orc"),
          null,
          0);

  @TempDir Path folder;

  private final FolderFileIO io = new FolderFileIO();
  private final OrcFormat format = new OrcFormat(Clock.systemUTC());

  /** Compresses to nothing, so that only what is not compressed bounds a batch. */
  private static BinaryRow row(int id, int size) {
    byte[] payload = new byte[size];
    Arrays.fill(payload, (byte) id);
    return TestRows.row(SCHEMA.rowType(), id, payload);
  }

  private static int size(int id) {
    return id < 100 ? LARGE : id % 50;
  }

  @Test
  void takesFewOfThemAtOnce() throws Exception {
    String path = folder + "/bucket-0/data-0.orc";
    KeyValueWriter writer =
        format.createWriter(
            io, new NewFile(path, SCHEMA, 0, DataFileMeta.SOURCE_FLUSH, NewFile.UNKNOWN));
    for (int id = 0; id < 3_000; id++) {
      writer.write(row(id, size(id)), id, RowKind.INSERT);
    }
    DataFileMeta file = writer.finish();
    assertThat(file.fileSize()).isLessThan(1 << 20);
    assertRows(path, file);
    try (Reader reader = orc(path)) {
      // 100 rows of 4 MiB: a stripe ends when it has 32 MiB of them.
      assertThat(reader.getStripes()).hasSizeBetween(13, 16);
    }
  }

  private void assertRows(String path, DataFileMeta file) throws IOException {
    BytesView view = new BytesView();
    int id = 0;
    try (KeyValueReader reader =
        format.createReader(io, new StoredFile(path, file, SCHEMA, SCHEMA.rowType()))) {
      while (reader.advance()) {
        reader.row().getBytes(1, view);
        assertThat(reader.row().getInt(0)).isEqualTo(id);
        assertThat(view.length).isEqualTo(size(id));
        assertThat(view.length == 0 ? (byte) id : view.array[view.offset + view.length - 1])
            .isEqualTo((byte) id);
        // What a batch brings is in one array: as much as is held at once.
        assertThat(view.array.length).isLessThanOrEqualTo(8 * LARGE + LARGE);
        id++;
      }
    }
    assertThat(id).isEqualTo(3_000);
  }

  private static Reader orc(String path) throws IOException {
    return OrcFile.createReader(
        new org.apache.hadoop.fs.Path(path),
        OrcFile.readerOptions(new org.apache.hadoop.conf.Configuration(false)));
  }

  @Test
  void rollsAFileAtItsTargetAlsoWithinAThousandRows() throws Exception {
    int[] files = {0};
    RollingWriter writer =
        new RollingWriter(
            format,
            io,
            () ->
                new NewFile(
                    folder + "/bucket-0/rolled-" + files[0]++ + ".orc",
                    SCHEMA,
                    1,
                    DataFileMeta.SOURCE_COMPACTION,
                    NewFile.UNKNOWN),
            16 << 20);
    var random = new java.util.Random(11);
    for (int id = 0; id < 20; id++) {
      byte[] payload = new byte[LARGE];
      random.nextBytes(payload);
      writer.write(TestRows.row(SCHEMA.rowType(), id, payload), id, RowKind.INSERT);
    }
    List<DataFileMeta> written = writer.finish();
    assertThat(written).hasSizeBetween(3, 6);
    assertThat(written).allMatch(file -> file.fileSize() < 32 << 20);
    assertThat(written.stream().mapToLong(DataFileMeta::rowCount).sum()).isEqualTo(20);
  }
}
