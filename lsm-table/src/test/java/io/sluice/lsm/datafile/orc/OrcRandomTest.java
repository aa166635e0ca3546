package io.sluice.lsm.datafile.orc;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.datafile.KeyValueWriter;
import io.sluice.lsm.datafile.NewFile;
import io.sluice.lsm.datafile.StoredFile;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.DataTypeText;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Clock;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random tables of random values: written by us, read by us and by Paimon. */
class OrcRandomTest {

  private static final String[] TYPES = {
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL(1,1)",
    "DECIMAL(18,0)",
    "DECIMAL(10,2)",
    "DECIMAL(19,9)",
    "DECIMAL(38,0)",
    "DECIMAL(38,38)",
    "CHAR(3)",
    "VARCHAR(8)",
    "STRING",
    "BINARY(3)",
    "BYTES",
    "DATE",
    "TIME(3)",
    "TIMESTAMP(0)",
    "TIMESTAMP(3)",
    "TIMESTAMP(6)",
    "TIMESTAMP(9)",
    "TIMESTAMP_LTZ(3)",
    "TIMESTAMP_LTZ(9)"
  };

  @TempDir Path folder;

  @Test
  void keepsRandomTables() throws Exception {
    long seed = Long.getLong("test.seed", System.nanoTime());
    int rounds = Integer.getInteger("test.rounds", 6);
    for (int round = 0; round < rounds; round++) {
      long roundSeed = seed + round;
      try {
        round(new Random(roundSeed), folder + "/data-" + round + ".orc");
      } catch (Exception | AssertionError e) {
        throw new AssertionError("Replay with -Dtest.seed=" + roundSeed, e);
      }
    }
  }

  private static void round(Random random, String path) throws Exception {
    List<DataField> fields = new ArrayList<>();
    fields.add(new DataField(0, "id", DataTypes.BIGINT.withNullable(false)));
    int columns = 1 + random.nextInt(12);
    for (int i = 1; i <= columns; i++) {
      DataType type = DataTypeText.parse(TYPES[random.nextInt(TYPES.length)]);
      fields.add(new DataField(i, "c" + i, type));
    }
    TableSchema schema =
        new TableSchema(
            0,
            new RowType(fields),
            columns,
            List.of(),
            List.of("id"),
            Map.of(
                "bucket",
                "1",
                "file.format",
                "orc",
                "orc.timestamp-ltz.legacy.type",
                "false",
                "file.compression",
                random.nextBoolean() ? "zstd" : "lz4"),
            null,
            0);
    // Each column has its own share of nulls and of distinct values.
    double[] nulls = random.doubles(columns + 1).map(d -> d < 0.3 ? 0 : d > 0.9 ? 1 : d).toArray();
    int[] distinct = random.ints(columns + 1, 1, 2000).toArray();
    Object[][] values = new Object[columns + 1][];
    for (int i = 1; i <= columns; i++) {
      values[i] = new Object[random.nextBoolean() ? distinct[i] : 1];
      for (int v = 0; v < values[i].length; v++) {
        values[i][v] = value(random, fields.get(i).type());
      }
    }
    FolderFileIO io = new FolderFileIO();
    OrcFormat format = new OrcFormat(Clock.systemUTC());
    KeyValueWriter writer =
        format.createWriter(
            io, new NewFile(path, schema, 0, DataFileMeta.SOURCE_FLUSH, NewFile.UNKNOWN));
    List<List<Object>> expected = new ArrayList<>();
    List<String> expectedRecords = new ArrayList<>();
    int rows = random.nextBoolean() ? 1 + random.nextInt(50) : 1 + random.nextInt(25_000);
    for (int row = 0; row < rows; row++) {
      Object[] record = new Object[columns + 1];
      record[0] = row * 3L - rows;
      for (int i = 1; i <= columns; i++) {
        record[i] =
            random.nextDouble() < nulls[i] ? null : values[i][random.nextInt(values[i].length)];
      }
      long sequence = random.nextLong();
      RowKind kind = RowKind.of((byte) random.nextInt(4));
      writer.write(TestRows.row(schema.rowType(), record), sequence, kind);
      expected.add(TestRows.normal(record));
      expectedRecords.add(kind + " " + sequence);
    }
    DataFileMeta file = writer.finish();
    List<List<Object>> read = new ArrayList<>();
    List<String> records = new ArrayList<>();
    try (KeyValueReader reader =
        format.createReader(io, new StoredFile(path, file, schema, schema.rowType()))) {
      while (reader.advance()) {
        read.add(TestRows.values(schema.rowType(), reader.row()));
        records.add(reader.kind() + " " + reader.sequenceNumber());
      }
    }
    assertThat(records).isEqualTo(expectedRecords);
    assertThat(read).isEqualTo(expected);
    assertThat(new PaimonOrc(fields).read(path)).isEqualTo(expected);
  }

