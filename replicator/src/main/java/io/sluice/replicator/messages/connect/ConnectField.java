package io.sluice.replicator.messages.connect;

import io.sluice.evolution.MappedType;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceKind;
import io.sluice.evolution.TypeMapping;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.FieldRow.Kind;
import io.sluice.replicator.messages.MessageColumn;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One field of a Connect schema: its lake type, and how its values are taken. Immutable.
 *
 * <p>Types by the schema's name (MySQL and MariaDB columns whose connector runs with {@code
 * column.propagate.source.type} get the type and the values of a direct copy instead):
 *
 * <pre>
 * io.debezium.time.Date, org.apache.kafka.connect.data.Date            DATE
 * ...Time, MicroTime, NanoTime, ...connect.data.Time                   STRING, HH:MM:SS[.ffffff]
 * ...Timestamp, MicroTimestamp, NanoTimestamp, connect.data.Timestamp  TIMESTAMP(3), (6), (9), (3): a wall clock
 * ...ZonedTimestamp, IsoTimestamp                                      TIMESTAMP_LTZ(6), STRING
 * ...Year                                                              INT
 * ...connect.data.Decimal                                              DECIMAL(precision or 38, scale), STRING above 38
 * ...data.VariableScaleDecimal                                         STRING, plain digits
 * ...data.Bits of up to 63 bits, of 64, longer                         BIGINT, DECIMAL(20, 0), BYTES
 * ...data.Json, Enum, EnumSet, Xml, Uuid, ZonedTime, Interval, ISO..   STRING
 * ...MicroDuration, NanoDuration                                       BIGINT
 * int8 .. int64, float, double, boolean, string, bytes                 TINYINT .. BIGINT, FLOAT, DOUBLE, BOOLEAN, STRING, BYTES
 * struct (also geometry), array, map                                   STRING, the JSON text
 * </pre>
 */
public final class ConnectField {

  private static final String CONNECT = "org.apache.kafka.connect.data.";
  private static final String TIME = "io.debezium.time.";
  private static final String DATA = "io.debezium.data.";
  private static final String SOURCE_TYPE = "__debezium.source.column.type";
  private static final String SOURCE_LENGTH = "__debezium.source.column.length";
  private static final String SOURCE_SCALE = "__debezium.source.column.scale";

  /** How a value is to be taken. */
  private enum Meaning {
    AS_IT_IS,
    BYTES,
    DAYS,
    TIME_MILLIS,
    TIME_MICROS,
    TIME_NANOS,
    MILLIS,
    MICROS,
    NANOS,
    DECIMAL,
    VARIABLE_DECIMAL,
    /** A number in digits: decimal.handling.mode=string. */
    DIGITS,
    BITS,
    // MySQL's and MariaDB's alone
    YEAR,
    UNSIGNED_LONG,
    ZONED,
    ENUM,
    JSON
  }

  private final MessageColumn column;
  private final Meaning meaning;
  // Of DECIMAL.
  private final int scale;
  // Bits of BITS, bytes of BINARY(n), fraction digits of TIME; -1: not known.
  private final int length;
  // A DECIMAL of more digits than the lake's type is text with its scale.
  private final boolean decimalText;
  private final boolean timeText;

  private ConnectField(MessageColumn column, Meaning meaning, int scale, int length) {
    this.column = column;
    this.meaning = meaning;
    this.scale = scale;
    this.length = length;
    boolean text = column.type().root().isText();
    this.decimalText = (meaning == Meaning.DECIMAL || meaning == Meaning.DIGITS) && text;
    this.timeText = text && column.source() != null && length >= 0;
  }

  /**
   * A field by its schema.
   *
   * @param type {@code int8} to {@code int64}, {@code float}, {@code float32}, {@code double},
   *     {@code float64}, {@code boolean}, {@code string}, {@code bytes}, {@code struct}, {@code
   *     array}, {@code map}
   * @param logical the schema's name, e.g. {@code io.debezium.time.Date}
   */
  public static ConnectField of(
      String name,
      String type,
      @Nullable String logical,
      Map<String, String> parameters,
      boolean optional,
      Origin origin) {
    ConnectField plain = bySchema(name, type, logical == null ? "" : logical, parameters, optional);
    SourceColumn source =
        origin == Origin.OTHER ? null : source(name, parameters, optional, plain, origin);
    return source == null ? plain : plain.copiedFrom(source);
  }

