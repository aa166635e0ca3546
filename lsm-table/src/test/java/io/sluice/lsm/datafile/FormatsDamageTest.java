package io.sluice.lsm.datafile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.datafile.formats.DataFileFormats;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.RandomValues;
import io.sluice.lsm.testing.TestIds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files with a byte changed, or cut: the rows that were written, or an error that names the file.
 * {@code -Dtest.rounds} damages on, {@code -Dtest.seed} replays.
 */
class FormatsDamageTest {

  @TempDir Path folder;

  private final DataFileFormats formats = new DataFileFormats(Clock.systemUTC());
  private final LocalFileIO io = new LocalFileIO(new TestIds());

  private List<String> read(
      String path, DataFileMeta file, TableSchema schema, @Nullable RowFilter filter)
      throws Exception {
    List<String> records = new ArrayList<>();
    try (KeyValueReader reader =
        formats.createReader(
            io, new StoredFile(path, file, schema, schema.rowType(), filter, null))) {
      while (reader.advance()) {
        records.add(
            reader.kind()
                + " "
                + reader.sequenceNumber()
                + " "
                + CanonicalRows.of(schema.rowType(), reader.row()));
      }
    }
    return records;
  }

  /** Where the format has no checksum (metadata of Parquet and Avro) rows may come out wrong. */
  @ParameterizedTest
  @CsvSource({"orc,0", "parquet,20", "avro,20"})
  void givesTheRightRowsOrAnErrorThatNamesTheFile(String format, int undetectedPerThousand)
      throws Exception {
    long seed = Long.getLong("test.seed", System.nanoTime());
    int rounds = Integer.getInteger("test.rounds", 600);
    Random random = new Random(seed);
    RandomValues values = new RandomValues(random, format);
    List<DataField> fields = new ArrayList<>();
    fields.add(new DataField(0, "id", DataTypes.BIGINT.withNullable(false)));
    fields.addAll(values.columns(6, 1));
    TableSchema schema =
        new TableSchema(
            0,
            new RowType(fields),
            1000,
            List.of(),
            List.of("id"),
            Map.of("bucket", "1", "file.format", format, "file.block-size", "8 kb"),
            null,
            0);
    String path = folder + "/data-x-0." + format;
    KeyValueWriter writer =
        formats.createWriter(
            io, new NewFile(path, schema, 0, DataFileMeta.SOURCE_FLUSH, NewFile.UNKNOWN));
    for (long id = 0; id < 1200; id++) {
      List<Object> row = values.row(schema.rowType());
      row.set(0, id);
      BinaryRow binary = RandomValues.binary(schema.rowType(), row, RowKind.INSERT);
      writer.write(binary, id, RowKind.INSERT);
    }
    DataFileMeta file = writer.finish();
    List<String> expected = read(path, file, schema, null);
    // What all rows fulfil: statistics and page indexes are read, too.
    RowFilter filter = new RowFilter.Between(fields.get(0), 0L, 1199L);
    byte[] content = Files.readAllBytes(Path.of(path));
    int refused = 0;
    int unnoticed = 0;
    for (int round = 0; round < rounds; round++) {
      byte[] damaged = content.clone();
      if (round % 10 == 0) {
        damaged = java.util.Arrays.copyOf(content, random.nextInt(content.length));
      } else {
        // A third of the damages where metadata stands.
        int at =
            round % 3 == 0
                ? format.equals("avro")
                    ? random.nextInt(Math.min(content.length, 1000))
                    : content.length - 1 - random.nextInt(Math.min(content.length, 3000))
                : random.nextInt(content.length);
        damaged[at] ^= (byte) (1 + random.nextInt(255));
      }
      Files.write(Path.of(path), damaged);
      try {
        if (!read(path, file, schema, round % 2 == 0 ? filter : null).equals(expected)) {
          unnoticed++;
        }
      } catch (CorruptTableException | UnsupportedTableException e) {
        assertThat(e).as("Replay with -Dtest.seed=%s", seed).hasMessageContaining("data-x-0");
        refused++;
      } catch (RuntimeException | OutOfMemoryError e) {
        throw new AssertionError("Damage " + round + ". Replay with -Dtest.seed=" + seed, e);
      }
    }
    assertThat(refused).isGreaterThan(rounds / 2);
    assertThat(unnoticed)
        .as("Wrong rows of %s damages. Replay with -Dtest.seed=%s", rounds, seed)
        .isLessThanOrEqualTo(rounds * undetectedPerThousand / 1000);
    System.out.println(
        format + ": " + rounds + " damages, " + refused + " refused, " + unnoticed + " unnoticed");
  }

