package io.sluice.lsm.binary;

import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.RowType;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Rows from plain Java values and back: Boolean, Byte, Short, Integer, Long, Float, Double,
 * BigDecimal, String, byte[] (back as hex text), LocalDate, LocalTime, LocalDateTime (of an
 * instant: its UTC wall clock); nested ones, only into a row, as {@link Boxed} has them.
 */
public final class TestRows {

  private TestRows() {}

  public static RowType type(DataType... types) {
    List<DataField> fields = new ArrayList<>();
    for (int i = 0; i < types.length; i++) {
      fields.add(new DataField(i, "f" + i, types[i]));
    }
    return new RowType(fields);
  }

  public static BinaryRow row(RowType type, Object... values) {
    BinaryRowWriter writer = new BinaryRowWriter(type.size());
    for (int i = 0; i < values.length; i++) {
      write(writer, i, type.type(i), values[i]);
    }
    return writer.finish(RowKind.INSERT).copy();
  }

  private static void write(BinaryRowWriter writer, int i, DataType type, Object value) {
    if (value == null) {
      switch (type.root()) {
        case DECIMAL -> writer.setNullDecimal(i, ((DecimalType) type).precision());
        case TIMESTAMP, TIMESTAMP_LTZ ->
            writer.setNullTimestamp(i, ((TemporalType) type).precision());
        default -> writer.setNull(i);
      }
      return;
    }
    switch (type.root()) {
      case BOOLEAN -> writer.writeBoolean(i, (Boolean) value);
      case TINYINT -> writer.writeByte(i, ((Number) value).byteValue());
      case SMALLINT -> writer.writeShort(i, ((Number) value).shortValue());
      case INT -> writer.writeInt(i, (Integer) value);
      case BIGINT -> writer.writeLong(i, ((Number) value).longValue());
      case FLOAT -> writer.writeFloat(i, (Float) value);
      case DOUBLE -> writer.writeDouble(i, (Double) value);
      case DECIMAL -> writer.writeDecimal(i, (BigDecimal) value, ((DecimalType) type).precision());
      case CHAR, VARCHAR -> writer.writeString(i, (String) value);
      case BINARY, VARBINARY -> writer.writeBytes(i, (byte[]) value, 0, ((byte[]) value).length);
      case DATE -> writer.writeInt(i, (int) ((LocalDate) value).toEpochDay());
      case TIME -> writer.writeInt(i, (int) (((LocalTime) value).toNanoOfDay() / 1_000_000));
      case TIMESTAMP, TIMESTAMP_LTZ -> {
        LocalDateTime time = (LocalDateTime) value;
        writer.writeTimestamp(
            i,
            time.toInstant(ZoneOffset.UTC).toEpochMilli(),
            time.getNano() % 1_000_000,
            ((TemporalType) type).precision());
      }
      case ARRAY, MAP, MULTISET, ROW -> Boxed.write(writer, i, type, value);
      default -> throw new AssertionError(type);
    }
  }

  public static List<Object> values(RowType type, Row row) {
    List<Object> result = new ArrayList<>();
    for (int i = 0; i < type.size(); i++) {
      result.add(row.isNullAt(i) ? null : value(type.type(i), row, i));
    }
    return result;
  }

  private static Object value(DataType type, Row row, int i) {
    return switch (type.root()) {
      case BOOLEAN -> row.getBoolean(i);
      case TINYINT -> row.getByte(i);
      case SMALLINT -> row.getShort(i);
      case INT -> row.getInt(i);
      case BIGINT -> row.getLong(i);
      case FLOAT -> row.getFloat(i);
      case DOUBLE -> row.getDouble(i);
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        yield row.getDecimal(i, decimal.precision(), decimal.scale());
      }
      case CHAR, VARCHAR -> row.getString(i);
      case BINARY, VARBINARY -> HexFormat.of().formatHex(row.getByteArray(i));
      case DATE -> LocalDate.ofEpochDay(row.getInt(i));
      case TIME -> LocalTime.ofNanoOfDay(row.getInt(i) * 1_000_000L);
      case TIMESTAMP, TIMESTAMP_LTZ -> {
        int precision = ((TemporalType) type).precision();
        yield moment(row.getTimestampMillis(i, precision), row.getNanoOfMilli(i, precision));
      }
      default -> throw new AssertionError(type);
    };
  }

  public static LocalDateTime moment(long millis, int nanoOfMilli) {
    return LocalDateTime.ofEpochSecond(
        Math.floorDiv(millis, 1000),
        Math.floorMod(millis, 1000) * 1_000_000 + nanoOfMilli,
        ZoneOffset.UTC);
  }

  /** As {@link #values} gives them. */
  public static List<Object> normal(Object... values) {
    List<Object> result = new ArrayList<>();
    for (Object value : values) {
      result.add(value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value);
    }
    return result;
  }

  public static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  static String hex(String spaced) {
    return String.join("", Arrays.asList(spaced.split(" ")));
  }
}
