package io.sluice.lsm.merge;

import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TypeRoot;

/**
 * The first eight bytes of a key as one number whose signed order agrees with the order of keys:
 * {@code prefix(a) < prefix(b)} means {@code a < b}. Equal prefixes mean equal keys only if {@link
 * #decisive}. Comparing numbers first spares nearly all comparisons of rows.
 *
 * <p>Columns are packed one after the other, most significant first, each in a form whose unsigned
 * order is its own: numbers with their sign bit flipped, text and bytes as they are with zeros
 * behind. The first column that does not fit whole, is of no fixed width, may be null, or is FLOAT,
 * DOUBLE or a large DECIMAL ends the packing. Not thread safe.
 */
public final class KeyPrefix {

  private static final int PREFIX_BITS = 64;

  private final int[] columns;
  private final TypeRoot[] roots;
  private final int[] precisions;
  private final int[] shifts;
  private final int packed;
  private final boolean decisive;

  /** The column where it is one BIGINT alone, which is its own prefix; else -1. */
  private final int bigint;

  private final BytesView view = new BytesView();

  public KeyPrefix(RowType rowType, int[] keyColumns) {
    this.columns = keyColumns.clone();
    this.roots = new TypeRoot[columns.length];
    this.precisions = new int[columns.length];
    this.shifts = new int[columns.length];
    int used = 0;
    int count = 0;
    boolean whole = true;
    for (int column : columns) {
      DataType type = rowType.type(column);
      int bits = bits(type);
      if (bits == 0 || used == PREFIX_BITS) {
        whole = false;
        break;
      }
      roots[count] = type.root();
      precisions[count] = type instanceof TemporalType temporal ? temporal.precision() : 0;
      shifts[count] = used;
      used += bits;
      count++;
      if (used > PREFIX_BITS || !fixedWidth(type)) {
        whole = false;
        break;
      }
    }
    this.packed = count;
    this.decisive = whole;
    this.bigint = whole && count == 1 && roots[0] == TypeRoot.BIGINT ? columns[0] : -1;
  }

  /** Bits that a value takes; 0 if it cannot be packed. */
  private static int bits(DataType type) {
    if (type.nullable()) {
      return 0;
    }
    return switch (type.root()) {
      case BOOLEAN, TINYINT -> 8;
      case SMALLINT -> 16;
      case INT, DATE, TIME -> 32;
      case BIGINT, TIMESTAMP, TIMESTAMP_LTZ, CHAR, VARCHAR, BINARY, VARBINARY -> 64;
      case DECIMAL -> ((DecimalType) type).compact() ? 64 : 0;
      case FLOAT, DOUBLE, ARRAY, MAP, MULTISET, ROW, VARIANT -> 0;
    };
  }

  private static boolean fixedWidth(DataType type) {
    return switch (type.root()) {
      case CHAR, VARCHAR, BINARY, VARBINARY -> false;
      case TIMESTAMP, TIMESTAMP_LTZ -> ((TemporalType) type).compact();
      case BOOLEAN, TINYINT, SMALLINT, INT, DATE, TIME, BIGINT, DECIMAL -> true;
      case FLOAT, DOUBLE, ARRAY, MAP, MULTISET, ROW, VARIANT -> false;
    };
  }

  /** Whether equal prefixes are equal keys. */
  public boolean decisive() {
    return decisive;
  }

  public long of(Row row) {
    return bigint >= 0 ? row.getLong(bigint) : pack(row);
  }

  private long pack(Row row) {
    long prefix = 0;
    for (int i = 0; i < packed; i++) {
      prefix |= leftAligned(i, row) >>> shifts[i];
    }
    return prefix ^ Long.MIN_VALUE;
  }

  /** The value in unsigned order, its most significant bit at bit 63. */
  private long leftAligned(int i, Row row) {
    int column = columns[i];
    return switch (roots[i]) {
      case BIGINT -> row.getLong(column) ^ Long.MIN_VALUE;
      case INT, DATE, TIME -> ((long) row.getInt(column) << 32) ^ Long.MIN_VALUE;
      case CHAR, VARCHAR, BINARY, VARBINARY -> {
        row.getBytes(column, view);
        yield firstBytes(view);
      }
      case DECIMAL -> row.getDecimalUnscaled(column) ^ Long.MIN_VALUE;
      case TIMESTAMP, TIMESTAMP_LTZ ->
          row.getTimestampMillis(column, precisions[i]) ^ Long.MIN_VALUE;
      case BOOLEAN -> row.getBoolean(column) ? 1L << 56 : 0;
      case TINYINT -> ((long) row.getByte(column) << 56) ^ Long.MIN_VALUE;
      case SMALLINT -> ((long) row.getShort(column) << 48) ^ Long.MIN_VALUE;
      case FLOAT, DOUBLE, ARRAY, MAP, MULTISET, ROW, VARIANT -> throw new AssertionError(roots[i]);
    };
  }

  private static long firstBytes(BytesView bytes) {
    int count = Math.min(bytes.length, Long.BYTES);
    long value = 0;
    for (int i = 0; i < count; i++) {
      value |= (bytes.array[bytes.offset + i] & 0xffL) << (56 - 8 * i);
    }
    return value;
  }
}
