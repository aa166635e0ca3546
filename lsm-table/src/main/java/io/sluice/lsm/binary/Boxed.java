package io.sluice.lsm.binary;

import io.sluice.lsm.binary.ColumnBounds.Moment;
import io.sluice.lsm.row.MapValues;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.row.Values;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.MultisetType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.DataTypes;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Values as objects, for what is rare or has no fixed shape: casts of old columns, nested values
 * that a file gives piece by piece. An object is
 *
 * <ul>
 *   <li>a Long: BOOLEAN (0, 1), the integers, DATE, TIME, DECIMAL up to 18 digits (unscaled);
 *   <li>a Double: FLOAT, DOUBLE;
 *   <li>a BigDecimal of the type's scale: DECIMAL above 18 digits;
 *   <li>a byte[]: CHAR, VARCHAR (UTF-8), BINARY, VARBINARY;
 *   <li>a {@link Moment}: TIMESTAMP, TIMESTAMP_LTZ;
 *   <li>a List of the elements: ARRAY; of the fields: ROW;
 *   <li>{@link Entries}: MAP, MULTISET.
 * </ul>
 */
public final class Boxed {

  private Boxed() {}

  /**
   * A MAP, or a MULTISET with its counts.
   *
   * @param values as many as keys
   */
  public record Entries(List<@Nullable Object> keys, List<@Nullable Object> values) {
    public Entries {
      if (keys.size() != values.size()) {
        throw new IllegalArgumentException(
            "A map of " + keys.size() + " keys and " + values.size() + " values");
      }
      keys = Collections.unmodifiableList(keys);
      values = Collections.unmodifiableList(values);
    }
  }

  /** The value at a position, null for NULL. */
  public static @Nullable Object read(Values from, int at, DataType type) {
    if (from.isNullAt(at)) {
      return null;
    }
    return switch (type.root()) {
      case BOOLEAN -> from.getBoolean(at) ? 1L : 0L;
      case TINYINT -> (long) from.getByte(at);
      case SMALLINT -> (long) from.getShort(at);
      case INT, DATE, TIME -> (long) from.getInt(at);
      case BIGINT -> from.getLong(at);
      case FLOAT -> (double) from.getFloat(at);
      case DOUBLE -> from.getDouble(at);
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        if (decimal.compact()) {
          yield from.getDecimalUnscaled(at);
        }
        yield from.getDecimal(at, decimal.precision(), decimal.scale());
      }
      case CHAR, VARCHAR, BINARY, VARBINARY -> from.getByteArray(at);
      case TIMESTAMP, TIMESTAMP_LTZ -> {
        int precision = ((TemporalType) type).precision();
        yield new Moment(
            from.getTimestampMillis(at, precision), from.getNanoOfMilli(at, precision));
      }
      case ARRAY -> elements(from.getArray(at), ((ArrayType) type).element());
      case MAP -> entries(from.getMap(at), ((MapType) type).key(), ((MapType) type).value());
      case MULTISET -> entries(from.getMap(at), ((MultisetType) type).element(), DataTypes.INT);
      case ROW -> {
        List<DataField> fields = ((NestedRowType) type).fields();
        Row row = from.getRow(at, fields.size());
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
          values.add(read(row, i, fields.get(i).type()));
        }
        yield values;
      }
      case VARIANT -> throw unknown(type);
    };
  }

  private static List<@Nullable Object> elements(Values from, DataType type) {
    List<@Nullable Object> elements = new ArrayList<>();
    for (int i = 0; i < from.size(); i++) {
      elements.add(read(from, i, type));
    }
    return elements;
  }

  private static Entries entries(MapValues from, DataType key, DataType value) {
    return new Entries(elements(from.keys(), key), elements(from.values(), value));
  }

  /** Writes a value, null as NULL. */
  public static void write(BinaryWriter to, int at, DataType type, @Nullable Object value) {
    if (value == null) {
      switch (type.root()) {
        case DECIMAL -> to.setNullDecimal(at, ((DecimalType) type).precision());
        case TIMESTAMP, TIMESTAMP_LTZ -> to.setNullTimestamp(at, ((TemporalType) type).precision());
        default -> to.setNull(at);
      }
      return;
    }
    switch (type.root()) {
      case BOOLEAN -> to.writeBoolean(at, (Long) value != 0);
      case TINYINT -> to.writeByte(at, ((Long) value).byteValue());
      case SMALLINT -> to.writeShort(at, ((Long) value).shortValue());
      case INT, DATE, TIME -> to.writeInt(at, ((Long) value).intValue());
      case BIGINT -> to.writeLong(at, (Long) value);
      case FLOAT -> to.writeFloat(at, ((Double) value).floatValue());
      case DOUBLE -> to.writeDouble(at, (Double) value);
      case DECIMAL -> {
        if (value instanceof BigDecimal decimal) {
          to.writeDecimal(at, decimal, ((DecimalType) type).precision());
        } else {
          to.writeDecimalUnscaled(at, (Long) value);
        }
      }
      case CHAR, VARCHAR, BINARY, VARBINARY -> {
        byte[] bytes = (byte[]) value;
        to.writeBytes(at, bytes, 0, bytes.length);
      }
      case TIMESTAMP, TIMESTAMP_LTZ -> {
        Moment moment = (Moment) value;
        to.writeTimestamp(
            at, moment.millis(), moment.nanoOfMilli(), ((TemporalType) type).precision());
      }
      case ARRAY, MAP, MULTISET, ROW -> {
        byte[] bytes = nested(type, value);
        to.writeNested(at, bytes, 0, bytes.length);
      }
      case VARIANT -> throw unknown(type);
    }
  }

  /** The bytes of an ARRAY, MAP, MULTISET or ROW (format description section 5). */
  public static byte[] nested(DataType type, Object value) {
    return switch (type.root()) {
      case ARRAY -> array(((ArrayType) type).element(), list(value));
      case MAP -> map(((MapType) type).key(), ((MapType) type).value(), (Entries) value);
      case MULTISET -> map(((MultisetType) type).element(), DataTypes.INT, (Entries) value);
      case ROW -> {
        List<DataField> fields = ((NestedRowType) type).fields();
        List<@Nullable Object> values = list(value);
        BinaryRowWriter writer = new BinaryRowWriter(fields.size());
        for (int i = 0; i < fields.size(); i++) {
          write(writer, i, fields.get(i).type(), values.get(i));
        }
        yield writer.finish(RowKind.INSERT).toByteArray();
      }
      default -> throw unknown(type);
    };
  }

  @SuppressWarnings("unchecked")
  static List<@Nullable Object> list(Object value) {
    return (List<@Nullable Object>) value;
  }

  private static byte[] array(DataType element, List<@Nullable Object> values) {
    BinaryArrayWriter writer = new BinaryArrayWriter(element);
    writer.reset(values.size());
    for (int i = 0; i < values.size(); i++) {
      write(writer, i, element, values.get(i));
    }
    return writer.finish().toByteArray();
  }

  private static byte[] map(DataType key, DataType value, Entries entries) {
    byte[] keys = array(key, entries.keys());
    byte[] values = array(value, entries.values());
    byte[] result = new byte[Math.addExact(Math.addExact(4, keys.length), values.length)];
    BinaryRow.INT.set(result, 0, keys.length);
    System.arraycopy(keys, 0, result, 4, keys.length);
    System.arraycopy(values, 0, result, 4 + keys.length, values.length);
    return result;
  }

  private static IllegalArgumentException unknown(DataType type) {
    return new IllegalArgumentException("A value of type " + type.root() + " can't be held");
  }
}
