package io.sluice.lsm.datafile.parquet;

import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.MapValues;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.Values;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.MultisetType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.DataTypes;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/**
 * Writes the values of one column, straight into Parquet's columns: one of the flat types, or a
 * tree of them. The levels (Dremel's) say where a value begins: the repetition level is that of the
 * innermost list that goes on, the definition level counts the optional and repeated steps that are
 * there. One thread.
 */
abstract class ParquetValueWriter {

  /** Where the first epoch day is among the days that INT96 counts. */
  static final int JULIAN_EPOCH_DAY = 2_440_588;

  static final long DAY_MILLIS = 86_400_000L;

  /**
   * Bytes of text and binary values and of what is in arrays and maps, roughly, counted by all
   * writers of a file together.
   */
  static final class Volume {

    /** What a value inside of an array or map counts, beside its text or binary value. */
    static final long ELEMENT_BYTES = 8;

    long bytes;
  }

  private final boolean nullable;

  /** Definition level of a value that is not NULL. */
  final int defined;

  private ParquetValueWriter(boolean nullable, int defined) {
    this.nullable = nullable;
    this.defined = defined;
  }

  /** Turns to the columns of the next row group. */
  abstract void bind(ColumnWriteStore store);

  final void write(Values from, int at, int repetition) {
    if (!from.isNullAt(at)) {
      writeValue(from, at, repetition);
    } else if (nullable) {
      writeNull(repetition, defined - 1);
    } else {
      throw new IllegalArgumentException("A NULL where the type says NOT NULL");
    }
  }

  /** Writes the value that stands for "none" where the type refuses NULL. */
  final void writeNone(int repetition) {
    if (nullable) {
      writeNull(repetition, defined - 1);
    } else {
      writeZero(repetition);
    }
  }

  abstract void writeValue(Values from, int at, int repetition);

  abstract void writeNull(int repetition, int definition);

  abstract void writeZero(int repetition);

  /** The writer of a top-level column. */
  static ParquetValueWriter of(DataField field, MessageType message, Volume volume) {
    return new Builder(field.name(), message, volume)
        .build(field.type(), List.of(field.name()), 0, 0);
  }

  /**
   * Makes the writers of one column.
   *
   * @param column name of the top-level column, for messages
   */
  private record Builder(String column, MessageType message, Volume volume) {

    /**
     * @param path of the value in the file
     * @param definition level of what holds the value
     * @param repetition likewise
     */
    ParquetValueWriter build(DataType type, List<String> path, int definition, int repetition) {
      boolean nullable = type.nullable();
      int defined = definition + (nullable ? 1 : 0);
      return switch (type.root()) {
        case ARRAY ->
            new ListWriter(
                nullable,
                defined,
                repetition + 1,
                build(
                    ((ArrayType) type).element(),
                    then(path, "list", "element"),
                    defined + 1,
                    repetition + 1),
                volume);
        case MAP ->
            map(type, ((MapType) type).key(), ((MapType) type).value(), path, defined, repetition);
        case MULTISET ->
            map(
                type,
                ((MultisetType) type).element(),
                DataTypes.INT.withNullable(false),
                path,
                defined,
                repetition);
        case ROW ->
            new RowWriter(
                nullable,
                defined,
                ((NestedRowType) type)
                    .fields().stream()
                        .map(
                            field ->
                                build(field.type(), then(path, field.name()), defined, repetition))
                        .toArray(ParquetValueWriter[]::new));
        default ->
            new FlatWriter(
                nullable,
                defined,
                message.getColumnDescription(path.toArray(new String[0])),
                type,
                flat(column, type, volume));
      };
    }

    private ParquetValueWriter map(
        DataType type,
        DataType key,
        DataType value,
        List<String> path,
        int defined,
        int repetition) {
      List<String> entry = then(path, "key_value");
      return new MapWriter(
          type.nullable(),
          defined,
          repetition + 1,
          build(key.withNullable(false), then(entry, "key"), defined + 1, repetition + 1),
          build(value, then(entry, "value"), defined + 1, repetition + 1),
          volume);
    }
  }

  private static List<String> then(List<String> path, String... steps) {
    List<String> result = new java.util.ArrayList<>(path);
    result.addAll(Arrays.asList(steps));
    return result;
  }

  // ---------------------------------------------------------------- flat

  /** Hands one value that is not NULL to a column. */
  private interface Flat {
    void write(ColumnWriter to, Values from, int at, int repetition, int definition);
  }

