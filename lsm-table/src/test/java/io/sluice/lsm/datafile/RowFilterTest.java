package io.sluice.lsm.datafile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.datafile.formats.DataFileFormats;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.testing.CountingFileIO;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.RandomValues;
import io.sluice.lsm.testing.TestIds;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A reader that leaves out parts of a file still tells where each of its rows stands. */
class RowFilterTest {

  private static final int ROWS = 20_000;

  private static final DataField NUMBER =
      new DataField(0, "number", DataTypes.INT.withNullable(false));
  private static final DataField TEXT = new DataField(1, "text", DataTypes.STRING);

  @TempDir Path folder;

  private static TableSchema schema(String format) {
    return new TableSchema(
        0,
        new RowType(List.of(NUMBER, TEXT)),
        1,
        List.of(),
        List.of(),
        Map.of(
            "file.format",
            format,
            "file.block-size",
            format.equals("orc") ? "64 mb" : "100 kb",
            "orc.row.index.stride",
            "1000",
            "orc.stripe.row.count",
            "7000",
            "orc.compress.size",
            "16384",
            "parquet.page.row.count.limit",
            "300"),
        null,
        0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"orc", "parquet", "avro"})
  void tellsThePositionsOfTheRowsThatItGives(String format) throws Exception {
    long seed = Long.getLong("test.seed", new Random().nextLong());
    System.out.println("RowFilterTest " + format + " seed " + seed);
    Random random = new Random(seed);
    TableSchema schema = schema(format);
    DataFileFormats formats = new DataFileFormats(new FakeClock());
    CountingFileIO storage = new CountingFileIO(new LocalFileIO(new TestIds()));
    String path = folder.resolve("data." + format).toString();
    KeyValueWriter writer =
        formats.createWriter(storage, new NewFile(path, schema, 0, 0, NewFile.UNKNOWN));
    for (long i = 0; i < ROWS; i++) {
      // The number of a row is its position.
      byte[] text = new byte[80];
      for (int j = 0; j < text.length; j++) {
        text[j] = (byte) ('0' + random.nextInt(60));
      }
      writer.write(
          RandomValues.binary(schema.rowType(), List.of(i, text), RowKind.INSERT),
          i,
          RowKind.INSERT);
    }
    DataFileMeta file = writer.finish().withSequenceNumbers(1_000_000, 1_000_000 + ROWS - 1);
    storage.takeBytesRead();
    read(formats, storage, path, file, schema, null);
    long all = storage.takeBytesRead();
    for (int round = 0; round < 10; round++) {
      long from = random.nextInt(ROWS);
      long to = Math.min(ROWS - 1, from + random.nextInt(2_000));
      long other = random.nextInt(ROWS);
      RowFilter filter =
          RowFilter.any(
              List.of(
                  new RowFilter.Between(NUMBER, from, to),
                  new RowFilter.Between(NUMBER, other, other)));
      boolean[] given = read(formats, storage, path, file, schema, filter);
      for (long i = from; i <= to; i++) {
        assertThat(given[(int) i]).as("row " + i + " of " + filter).isTrue();
      }
      assertThat(given[(int) other]).as("row " + other + " of " + filter).isTrue();
      long some = storage.takeBytesRead();
      if (!format.equals("avro")) {
        assertThat(some).as("bytes of " + all + " for " + filter).isLessThan(all * 2 / 3);
      }
    }
  }

  /** Which rows a reader gives; each says its number, position and sequence number. */
  private static boolean[] read(
      DataFileFormats formats,
      CountingFileIO storage,
      String path,
      DataFileMeta file,
      TableSchema schema,
      RowFilter filter)
      throws Exception {
    boolean[] given = new boolean[ROWS];
    long before = -1;
    try (DataFileReader reader =
        formats.createReader(
            storage, new StoredFile(path, file, schema, schema.rowType(), filter, null))) {
      while (reader.advance()) {
        long position = reader.positionInFile();
        assertThat(position).isGreaterThan(before);
        assertThat((long) reader.row().getInt(0)).isEqualTo(position);
        assertThat(reader.sequenceNumber()).isEqualTo(1_000_000 + position);
        given[(int) position] = true;
        before = position;
      }
    }
    return given;
  }
}
