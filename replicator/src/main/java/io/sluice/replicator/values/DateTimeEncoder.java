package io.sluice.replicator.values;

import io.sluice.evolution.SourceKind;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.schema.DataType.TemporalType;
import java.nio.charset.StandardCharsets;

/**
 * DATETIME to TIMESTAMP (a wall clock's reading) and TIMESTAMP to TIMESTAMP_LTZ (an instant). A
 * SELECT's text of both is read alike, since the session's time zone is UTC.
 */
final class DateTimeEncoder extends TextRowEncoder {

  private static final String EPOCH_TEXT = "1970-01-01T00:00:00";

  private final int precision;
  private final boolean instant;

  DateTimeEncoder(ColumnContext context) {
    super(context);
    this.precision = ((TemporalType) context.field().type()).precision();
    this.instant = context.kind() == SourceKind.TIMESTAMP;
  }

  @Override
  void encodeStreamNull(BinaryRowWriter writer, int field) {
    if (context.column().nullable() || instant) {
      context.writeNull(writer, field);
    } else {
      context.writeZeroDate(writer, field);
    }
  }

  @Override
  void encodeStream(Object value, BinaryRowWriter writer, int field) {
    if (instant) {
      if (!(value instanceof String text)) {
        throw context.wrongClass(value);
      }
      if (isZero(text)) {
        context.writeZeroDate(writer, field);
        return;
      }
      byte[] ascii = text.getBytes(StandardCharsets.ISO_8859_1);
      if (ascii.length < 20 || ascii[10] != 'T' || ascii[ascii.length - 1] != 'Z') {
        throw context.unencodable("the stream gave text that is not an instant in UTC");
      }
      writeText(ascii, ascii.length - 1, writer, field);
    } else {
      if (!(value instanceof Long micros)) {
        throw context.wrongClass(value);
      }
      writeMicros(micros, writer, field);
    }
  }

  /**
   * Whether it is the epoch itself, which is no legal TIMESTAMP: this is how '0000-00-00 00:00:00'
   * arrives. A fraction of that second is a legal one in MariaDB.
   */
  private static boolean isZero(String text) {
    return text.startsWith(EPOCH_TEXT)
        && text.chars().skip(EPOCH_TEXT.length()).noneMatch(c -> c >= '1' && c <= '9');
  }

  @Override
  void encodeText(byte[] text, BinaryRowWriter writer, int field) {
    writeText(text, text.length, writer, field);
  }

  /** {@code YYYY-MM-DD?hh:mm:ss[.f]} */
  private void writeText(byte[] text, int end, BinaryRowWriter writer, int field) {
    int year = Ascii.digits(text, 0, 4);
    int month = Ascii.digits(text, 5, 2);
    int day = Ascii.digits(text, 8, 2);
    int hour = Ascii.digits(text, 11, 2);
    int minute = Ascii.digits(text, 14, 2);
    int second = Ascii.digits(text, 17, 2);
    if ((year | month | day | hour | minute | second) < 0
        || hour > 23
        || minute > 59
        || second > 59) {
      throw notADate();
    }
    int fraction = 0;
    if (end > 19) {
      int digits = end - 20;
      if (text[19] != '.' || digits < 1 || digits > 6) {
        throw notADate();
      }
      fraction = Ascii.digits(text, 20, digits);
      for (int i = digits; i < 6; i++) {
        fraction *= 10;
      }
      if (fraction < 0) {
        throw notADate();
      }
    }
    if (year == 0 || month == 0 || day == 0) {
      context.writeZeroDate(writer, field);
    } else if (!CivilTime.exists(year, month, day)) {
      throw context.unencodable("a day that the calendar has not; correct the row");
    } else {
      long seconds =
          CivilTime.epochDay(year, month, day) * 86_400L + hour * 3600 + minute * 60 + second;
      writeMicros(seconds * 1_000_000L + fraction, writer, field);
    }
  }

  private void writeMicros(long micros, BinaryRowWriter writer, int field) {
    long millis = Math.floorDiv(micros, 1000L);
    int rest = (int) (micros - millis * 1000L);
    if (!fitsPrecision(micros, rest)) {
      throw context.unencodable("the value has more fraction digits than the lake type");
    }
    writer.writeTimestamp(field, millis, rest * 1000, precision);
  }

  private boolean fitsPrecision(long micros, int microOfMilli) {
    return switch (precision) {
      case 0 -> micros % 1_000_000 == 0;
      case 1 -> micros % 100_000 == 0;
      case 2 -> micros % 10_000 == 0;
      case 3 -> microOfMilli == 0;
      case 4 -> micros % 100 == 0;
      case 5 -> micros % 10 == 0;
      default -> true;
    };
  }

  private UnencodableValueException notADate() {
    return context.unencodable("the server sent text that is not a date with time");
  }
}