  private static Flat flat(String column, DataType type, Volume volume) {
    return switch (type.root()) {
      case BOOLEAN -> (to, from, at, r, d) -> to.write(from.getBoolean(at), r, d);
      case TINYINT -> (to, from, at, r, d) -> to.write((int) from.getByte(at), r, d);
      case SMALLINT -> (to, from, at, r, d) -> to.write((int) from.getShort(at), r, d);
      case INT, DATE, TIME -> (to, from, at, r, d) -> to.write(from.getInt(at), r, d);
      case BIGINT -> (to, from, at, r, d) -> to.write(from.getLong(at), r, d);
      case FLOAT -> (to, from, at, r, d) -> to.write(from.getFloat(at), r, d);
      case DOUBLE -> (to, from, at, r, d) -> to.write(from.getDouble(at), r, d);
      case DECIMAL -> decimal(column, (DecimalType) type);
      case CHAR, VARCHAR -> text(column, (LengthType) type, volume);
      case BINARY, VARBINARY -> {
        BytesView view = new BytesView();
        yield (to, from, at, r, d) -> {
          from.getBytes(at, view);
          volume.bytes += view.length;
          to.write(Binary.fromReusedByteArray(view.array, view.offset, view.length), r, d);
        };
      }
      case TIMESTAMP, TIMESTAMP_LTZ -> timestamp(column, ((TemporalType) type).precision());
      case ARRAY, MAP, MULTISET, ROW, VARIANT -> throw new AssertionError(type.root());
    };
  }

  private static Flat text(String column, LengthType type, Volume volume) {
    BytesView view = new BytesView();
    return (to, from, at, r, d) -> {
      from.getBytes(at, view);
      if (view.length > type.length()) {
        int characters = characters(view);
        if (characters > type.length()) {
          throw new IllegalArgumentException(
              "Column "
                  + column
                  + " of type "
                  + type
                  + " can't hold a text of "
                  + characters
                  + " characters. Widen the column.");
        }
      }
      volume.bytes += view.length;
      to.write(Binary.fromReusedByteArray(view.array, view.offset, view.length), r, d);
    };
  }

  private static int characters(BytesView view) {
    int count = 0;
    for (int i = view.offset; i < view.offset + view.length; i++) {
      if ((view.array[i] & 0xc0) != 0x80) {
        count++;
      }
    }
    return count;
  }

  private static Flat decimal(String column, DecimalType type) {
    if (type.precision() <= ParquetTypes.MAX_INT_DIGITS) {
      return (to, from, at, r, d) -> to.write(Math.toIntExact(from.getDecimalUnscaled(at)), r, d);
    }
    if (type.compact()) {
      return (to, from, at, r, d) -> to.write(from.getDecimalUnscaled(at), r, d);
    }
    byte[] fixed = new byte[ParquetTypes.decimalBytes(type.precision())];
    return (to, from, at, r, d) -> {
      BigDecimal value = from.getDecimal(at, type.precision(), type.scale());
      if (value.scale() != type.scale() || value.precision() > type.precision()) {
        throw new IllegalArgumentException(
            "Column " + column + " of type " + type + " can't hold " + value);
      }
      byte[] digits = value.unscaledValue().toByteArray();
      int padding = fixed.length - digits.length;
      Arrays.fill(fixed, 0, padding, (byte) (digits[0] < 0 ? -1 : 0));
      System.arraycopy(digits, 0, fixed, padding, digits.length);
      to.write(Binary.fromReusedByteArray(fixed), r, d);
    };
  }

  private static Flat timestamp(String column, int precision) {
    if (precision <= TemporalType.MAX_COMPACT_PRECISION) {
      return (to, from, at, r, d) -> to.write(from.getTimestampMillis(at, precision), r, d);
    }
    if (precision <= ParquetTypes.MAX_MICROS_PRECISION) {
      return (to, from, at, r, d) -> {
        long millis = from.getTimestampMillis(at, precision);
        int nanos = from.getNanoOfMilli(at, precision);
        try {
          to.write(Math.addExact(Math.multiplyExact(millis, 1000L), nanos / 1000), r, d);
        } catch (ArithmeticException e) {
          throw new IllegalArgumentException(
              "Column "
                  + column
                  + ": the timestamp of "
                  + millis
                  + " ms since 1970 has no place in 64 bits of microseconds",
              e);
        }
      };
    }
    byte[] bytes = new byte[12];
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    return (to, from, at, r, d) -> {
      long millis = from.getTimestampMillis(at, precision);
      long day = Math.floorDiv(millis, DAY_MILLIS);
      long nanosOfDay =
          Math.floorMod(millis, DAY_MILLIS) * 1_000_000 + from.getNanoOfMilli(at, precision);
      buffer.putLong(0, nanosOfDay).putInt(8, Math.toIntExact(day + JULIAN_EPOCH_DAY));
      to.write(Binary.fromReusedByteArray(bytes), r, d);
    };
  }

  private static final class FlatWriter extends ParquetValueWriter {

    private final ColumnDescriptor descriptor;
    private final DataType type;
    private final Flat flat;
    private @Nullable ColumnWriter writer;

    FlatWriter(
        boolean nullable, int defined, ColumnDescriptor descriptor, DataType type, Flat flat) {
      super(nullable, defined);
      this.descriptor = descriptor;
      this.type = type;
      this.flat = flat;
    }

    @Override
    void bind(ColumnWriteStore store) {
      writer = store.getColumnWriter(descriptor);
    }

