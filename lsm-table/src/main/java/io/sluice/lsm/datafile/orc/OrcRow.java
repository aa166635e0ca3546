package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import java.math.BigDecimal;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DecimalColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.TimestampColumnVector;
import org.jspecify.annotations.Nullable;

/**
 * A row that is a position in column vectors. The vectors are taken apart into arrays by kind, so
 * that an access is two array loads and no virtual call.
 *
 * <p>Invariant: bound vectors are not repeating. Timestamps hold the floor of milliseconds in
 * {@code time} and the nanoseconds of the second in {@code nanos}.
 */
final class OrcRow implements Row {

  private static final int NANOS_PER_MILLI = 1_000_000;
  private static final long[] NO_LONGS = new long[0];
  private static final double[] NO_DOUBLES = new double[0];

  private final int columns;
  private final long[][] longs;
  private final double[][] doubles;
  private final @Nullable BytesColumnVector[] bytes;
  private final @Nullable TimestampColumnVector[] timestamps;
  private final @Nullable DecimalColumnVector[] decimals;

  /** Of a column: its null flags, or null where it has no nulls. */
  private final boolean[] @Nullable [] nulls;

  private final boolean[] absent;
  int position;
  RowKind kind = RowKind.INSERT;

  OrcRow(int columns) {
    this.columns = columns;
    this.longs = new long[columns][];
    this.doubles = new double[columns][];
    java.util.Arrays.fill(longs, NO_LONGS);
    java.util.Arrays.fill(doubles, NO_DOUBLES);
    this.bytes = new BytesColumnVector[columns];
    this.timestamps = new TimestampColumnVector[columns];
    this.decimals = new DecimalColumnVector[columns];
    this.nulls = new boolean[columns][];
    this.absent = new boolean[columns];
  }

  /** Makes a column null in every row. */
  void bindAbsent(int column) {
    absent[column] = true;
  }

  /** Shows a vector as a column until it is bound anew. */
  void bind(int column, ColumnVector vector) {
    nulls[column] = vector.noNulls ? null : vector.isNull;
    if (vector instanceof LongColumnVector longVector) {
      longs[column] = longVector.vector;
    } else if (vector instanceof BytesColumnVector bytesVector) {
      bytes[column] = bytesVector;
    } else if (vector instanceof TimestampColumnVector timestampVector) {
      timestamps[column] = timestampVector;
    } else if (vector instanceof DoubleColumnVector doubleVector) {
      doubles[column] = doubleVector.vector;
    } else if (vector instanceof DecimalColumnVector decimalVector) {
      decimals[column] = decimalVector;
    } else {
      throw new AssertionError(vector.getClass());
    }
  }

  @Override
  public int size() {
    return columns;
  }

  @Override
  public RowKind kind() {
    return kind;
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
    BytesColumnVector vector = present(bytes[column]);
    into.set(vector.vector[position], vector.start[position], vector.length[position]);
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
    // ORC drops trailing zeros; the column's scale is put back, nothing is rounded.
    return present(decimals[column])
        .vector[position]
        .getHiveDecimal()
        .bigDecimalValue()
        .setScale(scale);
  }

  @Override
  public long getTimestampMillis(int column, int precision) {
    return present(timestamps[column]).time[position];
  }

  @Override
  public int getNanoOfMilli(int column, int precision) {
    return precision <= 3 ? 0 : present(timestamps[column]).nanos[position] % NANOS_PER_MILLI;
  }

  private static <T> T present(@Nullable T vector) {
    if (vector == null) {
      throw new IllegalStateException("The column has another type");
    }
    return vector;
  }
}
