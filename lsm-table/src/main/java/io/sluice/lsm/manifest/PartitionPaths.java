package io.sluice.lsm.manifest;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Folders of partitions and buckets (format description section 1.2). Null, the empty and the blank
 * text share a folder; values are never read back from a path. Immutable.
 */
public final class PartitionPaths {

  private static final String ESCAPED = "\"#%'*/:=?\\{}[]^";

  private final TablePaths paths;
  private final RowType partitionType;
  private final String defaultName;
  private final boolean legacyName;

  /**
   * @throws UnsupportedTableException for a partition column whose values cannot be told in a path
   */
  public PartitionPaths(TablePaths paths, TableSchema schema) {
    this(paths, partitionType(schema), TableOptions.of(schema));
  }

  private PartitionPaths(TablePaths paths, RowType partitionType, TableOptions options) {
    this(paths, partitionType, options.partitionDefaultName(), options.partitionLegacyName());
  }

  /**
   * @param defaultName option {@code partition.default-name}
   * @param legacyName option {@code partition.legacy-name}: true shows a DATE as its day number
   */
  public PartitionPaths(
      TablePaths paths, RowType partitionType, String defaultName, boolean legacyName) {
    this.paths = paths;
    this.partitionType = partitionType;
    this.defaultName = defaultName;
    this.legacyName = legacyName;
    for (DataField field : partitionType.fields()) {
      if (field.type().root().isNested() || field.type().root().isBytes()) {
        throw new UnsupportedTableException(
            "Table "
                + paths.root()
                + " is partitioned by "
                + field.name()
                + " of type "
                + field.type().root()
                + ", which has no folder name. Partition by another column.");
      }
    }
  }

  /**
   * Whose texts are those that Paimon's values give, a DATE its day number, whatever the options.
   */
  public static PartitionPaths plain(TablePaths paths, TableSchema schema) {
    return new PartitionPaths(
        paths, partitionType(schema), TableOptions.of(schema).partitionDefaultName(), true);
  }

  /** The partition columns of a schema, in the order of the folders. */
  public static RowType partitionType(TableSchema schema) {
    return schema.rowType().project(schema.rowType().positions(schema.partitionKeys()));
  }

  /** {@code k1=v1/k2=v2}, escaped; empty for an unpartitioned table. */
  public String partitionPath(BinaryRow partition) {
    StringBuilder result = new StringBuilder();
    for (int i = 0; i < partitionType.size(); i++) {
      if (i > 0) {
        result.append('/');
      }
      escape(partitionType.field(i).name(), result);
      result.append('=');
      String value = partition.isNullAt(i) ? "" : text(partition, i);
      escape(value.isBlank() ? defaultName : value, result);
    }
    return result.toString();
  }

  /** The values of a partition as texts, not escaped; null for NULL. */
  public List<@Nullable String> values(BinaryRow partition) {
    List<@Nullable String> result = new ArrayList<>();
    for (int i = 0; i < partitionType.size(); i++) {
      result.add(partition.isNullAt(i) ? null : text(partition, i));
    }
    return result;
  }

  /** All other names of the table. */
  public TablePaths table() {
    return paths;
  }

  public String bucketFolder(BinaryRow partition, int bucket) {
    return paths.bucketFolder(partitionPath(partition), bucket);
  }

  /** Path of a file (data file, its index) of a bucket. */
  public String file(BinaryRow partition, int bucket, String name) {
    return bucketFolder(partition, bucket) + "/" + name;
  }

  private String text(BinaryRow row, int column) {
    var type = partitionType.type(column);
    return switch (type.root()) {
      case BOOLEAN -> Boolean.toString(row.getBoolean(column));
      case TINYINT -> Byte.toString(row.getByte(column));
      case SMALLINT -> Short.toString(row.getShort(column));
      case INT -> Integer.toString(row.getInt(column));
      case BIGINT -> Long.toString(row.getLong(column));
      case FLOAT -> Float.toString(row.getFloat(column));
      case DOUBLE -> Double.toString(row.getDouble(column));
      case CHAR, VARCHAR -> row.getString(column);
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        yield row.getDecimal(column, decimal.precision(), decimal.scale()).toPlainString();
      }
      case DATE ->
          legacyName
              ? Integer.toString(row.getInt(column))
              : LocalDate.ofEpochDay(row.getInt(column)).toString();
      case TIME ->
          legacyName
              ? Integer.toString(row.getInt(column))
              : time(row.getInt(column), ((TemporalType) type).precision());
      case TIMESTAMP, TIMESTAMP_LTZ -> timestamp(row, column, ((TemporalType) type).precision());
      case BINARY, VARBINARY, ARRAY, MAP, MULTISET, ROW, VARIANT ->
          throw new IllegalStateException(type.root() + " was refused before");
    };
  }

  private static String time(int milliOfDay, int precision) {
    LocalTime time = LocalTime.ofNanoOfDay(milliOfDay * 1_000_000L);
    String text =
        String.format(
            Locale.ROOT, "%02d:%02d:%02d", time.getHour(), time.getMinute(), time.getSecond());
    return text + fraction(time.getNano(), precision, Math.min(precision, 1));
  }

  private String timestamp(BinaryRow row, int column, int precision) {
    Instant instant =
        Instant.ofEpochMilli(row.getTimestampMillis(column, precision))
            .plusNanos(row.getNanoOfMilli(column, precision));
    LocalDateTime wall = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    if (legacyName) {
      return wall.toString();
    }
    String text =
        String.format(
            Locale.ROOT,
            "%04d-%02d-%02d %02d:%02d:%02d",
            wall.getYear(),
            wall.getMonthValue(),
            wall.getDayOfMonth(),
            wall.getHour(),
            wall.getMinute(),
            wall.getSecond());
    return text + fraction(wall.getNano(), precision, precision);
  }

  /** {@code .ddd}: at most {@code most} digits, trailing zeros dropped down to {@code least}. */
  private static String fraction(int nanos, int most, int least) {
    String digits = String.format(Locale.ROOT, "%09d", nanos).substring(0, most);
    int length = digits.length();
    while (length > least && digits.charAt(length - 1) == '0') {
      length--;
    }
    return length == 0 ? "" : "." + digits.substring(0, length);
  }

  private static void escape(String text, StringBuilder into) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x20 || c == 0x7F || ESCAPED.indexOf(c) >= 0) {
        into.append('%').append(String.format(Locale.ROOT, "%02X", (int) c));
      } else {
        into.append(c);
      }
    }
  }
}
