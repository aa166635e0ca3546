package io.sluice.lsm.datafile.column;

import io.sluice.lsm.binary.BinaryArray;
import io.sluice.lsm.binary.BinaryMap;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.datafile.column.Column.BytesColumn;
import io.sluice.lsm.datafile.column.Column.DecimalColumn;
import io.sluice.lsm.datafile.column.Column.DoubleColumn;
import io.sluice.lsm.datafile.column.Column.LongColumn;
import io.sluice.lsm.datafile.column.Column.MomentColumn;
import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.MapValues;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.row.Values;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * A row that is a position in columns. The columns are taken apart into arrays by kind, so that an
 * access is two array loads and no virtual call.
 */
public final class BatchRow implements Row {

  private static final int NANOS_PER_MILLI = 1_000_000;
  private static final long[] NO_LONGS = new long[0];
  private static final double[] NO_DOUBLES = new double[0];

  private final int columns;
  private final long[][] longs;
  private final double[][] doubles;
  private final @Nullable BytesColumn[] bytes;
  private final @Nullable MomentColumn[] moments;
  private final @Nullable DecimalColumn[] decimals;

  /** Of a column: its null flags, or null where it has no nulls. */
  private final boolean[] @Nullable [] nulls;

  private final boolean[] absent;

  /** Which row of the batch. */
  public int position;

  /** Bytes of the kinds by position; null where all are +I. */
  private long @Nullable [] kinds;

  public BatchRow(int columns) {
    this.columns = columns;
    this.longs = new long[columns][];
    this.doubles = new double[columns][];
    java.util.Arrays.fill(longs, NO_LONGS);
    java.util.Arrays.fill(doubles, NO_DOUBLES);
    this.bytes = new BytesColumn[columns];
    this.moments = new MomentColumn[columns];
    this.decimals = new DecimalColumn[columns];
    this.nulls = new boolean[columns][];
    this.absent = new boolean[columns];
  }

  /** Makes a column null in every row. */
  public void bindAbsent(int column) {
    absent[column] = true;
  }

  /**
   * Shows kinds until they are bound anew.
   *
   * @param bytes each 0 to 3, see {@link RowKind#toByte}
   */
  public void bindKinds(long[] bytes) {
    kinds = bytes;
  }

  /** Shows values as a column until it is bound anew. */
  public void bind(int column, Column values) {
    nulls[column] = values.nulls;
    if (values instanceof LongColumn longColumn) {
      longs[column] = longColumn.values;
    } else if (values instanceof BytesColumn bytesColumn) {
      bytes[column] = bytesColumn;
    } else if (values instanceof MomentColumn momentColumn) {
      moments[column] = momentColumn;
    } else if (values instanceof DoubleColumn doubleColumn) {
      doubles[column] = doubleColumn.values;
    } else if (values instanceof DecimalColumn decimalColumn) {
      decimals[column] = decimalColumn;
    }
  }

  @Override
  public int size() {
    return columns;
  }

  @Override
  public RowKind kind() {
    long[] of = kinds;
    return of == null ? RowKind.INSERT : RowKind.of((byte) of[position]);
  }

  @Override
  public boolean isNullAt(int column) {
    boolean[] flags = nulls[column];
    return flags == null ? absent[column] : flags[position];
  }

  @Override
  public boolean getBoolean(int column) {
    return longs[column][position] != 0;
  }

  @Override
  public byte getByte(int column) {
    return (byte) longs[column][position];
  }

  @Override
  public short getShort(int column) {
    return (short) longs[column][position];
  }

  @Override
  public int getInt(int column) {
    return (int) longs[column][position];
  }

  @Override
  public long getLong(int column) {
    return longs[column][position];
  }

  @Override
  public float getFloat(int column) {
    return (float) doubles[column][position];
  }

  @Override
  public double getDouble(int column) {
    return doubles[column][position];
  }

  @Override
  public void getBytes(int column, BytesView into) {
    BytesColumn of = present(bytes[column]);
    into.set(of.arrays[position], of.starts[position], of.lengths[position]);
  }

  @Override
  public long getDecimalUnscaled(int column) {
    return longs[column][position];
  }

  @Override
  public BigDecimal getDecimal(int column, int precision, int scale) {
    if (precision <= 18) {
      return BigDecimal.valueOf(longs[column][position], scale);
    }
    // The column's scale is put back, nothing is rounded.
    return present(decimals[column]).values[position].setScale(scale);
  }

  @Override
  public long getTimestampMillis(int column, int precision) {
    return present(moments[column]).millis[position];
  }

  @Override
  public int getNanoOfMilli(int column, int precision) {
    return precision <= 3 ? 0 : present(moments[column]).nanos[position] % NANOS_PER_MILLI;
  }

  @Override
  public Values getArray(int column) {
    BytesColumn of = present(bytes[column]);
    return BinaryArray.at(of.arrays[position], of.starts[position], of.lengths[position]);
  }

  @Override
  public MapValues getMap(int column) {
    BytesColumn of = present(bytes[column]);
    return BinaryMap.at(of.arrays[position], of.starts[position], of.lengths[position]);
  }

  @Override
  public Row getRow(int column, int fields) {
    BytesColumn of = present(bytes[column]);
    return new BinaryRow(fields, of.arrays[position], of.starts[position], of.lengths[position]);
  }

  private static <T> T present(@Nullable T column) {
    if (column == null) {
      throw new IllegalStateException("The column has another type");
    }
    return column;
  }
}
