package io.sluice.lsm.binary;

import io.sluice.lsm.binary.ColumnBounds.Moment;
import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.StatsMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Gathers smallest and largest values and null counts over rows (format description section 4.2):
 * for partition statistics of manifests and for formats that gather none themselves. Bytes and
 * nested types have null counts only; a FLOAT or DOUBLE column with a NaN has no bounds, since NaN
 * has no place in their order. One thread.
 */
public final class ColumnStatsCollector {

  private final List<DataType> types = new ArrayList<>();
  private final long[] nullCounts;
  private final @Nullable Object[] min;
  private final @Nullable Object[] max;
  private final boolean[] unordered;
  private final BytesView bytes = new BytesView();

  public ColumnStatsCollector(RowType type) {
    this(type, every -> true);
  }

  /**
   * @param bounded types whose smallest and largest values are gathered; of others the null counts
   */
  public ColumnStatsCollector(RowType type, Predicate<DataType> bounded) {
    type.fields().forEach(field -> types.add(field.type()));
    nullCounts = new long[type.size()];
    min = new Object[type.size()];
    max = new Object[type.size()];
    unordered = new boolean[type.size()];
    for (int i = 0; i < unordered.length; i++) {
      unordered[i] = !bounded.test(types.get(i));
    }
  }

  public void add(Row row) {
    for (int i = 0; i < nullCounts.length; i++) {
      if (row.isNullAt(i)) {
        nullCounts[i]++;
      } else if (!unordered[i]) {
        add(row, i, types.get(i));
      }
    }
  }

  private void add(Row row, int column, DataType type) {
    switch (type.root()) {
      case BOOLEAN -> widen(column, row.getBoolean(column) ? 1L : 0L);
      case TINYINT -> widen(column, (long) row.getByte(column));
      case SMALLINT -> widen(column, (long) row.getShort(column));
      case INT, DATE, TIME -> widen(column, (long) row.getInt(column));
      case BIGINT -> widen(column, row.getLong(column));
      case FLOAT -> widenDouble(column, row.getFloat(column));
      case DOUBLE -> widenDouble(column, row.getDouble(column));
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        if (decimal.compact()) {
          widen(column, row.getDecimalUnscaled(column));
        } else {
          widen(column, row.getDecimal(column, decimal.precision(), decimal.scale()));
        }
      }
      case CHAR, VARCHAR -> {
        row.getBytes(column, bytes);
        widenText(column);
      }
      case TIMESTAMP, TIMESTAMP_LTZ -> {
        int precision = ((TemporalType) type).precision();
        widen(
            column,
            new Moment(
                row.getTimestampMillis(column, precision), row.getNanoOfMilli(column, precision)));
      }
      case BINARY, VARBINARY, ARRAY, MAP, MULTISET, ROW, VARIANT -> {}
    }
  }

  private void widenDouble(int column, double value) {
    if (Double.isNaN(value)) {
      unordered[column] = true;
      min[column] = null;
      max[column] = null;
    } else {
      // Zero is below and above itself for those who compare bits.
      widen(column, value == 0 ? -0.0 : value);
      if (value == 0) {
        widen(column, 0.0);
      }
    }
  }

  @SuppressWarnings("unchecked")
  private <T extends Comparable<T>> void widen(int column, T value) {
    Object smallest = min[column];
    if (smallest == null || value.compareTo((T) smallest) < 0) {
      min[column] = value;
    }
    Object largest = max[column];
    if (largest == null || value.compareTo((T) largest) > 0) {
      max[column] = value;
    }
  }

  private void widenText(int column) {
    if (!(min[column] instanceof byte[] smallest) || compareTo(smallest) < 0) {
      min[column] = bytes.toByteArray();
    }
    if (!(max[column] instanceof byte[] largest) || compareTo(largest) > 0) {
      max[column] = bytes.toByteArray();
    }
  }

  private int compareTo(byte[] other) {
    return Arrays.compareUnsigned(
        bytes.array, bytes.offset, bytes.offset + bytes.length, other, 0, other.length);
  }

  /** What was gathered of one column, not yet shortened. */
  public ColumnBounds bounds(int column) {
    return new ColumnBounds(nullCounts[column], min[column], max[column]);
  }

  /** What was gathered, shortened by one mode. */
  public ColumnStats stats(StatsMode mode) {
    List<ColumnBounds> bounds = new ArrayList<>();
    for (int i = 0; i < nullCounts.length; i++) {
      bounds.add(bounds(i).reduced(mode));
    }
    return ColumnBounds.toStats(types, bounds);
  }
}