  private static ConnectField bySchema(
      String name, String type, String logical, Map<String, String> parameters, boolean optional) {
    int scale = 0;
    int length = -1;
    Meaning meaning = Meaning.AS_IT_IS;
    DataType lake;
    switch (logical) {
      case TIME + "Date", CONNECT + "Date" -> {
        meaning = Meaning.DAYS;
        lake = DataTypes.DATE;
      }
      case TIME + "Time", CONNECT + "Time" -> {
        meaning = Meaning.TIME_MILLIS;
        lake = DataTypes.STRING;
      }
      case TIME + "MicroTime" -> {
        meaning = Meaning.TIME_MICROS;
        lake = DataTypes.STRING;
      }
      case TIME + "NanoTime" -> {
        meaning = Meaning.TIME_NANOS;
        lake = DataTypes.STRING;
      }
      case TIME + "Timestamp", CONNECT + "Timestamp" -> {
        meaning = Meaning.MILLIS;
        lake = DataTypes.timestamp(3);
      }
      case TIME + "MicroTimestamp" -> {
        meaning = Meaning.MICROS;
        lake = DataTypes.timestamp(6);
      }
      case TIME + "NanoTimestamp" -> {
        meaning = Meaning.NANOS;
        lake = DataTypes.timestamp(9);
      }
      case TIME + "ZonedTimestamp" -> {
        meaning = Meaning.ZONED;
        lake = DataTypes.timestampLtz(6);
      }
      case CONNECT + "Decimal" -> {
        meaning = Meaning.DECIMAL;
        scale = number(parameters.get("scale"), 0);
        int precision = number(parameters.get("connect.decimal.precision"), 38);
        boolean fits = precision >= 1 && precision <= 38 && scale >= 0 && scale <= precision;
        lake = fits ? DataTypes.decimal(precision, scale) : DataTypes.STRING;
      }
      case DATA + "VariableScaleDecimal" -> {
        meaning = Meaning.VARIABLE_DECIMAL;
        lake = DataTypes.STRING;
      }
      case DATA + "Bits" -> {
        length = number(parameters.get("length"), -1);
        meaning = length >= 1 && length <= 64 ? Meaning.BITS : Meaning.BYTES;
        lake =
            meaning == Meaning.BYTES
                ? DataTypes.BYTES
                : length < 64 ? DataTypes.BIGINT : DataTypes.decimal(20, 0);
        length = meaning == Meaning.BITS ? length : -1;
      }
      default -> {
        lake = plainType(type);
        if (type.equals("bytes")) {
          meaning = Meaning.BYTES;
        }
      }
    }
    return new ConnectField(new MessageColumn(name, lake, optional, null), meaning, scale, length);
  }

  private static DataType plainType(String type) {
    return switch (type) {
      case "int8" -> DataTypes.TINYINT;
      case "int16" -> DataTypes.SMALLINT;
      case "int32" -> DataTypes.INT;
      case "int64" -> DataTypes.BIGINT;
      case "float", "float32" -> DataTypes.FLOAT;
      case "double", "float64" -> DataTypes.DOUBLE;
      case "boolean" -> DataTypes.BOOLEAN;
      case "bytes" -> DataTypes.BYTES;
      default -> DataTypes.STRING;
    };
  }

