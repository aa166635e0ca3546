package io.sluice.lsm.scan;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.scan.Predicate.Literal;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.HexFormat;

/** Values in text become values of a column, or are refused. Nothing is rounded or cut. */
final class Literals {

  private static final int NANOS_PER_MILLI = 1_000_000;

  private Literals() {}

  /**
   * A row of one column that holds the value.
   *
   * @throws IllegalArgumentException if the column's type cannot hold it
   */
  static BinaryRow rowOf(DataField field, Literal literal) {
    BinaryRowWriter writer = new BinaryRowWriter(1);
    try {
      write(writer, 0, field.type(), literal.text());
    } catch (ArithmeticException | IllegalArgumentException | DateTimeException e) {
      throw new IllegalArgumentException(
          "Column "
              + field.name()
              + " of type "
              + field.type()
              + " cannot be compared with "
              + literal
              + ": "
              + expected(field.type()),
          e);
    }
    return writer.finish(RowKind.INSERT).copy();
  }

  private static String expected(DataType type) {
    return switch (type.root()) {
      case BOOLEAN -> "write true or false";
      case TINYINT, SMALLINT, INT, BIGINT -> "write a whole number within the type's range";
      case FLOAT, DOUBLE -> "write a number";
      case DECIMAL -> "write a number with the type's digits at most";
      case DATE -> "write '2024-01-31'";
      case TIME -> "write '10:00:00' or '10:00:00.123'";
      case TIMESTAMP -> "write '2024-01-31 10:00:00.123456', with the type's digits at most";
      case TIMESTAMP_LTZ -> "write '2024-01-31T10:00:00.123456Z', with the type's digits at most";
      case CHAR, VARCHAR -> "write a text in quotes";
      case BINARY, VARBINARY -> "write the bytes in hexadecimal, in quotes";
      case ARRAY, MAP, MULTISET, ROW, VARIANT -> "nested values have no order";
    };
  }

  /** Writes the value of {@code text} into a field. */
  static void write(BinaryRowWriter writer, int field, DataType type, String text) {
    switch (type.root()) {
      case BOOLEAN -> writer.writeBoolean(field, bool(text));
      case TINYINT -> writer.writeByte(field, new BigDecimal(text).byteValueExact());
      case SMALLINT -> writer.writeShort(field, new BigDecimal(text).shortValueExact());
      case INT -> writer.writeInt(field, new BigDecimal(text).intValueExact());
      case BIGINT -> writer.writeLong(field, new BigDecimal(text).longValueExact());
      case FLOAT -> writer.writeFloat(field, Float.parseFloat(text));
      case DOUBLE -> writer.writeDouble(field, Double.parseDouble(text));
      case CHAR, VARCHAR -> writer.writeString(field, text);
      case BINARY, VARBINARY -> {
        byte[] bytes = HexFormat.of().parseHex(text);
        writer.writeBytes(field, bytes, 0, bytes.length);
      }
      case DATE -> writer.writeInt(field, Math.toIntExact(LocalDate.parse(text).toEpochDay()));
      case TIME -> {
        long nanos = LocalTime.parse(text).toNanoOfDay();
        requireWhole(nanos % NANOS_PER_MILLI == 0);
        writer.writeInt(field, (int) (nanos / NANOS_PER_MILLI));
      }
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        BigDecimal value = new BigDecimal(text).setScale(decimal.scale());
        requireWhole(value.precision() <= decimal.precision());
        writer.writeDecimal(field, value, decimal.precision());
      }
      case TIMESTAMP, TIMESTAMP_LTZ -> writeTimestamp(writer, field, (TemporalType) type, text);
      case ARRAY, MAP, MULTISET, ROW, VARIANT -> throw new IllegalArgumentException(text);
    }
  }

  private static void writeTimestamp(
      BinaryRowWriter writer, int field, TemporalType type, String text) {
    String wall = text.replace(' ', 'T');
    if (type.root() == io.sluice.lsm.schema.TypeRoot.TIMESTAMP_LTZ) {
      requireWhole(wall.endsWith("Z"));
      wall = wall.substring(0, wall.length() - 1);
    }
    if (wall.indexOf('T') < 0) {
      wall = wall + "T00:00:00";
    }
    LocalDateTime time = LocalDateTime.parse(wall);
    long unit = 1;
    for (int digits = type.precision(); digits < 9; digits++) {
      unit *= 10;
    }
    requireWhole(time.getNano() % unit == 0);
    long millis =
        Math.addExact(
            Math.multiplyExact(time.toEpochSecond(ZoneOffset.UTC), 1000L),
            (long) (time.getNano() / NANOS_PER_MILLI));
    writer.writeTimestamp(field, millis, time.getNano() % NANOS_PER_MILLI, type.precision());
  }

  private static boolean bool(String text) {
    requireWhole(text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false"));
    return Boolean.parseBoolean(text);
  }

  private static void requireWhole(boolean holds) {
    if (!holds) {
      throw new IllegalArgumentException("The type cannot hold the value");
    }
  }
}
