package io.sluice.lsm.datafile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.datafile.formats.DataFileFormats;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.PaimonFiles;
import io.sluice.lsm.testing.RandomValues;
import io.sluice.lsm.testing.TestIds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random tables of random values, nested ones too, in every format: written by us, read by us and
 * by Paimon; written by Paimon, read by us. {@code -Dtest.seed} replays, {@code -Dtest.rounds} goes
 * on for longer.
 */
class FormatsRandomTest {

  private static final RowKind[] KINDS = RowKind.values();

  @TempDir Path folder;

  private interface Round {
    void run(String format, Random random) throws Exception;
  }

  private static void rounds(String format, Round round) {
    long seed = Long.getLong("test.seed", System.nanoTime());
    for (int i = 0; i < Integer.getInteger("test.rounds", 15); i++) {
      try {
        round.run(format, new Random(seed + i));
      } catch (Exception | AssertionError e) {
        throw new AssertionError("Replay with -Dtest.seed=" + (seed + i), e);
      }
    }
  }

  private static TableSchema schema(String format, Random random, RandomValues values) {
    List<DataField> fields = new ArrayList<>();
    fields.add(new DataField(0, "id", DataTypes.BIGINT.withNullable(false)));
    fields.addAll(values.columns(1 + random.nextInt(8), 1));
    Map<String, String> options =
        new java.util.HashMap<>(
            Map.of(
                "bucket",
                "1",
                "file.format",
                format,
                "orc.timestamp-ltz.legacy.type",
                "false",
                "data-file.thin-mode",
                String.valueOf(random.nextBoolean()),
                "file.compression",
                List.of("zstd", "snappy", "none").get(random.nextInt(3))));
    if (random.nextBoolean()) {
      // Several stripes, row groups, blocks.
      options.put("file.block-size", "20 kb");
    }
    return new TableSchema(
        0, new RowType(fields), 1000, List.of(), List.of("id"), options, null, 0);
  }

  private static int rows(Random random) {
    return 1 + random.nextInt(random.nextInt(4) == 0 ? 6000 : 200);
  }

  private static Map<String, String> text(RowType type, io.sluice.lsm.row.Row row) {
    return CanonicalRows.of(type, row);
  }

  private List<String> readOurselves(String path, DataFileMeta file, TableSchema schema)
      throws Exception {
    List<String> records = new ArrayList<>();
    try (KeyValueReader reader =
        new DataFileFormats(Clock.systemUTC())
            .createReader(
                new LocalFileIO(new TestIds()),
                new StoredFile(path, file, schema, schema.rowType()))) {
      while (reader.advance()) {
        records.add(
            reader.kind()
                + " "
                + reader.sequenceNumber()
                + " "
                + text(schema.rowType(), reader.row()));
      }
    }
    return records;
  }

  @ParameterizedTest
  @ValueSource(strings = {"orc", "parquet", "avro"})
  void areReadByPaimonAsWritten(String name) {
    rounds(
        name,
        (format, random) -> {
          RandomValues values = new RandomValues(random, format);
          TableSchema schema = schema(format, random, values);
          RowType type = schema.rowType();
          String path = folder + "/" + random.nextLong() + "." + format;
          KeyValueWriter writer =
              new DataFileFormats(Clock.systemUTC())
                  .createWriter(
                      new LocalFileIO(new TestIds()),
                      new NewFile(path, schema, 0, DataFileMeta.SOURCE_FLUSH, NewFile.UNKNOWN));
          List<String> records = new ArrayList<>();
          List<Map<String, String>> rows = new ArrayList<>();
          for (long id = 0, count = rows(random); id < count; id++) {
            List<Object> boxed = values.row(type);
            boxed.set(0, id);
            RowKind kind = KINDS[random.nextInt(KINDS.length)];
            long sequence = random.nextLong();
            BinaryRow row = RandomValues.binary(type, boxed, kind);
            writer.write(row, sequence, kind);
            records.add(kind + " " + sequence + " " + text(type, row));
            Map<String, String> record = new LinkedHashMap<>();
            KeyValueLayout layout = KeyValueLayout.of(schema);
            if (layout.keyColumns() > 0) {
              record.put("_KEY_id", String.valueOf(id));
            }
            record.put("_SEQUENCE_NUMBER", String.valueOf(sequence));
            record.put("_VALUE_KIND", String.valueOf(kind.toByte()));
            record.putAll(text(type, row));
            rows.add(record);
          }
          DataFileMeta file = writer.finish();
          assertThat(readOurselves(path, file, schema)).isEqualTo(records);
          assertThat(new PaimonFiles(format, KeyValueLayout.of(schema).fields()).read(path))
              .isEqualTo(rows);
          Files.delete(Path.of(path));
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"orc", "parquet", "avro"})
  void areReadAsPaimonWroteThem(String name) {
    rounds(
        name,
        (format, random) -> {
          RandomValues values = new RandomValues(random, format);
          TableSchema schema = schema(format, random, values);
          List<DataField> stored = KeyValueLayout.of(schema).fields();
          RowType type = new RowType(stored);
          int first = stored.size() - schema.rowType().size();
          String path = folder + "/" + random.nextLong() + "." + format;
          List<BinaryRow> rows = new ArrayList<>();
          List<String> records = new ArrayList<>();
          for (long id = 0, count = rows(random); id < count; id++) {
            List<Object> boxed = values.row(type);
            boxed.set(0, id);
            boxed.set(first, id);
            boxed.set(first - 1, (long) random.nextInt(4));
            BinaryRow row = RandomValues.binary(type, boxed, RowKind.INSERT);
            rows.add(row);
            BinaryRow own =
                RandomValues.binary(
                    schema.rowType(), boxed.subList(first, boxed.size()), RowKind.INSERT);
            records.add(
                KINDS[(int) (long) (Long) boxed.get(first - 1)]
                    + " "
                    + boxed.get(first - 2)
                    + " "
                    + text(schema.rowType(), own));
          }
          new PaimonFiles(format, stored).write(path, rows);
          DataFileMeta file = PaimonFiles.described(path, rows.size());
          assertThat(readOurselves(path, file, schema)).isEqualTo(records);
          Files.delete(Path.of(path));
        });
  }
}
