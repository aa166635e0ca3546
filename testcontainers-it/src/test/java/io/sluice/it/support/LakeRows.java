package io.sluice.it.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.options.Options;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.TimestampType;

/**
 * What Apache Paimon's own reader sees of a table, each value as text: booleans {@code true/false},
 * integers decimal, FLOAT and DOUBLE as Java prints them, DECIMAL plain with its scale, bytes in
 * lower-case hex, {@code yyyy-MM-dd}, {@code yyyy-MM-dd HH:mm:ss[.p digits]}, instants in UTC with
 * {@code Z}.
 */
public final class LakeRows {
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

  private LakeRows() {}

  /** All rows of the newest snapshot, columns in the lake's order. */
  public static TableRows read(Path warehouse, String database, String table) {
    return read(warehouse, database, table, Map.of());
  }

  /** The same with dynamic options of Paimon, such as {@code scan.snapshot-id}. */
  public static TableRows read(
      Path warehouse, String database, String table, Map<String, String> dynamicOptions) {
    List<List<String>> rows = new ArrayList<>();
    List<DataField> fields =
        forEach(
            warehouse,
            database,
            table,
            dynamicOptions,
            (row, columns) -> rows.add(render(row, columns)));
    return new TableRows(fields.stream().map(DataField::name).toList(), rows);
  }

  /** One row after the other, for what is too much to be held; a row is good for one call. */
  public static void forEach(
      Path warehouse, String database, String table, Consumer<InternalRow> consumer) {
    forEach(warehouse, database, table, Map.of(), (row, columns) -> consumer.accept(row));
  }

  private static List<DataField> forEach(
      Path warehouse,
      String database,
      String table,
      Map<String, String> dynamicOptions,
      BiConsumer<InternalRow, List<DataField>> consumer) {
    Options options = new Options();
    options.set("warehouse", warehouse.toUri().toString());
    try (var catalog = CatalogFactory.createCatalog(CatalogContext.create(options))) {
      Table opened = catalog.getTable(Identifier.create(database, table)).copy(dynamicOptions);
      List<DataField> fields = opened.rowType().getFields();
      ReadBuilder builder = opened.newReadBuilder();
      try (RecordReader<InternalRow> reader =
          builder.newRead().createReader(builder.newScan().plan())) {
        reader.forEachRemaining(row -> consumer.accept(row, fields));
      }
      return fields;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("Paimon cannot read " + database + "." + table, e);
    }
  }

  /** The columns and their types as Paimon prints them, such as {@code id INT NOT NULL}. */
  public static List<String> columns(Path warehouse, String database, String table) {
    Options options = new Options();
    options.set("warehouse", warehouse.toUri().toString());
    try (var catalog = CatalogFactory.createCatalog(CatalogContext.create(options))) {
      return catalog.getTable(Identifier.create(database, table)).rowType().getFields().stream()
          .map(field -> field.name() + " " + field.type().asSQLString())
          .toList();
    } catch (Exception e) {
      throw new IllegalStateException("Paimon cannot read " + database + "." + table, e);
    }
  }

  private static List<String> render(InternalRow row, List<DataField> fields) {
    List<String> values = new ArrayList<>(fields.size());
    for (int i = 0; i < fields.size(); i++) {
      values.add(row.isNullAt(i) ? null : render(row, i, fields.get(i).type()));
    }
    return values;
  }

  private static String render(InternalRow row, int i, DataType type) {
    return switch (type.getTypeRoot()) {
      case BOOLEAN -> Boolean.toString(row.getBoolean(i));
      case TINYINT -> Byte.toString(row.getByte(i));
      case SMALLINT -> Short.toString(row.getShort(i));
      case INTEGER -> Integer.toString(row.getInt(i));
      case BIGINT -> Long.toString(row.getLong(i));
      case FLOAT -> Float.toString(row.getFloat(i));
      case DOUBLE -> Double.toString(row.getDouble(i));
      case DECIMAL -> decimal(row, i, (DecimalType) type).toPlainString();
      case CHAR, VARCHAR -> row.getString(i).toString();
      case BINARY, VARBINARY -> HexFormat.of().formatHex(row.getBinary(i));
      case DATE -> LocalDate.ofEpochDay(row.getInt(i)).toString();
      case TIME_WITHOUT_TIME_ZONE -> LocalTime.ofNanoOfDay(row.getInt(i) * 1_000_000L).toString();
      case TIMESTAMP_WITHOUT_TIME_ZONE -> {
        int precision = ((TimestampType) type).getPrecision();
        yield text(row.getTimestamp(i, precision).toLocalDateTime(), precision);
      }
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> {
        int precision = ((LocalZonedTimestampType) type).getPrecision();
        Timestamp value = row.getTimestamp(i, precision);
        Instant instant = value.toInstant();
        yield text(LocalDateTime.ofInstant(instant, ZoneOffset.UTC), precision) + "Z";
      }
      default -> throw new IllegalArgumentException("no text for values of type " + type);
    };
  }

  private static BigDecimal decimal(InternalRow row, int i, DecimalType type) {
    return row.getDecimal(i, type.getPrecision(), type.getScale()).toBigDecimal();
  }

  private static String text(LocalDateTime value, int precision) {
    String seconds = SECONDS.format(value);
    return precision == 0
        ? seconds
        : seconds + "." + "%09d".formatted(value.getNano()).substring(0, precision);
  }
}