  /** Each byte of a small file, so that every exception of the libraries comes up. */
  @ParameterizedTest
  @ValueSource(strings = {"orc", "parquet", "avro"})
  void saysInWordsWhichPartOfWhichFileIsDamaged(String format) throws Exception {
    TableSchema schema =
        new TableSchema(
            0,
            new RowType(
                List.of(
                    new DataField(0, "id", DataTypes.BIGINT.withNullable(false)),
                    new DataField(1, "text", DataTypes.STRING),
                    new DataField(2, "at", DataTypes.timestamp(6)))),
            2,
            List.of(),
            List.of("id"),
            Map.of("bucket", "1", "file.format", format),
            null,
            0);
    String path = folder + "/data-small-0." + format;
    KeyValueWriter writer =
        formats.createWriter(
            io, new NewFile(path, schema, 0, DataFileMeta.SOURCE_FLUSH, NewFile.UNKNOWN));
    for (long id = 0; id < 9; id++) {
      List<Object> row = java.util.Arrays.asList(id, id % 2 == 0 ? null : bytes(id), null);
      writer.write(RandomValues.binary(schema.rowType(), row, RowKind.INSERT), id, RowKind.INSERT);
    }
    DataFileMeta file = writer.finish();
    byte[] content = Files.readAllBytes(Path.of(path));
    int decoding = 0;
    for (int at = 0; at < content.length; at++) {
      for (int change : new int[] {1, 0xff}) {
        byte[] damaged = content.clone();
        damaged[at] ^= (byte) change;
        Files.write(Path.of(path), damaged);
        try {
          read(path, file, schema, null);
        } catch (CorruptTableException | UnsupportedTableException e) {
          assertThat(e.getMessage())
              .as("byte %d ^ %x", at, change)
              .contains(path)
              .doesNotContain("java.", "Cannot invoke", "Exception");
          decoding += e.getMessage().contains("can't be decoded") ? 1 : 0;
        }
      }
    }
    // Those of ours are found by checksums before anything is decoded, but for the last bytes.
    assertThat(decoding).isGreaterThan(format.equals("orc") ? 0 : 50);
  }

  private static byte[] bytes(long id) {
    return ("text " + id).getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  @Test
  void leavesOutWhatJavaSaysOfTheDecoder() {
    IOException nothing = new IOException(new NullPointerException("Cannot invoke \"x.y()\""));
    assertThat(ReadFailures.reason(nothing)).isNull();
    assertThat(ReadFailures.reason(new ArrayIndexOutOfBoundsException("Index 7"))).isNull();
    assertThat(ReadFailures.reason(new IllegalStateException("bad magic", nothing)))
        .isEqualTo("bad magic");
    assertThat(ReadFailures.reason(new java.io.UncheckedIOException(new IOException("cut off"))))
        .isEqualTo("cut off");
    assertThat(ReadFailures.of("/t/f.orc", ReadFailures.records(3), null, nothing))
        .isInstanceOf(CorruptTableException.class)
        .hasMessage(
            "The data file /t/f.orc is damaged: its records from 3 on can't be decoded."
                + " Restore it from a copy.")
        .hasCause(nothing);
    assertThat(
            ReadFailures.of(
                "/t/f.orc", ReadFailures.METADATA, null, new UnsupportedTableException("No.")))
        .isInstanceOf(UnsupportedTableException.class)
        .hasMessage("/t/f.orc: No.");
  }
}
