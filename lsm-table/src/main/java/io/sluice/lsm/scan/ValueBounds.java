package io.sluice.lsm.scan;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.TableSchema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The range of a file's values by its {@code _VALUE_STATS}: bounds that may lie further out than
 * the values (texts are cut), never further in. Where that is not sure nothing is known:
 *
 * <ul>
 *   <li>columns that the file's schema lacks or has in another type;
 *   <li>TIMESTAMP WITH LOCAL TIME ZONE, whose bounds hang on the zone of the process that wrote;
 *   <li>CHAR, whose bounds ORC takes with blanks behind the value, above the value itself;
 *   <li>dates before 1600, which libraries move between two calendars;
 *   <li>timestamps before 1970-01-01 00:00:01: ORC gives some back a second later than they were
 *       (format description section 7.2), and Paimon takes bounds from it that don't hold them.
 * </ul>
 */
final class ValueBounds {

  private static final long DAYS_1600 = -135_140;
  private static final long MILLIS_A_SECOND = 1000;

  private ValueBounds() {}

  /**
   * The range of a column; null if nothing is known.
   *
   * @param wanted the column as the reading schema has it
   * @param fileSchema that wrote the file
   */
  static Filter.@Nullable Range range(DataField wanted, TableSchema fileSchema, DataFileMeta file) {
    int position = -1;
    for (int i = 0; i < fileSchema.rowType().size(); i++) {
      position = fileSchema.rowType().field(i).id() == wanted.id() ? i : position;
    }
    if (position < 0 || wanted.type().root().isNested()) {
      return null;
    }
    DataField stored = fileSchema.rowType().field(position);
    if (!stored.type().withNullable(true).equals(wanted.type().withNullable(true))) {
      return null;
    }
    List<String> named = file.valueStatsCols();
    int at = named == null ? position : named.indexOf(stored.name());
    int size = named == null ? fileSchema.rowType().size() : named.size();
    BinaryRow min = BinaryRow.deserialize(file.valueStats().minValues());
    BinaryRow max = BinaryRow.deserialize(file.valueStats().maxValues());
    if (at < 0 || min.size() != size || max.size() != size) {
      return null;
    }
    List<@Nullable Long> counts = file.valueStats().nullCounts();
    Long nulls = at < counts.size() ? counts.get(at) : null;
    if (min.isNullAt(at) || max.isNullAt(at)) {
      return nulls != null && nulls == file.rowCount()
          ? new Filter.Range(null, null, at, true)
          : null;
    }
    return isSure(wanted.type(), min, at)
        ? new Filter.Range(min, max, at, nulls == null || nulls > 0)
        : null;
  }

  /** Whether bounds that the file format gave hold the values, going by the lower one. */
  static boolean isSure(DataType type, BinaryRow min, int at) {
    return switch (type.root()) {
      case DATE -> min.getInt(at) >= DAYS_1600;
      case TIMESTAMP ->
          min.getTimestampMillis(at, ((TemporalType) type).precision()) >= MILLIS_A_SECOND;
      case TIMESTAMP_LTZ -> false;
      case BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL, TIME, VARCHAR -> true;
      case CHAR, BINARY, VARBINARY, ARRAY, MAP, MULTISET, ROW, VARIANT -> false;
    };
  }
}
