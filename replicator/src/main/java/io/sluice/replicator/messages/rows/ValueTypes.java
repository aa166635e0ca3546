package io.sluice.replicator.messages.rows;

import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.TypeRoot;
import io.sluice.replicator.messages.FieldRow;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Types of columns by the values they must hold, where no schema says more.
 *
 * <ul>
 *   <li>Whole numbers are INT, else BIGINT, else DECIMAL(20, 0), DECIMAL(38, 0), else STRING.
 *   <li>Other numbers are DOUBLE if a double stands for them (15 digits always), else DECIMAL(38,
 *       18), else STRING. Where the column is BIGINT or DECIMAL already, which has no room in
 *       DOUBLE, they are DECIMAL(38, 18) first.
 *   <li>Booleans are BOOLEAN, texts STRING; objects and arrays are STRING with their JSON text.
 *   <li>Texts are never taken for times or numbers.
 * </ul>
 */
final class ValueTypes {

  private static final DataType DECIMAL_20 = DataTypes.decimal(20, 0);
  private static final DataType DECIMAL_38 = DataTypes.decimal(38, 0);
  private static final DataType FRACTION = DataTypes.decimal(38, 18);

  private ValueTypes() {}

  /** Whether values may make a column of this type wider. */
  static boolean mayGrow(DataType type) {
    return switch (type.root()) {
      case BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL -> true;
      case CHAR, VARCHAR, BINARY, VARBINARY, DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ -> false;
      case ARRAY, MAP, MULTISET, ROW, VARIANT -> false;
    };
  }

  /**
   * The type for a value that isn't NULL.
   *
   * @param column the column's type now; null if there is none
   */
  static DataType of(FieldRow row, int field, @Nullable DataType column) {
    return switch (row.kind(field)) {
      case BOOLEAN -> DataTypes.BOOLEAN;
      case LONG -> {
        long value = row.longValue(field);
        yield value == (int) value ? DataTypes.INT : DataTypes.BIGINT;
      }
      case DECIMAL -> number(row, field, column);
      case DOUBLE -> DataTypes.DOUBLE;
      case TEXT, NESTED, NULL, TIME, BINARY_ARRAY -> DataTypes.STRING;
      case BYTES -> DataTypes.BYTES;
      case DATE -> DataTypes.DATE;
      case TIMESTAMP -> DataTypes.timestamp(row.nanosOfMilli(field) % 1_000 == 0 ? 6 : 9);
      case INSTANT -> DataTypes.timestampLtz(row.nanosOfMilli(field) % 1_000 == 0 ? 6 : 9);
    };
  }

  private static DataType number(FieldRow row, int field, @Nullable DataType column) {
    byte[] buffer = row.buffer();
    int offset = row.offset(field);
    int length = row.length(field);
    BigDecimal value = Numbers.decimal(buffer, offset, length);
    if (value == null) {
      return DataTypes.STRING;
    }
    boolean exact =
        column != null && (column.root() == TypeRoot.BIGINT || column.root() == TypeRoot.DECIMAL);
    boolean whole = true;
    for (int i = offset; i < offset + length; i++) {
      byte c = buffer[i];
      whole &= c != '.' && c != 'e' && c != 'E';
    }
    if (whole) {
      int digits = value.precision();
      return digits <= 20 ? DECIMAL_20 : digits <= 38 ? DECIMAL_38 : DataTypes.STRING;
    }
    if (!exact
        && Numbers.standsFor(Numbers.doubleOf(buffer, offset, length), buffer, offset, length)) {
      return DataTypes.DOUBLE;
    }
    return Numbers.scaled(value, 38, 18) == null ? DataTypes.STRING : FRACTION;
  }
}
