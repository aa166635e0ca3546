package io.sluice.lsm.datafile.column;

import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.Values;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import java.math.BigDecimal;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The values of one column in a batch of rows, in arrays. Arrays may be longer than the batch and
 * may belong to somebody else; what stands at the place of a NULL means nothing. One thread.
 */
public abstract sealed class Column {

  /** Which values are NULL; null where none is. */
  public boolean @Nullable [] nulls;

  private Column() {}

  /** Marks a value NULL; {@code size} values have room. */
  public final void setNull(int at, int size) {
    boolean[] flags = nulls;
    if (flags == null) {
      flags = new boolean[size];
      nulls = flags;
    }
    flags[at] = true;
  }

  /** Copies a value that is not NULL. */
  abstract void copy(Values from, int position, int at, DataType type);

  /** BOOLEAN (0, 1), the integers, DATE, TIME, DECIMAL up to 18 digits (unscaled). */
  public static final class LongColumn extends Column {
    public final long[] values;

    public LongColumn(long[] values) {
      this.values = values;
    }

    @Override
    void copy(Values from, int position, int at, DataType type) {
      values[at] =
          switch (type.root()) {
            case BOOLEAN -> from.getBoolean(position) ? 1 : 0;
            case TINYINT -> from.getByte(position);
            case SMALLINT -> from.getShort(position);
            case INT, DATE, TIME -> from.getInt(position);
            case BIGINT -> from.getLong(position);
            case DECIMAL -> from.getDecimalUnscaled(position);
            default -> throw new AssertionError(type.root());
          };
    }
  }

  /** FLOAT, DOUBLE. */
  public static final class DoubleColumn extends Column {
    public final double[] values;

    public DoubleColumn(double[] values) {
      this.values = values;
    }

    @Override
    void copy(Values from, int position, int at, DataType type) {
      values[at] =
          type.root() == io.sluice.lsm.schema.TypeRoot.FLOAT
              ? from.getFloat(position)
              : from.getDouble(position);
    }
  }

  /**
   * CHAR and VARCHAR (UTF-8), BINARY, VARBINARY; ARRAY, MAP, MULTISET and ROW in the layout of
   * {@code binary}.
   */
  public static final class BytesColumn extends Column {
    public final byte[][] arrays;
    public final int[] starts;
    public final int[] lengths;
    private final BytesView view = new BytesView();

    public BytesColumn(byte[][] arrays, int[] starts, int[] lengths) {
      this.arrays = arrays;
      this.starts = starts;
      this.lengths = lengths;
    }

    public BytesColumn(int size) {
      this(new byte[size][], new int[size], new int[size]);
    }

    /** Refers to bytes that stay as they are while the batch is read. */
    public void set(int at, byte[] array, int start, int length) {
      arrays[at] = array;
      starts[at] = start;
      lengths[at] = length;
    }

    @Override
    void copy(Values from, int position, int at, DataType type) {
      from.getBytes(position, view);
      set(at, view.toByteArray(), 0, view.length);
    }
  }

  /** TIMESTAMP, TIMESTAMP_LTZ: the floor of epoch milliseconds, and nanoseconds of the second. */
  public static final class MomentColumn extends Column {
    public final long[] millis;
    public final int[] nanos;

    public MomentColumn(long[] millis, int[] nanos) {
      this.millis = millis;
      this.nanos = nanos;
    }

    public void set(int at, long epochMillis, int nanoOfMilli) {
      millis[at] = epochMillis;
      nanos[at] = (int) Math.floorMod(epochMillis, 1000L) * 1_000_000 + nanoOfMilli;
    }

    @Override
    void copy(Values from, int position, int at, DataType type) {
      int precision = ((TemporalType) type).precision();
      set(
          at,
          from.getTimestampMillis(position, precision),
          from.getNanoOfMilli(position, precision));
    }
  }

  /** DECIMAL above 18 digits. Values may have another scale than the column: none is rounded. */
  public static final class DecimalColumn extends Column {
    public final BigDecimal[] values;

    public DecimalColumn(BigDecimal[] values) {
      this.values = values;
    }

    @Override
    void copy(Values from, int position, int at, DataType type) {
      DecimalType decimal = (DecimalType) type;
      values[at] = from.getDecimal(position, decimal.precision(), decimal.scale());
    }
  }

  /** A column of so many values of a type, none of them NULL yet. */
  public static Column allocate(DataType type, int size) {
    return switch (type.root()) {
      case BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, DATE, TIME -> new LongColumn(new long[size]);
      case FLOAT, DOUBLE -> new DoubleColumn(new double[size]);
      case DECIMAL ->
          ((DecimalType) type).compact()
              ? new LongColumn(new long[size])
              : new DecimalColumn(zeros(size));
      case TIMESTAMP, TIMESTAMP_LTZ -> new MomentColumn(new long[size], new int[size]);
      case CHAR, VARCHAR, BINARY, VARBINARY, ARRAY, MAP, MULTISET, ROW -> new BytesColumn(size);
      case VARIANT -> throw new IllegalArgumentException("A VARIANT can't be held");
    };
  }

  private static BigDecimal[] zeros(int size) {
    BigDecimal[] result = new BigDecimal[size];
    Arrays.fill(result, BigDecimal.ZERO);
    return result;
  }
}
