package io.sluice.lsm.datafile.orc;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.NewFile;
import io.sluice.lsm.datafile.RollingWriter;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RollingWriterTest {

  private static final long TARGET = 1 << 20;

  private static final TableSchema SCHEMA =
      new TableSchema(
          0,
          new RowType(
              List.of(
                  new DataField(0, "id", DataTypes.INT.withNullable(false)),
                  new DataField(1, "text", DataTypes.STRING))),
          1,
          List.of(),
          List.of("id"),
          Map.of("bucket", "1", "file.format", "orc"),
          null,
          0);

  @TempDir Path folder;

  private RollingWriter writer() {
    AtomicInteger number = new AtomicInteger();
    return new RollingWriter(
        new OrcFormat(Clock.systemUTC()),
        new FolderFileIO(),
        () ->
            new NewFile(
                folder + "/data-" + number.getAndIncrement() + ".orc",
                SCHEMA,
                0,
                DataFileMeta.SOURCE_FLUSH,
                NewFile.UNKNOWN),
        TARGET);
  }

  private static void write(RollingWriter writer, int rows) throws IOException {
    Random random = new Random(1);
    for (int i = 0; i < rows; i++) {
      BinaryRow row =
          TestRows.row(SCHEMA.rowType(), i, Long.toString(random.nextLong(), 36).repeat(1 + i % 3));
      writer.write(row, i, RowKind.INSERT);
    }
  }

  @Test
  void startsTheNextFileAtTheTargetSize() throws IOException {
    RollingWriter writer = writer();
    write(writer, 400_000);
    List<DataFileMeta> files = writer.finish();
    assertThat(files).hasSizeBetween(3, 20);
    assertThat(files.stream().mapToLong(DataFileMeta::rowCount).sum()).isEqualTo(400_000);
    for (int i = 0; i < files.size() - 1; i++) {
      assertThat(files.get(i).fileSize()).isBetween(TARGET / 4, TARGET * 2);
      assertThat(BinaryRow.deserialize(files.get(i + 1).minKey()).getInt(0))
          .isEqualTo(BinaryRow.deserialize(files.get(i).maxKey()).getInt(0) + 1);
    }
  }

  @Test
  void leavesNoFileWhenAborted() throws IOException {
    RollingWriter writer = writer();
    write(writer, 150_000);
    writer.abort();
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void writesNoFileWithoutRecords() throws IOException {
    assertThat(writer().finish()).isEmpty();
  }
}
