package io.sluice.replicator.messages;

import io.sluice.evolution.SourceKind;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.FieldRow.Kind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Adds one field's values to rows: what a format finds (a number, a text, bytes) becomes what it
 * means (a day, a decimal). Which {@code add} is called goes by the field's own type; all of them
 * refuse what the meaning can't be read from. Immutable.
 */
public final class FieldReader {

  /** What a value stands for. */
  public enum Meaning {
    /** What it looks like. */
    AS_IT_IS,
    /** The same, of a database whose log leaves out large values that didn't change. */
    AS_IT_IS_IF_THERE,
    /** JSON text of an object or array. */
    NESTED,
    /** Bytes: unscaled, two's complement, big-endian. */
    DECIMAL,
    /** The same, with a scale beside each value. */
    VARIABLE_DECIMAL,
    /** A long whose bits are an unsigned number. */
    UNSIGNED_LONG,
    /** Bytes: an unsigned number, little-endian. */
    BITS,
    /** Days since 1970-01-01. */
    DATE,
    TIME_MILLIS,
    TIME_MICROS,
    TIME_NANOS,
    /** A wall clock, since 1970-01-01T00:00. */
    TIMESTAMP_MILLIS,
    TIMESTAMP_MICROS,
    TIMESTAMP_NANOS,
    /** An instant, since the epoch. */
    INSTANT_MILLIS,
    INSTANT_MICROS,
    INSTANT_NANOS,
    /** ISO 8601 with a zone. */
    INSTANT_TEXT,
    /** The same of a MySQL TIMESTAMP: the epoch itself, no legal value there, is a zero date. */
    MYSQL_TIMESTAMP_TEXT,
    /** A number; 1900, no legal value, is the year 0000. */
    MYSQL_YEAR,
    /** JSON text without blanks, to be as MySQL prints it. */
    MYSQL_JSON,
    /** Labels of ENUM and SET with their commas and backslashes escaped. */
    MYSQL_LABELS,
    /** Bytes of a BINARY(n), without the zeros at their end. */
    MYSQL_BINARY
  }

  private static final int DECIMAL_BYTES_MAX = 512;
  private static final int SCALE_MAX = 1_000;

  /** What Debezium writes in the place of a value that the log didn't have. */
  private static final byte[] UNAVAILABLE =
      "__debezium_unavailable_value".getBytes(StandardCharsets.US_ASCII);

  private static final byte[] EPOCH = "1970-01-01T00:00:00".getBytes(StandardCharsets.US_ASCII);

  private final MessageColumn column;
  private final String name;
  private final Meaning meaning;
  private final int scale;
  // A converter of Debezium's may make truth values of TINYINT(1).
  private final boolean integer;

  /**
   * @param scale of DECIMAL; fraction digits of times; bits of BITS; bytes of MYSQL_BINARY; else 0
   */
  public FieldReader(MessageColumn column, Meaning meaning, int scale) {
    this.column = column;
    this.name = column.name();
    this.meaning = meaning;
    this.scale = scale;
    this.integer = column.source() != null && SourceKind.of(column.source()).isInteger();
  }

  public MessageColumn column() {
    return column;
  }

  public Meaning meaning() {
    return meaning;
  }

  public void addNull(FieldRow row) {
    row.addNull(name);
  }

  public void addBoolean(FieldRow row, boolean value) throws BadMessageException {
    if (meaning != Meaning.AS_IT_IS) {
      throw unreadable(value ? "true" : "false");
    }
    if (integer) {
      row.addLong(name, value ? 1 : 0);
    } else {
      row.addBoolean(name, value);
    }
  }

  public void addDouble(FieldRow row, double value) throws BadMessageException {
    if (meaning != Meaning.AS_IT_IS) {
      throw unreadable(Double.toString(value));
    }
    row.addDouble(name, value);
  }

