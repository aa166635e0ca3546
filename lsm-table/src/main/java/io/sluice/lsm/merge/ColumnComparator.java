package io.sluice.lsm.merge;

import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.TypeRoot;

/**
 * Orders the values of one column type as the format does (format description section 7.1):
 * integers, DATE, TIME, DECIMAL and timestamps by number, false before true, text by unsigned UTF-8
 * bytes, binary by unsigned bytes, FLOAT and DOUBLE by {@code <} and {@code >}, so that -0.0 equals
 * 0.0 and NaN equals everything. Not thread safe: it reuses its views.
 */
public final class ColumnComparator {

  private final TypeRoot root;
  private final int precision;
  private final int scale;
  private final BytesView left = new BytesView();
  private final BytesView right = new BytesView();

  /**
   * @throws IllegalArgumentException for nested types, which have no order
   */
  public ColumnComparator(DataType type) {
    this.root = type.root();
    if (root.isNested()) {
      throw new IllegalArgumentException("Values of type " + root + " have no order");
    }
    if (type instanceof DecimalType decimal) {
      this.precision = decimal.precision();
      this.scale = decimal.scale();
    } else if (type instanceof TemporalType temporal) {
      this.precision = temporal.precision();
      this.scale = 0;
    } else {
      this.precision = 0;
      this.scale = 0;
    }
  }

  public TypeRoot root() {
    return root;
  }

  /** Compares two values; nulls first. */
  public int compareNullable(Row a, int columnA, Row b, int columnB) {
    boolean nullA = a.isNullAt(columnA);
    boolean nullB = b.isNullAt(columnB);
    if (nullA || nullB) {
      return nullA == nullB ? 0 : nullA ? -1 : 1;
    }
    return compare(a, columnA, b, columnB);
  }

  /** Compares two values. REQUIRES: neither is null. */
  public int compare(Row a, int columnA, Row b, int columnB) {
    return switch (root) {
      case BIGINT -> Long.compare(a.getLong(columnA), b.getLong(columnB));
      case INT, DATE, TIME -> Integer.compare(a.getInt(columnA), b.getInt(columnB));
      case CHAR, VARCHAR, BINARY, VARBINARY -> {
        a.getBytes(columnA, left);
        b.getBytes(columnB, right);
        yield left.compareTo(right);
      }
      case BOOLEAN -> Boolean.compare(a.getBoolean(columnA), b.getBoolean(columnB));
      case TINYINT -> Byte.compare(a.getByte(columnA), b.getByte(columnB));
      case SMALLINT -> Short.compare(a.getShort(columnA), b.getShort(columnB));
      case FLOAT -> {
        float x = a.getFloat(columnA);
        float y = b.getFloat(columnB);
        yield x < y ? -1 : x > y ? 1 : 0;
      }
      case DOUBLE -> {
        double x = a.getDouble(columnA);
        double y = b.getDouble(columnB);
        yield x < y ? -1 : x > y ? 1 : 0;
      }
      case DECIMAL ->
          precision <= DecimalType.MAX_COMPACT_PRECISION
              ? Long.compare(a.getDecimalUnscaled(columnA), b.getDecimalUnscaled(columnB))
              : a.getDecimal(columnA, precision, scale)
                  .compareTo(b.getDecimal(columnB, precision, scale));
      case TIMESTAMP, TIMESTAMP_LTZ -> {
        int order =
            Long.compare(
                a.getTimestampMillis(columnA, precision), b.getTimestampMillis(columnB, precision));
        yield order != 0 || precision <= TemporalType.MAX_COMPACT_PRECISION
            ? order
            : Integer.compare(
                a.getNanoOfMilli(columnA, precision), b.getNanoOfMilli(columnB, precision));
      }
      case ARRAY, MAP, MULTISET, ROW, VARIANT -> throw new AssertionError(root);
    };
  }
}
