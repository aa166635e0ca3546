package io.sluice.replicator.cli;

import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Values of rows for people and programs. */
enum ValueText {
  /** Numbers and truth values as such; bytes in base64; {@code 2024-01-31T10:00:00.123}. */
  PLAIN('T'),
  /** Everything as text; bytes in hexadecimal; {@code 2024-01-31 10:00:00.123}. */
  CANONICAL(' ');

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");
  private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("HH:mm:ss");
  private static final int NANO_DIGITS = 9;

  private final char betweenDateAndTime;

  ValueText(char betweenDateAndTime) {
    this.betweenDateAndTime = betweenDateAndTime;
  }

  /** Null, a Boolean, a Number that is exact as such, or a String. */
  @Nullable Object of(Row row, int column, DataType type) {
    if (row.isNullAt(column)) {
      return null;
    }
    Object value =
        switch (type.root()) {
          case BOOLEAN -> row.getBoolean(column);
          case TINYINT -> (long) row.getByte(column);
          case SMALLINT -> (long) row.getShort(column);
          case INT -> (long) row.getInt(column);
          case BIGINT -> row.getLong(column);
          case FLOAT -> row.getFloat(column);
          case DOUBLE -> row.getDouble(column);
          case DECIMAL -> decimal(row, column, (DecimalType) type);
          case CHAR, VARCHAR -> row.getString(column);
          case BINARY, VARBINARY -> bytes(row.getByteArray(column));
          case DATE -> LocalDate.ofEpochDay(row.getInt(column)).toString();
          case TIME -> TIME.format(LocalTime.ofNanoOfDay(row.getInt(column) * 1_000_000L));
          case TIMESTAMP -> timestamp(row, column, (TemporalType) type);
          case TIMESTAMP_LTZ -> timestamp(row, column, (TemporalType) type) + "Z";
          case ARRAY, MAP, MULTISET, ROW, VARIANT ->
              throw new IllegalArgumentException("Nested values can't be read: " + type.root());
        };
    return this == CANONICAL ? value.toString() : value;
  }

  private static String decimal(Row row, int column, DecimalType type) {
    return row.getDecimal(column, type.precision(), type.scale()).toPlainString();
  }

  private String bytes(byte[] value) {
    return this == PLAIN
        ? Base64.getEncoder().encodeToString(value)
        : HexFormat.of().formatHex(value);
  }

  private String timestamp(Row row, int column, TemporalType type) {
    int precision = type.precision();
    long millis = row.getTimestampMillis(column, precision);
    int nanos =
        (int) Math.floorMod(millis, 1000L) * 1_000_000 + row.getNanoOfMilli(column, precision);
    LocalDateTime value =
        LocalDateTime.ofEpochSecond(Math.floorDiv(millis, 1000L), nanos, ZoneOffset.UTC);
    StringBuilder text =
        new StringBuilder()
            .append(value.toLocalDate())
            .append(betweenDateAndTime)
            .append(SECONDS.format(value));
    if (precision > 0) {
      String digits = Integer.toString(nanos + 1_000_000_000).substring(1, NANO_DIGITS + 1);
      text.append('.').append(digits, 0, precision);
    }
    return text.toString();
  }
}
