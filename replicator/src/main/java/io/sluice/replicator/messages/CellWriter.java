package io.sluice.replicator.messages;

import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.TypeRoot;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Writes values of one column, each exactly or not at all.
 *
 * <table>
 *   <caption>What each type takes, beside its own kind</caption>
 *   <tr><td>BOOLEAN</td><td>0 and 1; the texts true, false, 0, 1</td></tr>
 *   <tr><td>integers</td><td>numbers without a fraction in the type's range, as numbers or texts</td></tr>
 *   <tr><td>FLOAT, DOUBLE</td><td>numbers and their texts that the type prints again as the same
 *       number</td></tr>
 *   <tr><td>DECIMAL</td><td>numbers and their texts that fit without rounding</td></tr>
 *   <tr><td>STRING</td><td>any scalar in its plain text, objects and arrays as JSON</td></tr>
 *   <tr><td>BYTES</td><td>texts in base64</td></tr>
 *   <tr><td>DATE</td><td>days since 1970-01-01; {@code 2024-01-31}</td></tr>
 *   <tr><td>TIME</td><td>{@code 10:00:00[.fff]}</td></tr>
 *   <tr><td>TIMESTAMP, with local time zone</td><td>epoch milliseconds (precision 0 to 3),
 *       microseconds (4 to 6), nanoseconds (7 to 9); ISO texts, with a zone for the latter</td></tr>
 * </table>
 */
final class CellWriter {

  private static final int SHOWN_MAX = 60;

  /** Beyond, a number's digits are not written out: 1e999999999 is ten characters long. */
  private static final int SCALE_MAX = 400;

  private static final long MICROS_PER_DAY = 86_400_000_000L;
  private static final String NO_NUMBER = "it is no number";
  private static final String FRACTION = "the column has no place for its fraction";

  private final TypeRoot root;
  private final int precision;
  private final int scale;
  private final long length;

  private CellWriter(DataType type) {
    this.root = type.root();
    this.precision =
        type instanceof DecimalType decimal
            ? decimal.precision()
            : type instanceof TemporalType temporal ? temporal.precision() : 0;
    this.scale = type instanceof DecimalType decimal ? decimal.scale() : 0;
    this.length = type instanceof LengthType text ? text.length() : Long.MAX_VALUE;
  }

  static CellWriter of(DataField field) {
    return new CellWriter(field.type());
  }

  void writeNull(BinaryRowWriter writer, int column) {
    switch (root) {
      case DECIMAL -> writer.setNullDecimal(column, precision);
      case TIMESTAMP, TIMESTAMP_LTZ -> writer.setNullTimestamp(column, precision);
      default -> writer.setNull(column);
    }
  }

  /** A value for messages, cut to a readable length. */
  static String shown(FieldRow row, int field) {
    String text = String.valueOf(text(row, field));
    String cut = text.length() <= SHOWN_MAX ? text : text.substring(0, SHOWN_MAX) + "…";
    return row.kind(field) == FieldRow.Kind.TEXT ? "\"" + cut + "\"" : cut;
  }

  /**
   * Writes a value that is not NULL.
   *
   * @return null; or why it has no place in the column, and then nothing counts that was written
   */
  @Nullable String write(FieldRow row, int field, BinaryRowWriter writer, int column) {
    try {
      return switch (root) {
        case BOOLEAN -> writeBoolean(row, field, writer, column);
        case TINYINT -> integer(row, field, writer, column, Byte.MIN_VALUE, Byte.MAX_VALUE);
        case SMALLINT -> integer(row, field, writer, column, Short.MIN_VALUE, Short.MAX_VALUE);
        case INT -> integer(row, field, writer, column, Integer.MIN_VALUE, Integer.MAX_VALUE);
        case BIGINT -> integer(row, field, writer, column, Long.MIN_VALUE, Long.MAX_VALUE);
        case FLOAT, DOUBLE -> floating(row, field, writer, column);
        case DECIMAL -> decimal(row, field, writer, column);
        case CHAR, VARCHAR -> writeText(row, field, writer, column);
        case BINARY, VARBINARY -> writeBytes(row, field, writer, column);
        case DATE -> date(row, field, writer, column);
        case TIME -> time(row, field, writer, column);
        case TIMESTAMP, TIMESTAMP_LTZ -> timestamp(row, field, writer, column);
        case ARRAY, MAP, MULTISET, ROW, VARIANT -> "messages can't be written to this type yet";
      };
    } catch (DateTimeException e) {
      return "it is no " + root;
    }
  }

  private static @Nullable String writeBoolean(
      FieldRow row, int field, BinaryRowWriter writer, int column) {
    switch (row.kind(field)) {
      case BOOLEAN -> writer.writeBoolean(column, row.booleanValue(field));
      case LONG -> {
        long value = row.longValue(field);
        if (value != 0 && value != 1) {
          return "it is neither 0 nor 1";
        }
        writer.writeBoolean(column, value == 1);
      }
      case TEXT -> {
        switch (row.text(field)) {
          case "true", "1" -> writer.writeBoolean(column, true);
          case "false", "0" -> writer.writeBoolean(column, false);
          default -> {
            return "it is neither true nor false";
          }
        }
      }
      default -> {
        return "it is neither true nor false";
      }
    }
    return null;
  }

