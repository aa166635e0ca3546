package io.sluice.replicator.sources.debezium;

import io.debezium.spi.converter.CustomConverter;
import io.debezium.spi.converter.RelationalColumn;
import java.nio.ByteBuffer;
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
    } else if (type.equals("JSON") && mysql) {
      registration.register(SchemaBuilder.bytes().optional(), value -> json(column, value));
    }
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
