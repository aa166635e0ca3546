package io.sluice.replicator.sources.debezium;

import io.debezium.spi.converter.CustomConverter;
import io.debezium.spi.converter.RelationalColumn;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Properties;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Values that Debezium's own converters can't tell apart, for the columns that have them:
 *
 * <ul>
 *   <li>DATE and DATETIME that are NOT NULL: a zero or partial date comes as null, not as
 *       1970-01-01 or the column's default. Otherwise as ever: days, microseconds.
 *   <li>Text in utf16, ucs2 or utf32: the first character is text, whatever it is; Debezium takes a
 *       U+FEFF there for a mark of the bytes' order and drops it.
 *   <li>JSON of MySQL: the binlog's binary form as it is, since text loses the types inside (a
 *       DATETIME's fraction, opaque bytes).
 * </ul>
 *
 * Properties: {@code converters=exact}, {@code exact.type=}this class, {@code
 * exact.flavor=mysql|mariadb}.
 */
public final class ExactValueConverter implements CustomConverter<SchemaBuilder, RelationalColumn> {

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
    } else if (bytesOfCharacter(column) > 0 && type.matches(".*(CHAR|TEXT).*")) {
      int bytes = bytesOfCharacter(column);
      registration.register(SchemaBuilder.string().optional(), value -> text(column, bytes, value));
    } else if (type.equals("JSON") && mysql) {
      registration.register(SchemaBuilder.bytes().optional(), value -> json(column, value));
    }
  }

  /** Of the wide character sets whose greater byte comes first; 0 of others. */
  private static int bytesOfCharacter(RelationalColumn column) {
    String name = column.charsetName();
    if (name == null) {
      return 0;
    }
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "utf16", "ucs2" -> 2;
      case "utf32" -> 4;
      default -> 0;
    };
  }

  private static @Nullable Object text(
      RelationalColumn column, int bytesOfCharacter, @Nullable Object value) {
    if (value instanceof byte[] bytes) {
      return bytesOfCharacter == 2 ? ofUtf16(column, bytes) : ofCodePoints(bytes);
    }
    if (value == null || value instanceof String) {
      return value;
    }
    throw unexpected(column, value);
  }

  /** Unlike a String's constructor it puts nothing in the place of what is no character. */
  private static String ofUtf16(RelationalColumn column, byte[] bytes) {
    try {
      return StandardCharsets.UTF_16BE.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "Text of " + column.dataCollection() + "." + column.name() + " is no UTF-16", e);
    }
  }

  /** Java's own decoder of UTF-32BE drops a first U+FEFF, too. */
  private static String ofCodePoints(byte[] bytes) {
    var text = new StringBuilder(bytes.length / 4);
    ByteBuffer points = ByteBuffer.wrap(bytes);
    while (points.remaining() >= 4) {
      text.appendCodePoint(points.getInt());
    }
    if (points.hasRemaining()) {
      throw new IllegalArgumentException("Text in utf32 of " + bytes.length + " bytes");
    }
    return text.toString();
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