  private static Object value(Random random, DataType type) {
    boolean edge = random.nextInt(8) == 0;
    return switch (type.root()) {
      case BOOLEAN -> random.nextBoolean();
      case TINYINT -> (byte) random.nextInt();
      case SMALLINT -> (short) random.nextInt();
      case INT -> edge ? Integer.MIN_VALUE : random.nextInt() >> random.nextInt(31);
      case BIGINT -> edge ? Long.MAX_VALUE : random.nextLong() >> random.nextInt(63);
      case FLOAT -> edge ? Float.NaN : Float.intBitsToFloat(random.nextInt() & 0xbf7fffff);
      case DOUBLE -> edge ? Double.NEGATIVE_INFINITY : random.nextGaussian() * 1e10;
      case DECIMAL -> decimal(random, (DecimalType) type, edge);
      case CHAR, VARCHAR ->
          text(random, Math.min(40, ((LengthType) type).length())).stripTrailing();
      case BINARY, VARBINARY -> {
        byte[] bytes = new byte[random.nextInt(Math.min(40, ((LengthType) type).length()) + 1)];
        random.nextBytes(bytes);
        yield bytes;
      }
      case DATE ->
          LocalDate.of(1 + random.nextInt(9999), 1 + random.nextInt(12), 1 + random.nextInt(28));
      case TIME -> LocalTime.ofNanoOfDay(random.nextInt(86_400_000) * 1_000_000L);
      case TIMESTAMP, TIMESTAMP_LTZ -> timestamp(random, (TemporalType) type, edge);
      default -> throw new AssertionError(type);
    };
  }

  private static BigDecimal decimal(Random random, DecimalType type, boolean edge) {
    BigInteger limit = BigInteger.TEN.pow(type.precision());
    BigInteger unscaled =
        edge
            ? limit.subtract(BigInteger.ONE)
            : new BigInteger(1 + random.nextInt(130), random).mod(limit);
    return new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), type.scale());
  }

  private static String text(Random random, int chars) {
    int[] points = new int[random.nextInt(chars + 1)];
    for (int i = 0; i < points.length; i++) {
      points[i] =
          switch (random.nextInt(5)) {
            case 0 -> 0x1F600 + random.nextInt(50);
            case 1 -> 0xE000 + random.nextInt(0x1fff);
            case 2 -> random.nextInt(0x100);
            default -> 'a' + random.nextInt(26);
          };
    }
    return new String(points, 0, points.length);
  }

  private static LocalDateTime timestamp(Random random, TemporalType type, boolean edge) {
    long unit = (long) Math.pow(10, 9 - type.precision());
    long nanos = random.nextInt(1_000_000_000) / unit * unit;
    long second;
    if (edge) {
      boolean local = type.root() == io.sluice.lsm.schema.TypeRoot.TIMESTAMP;
      second = local ? 3600L * (random.nextInt(31) - 15) - 1 : -2 + random.nextInt(4);
      if (!local && second == -1) {
        nanos = nanos % 1_000_000 / unit * unit;
      }
    } else {
      second =
          LocalDateTime.of(1 + random.nextInt(9999), 1 + random.nextInt(12), 1, 0, 0)
                  .toEpochSecond(ZoneOffset.UTC)
              + random.nextInt(86_400);
    }
    return LocalDateTime.ofEpochSecond(second, (int) nanos, ZoneOffset.UTC);
  }
}
