package io.sluice.lsm.testing;

import io.sluice.lsm.row.MapValues;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.Values;
import io.sluice.lsm.scan.RowReader;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.MultisetType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import java.io.IOException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Rows as column -> text, in the way of golden/README.md, so that engines can be compared. */
public final class CanonicalRows {

  private static final com.fasterxml.jackson.databind.ObjectMapper JSON =
      new com.fasterxml.jackson.databind.ObjectMapper();

  private CanonicalRows() {}

  /** All rows of a scan, in its order. */
  public static List<Map<String, String>> read(TableScan scan) throws IOException {
    List<Map<String, String>> rows = new ArrayList<>();
    try (RowReader reader = scan.open()) {
      while (reader.advance()) {
        rows.add(of(reader.rowType(), reader.row()));
      }
    }
    return rows;
  }

  /** Rows are a multiset: in the order of their text. */
  public static List<Map<String, String>> sorted(List<Map<String, String>> rows) {
    List<Map<String, String>> result = new ArrayList<>(rows);
    result.sort(java.util.Comparator.comparing(Object::toString));
    return result;
  }

  public static Map<String, String> of(RowType type, Row row) {
    Map<String, String> result = new LinkedHashMap<>();
    for (int i = 0; i < type.size(); i++) {
      result.put(type.field(i).name(), row.isNullAt(i) ? null : text(type.type(i), row, i));
    }
    return result;
  }

  private static String text(DataType type, Values row, int i) {
    return switch (type.root()) {
      case BOOLEAN -> Boolean.toString(row.getBoolean(i));
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
      case TIME -> time(row.getInt(i));
      case TIMESTAMP -> timestamp(type, row, i);
      case TIMESTAMP_LTZ -> timestamp(type, row, i) + "Z";
      case ARRAY -> {
        Values elements = row.getArray(i);
        yield json(texts(((ArrayType) type).element(), elements));
      }
      case MAP -> entries(((MapType) type).key(), ((MapType) type).value(), row.getMap(i));
      case MULTISET -> entries(((MultisetType) type).element(), DataTypes.INT, row.getMap(i));
      case ROW -> {
        List<DataField> fields = ((NestedRowType) type).fields();
        yield json(of(new RowType(fields), row.getRow(i, fields.size())));
      }
      default -> throw new AssertionError(type);
    };
  }

  private static List<String> texts(DataType type, Values values) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      texts.add(values.isNullAt(i) ? null : text(type, values, i));
    }
    return texts;
  }

  private static String entries(DataType key, DataType value, MapValues map) {
    return entries(texts(key, map.keys()), texts(value, map.values()));
  }

  /** Pairs in the order of their text. */
  static String entries(List<String> keys, List<String> values) {
    List<List<String>> pairs = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      pairs.add(java.util.Arrays.asList(keys.get(i), values.get(i)));
    }
    pairs.sort(java.util.Comparator.comparing(CanonicalRows::json));
    return json(pairs);
  }

  static String json(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }

  static String time(int milliOfDay) {
    return LocalTime.ofNanoOfDay(milliOfDay * 1_000_000L)
        .format(DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT));
  }

  private static String timestamp(DataType type, Values row, int i) {
    int precision = ((TemporalType) type).precision();
    return timestamp(
        row.getTimestampMillis(i, precision), row.getNanoOfMilli(i, precision), precision);
  }

  static String timestamp(long millis, int nanoOfMilli, int precision) {
    LocalDateTime time =
        LocalDateTime.ofEpochSecond(
            Math.floorDiv(millis, 1000L),
            (int) Math.floorMod(millis, 1000L) * 1_000_000 + nanoOfMilli,
            ZoneOffset.UTC);
    String text = time.format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT));
    String digits = String.format(Locale.ROOT, "%09d", time.getNano());
    return precision == 0 ? text : text + "." + digits.substring(0, precision);
  }
}
