package io.sluice.replicator.sources.debezium;

import io.debezium.spi.converter.CustomConverter;
import io.debezium.spi.converter.RelationalColumn;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Properties;
import java.util.function.Function;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Values that Debezium's own converters can't tell apart, for the columns that have them:
 *
 * <ul>
 *   <li>DATE and DATETIME that are NOT NULL: a zero or partial date comes as null, not as
 *       1970-01-01 or the column's default. Otherwise as ever: days, microseconds.
 *   <li>Text in utf16, ucs2 or utf32: the first character is text, whatever it is; Debezium takes a
 *       U+FEFF there for a mark of the bytes' order and drops it. What is no text in these comes as
 *       half a surrogate pair, at which the column's encoder refuses it with table and column.
 *   <li>Text in latin1: the server's character set is Windows-1252 with U+0081, U+008D, U+008F,
 *       U+0090 and U+009D at the five bytes that Windows leaves out.
 *   <li>JSON of MySQL: the binlog's binary form as it is, since text loses the types inside (a
 *       DATETIME's fraction, opaque bytes).
 * </ul>
 *
 * Properties: {@code converters=exact}, {@code exact.type=}this class, {@code
 * exact.flavor=mysql|mariadb}.
 */
public final class ExactValueConverter implements CustomConverter<SchemaBuilder, RelationalColumn> {

  private static final Charset WINDOWS_1252 = Charset.forName("windows-1252");

  /** What Java puts where bytes are no character. */
  private static final char REPLACEMENT = '\uFFFD';

  /** Half a surrogate pair. */
  private static final char NO_TEXT = '\uD800';

  private boolean mysql;

  @Override
  public void configure(Properties properties) {
    mysql = !"mariadb".equals(properties.getProperty("flavor"));
  }

  @Override
  public void converterFor(
      RelationalColumn column, ConverterRegistration<SchemaBuilder> registration) {
    String type = column.typeName().toUpperCase(Locale.ROOT);
    if (type.equals("DATE") && !column.isOptional()) {
      registration.register(
          SchemaBuilder.int32().name("io.debezium.time.Date").optional(),
          value -> days(column, value));
    } else if (type.startsWith("DATETIME") && !column.isOptional()) {
      registration.register(
          SchemaBuilder.int64().name("io.debezium.time.MicroTimestamp").optional(),
          value -> micros(column, value));
    } else if (type.matches(".*(CHAR|TEXT).*")) {
      Function<byte[], String> decoder = decoder(column);
      if (decoder != null) {
        registration.register(
            SchemaBuilder.string().optional(), value -> text(column, decoder, value));
      }
    } else if (type.equals("JSON") && mysql) {
      registration.register(SchemaBuilder.bytes().optional(), value -> json(column, value));
    }
  }

  /** Null for a character set that Debezium decodes right. */
  private static @Nullable Function<byte[], String> decoder(RelationalColumn column) {
    String name = column.charsetName();
    if (name == null) {
      return null;
    }
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "utf16", "ucs2" -> ExactValueConverter::ofUtf16;
      case "utf32" -> ExactValueConverter::ofCodePoints;
      case "latin1" -> ExactValueConverter::ofLatin1;
      default -> null;
    };
  }

  private static @Nullable Object text(
      RelationalColumn column, Function<byte[], String> decoder, @Nullable Object value) {
    if (value instanceof byte[] bytes) {
      return decoder.apply(bytes);
    }
    if (value == null || value instanceof String) {
      return value;
    }
    throw unexpected(column, value);
  }

  /** Unlike a String's constructor it puts nothing in the place of what is no character. */
  static String ofUtf16(byte[] bytes) {
    CharBuffer units = ByteBuffer.wrap(bytes).asCharBuffer();
    return bytes.length % 2 == 0 ? units.toString() : units.toString() + NO_TEXT;
  }

  /** Java's own decoder of UTF-32BE drops a first U+FEFF, too. */
  static String ofCodePoints(byte[] bytes) {
    var text = new StringBuilder(bytes.length / 4);
    ByteBuffer points = ByteBuffer.wrap(bytes);
    while (points.remaining() >= 4) {
      int point = points.getInt();
      if (Character.isValidCodePoint(point)) {
        text.appendCodePoint(point);
      } else {
        text.append(NO_TEXT);
      }
    }
    return points.hasRemaining() ? text.append(NO_TEXT).toString() : text.toString();
  }

  static String ofLatin1(byte[] bytes) {
    String text = new String(bytes, WINDOWS_1252);
    if (text.indexOf(REPLACEMENT) < 0) {
      return text;
    }
    char[] characters = text.toCharArray();
    for (int i = 0; i < characters.length; i++) {
      if (characters[i] == REPLACEMENT) {
        characters[i] = (char) (bytes[i] & 0xff);
      }
    }
    return new String(characters);
  }

  private static @Nullable Object days(RelationalColumn column, @Nullable Object value) {
    if (value == null) {
      return null;
    }
    if (value instanceof LocalDate date) {
      return Math.toIntExact(date.toEpochDay());
    }
    if (value instanceof Integer) {
      return value;
    }
    throw unexpected(column, value);
  }

  private static @Nullable Object micros(RelationalColumn column, @Nullable Object value) {
    if (value == null) {
      return null;
    }
    if (value instanceof LocalDateTime dateTime) {
      return ChronoUnit.MICROS.between(LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC), dateTime);
    }
    if (value instanceof Long) {
      return value;
    }
    throw unexpected(column, value);
  }

  private static @Nullable Object json(RelationalColumn column, @Nullable Object value) {
    if (value == null) {
      return null;
    }
    if (value instanceof byte[] binary) {
      return ByteBuffer.wrap(binary);
    }
    if (value instanceof ByteBuffer) {
      return value;
    }
    if (value instanceof String) {
      // A column default's text: nobody reads defaults here.
      return null;
    }
    throw unexpected(column, value);
  }

  private static IllegalArgumentException unexpected(RelationalColumn column, Object value) {
    return new IllegalArgumentException(
        "The binlog reader gave a "
            + value.getClass().getName()
            + " for "
            + column.dataCollection()
            + "."
            + column.name()
            + " ("
            + column.typeName()
            + "), which "
            + ExactValueConverter.class.getSimpleName()
            + " does not know");
  }
}
