package io.sluice.replicator.demo;

import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.RowType;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values of a lake row as text, in the words that the source's SQL gives for the same values. */
final class RowText {
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

  private RowText() {}

  static List<@Nullable String> of(Row row, RowType type) {
    List<@Nullable String> values = new ArrayList<>(type.size());
    for (int i = 0; i < type.size(); i++) {
      values.add(row.isNullAt(i) ? null : value(row, i, type.field(i).type()));
    }
    return values;
  }

  private static String value(Row row, int i, DataType type) {
    return switch (type.root()) {
      case BOOLEAN -> row.getBoolean(i) ? "1" : "0";
      case TINYINT -> Byte.toString(row.getByte(i));
      case SMALLINT -> Short.toString(row.getShort(i));
      case INT -> Integer.toString(row.getInt(i));
      case BIGINT -> Long.toString(row.getLong(i));
      case FLOAT -> Float.toString(row.getFloat(i));
      case DOUBLE -> Double.toString(row.getDouble(i));
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        yield row.getDecimal(i, decimal.precision(), decimal.scale()).toPlainString();
      }
      case CHAR, VARCHAR -> row.getString(i);
      case BINARY, VARBINARY -> HexFormat.of().formatHex(row.getByteArray(i));
      case DATE -> LocalDate.ofEpochDay(row.getInt(i)).toString();
      case TIME -> LocalTime.ofNanoOfDay(row.getInt(i) * 1_000_000L).toString();
      case TIMESTAMP -> timestamp(row, i, ((TemporalType) type).precision());
      case TIMESTAMP_LTZ -> timestamp(row, i, ((TemporalType) type).precision()) + "Z";
      case ARRAY, MAP, MULTISET, ROW, VARIANT ->
          throw new IllegalArgumentException("the demo has no column of type " + type.root());
    };
  }

  private static String timestamp(Row row, int i, int precision) {
    long millis = row.getTimestampMillis(i, precision);
    LocalDateTime time =
        LocalDateTime.ofInstant(Instant.ofEpochMilli(millis), ZoneOffset.UTC)
            .plusNanos(row.getNanoOfMilli(i, precision));
    String seconds = SECONDS.format(time);
    return precision == 0
        ? seconds
        : seconds + "." + "%09d".formatted(time.getNano()).substring(0, precision);
  }
}