  private static int number(@Nullable String text, int otherwise) {
    if (text == null) {
      return otherwise;
    }
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      return otherwise;
    }
  }

  // ---------------------------------------------------------------- MySQL's and MariaDB's columns

  /** The column of the database, if the schema tells it and its values come as they should. */
  private static @Nullable SourceColumn source(
      String name,
      Map<String, String> parameters,
      boolean optional,
      ConnectField plain,
      Origin origin) {
    String type = parameters.get(SOURCE_TYPE);
    if (type == null) {
      return null;
    }
    int length = number(parameters.get(SOURCE_LENGTH), -1);
    int scale = number(parameters.get(SOURCE_SCALE), -1);
    SourceColumn column =
        new SourceColumn(
            name,
            type.toUpperCase(Locale.ROOT),
            length < 0 ? null : length,
            scale < 0 ? null : scale,
            optional,
            null,
            List.of(),
            null);
    SourceKind kind = SourceKind.of(column);
    Meaning meaning = plain.meaning;
    DataType lake = plain.column.type();
    boolean comesSo =
        switch (kind) {
          case TINYINT_ONE,
              TINYINT,
              TINYINT_UNSIGNED,
              SMALLINT,
              SMALLINT_UNSIGNED,
              MEDIUMINT,
              MEDIUMINT_UNSIGNED,
              INT,
              INT_UNSIGNED,
              BIGINT,
              YEAR ->
              meaning == Meaning.AS_IT_IS && lake.root().isNumeric();
          case BIGINT_UNSIGNED ->
              meaning == Meaning.DECIMAL || meaning == Meaning.AS_IT_IS && !lake.root().isText();
          case BIT_ONE -> lake.equals(DataTypes.BOOLEAN);
          case BITS -> meaning == Meaning.BITS;
          case FLOAT, DOUBLE -> meaning == Meaning.AS_IT_IS && lake.root().isNumeric();
          // With decimal.handling.mode=double digits may be lost already; text has them all.
          case DECIMAL -> meaning == Meaning.DECIMAL || lake.root().isText();
          case DATE -> meaning == Meaning.DAYS;
          case DATETIME ->
              meaning == Meaning.MILLIS || meaning == Meaning.MICROS || meaning == Meaning.NANOS;
          case TIMESTAMP -> meaning == Meaning.ZONED;
          case TIME ->
              meaning == Meaning.TIME_MILLIS
                  || meaning == Meaning.TIME_MICROS
                  || meaning == Meaning.TIME_NANOS;
          case CHAR, TEXT, ENUM, SET -> lake.root().isText() && meaning == Meaning.AS_IT_IS;
          case JSON -> lake.root().isText() && origin == Origin.MYSQL;
          case BINARY, BLOB -> meaning == Meaning.BYTES;
          case GEOMETRY, VECTOR, UUID, INET, UNKNOWN -> false;
        };
    boolean known = new TypeMapping(false).map(column) instanceof MappedType.Lake;
    return comesSo && known ? column : null;
  }

  private ConnectField copiedFrom(SourceColumn source) {
    SourceKind kind = SourceKind.of(source);
    DataType type = ((MappedType.Lake) new TypeMapping(false).map(source)).type();
    Integer declared = source.length();
    Meaning taken =
        switch (kind) {
          case YEAR -> Meaning.YEAR;
          case BIGINT_UNSIGNED ->
              meaning == Meaning.DECIMAL ? Meaning.DECIMAL : Meaning.UNSIGNED_LONG;
          case DECIMAL -> meaning == Meaning.DECIMAL ? Meaning.DECIMAL : Meaning.DIGITS;
          case ENUM, SET -> Meaning.ENUM;
          case JSON -> Meaning.JSON;
          default -> meaning;
        };
    int size =
        switch (kind) {
          case TIME -> declared == null ? 0 : declared;
          case BINARY -> declared == null ? 1 : declared;
          case BITS -> length;
          default -> -1;
        };
    Integer digits = source.scale();
    int fraction = kind == SourceKind.DECIMAL ? digits == null ? 0 : digits : scale;
    MessageColumn copied = new MessageColumn(column.name(), type, column.nullable(), source);
    return new ConnectField(copied, taken, fraction, size);
  }

  /** The column that it is. */
  public MessageColumn column() {
    return column;
  }

  // ---------------------------------------------------------------- values

  /**
   * Turns a value, as it was read, into what it stands for.
   *
   * @throws BadMessageException it is not what its type allows
   */
  public void convert(FieldRow row, int field) throws BadMessageException {
    if (meaning == Meaning.AS_IT_IS) {
      return;
    }
    Kind kind = row.kind(field);
    if (kind == Kind.NULL) {
      return;
    }
    switch (meaning) {
      case AS_IT_IS -> {}
      case DAYS -> {
        if (kind != Kind.DATE) {
          row.setDate(field, longValue(row, field));
        }
      }
      case TIME_MILLIS -> time(row, field, kind, 1_000, 1);
      case TIME_MICROS -> time(row, field, kind, 1, 1);
      case TIME_NANOS -> time(row, field, kind, 1, 1_000);
      case MILLIS -> {
        if (kind != Kind.TIMESTAMP) {
          row.setTimestamp(field, longValue(row, field), 0);
        }
      }
      case MICROS -> {
        if (kind != Kind.TIMESTAMP) {
          long micros = longValue(row, field);
          long millis = Math.floorDiv(micros, 1_000L);
          row.setTimestamp(field, millis, (int) (micros - millis * 1_000) * 1_000);
        }
      }
      case NANOS -> {
        if (kind != Kind.TIMESTAMP) {
          long nanos = longValue(row, field);
          long millis = Math.floorDiv(nanos, 1_000_000L);
          row.setTimestamp(field, millis, (int) (nanos - millis * 1_000_000));
        }
      }
      case BYTES -> {
        bytes(row, field, kind);
        if (length > row.length(field)) {
          pad(row, field);
        }
      }
      case BITS -> bits(row, field, kind);
      case DECIMAL, DIGITS -> decimal(row, field, kind);
      case VARIABLE_DECIMAL -> variableDecimal(row, field, kind);
      case YEAR -> {
        // The binlog holds years since 1900 in a byte, 0 for the year 0000; 1900 itself is no YEAR.
        if (longValue(row, field) == 1900) {
          row.setLong(field, 0);
        }
      }
      case UNSIGNED_LONG -> {
        if (kind == Kind.LONG && row.longValue(field) < 0) {
          row.setText(field, Kind.DECIMAL, Long.toUnsignedString(row.longValue(field)));
        }
      }
      case ZONED -> zeroTimestamp(row, field, kind);
      case ENUM -> unescapeCommas(row, field, kind);
      case JSON -> spaceOut(row, field, kind);
    }
  }

  private long longValue(FieldRow row, int field) throws BadMessageException {
    if (row.kind(field) != Kind.LONG) {
      throw notOfType(row, field, "an integer of 64 bits");
    }
    return row.longValue(field);
  }

  private void time(FieldRow row, int field, Kind kind, long factor, long divisor)
      throws BadMessageException {
    long micros;
    if (kind == Kind.TIME) {
      micros = row.longValue(field);
    } else {
      long value = longValue(row, field);
      if (value % divisor != 0) {
        throw notOfType(row, field, "a time in whole microseconds");
      }
      try {
        micros = Math.multiplyExact(value / divisor, factor);
      } catch (ArithmeticException e) {
        throw notOfType(row, field, "a time in microseconds");
      }
    }
    if (micros == Long.MIN_VALUE) {
      throw notOfType(row, field, "a time");
    }
    if (timeText) {
      String text = TimeText.print(micros, length);
      if (text == null) {
        throw notOfType(row, field, "a time of at most " + length + " fraction digits");
      }
      row.setText(field, Kind.TEXT, text);
    } else {
      row.setTime(field, micros);
    }
  }

  private void bytes(FieldRow row, int field, Kind kind) throws BadMessageException {
    if (kind == Kind.BYTES) {
      return;
    }
    if (kind == Kind.TEXT) {
      int offset = row.offset(field);
      int decoded = Base64Text.decodeInPlace(row.buffer(), offset, row.length(field));
      if (decoded >= 0) {
        row.setReserved(field, Kind.BYTES, offset, decoded);
        return;
      }
    }
    throw notOfType(row, field, "bytes in base64");
  }

  /** BINARY(n) has its n bytes, though the binlog leaves zeros at the end out. */
  private void pad(FieldRow row, int field) {
    int from = row.offset(field);
    int present = row.length(field);
    int start = row.reserve(length);
    byte[] buffer = row.buffer();
    System.arraycopy(buffer, from, buffer, start, present);
    Arrays.fill(buffer, start + present, start + length, (byte) 0);
    row.setReserved(field, Kind.BYTES, start, length);
  }

  /** Little-endian bytes to the number they stand for. */
  private void bits(FieldRow row, int field, Kind kind) throws BadMessageException {
    if (kind == Kind.LONG || kind == Kind.DECIMAL) {
      return;
    }
    bytes(row, field, kind);
    int from = row.offset(field);
    long bits = 0;
    for (int i = row.length(field) - 1; i >= 0; i--) {
      byte b = row.buffer()[from + i];
      if (i >= 8 && b != 0) {
        throw notOfType(row, field, "at most 64 bits");
      }
      bits = i >= 8 ? bits : bits << 8 | b & 0xff;
    }
    if (bits < 0) {
      row.setText(field, Kind.DECIMAL, Long.toUnsignedString(bits));
    } else {
      row.setLong(field, bits);
    }
  }

  private void decimal(FieldRow row, int field, Kind kind) throws BadMessageException {
    switch (kind) {
      case TEXT -> {
        if (meaning == Meaning.DIGITS) {
          row.setReserved(field, Kind.DECIMAL, row.offset(field), row.length(field));
          fixScale(row, field);
        } else {
          bytes(row, field, kind);
          unscaled(row, field);
        }
      }
      case BYTES -> unscaled(row, field);
      case LONG, DECIMAL -> fixScale(row, field);
      default -> throw notOfType(row, field, "a decimal number");
    }
  }

  private void unscaled(FieldRow row, int field) throws BadMessageException {
    int length = row.length(field);
    int from = row.offset(field);
    if (length == 0) {
      throw notOfType(row, field, "a decimal number");
    }
    if (length > 8) {
      if (length > 1_000) {
        throw notOfType(row, field, "a decimal number of a sane length");
      }
      BigInteger unscaled = new BigInteger(Arrays.copyOfRange(row.buffer(), from, from + length));
      setDecimal(row, field, new BigDecimal(unscaled, scale));
      return;
    }
    long value = row.buffer()[from];
    for (int i = 1; i < length; i++) {
      value = value << 8 | row.buffer()[from + i] & 0xff;
    }
    if (scale < 0 || scale > 1_000 || value == Long.MIN_VALUE) {
      setDecimal(row, field, BigDecimal.valueOf(value, scale));
      return;
    }
    // At most 19 digits, sign and point; zeros before and after the point.
    int room = 24 + scale;
    int start = row.reserve(room);
    byte[] out = row.buffer();
    int at = start + room;
    long rest = Math.abs(value);
    for (int i = 0; i < scale; i++) {
      out[--at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    if (scale > 0) {
      out[--at] = '.';
    }
    do {
      out[--at] = (byte) ('0' + rest % 10);
      rest /= 10;
    } while (rest > 0);
    if (value < 0) {
      out[--at] = '-';
    }
    row.setReserved(field, decimalText ? Kind.TEXT : Kind.DECIMAL, at, start + room - at);
  }

  private void setDecimal(FieldRow row, int field, BigDecimal value) throws BadMessageException {
    if (Math.abs((long) value.scale()) > 1_000) {
      throw notOfType(row, field, "a decimal number of a sane scale");
    }
    row.setText(field, decimalText ? Kind.TEXT : Kind.DECIMAL, value.toPlainString());
  }

  /** A DECIMAL that is text in the lake has all its scale. */
  private void fixScale(FieldRow row, int field) throws BadMessageException {
    if (!decimalText) {
      return;
    }
    String text =
        row.kind(field) == Kind.LONG ? Long.toString(row.longValue(field)) : row.text(field);
    if (text.length() > 1_000) {
      throw notOfType(row, field, "a decimal number of a sane length");
    }
    try {
      BigDecimal value = new BigDecimal(text);
      if (Math.abs((long) value.scale()) > 1_000) {
        throw notOfType(row, field, "a decimal number of a sane scale");
      }
      boolean declared = scale <= 1_000;
      setDecimal(row, field, declared ? value.setScale(scale, RoundingMode.UNNECESSARY) : value);
    } catch (ArithmeticException | NumberFormatException e) {
      throw notOfType(row, field, "a decimal number of at most " + scale + " fraction digits");
    }
  }

  private void variableDecimal(FieldRow row, int field, Kind kind) throws BadMessageException {
    if (kind != Kind.NESTED) {
      throw notOfType(row, field, "a decimal number with its scale");
    }
    BigDecimal value = VariableDecimal.parse(row.buffer(), row.offset(field), row.length(field));
    if (value == null || Math.abs((long) value.scale()) > 1_000) {
      throw notOfType(row, field, "a decimal number with its scale");
    }
    row.setText(field, Kind.TEXT, value.toPlainString());
  }

  /** '0000-00-00 00:00:00' arrives as the epoch, which is no legal TIMESTAMP of MySQL. */
  private void zeroTimestamp(FieldRow row, int field, Kind kind) throws BadMessageException {
    if (kind != Kind.TEXT && kind != Kind.INSTANT) {
      throw notOfType(row, field, "a time with its zone");
    }
    if (column.source() == null || kind != Kind.TEXT) {
      return;
    }
    if (row.text(field).matches("1970-01-01T00:00:00(\\.0+)?Z")) {
      row.setNull(field);
    }
  }

  /** The binlog reader writes a comma in a label as {@code \,}. */
  private void unescapeCommas(FieldRow row, int field, Kind kind) {
    if (kind != Kind.TEXT) {
      return;
    }
    int from = row.offset(field);
    int end = from + row.length(field);
    byte[] buffer = row.buffer();
    int to = from;
    for (int i = from; i < end; i++) {
      if (buffer[i] == '\\' && i + 1 < end && buffer[i + 1] == ',') {
        i++;
      }
      buffer[to++] = buffer[i];
    }
    row.setReserved(field, Kind.TEXT, from, to - from);
  }

  /** JSON as MySQL's server prints it: a blank behind each comma and colon, and none elsewhere. */
  private void spaceOut(FieldRow row, int field, Kind kind) throws BadMessageException {
    if (kind != Kind.TEXT && kind != Kind.NESTED) {
      throw notOfType(row, field, "JSON");
    }
    int length = row.length(field);
    int start = row.reserve(Math.multiplyExact(2, length));
    byte[] buffer = row.buffer();
    int at = start;
    boolean inString = false;
    int from = row.offset(field);
    for (int i = from; i < from + length; i++) {
      byte c = buffer[i];
      if (inString) {
        buffer[at++] = c;
        if (c == '\\' && i + 1 < from + length) {
          buffer[at++] = buffer[++i];
        } else if (c == '"') {
          inString = false;
        }
      } else if (c == ',' || c == ':') {
        buffer[at++] = c;
        buffer[at++] = ' ';
      } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
        buffer[at++] = c;
        inString = c == '"';
      }
    }
    row.setReserved(field, Kind.TEXT, start, at - start);
  }

  private BadMessageException notOfType(FieldRow row, int field, String wanted) {
    String value =
        switch (row.kind(field)) {
          case TEXT, DECIMAL, NESTED -> row.text(field);
          case LONG -> Long.toString(row.longValue(field));
          default -> "";
        };
    return new BadMessageException(
        Reason.VALUE,
        "Field "
            + column.name()
            + ": "
            + row.kind(field)
            + " "
            + (value.length() > 100 ? value.substring(0, 100) + "..." : value)
            + " is not "
            + wanted
            + ", as the message's schema demands.");
  }
}
