package io.sluice.lsm.manifest;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.binary.ColumnStats;
import io.sluice.lsm.merge.ColumnComparator;
import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.RowType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Gathers smallest and largest partition values of a manifest, whole values, never cut. */
final class PartitionStats {

  private final RowType type;
  private final ColumnComparator[] comparators;
  private final @Nullable BinaryRow[] min;
  private final @Nullable BinaryRow[] max;
  private final long[] nulls;

  PartitionStats(RowType type) {
    this.type = type;
    this.comparators = new ColumnComparator[type.size()];
    for (int i = 0; i < type.size(); i++) {
      comparators[i] = new ColumnComparator(type.type(i));
    }
    this.min = new BinaryRow[type.size()];
    this.max = new BinaryRow[type.size()];
    this.nulls = new long[type.size()];
  }

  void add(BinaryRow partition) {
    for (int i = 0; i < comparators.length; i++) {
      if (partition.isNullAt(i)) {
        nulls[i]++;
        continue;
      }
      BinaryRow smallest = min[i];
      BinaryRow largest = max[i];
      if (smallest == null || comparators[i].compare(partition, i, smallest, i) < 0) {
        min[i] = partition;
      }
      if (largest == null || comparators[i].compare(partition, i, largest, i) > 0) {
        max[i] = partition;
      }
    }
  }

  ColumnStats finish() {
    if (type.size() == 0) {
      return ColumnStats.EMPTY;
    }
    List<@Nullable Long> nullCounts = new ArrayList<>();
    for (long count : nulls) {
      nullCounts.add(count);
    }
    return new ColumnStats(row(min).serialize(), row(max).serialize(), nullCounts);
  }

  private BinaryRow row(@Nullable BinaryRow[] values) {
    BinaryRowWriter writer = new BinaryRowWriter(type.size());
    writer.reset();
    for (int i = 0; i < values.length; i++) {
      BinaryRow value = values[i];
      if (value == null) {
        writeNull(writer, i, type.type(i));
      } else {
        copy(value, i, type.type(i), writer);
      }
    }
    return writer.finish(RowKind.INSERT).copy();
  }

  private static void writeNull(BinaryRowWriter writer, int column, DataType type) {
    if (type instanceof DecimalType decimal) {
      writer.setNullDecimal(column, decimal.precision());
    } else if (type instanceof TemporalType temporal && isTimestamp(temporal)) {
      writer.setNullTimestamp(column, temporal.precision());
    } else {
      writer.setNull(column);
    }
  }

  private static boolean isTimestamp(TemporalType type) {
    return switch (type.root()) {
      case TIMESTAMP, TIMESTAMP_LTZ -> true;
      default -> false;
    };
  }

  private static void copy(BinaryRow from, int column, DataType type, BinaryRowWriter to) {
    switch (type.root()) {
      case BOOLEAN -> to.writeBoolean(column, from.getBoolean(column));
      case TINYINT -> to.writeByte(column, from.getByte(column));
      case SMALLINT -> to.writeShort(column, from.getShort(column));
      case INT, DATE, TIME -> to.writeInt(column, from.getInt(column));
      case BIGINT -> to.writeLong(column, from.getLong(column));
      case FLOAT -> to.writeFloat(column, from.getFloat(column));
      case DOUBLE -> to.writeDouble(column, from.getDouble(column));
      case CHAR, VARCHAR, BINARY, VARBINARY -> {
        BytesView view = new BytesView();
        from.getBytes(column, view);
        to.writeBytes(column, view.array, view.offset, view.length);
      }
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        if (decimal.compact()) {
          to.writeDecimalUnscaled(column, from.getDecimalUnscaled(column));
        } else {
          to.writeDecimal(
              column,
              from.getDecimal(column, decimal.precision(), decimal.scale()),
              decimal.precision());
        }
      }
      case TIMESTAMP, TIMESTAMP_LTZ -> {
        int precision = ((TemporalType) type).precision();
        to.writeTimestamp(
            column,
            from.getTimestampMillis(column, precision),
            from.getNanoOfMilli(column, precision),
            precision);
      }
      case ARRAY, MAP, MULTISET, ROW, VARIANT ->
          throw new IllegalArgumentException("No table is partitioned by " + type.root());
    }
  }
}
