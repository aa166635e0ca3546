package io.sluice.lsm.testing;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.binary.Boxed;
import io.sluice.lsm.binary.ColumnBounds.Moment;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.MultisetType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.DataTypeText;
import io.sluice.lsm.schema.RowType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Random types and random values of them, see {@link Boxed}. */
public final class RandomValues {

  private static final List<String> FLAT =
      List.of(
          "BOOLEAN",
          "TINYINT",
          "SMALLINT",
          "INT",
          "BIGINT",
          "FLOAT",
          "DOUBLE",
          "DECIMAL(1,1)",
          "DECIMAL(9,2)",
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
          "TIMESTAMP_LTZ(3)",
          "TIMESTAMP_LTZ(6)");

  private static final List<String> NANOS = List.of("TIMESTAMP(9)", "TIMESTAMP_LTZ(9)");

  private final Random random;
  private final String format;
  private int nextId;

  /**
   * @param format of data files, which must be able to hold the values and Paimon to read them
   */
  public RandomValues(Random random, String format) {
    this.random = random;
    this.format = format;
  }

  /** Columns with ids from a number on, nested ones numbered as Paimon does. */
  public List<DataField> columns(int count, int firstId) {
    nextId = firstId;
    List<DataField> fields = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int id = nextId++;
      fields.add(new DataField(id, "c" + i, type(2)));
    }
    return fields;
  }

  private DataType flat() {
    // Avro has nothing finer than microseconds.
    boolean nanos = !format.equals("avro") && random.nextInt(10) == 0;
    List<String> among = nanos ? NANOS : FLAT;
    return DataTypeText.parse(among.get(random.nextInt(among.size())))
        .withNullable(random.nextInt(5) > 0);
  }

  /**
   * Of MULTISETs Paimon can't read those of timestamps and decimals from Parquet, nor those of
   * anything but text from Avro.
   */
  private DataType multisetElement() {
    DataType type = flat();
    boolean read =
        format.equals("orc")
            || format.equals("parquet")
                && !(type instanceof TemporalType)
                && !(type instanceof DecimalType)
            || type.root().isText();
    return (read ? type : DataTypeText.parse("STRING")).withNullable(false);
  }

  private DataType type(int depth) {
    boolean nullable = random.nextInt(5) > 0;
    return switch (depth == 0 ? 9 : random.nextInt(10)) {
      case 0 -> new ArrayType(type(depth - 1), nullable);
      case 1 -> new MapType(flat().withNullable(false), type(depth - 1), nullable);
      case 2 -> new MultisetType(multisetElement(), nullable);
      case 3 -> {
        List<DataField> fields = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(3); i++) {
          DataType type = type(depth - 1);
          fields.add(new DataField(nextId++, "n" + i, type));
        }
        yield new NestedRowType(fields, nullable);
      }
      default -> flat();
    };
  }

  /** A row of random values, nulls where the types admit them. */
  public List<Object> row(RowType type) {
    List<Object> values = new ArrayList<>();
    type.fields().forEach(field -> values.add(value(field.type())));
    return values;
  }

  public static BinaryRow binary(RowType type, List<Object> values, RowKind kind) {
    BinaryRowWriter writer = new BinaryRowWriter(type.size());
    for (int i = 0; i < type.size(); i++) {
      Boxed.write(writer, i, type.type(i), values.get(i));
    }
    return writer.finish(kind).copy();
  }

  /** A value, perhaps null where the type admits it. */
  public Object value(DataType type) {
    if (type.nullable() && random.nextInt(5) == 0) {
      return null;
    }
    boolean edge = random.nextInt(8) == 0;
    return switch (type.root()) {
      case BOOLEAN -> (long) random.nextInt(2);
      case TINYINT -> (long) (byte) random.nextInt();
      case SMALLINT -> (long) (short) random.nextInt();
      case INT -> (long) (edge ? Integer.MIN_VALUE : random.nextInt() >> random.nextInt(31));
      case BIGINT -> edge ? Long.MAX_VALUE : random.nextLong() >> random.nextInt(63);
      case FLOAT -> (double) (edge ? Float.NaN : (float) random.nextGaussian());
      case DOUBLE -> edge ? Double.NEGATIVE_INFINITY : random.nextGaussian() * 1e10;
      case DECIMAL -> decimal((DecimalType) type, edge);
      case CHAR, VARCHAR -> text(Math.min(40, ((LengthType) type).length()));
      case BINARY, VARBINARY -> {
        byte[] bytes = new byte[random.nextInt(Math.min(40, ((LengthType) type).length()) + 1)];
        random.nextBytes(bytes);
        yield bytes;
      }
      case DATE ->
          LocalDate.of(1 + random.nextInt(9999), 1 + random.nextInt(12), 1 + random.nextInt(28))
              .toEpochDay();
      case TIME -> (long) random.nextInt(86_400_000);
      case TIMESTAMP, TIMESTAMP_LTZ -> moment((TemporalType) type);
      case ARRAY -> {
        List<Object> elements = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
          elements.add(value(((ArrayType) type).element()));
        }
        yield elements;
      }
      case MAP -> entries(((MapType) type).key(), ((MapType) type).value());
      case MULTISET -> entries(((MultisetType) type).element(), DataTypeText.parse("INT NOT NULL"));
      case ROW -> row(new RowType(((NestedRowType) type).fields()));
      case VARIANT -> throw new AssertionError(type);
    };
  }

  private Boxed.Entries entries(DataType key, DataType value) {
    List<Object> keys = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    Set<Object> seen = new HashSet<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      Object candidate = value(key.withNullable(false));
      Object identity = candidate instanceof byte[] bytes ? Arrays.toString(bytes) : candidate;
      if (seen.add(identity)) {
        keys.add(candidate);
        values.add(value(value));
      }
    }
    return new Boxed.Entries(keys, values);
  }

  private Object decimal(DecimalType type, boolean edge) {
    BigInteger limit = BigInteger.TEN.pow(type.precision());
    BigInteger unscaled =
        edge
            ? limit.subtract(BigInteger.ONE)
            : new BigInteger(1 + random.nextInt(130), random).mod(limit);
    if (random.nextBoolean()) {
      unscaled = unscaled.negate();
    }
    return type.compact()
        ? (Object) unscaled.longValueExact()
        : new BigDecimal(unscaled, type.scale());
  }

  private byte[] text(int chars) {
    int[] points = new int[random.nextInt(chars + 1)];
    for (int i = 0; i < points.length; i++) {
      points[i] =
          switch (random.nextInt(5)) {
            case 0 -> 0x1F600 + random.nextInt(50);
            case 1 -> 0xE000 + random.nextInt(0x1fff);
            case 2 -> 1 + random.nextInt(0xff);
            default -> 'a' + random.nextInt(26);
          };
    }
    return new String(points, 0, points.length).stripTrailing().getBytes(StandardCharsets.UTF_8);
  }

  /** From 1600 to 2199, but for the last second before 1970, which ORC gives back wrongly. */
  private Moment moment(TemporalType type) {
    long millis =
        random.nextLong(-11_676_096_000_000L, 7_258_118_400_000L)
            / (random.nextInt(8) == 0 ? 1_000_000_000 : 1);
    if (millis < 0 && millis >= -1000) {
      millis -= 1000;
    }
    int fraction = random.nextInt(1_000_000);
    int precision = type.precision();
    if (precision <= 3) {
      long unit = (long) Math.pow(10, 3 - precision);
      return new Moment(Math.floorDiv(millis, unit) * unit, 0);
    }
    int unit = (int) Math.pow(10, 9 - precision);
    return new Moment(millis, fraction / unit * unit);
  }
}