  public void addLong(FieldRow row, long value) throws BadMessageException {
    switch (meaning) {
      // Connect's JSON may have decimals as numbers (decimal.format=NUMERIC).
      case AS_IT_IS, DECIMAL -> row.addLong(name, value);
      case UNSIGNED_LONG -> {
        if (value >= 0) {
          row.addLong(name, value);
        } else {
          row.addText(name, Kind.DECIMAL, Long.toUnsignedString(value));
        }
      }
      case DATE -> row.addDate(name, value);
      case TIME_MILLIS -> addTime(row, value, 3);
      case TIME_MICROS -> addTime(row, value, 6);
      case TIME_NANOS -> addTime(row, value, 9);
      case TIMESTAMP_MILLIS -> row.addTimestamp(name, value, 0);
      case TIMESTAMP_MICROS ->
          row.addTimestamp(name, Math.floorDiv(value, 1_000L), Math.floorMod(value, 1_000) * 1_000);
      case TIMESTAMP_NANOS ->
          row.addTimestamp(name, Math.floorDiv(value, 1_000_000L), Math.floorMod(value, 1_000_000));
      case INSTANT_MILLIS -> row.addInstant(name, value, 0);
      case INSTANT_MICROS ->
          row.addInstant(name, Math.floorDiv(value, 1_000L), Math.floorMod(value, 1_000) * 1_000);
      case INSTANT_NANOS ->
          row.addInstant(name, Math.floorDiv(value, 1_000_000L), Math.floorMod(value, 1_000_000));
      case MYSQL_YEAR -> row.addLong(name, value == 1900 ? 0 : value);
      case NESTED,
          AS_IT_IS_IF_THERE,
          VARIABLE_DECIMAL,
          BITS,
          INSTANT_TEXT,
          MYSQL_TIMESTAMP_TEXT,
          MYSQL_JSON,
          MYSQL_LABELS,
          MYSQL_BINARY ->
          throw unreadable(Long.toString(value));
    }
  }

  /** A text, UTF-8 that is known to be valid. */
  public void addText(FieldRow row, byte[] utf8, int offset, int length)
      throws BadMessageException {
    switch (meaning) {
      case AS_IT_IS, INSTANT_TEXT -> row.addSlice(name, Kind.TEXT, utf8, offset, length);
      case AS_IT_IS_IF_THERE -> {
        requireThere(utf8, offset, length);
        row.addSlice(name, Kind.TEXT, utf8, offset, length);
      }
      case MYSQL_TIMESTAMP_TEXT -> {
        if (isEpoch(utf8, offset, length)) {
          row.addNull(name);
        } else {
          row.addSlice(name, Kind.TEXT, utf8, offset, length);
        }
      }
      case MYSQL_JSON -> addSpacedJson(row, utf8, offset, length);
      case MYSQL_LABELS -> addLabels(row, utf8, offset, length);
      default ->
          throw unreadable(
              '"' + new String(utf8, offset, Math.min(length, 100), StandardCharsets.UTF_8) + '"');
    }
  }

  /** A number's digits as the message has them, ASCII. */
  public void addDigits(FieldRow row, byte[] ascii, int offset, int length)
      throws BadMessageException {
    if (meaning != Meaning.AS_IT_IS && meaning != Meaning.DECIMAL) {
      throw unreadable(new String(ascii, offset, Math.min(length, 100), StandardCharsets.US_ASCII));
    }
    row.addSlice(name, Kind.DECIMAL, ascii, offset, length);
  }

  public void addBytes(FieldRow row, byte[] bytes, int offset, int length)
      throws BadMessageException {
    switch (meaning) {
      case AS_IT_IS -> row.addSlice(name, Kind.BYTES, bytes, offset, length);
      case AS_IT_IS_IF_THERE -> {
        requireThere(bytes, offset, length);
        row.addSlice(name, Kind.BYTES, bytes, offset, length);
      }
      case DECIMAL -> addUnscaled(row, bytes, offset, length, scale);
      case BITS -> addBits(row, bytes, offset, length);
      case MYSQL_BINARY -> addPadded(row, bytes, offset, length);
      default -> throw unreadable(length + " bytes");
    }
  }