    private ColumnWriter writer() {
      ColumnWriter bound = writer;
      if (bound == null) {
        throw new IllegalStateException("There is no row group");
      }
      return bound;
    }

    @Override
    void writeValue(Values from, int at, int repetition) {
      flat.write(writer(), from, at, repetition, defined);
    }

    @Override
    void writeNull(int repetition, int definition) {
      writer().writeNull(repetition, definition);
    }

    @Override
    void writeZero(int repetition) {
      ColumnWriter to = writer();
      switch (descriptor.getPrimitiveType().getPrimitiveTypeName()) {
        case BOOLEAN -> to.write(false, repetition, defined);
        case INT32 -> to.write(0, repetition, defined);
        case INT64 -> to.write(0L, repetition, defined);
        case FLOAT -> to.write(0f, repetition, defined);
        case DOUBLE -> to.write(0d, repetition, defined);
        case BINARY -> to.write(Binary.EMPTY, repetition, defined);
        case FIXED_LEN_BYTE_ARRAY, INT96 ->
            to.write(
                Binary.fromConstantByteArray(
                    type instanceof DecimalType
                        ? new byte[descriptor.getPrimitiveType().getTypeLength()]
                        : epoch()),
                repetition,
                defined);
      }
    }

    private static byte[] epoch() {
      byte[] bytes = new byte[12];
      ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(8, JULIAN_EPOCH_DAY);
      return bytes;
    }
  }

  // ---------------------------------------------------------------- nested

  private static final class RowWriter extends ParquetValueWriter {

    private final ParquetValueWriter[] fields;

    RowWriter(boolean nullable, int defined, ParquetValueWriter[] fields) {
      super(nullable, defined);
      this.fields = fields;
    }

    @Override
    void bind(ColumnWriteStore store) {
      for (ParquetValueWriter field : fields) {
        field.bind(store);
      }
    }

    @Override
    void writeValue(Values from, int at, int repetition) {
      Row row = from.getRow(at, fields.length);
      for (int i = 0; i < fields.length; i++) {
        fields[i].write(row, i, repetition);
      }
    }

    @Override
    void writeNull(int repetition, int definition) {
      for (ParquetValueWriter field : fields) {
        field.writeNull(repetition, definition);
      }
    }

    @Override
    void writeZero(int repetition) {
      for (ParquetValueWriter field : fields) {
        field.writeNone(repetition);
      }
    }
  }

  private static final class ListWriter extends ParquetValueWriter {

    private final int repeated;
    private final ParquetValueWriter element;
    private final Volume volume;

    ListWriter(
        boolean nullable, int defined, int repeated, ParquetValueWriter element, Volume volume) {
      super(nullable, defined);
      this.repeated = repeated;
      this.element = element;
      this.volume = volume;
    }

    @Override
    void bind(ColumnWriteStore store) {
      element.bind(store);
    }

    @Override
    void writeValue(Values from, int at, int repetition) {
      Values elements = from.getArray(at);
      int size = elements.size();
      volume.bytes += Volume.ELEMENT_BYTES * size;
      if (size == 0) {
        element.writeNull(repetition, defined);
      }
      for (int i = 0; i < size; i++) {
        element.write(elements, i, i == 0 ? repetition : repeated);
      }
    }

    @Override
    void writeNull(int repetition, int definition) {
      element.writeNull(repetition, definition);
    }

    @Override
    void writeZero(int repetition) {
      element.writeNull(repetition, defined);
    }
  }

  private static final class MapWriter extends ParquetValueWriter {

    private final int repeated;
    private final ParquetValueWriter key;
    private final ParquetValueWriter value;
    private final Volume volume;

    MapWriter(
        boolean nullable,
        int defined,
        int repeated,
        ParquetValueWriter key,
        ParquetValueWriter value,
        Volume volume) {
      super(nullable, defined);
      this.repeated = repeated;
      this.key = key;
      this.value = value;
      this.volume = volume;
    }

    @Override
    void bind(ColumnWriteStore store) {
      key.bind(store);
      value.bind(store);
    }

    @Override
    void writeValue(Values from, int at, int repetition) {
      MapValues map = from.getMap(at);
      Values keys = map.keys();
      Values values = map.values();
      int size = map.size();
      volume.bytes += 2 * Volume.ELEMENT_BYTES * size;
      if (size == 0) {
        writeNull(repetition, defined);
      }
      for (int i = 0; i < size; i++) {
        int level = i == 0 ? repetition : repeated;
        if (keys.isNullAt(i)) {
          throw new IllegalArgumentException("A map has a NULL key, which Parquet can't hold");
        }
        key.write(keys, i, level);
        value.write(values, i, level);
      }
    }

    @Override
    void writeNull(int repetition, int definition) {
      key.writeNull(repetition, definition);
      value.writeNull(repetition, definition);
    }

    @Override
    void writeZero(int repetition) {
      writeNull(repetition, defined);
    }
  }
}