  private @Nullable String integer(
      FieldRow row, int field, BinaryRowWriter writer, int column, long min, long max) {
    long value;
    if (row.kind(field) == FieldRow.Kind.LONG) {
      value = row.longValue(field);
    } else {
      BigDecimal number = number(row, field);
      if (number == null) {
        return NO_NUMBER;
      }
      try {
        value = number.longValueExact();
      } catch (ArithmeticException e) {
        return number.stripTrailingZeros().scale() > 0 ? FRACTION : "it is out of range";
      }
    }
    if (value < min || value > max) {
      return "it is out of range";
    }
    switch (root) {
      case TINYINT -> writer.writeByte(column, (byte) value);
      case SMALLINT -> writer.writeShort(column, (short) value);
      case INT -> writer.writeInt(column, (int) value);
      default -> writer.writeLong(column, value);
    }
    return null;
  }

  private @Nullable String floating(FieldRow row, int field, BinaryRowWriter writer, int column) {
    if (row.kind(field) == FieldRow.Kind.DOUBLE) {
      double value = row.doubleValue(field);
      if (root == TypeRoot.DOUBLE) {
        writer.writeDouble(column, value);
        return null;
      }
      if (Double.compare((float) value, value) != 0
          && !Float.toString((float) value).equals(Double.toString(value))) {
        return "it has more digits than the column";
      }
      writer.writeFloat(column, (float) value);
      return null;
    }
    BigDecimal number = number(row, field);
    if (number == null) {
      return NO_NUMBER;
    }
    double value = root == TypeRoot.FLOAT ? number.floatValue() : number.doubleValue();
    if (Double.isInfinite(value)) {
      return "it is out of range";
    }
    String printed =
        root == TypeRoot.FLOAT ? Float.toString((float) value) : Double.toString(value);
    if (new BigDecimal(printed).compareTo(number) != 0
        && new BigDecimal(value).compareTo(number) != 0) {
      return "it has more digits than the column";
    }
    if (root == TypeRoot.FLOAT) {
      writer.writeFloat(column, (float) value);
    } else {
      writer.writeDouble(column, value);
    }
    return null;
  }

  private @Nullable String decimal(FieldRow row, int field, BinaryRowWriter writer, int column) {
    BigDecimal number = number(row, field);
    if (number == null) {
      return NO_NUMBER;
    }
    BigDecimal scaled;
    try {
      scaled = number.setScale(scale);
    } catch (ArithmeticException e) {
      return FRACTION;
    }
    if (scaled.precision() > precision) {
      return "it is out of range";
    }
    writer.writeDecimal(column, scaled, precision);
    return null;
  }

  /** Null if it is none, or one whose digits would fill pages. */
  private static @Nullable BigDecimal number(FieldRow row, int field) {
    switch (row.kind(field)) {
      case LONG:
        return BigDecimal.valueOf(row.longValue(field));
      case DOUBLE:
        double value = row.doubleValue(field);
        return Double.isFinite(value) ? BigDecimal.valueOf(value) : null;
      case DECIMAL:
      case TEXT:
        if (row.length(field) > SCALE_MAX) {
          return null;
        }
        try {
          BigDecimal parsed = new BigDecimal(row.text(field));
          return Math.abs((long) parsed.scale()) > SCALE_MAX ? null : parsed;
        } catch (NumberFormatException e) {
          return null;
        }
      default:
        return null;
    }
  }

  private @Nullable String writeText(FieldRow row, int field, BinaryRowWriter writer, int column) {
    switch (row.kind(field)) {
      case TEXT, DECIMAL, NESTED -> {
        if (length < row.length(field) && length < row.text(field).codePoints().count()) {
          return "it is longer than the column";
        }
        writer.writeBytes(column, row.buffer(), row.offset(field), row.length(field));
      }
      case BYTES -> {
        return "bytes are no text";
      }
      default -> {
        String text = text(row, field);
        if (text.length() > length) {
          return "it is longer than the column";
        }
        writer.writeString(column, text);
      }
    }
    return null;
  }

  private static String text(FieldRow row, int field) {
    return switch (row.kind(field)) {
      case NULL -> "null";
      case BOOLEAN -> Boolean.toString(row.booleanValue(field));
      case LONG -> Long.toString(row.longValue(field));
      case DOUBLE -> Double.toString(row.doubleValue(field));
      case TEXT, DECIMAL, NESTED -> row.text(field);
      case BYTES -> row.length(field) + " bytes";
      case DATE -> LocalDate.ofEpochDay(row.longValue(field)).toString();
      case TIME -> row.longValue(field) + " us of the day";
      case TIMESTAMP ->
          LocalDateTime.ofEpochSecond(
                  Math.floorDiv(row.longValue(field), 1000L),
                  nanos(row.longValue(field), row.nanosOfMilli(field)),
                  java.time.ZoneOffset.UTC)
              .toString();
      case INSTANT ->
          Instant.ofEpochSecond(
                  Math.floorDiv(row.longValue(field), 1000L),
                  nanos(row.longValue(field), row.nanosOfMilli(field)))
              .toString();
    };
  }