  private void addPadded(FieldRow row, byte[] bytes, int offset, int length) {
    int padded = Math.max(scale, length);
    int start = row.reserve(padded);
    System.arraycopy(bytes, offset, row.buffer(), start, length);
    Arrays.fill(row.buffer(), start + length, start + padded, (byte) 0);
    row.addReserved(name, Kind.BYTES, start, padded);
  }

  /** A decimal that brings its scale along. */
  public void addScaled(FieldRow row, int valueScale, byte[] bytes, int offset, int length)
      throws BadMessageException {
    if (meaning != Meaning.VARIABLE_DECIMAL) {
      throw unreadable(length + " bytes");
    }
    addUnscaled(row, bytes, offset, length, valueScale);
  }

  /** The JSON text of an object or array. */
  public void addNested(FieldRow row, byte[] json, int offset, int length)
      throws BadMessageException {
    if (meaning != Meaning.NESTED) {
      throw unreadable(new String(json, offset, Math.min(length, 100), StandardCharsets.UTF_8));
    }
    row.addSlice(name, Kind.NESTED, json, offset, length);
  }

  private void addUnscaled(FieldRow row, byte[] bytes, int offset, int length, int valueScale)
      throws BadMessageException {
    if (length == 0
        || length > DECIMAL_BYTES_MAX
        || valueScale > SCALE_MAX
        || valueScale < -SCALE_MAX) {
      throw unreadable(length + " bytes at a scale of " + valueScale);
    }
    if (length <= Long.BYTES && valueScale >= 0 && valueScale <= 18) {
      long unscaled = bytes[offset];
      for (int i = 1; i < length; i++) {
        unscaled = unscaled << 8 | bytes[offset + i] & 0xff;
      }
      addCompact(row, unscaled, valueScale);
    } else {
      BigInteger unscaled = new BigInteger(bytes, offset, length);
      row.addText(name, Kind.DECIMAL, new BigDecimal(unscaled, valueScale).toPlainString());
    }
  }

  /** Digits are written from the last one on. */
  private void addCompact(FieldRow row, long unscaled, int valueScale) {
    int room = 22;
    int start = row.reserve(room);
    byte[] out = row.buffer();
    int at = start + room;
    // Below zero all the way, since the smallest long has no positive partner.
    long rest = unscaled < 0 ? unscaled : -unscaled;
    int digits = 0;
    do {
      if (digits == valueScale && digits > 0) {
        out[--at] = '.';
      }
      out[--at] = (byte) ('0' - rest % 10);
      rest /= 10;
      digits++;
    } while (rest != 0 || digits <= valueScale);
    if (unscaled < 0) {
      out[--at] = '-';
    }
    row.addReserved(name, Kind.DECIMAL, at, start + room - at);
  }

  private void addBits(FieldRow row, byte[] littleEndian, int offset, int length)
      throws BadMessageException {
    if (scale > 64) {
      // A bit string of another database, longer than any number of the lake.
      throw unreadable(length + " bytes of bits");
    }
    long bits = 0;
    for (int i = length - 1; i >= 0; i--) {
      byte b = littleEndian[offset + i];
      if (i >= 8 && b != 0) {
        throw unreadable("a number of more than 64 bits");
      }
      bits = i >= 8 ? bits : bits << 8 | b & 0xff;
    }
    if (scale < 64 && bits >>> scale != 0) {
      throw unreadable("a number of more than " + scale + " bits");
    }
    if (bits >= 0) {
      row.addLong(name, bits);
    } else {
      row.addText(name, Kind.DECIMAL, Long.toUnsignedString(bits));
    }
  }