  private static int nanos(long millis, int nanosOfMilli) {
    return (int) Math.floorMod(millis, 1000L) * 1_000_000 + nanosOfMilli;
  }

  private @Nullable String writeBytes(FieldRow row, int field, BinaryRowWriter writer, int column) {
    switch (row.kind(field)) {
      case BYTES -> {
        if (row.length(field) > length) {
          return "it is longer than the column";
        }
        writer.writeBytes(column, row.buffer(), row.offset(field), row.length(field));
      }
      case TEXT -> {
        byte[] decoded;
        try {
          decoded = Base64.getDecoder().decode(row.text(field).getBytes(StandardCharsets.US_ASCII));
        } catch (IllegalArgumentException e) {
          return "it is no base64";
        }
        if (decoded.length > length) {
          return "it is longer than the column";
        }
        writer.writeBytes(column, decoded, 0, decoded.length);
      }
      default -> {
        return "it is neither bytes nor base64";
      }
    }
    return null;
  }

  private static @Nullable String date(
      FieldRow row, int field, BinaryRowWriter writer, int column) {
    long day =
        switch (row.kind(field)) {
          case DATE, LONG -> row.longValue(field);
          case TEXT -> LocalDate.parse(row.text(field)).toEpochDay();
          default -> Long.MAX_VALUE;
        };
    if (day < LocalDate.MIN.toEpochDay() || day != (int) day) {
      return "it is no date";
    }
    writer.writeInt(column, (int) day);
    return null;
  }

  private @Nullable String time(FieldRow row, int field, BinaryRowWriter writer, int column) {
    long micros;
    if (row.kind(field) == FieldRow.Kind.TIME) {
      micros = row.longValue(field);
    } else if (row.kind(field) == FieldRow.Kind.TEXT) {
      long nanos = LocalTime.parse(row.text(field)).toNanoOfDay();
      if (nanos % 1000 != 0) {
        return FRACTION;
      }
      micros = nanos / 1000;
    } else {
      return "it is no time";
    }
    if (micros < 0 || micros >= MICROS_PER_DAY) {
      return "it is no time of a day";
    }
    if (micros % 1000 != 0 || !fits((int) (micros / 1000 % 1000) * 1_000_000)) {
      return FRACTION;
    }
    writer.writeInt(column, (int) (micros / 1000));
    return null;
  }

  private @Nullable String timestamp(FieldRow row, int field, BinaryRowWriter writer, int column) {
    long millis;
    int nanosOfMilli = 0;
    switch (row.kind(field)) {
      case TIMESTAMP, INSTANT -> {
        if ((row.kind(field) == FieldRow.Kind.INSTANT) != (root == TypeRoot.TIMESTAMP_LTZ)) {
          return row.kind(field) == FieldRow.Kind.INSTANT
              ? "an instant is no wall clock"
              : "a wall clock is no instant";
        }
        millis = row.longValue(field);
        nanosOfMilli = row.nanosOfMilli(field);
      }
      case LONG -> {
        long value = row.longValue(field);
        int perMilli = precision <= 3 ? 1 : precision <= 6 ? 1000 : 1_000_000;
        millis = Math.floorDiv(value, (long) perMilli);
        nanosOfMilli = (int) Math.floorMod(value, (long) perMilli) * (1_000_000 / perMilli);
      }
      case TEXT -> {
        String text = row.text(field).replace(' ', 'T');
        long second;
        int nanos;
        if (root == TypeRoot.TIMESTAMP_LTZ) {
          Instant instant = OffsetDateTime.parse(text).toInstant();
          second = instant.getEpochSecond();
          nanos = instant.getNano();
        } else {
          LocalDateTime local = LocalDateTime.parse(text);
          second = local.toEpochSecond(java.time.ZoneOffset.UTC);
          nanos = local.getNano();
        }
        millis = Math.addExact(Math.multiplyExact(second, 1000L), nanos / 1_000_000);
        nanosOfMilli = nanos % 1_000_000;
      }
      default -> {
        return "it is no timestamp";
      }
    }
    if (!fits(nanos(millis, nanosOfMilli))) {
      return FRACTION;
    }
    writer.writeTimestamp(column, millis, nanosOfMilli, precision);
    return null;
  }

  /** Whether the column's precision has place for a fraction of a second. */
  private boolean fits(int nanos) {
    int unit = 1;
    for (int digits = precision; digits < 9; digits++) {
      unit *= 10;
    }
    return nanos % unit == 0;
  }
}