  /** As text, {@code [-]HH[H]:MM:SS[.f]}, with the column's fraction digits. */
  private void addTime(FieldRow row, long value, int unitDigits) throws BadMessageException {
    long perSecond = power(unitDigits);
    // Below zero all the way, as above.
    long rest = value < 0 ? value : -value;
    long fraction = -(rest % perSecond);
    long seconds = -(rest / perSecond);
    long hours = seconds / 3600;
    int digits = scale;
    if (hours > 999 || digits < unitDigits && fraction % power(unitDigits - digits) != 0) {
      throw new BadMessageException(
          Reason.VALUE,
          "Field "
              + name
              + ": a time of "
              + value
              + " (10^-"
              + unitDigits
              + " s) has no place in "
              + digits
              + " fraction digits and 999 hours.");
    }
    int start = row.reserve(24);
    byte[] out = row.buffer();
    int at = start;
    if (value < 0) {
      out[at++] = '-';
    }
    if (hours > 99) {
      out[at++] = (byte) ('0' + hours / 100);
    }
    at = twoDigits(out, at, (int) (hours % 100));
    out[at++] = ':';
    at = twoDigits(out, at, (int) (seconds / 60 % 60));
    out[at++] = ':';
    at = twoDigits(out, at, (int) (seconds % 60));
    if (digits > 0) {
      out[at++] = '.';
    }
    for (int i = 0; i < digits; i++) {
      out[at++] = (byte) ('0' + (i < unitDigits ? fraction / power(unitDigits - 1 - i) % 10 : 0));
    }
    row.addReserved(name, Kind.TEXT, start, at - start);
  }

  private static long power(int digits) {
    long result = 1;
    for (int i = 0; i < digits; i++) {
      result *= 10;
    }
    return result;
  }

  private static int twoDigits(byte[] out, int at, int value) {
    out[at] = (byte) ('0' + value / 10);
    out[at + 1] = (byte) ('0' + value % 10);
    return at + 2;
  }

  /** {@code 1970-01-01T00:00:00[.000000]Z}; a fraction of that second is legal in MariaDB. */
  private static boolean isEpoch(byte[] text, int offset, int length) {
    int end = offset + length;
    if (length < EPOCH.length
        || !Arrays.equals(text, offset, offset + EPOCH.length, EPOCH, 0, EPOCH.length)) {
      return false;
    }
    for (int i = offset + EPOCH.length; i < end; i++) {
      if (text[i] != '.' && text[i] != '0' && text[i] != 'Z') {
        return false;
      }
    }
    return text[end - 1] == 'Z';
  }

  /** Blanks behind commas and colons, as the server has them. */
  private void addSpacedJson(FieldRow row, byte[] json, int offset, int length) {
    int start = row.reserve(Math.multiplyExact(2, length));
    byte[] out = row.buffer();
    int at = start;
    boolean inString = false;
    for (int i = offset; i < offset + length; i++) {
      byte c = json[i];
      if (inString) {
        out[at++] = c;
        if (c == '\\' && i + 1 < offset + length) {
          out[at++] = json[++i];
        } else if (c == '"') {
          inString = false;
        }
      } else if (c == '"') {
        inString = true;
        out[at++] = c;
      } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
        out[at++] = c;
        if (c == ',' || c == ':') {
          out[at++] = ' ';
        }
      }
    }
    row.addReserved(name, Kind.TEXT, start, at - start);
  }

  private void addLabels(FieldRow row, byte[] text, int offset, int length) {
    int start = row.reserve(length);
    byte[] out = row.buffer();
    int at = start;
    int end = offset + length;
    for (int i = offset; i < end; i++) {
      boolean escape =
          text[i] == '\\' && i + 1 < end && (text[i + 1] == ',' || text[i + 1] == '\\');
      out[at++] = escape ? text[++i] : text[i];
    }
    row.addReserved(name, Kind.TEXT, start, at - start);
  }

  private void requireThere(byte[] bytes, int offset, int length) throws BadMessageException {
    if (length == UNAVAILABLE.length
        && Arrays.equals(bytes, offset, offset + length, UNAVAILABLE, 0, length)) {
      throw new BadMessageException(
          Reason.VALUE,
          "Field "
              + name
              + ": the source's log didn't have the value, since it is large and didn't change. Let"
              + " the source log whole rows (PostgreSQL: REPLICA IDENTITY FULL).");
    }
  }

  private BadMessageException unreadable(String what) {
    return new BadMessageException(
        Reason.VALUE, "Field " + name + ": " + what + " can't be read as " + meaning + ".");
  }
}
