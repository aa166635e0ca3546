package io.sluice.lsm.scan;

import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.MapValues;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.row.Values;
import java.math.BigDecimal;

/**
 * A row whose columns stand in two others: the record read from a file, and the values of its
 * partition. A view that its owner moves on.
 */
final class ColumnsView implements Row {

  /** Of a column that nobody asks for. */
  static final int ABSENT = Integer.MIN_VALUE;

  private final int[] sources;
  private Row record;
  private final Row partition;

  /**
   * @param sources of each column: its position in the record, or {@code -1 - position} in the
   *     partition, or {@link #ABSENT}
   */
  ColumnsView(int[] sources, Row record, Row partition) {
    this.sources = sources;
    this.record = record;
    this.partition = partition;
  }

  /** Whether the columns are those of records of this many columns, one by one and no others. */
  boolean showsAllInOrder() {
    for (int column = 0; column < sources.length; column++) {
      if (sources[column] != column) {
        return false;
      }
    }
    return true;
  }

  void moveTo(Row newRecord) {
    record = newRecord;
  }

  private Row holder(int column) {
    return sources[column] >= 0 ? record : partition;
  }

  private int position(int column) {
    int source = sources[column];
    return source >= 0 ? source : -1 - source;
  }

  @Override
  public int size() {
    return sources.length;
  }

  @Override
  public RowKind kind() {
    return RowKind.INSERT;
  }

  @Override
  public boolean isNullAt(int column) {
    return holder(column).isNullAt(position(column));
  }

  @Override
  public boolean getBoolean(int column) {
    return holder(column).getBoolean(position(column));
  }

  @Override
  public byte getByte(int column) {
    return holder(column).getByte(position(column));
  }

  @Override
  public short getShort(int column) {
    return holder(column).getShort(position(column));
  }

  @Override
  public int getInt(int column) {
    return holder(column).getInt(position(column));
  }

  @Override
  public long getLong(int column) {
    return holder(column).getLong(position(column));
  }

  @Override
  public float getFloat(int column) {
    return holder(column).getFloat(position(column));
  }

  @Override
  public double getDouble(int column) {
    return holder(column).getDouble(position(column));
  }

  @Override
  public void getBytes(int column, BytesView into) {
    holder(column).getBytes(position(column), into);
  }

  @Override
  public long getDecimalUnscaled(int column) {
    return holder(column).getDecimalUnscaled(position(column));
  }

  @Override
  public BigDecimal getDecimal(int column, int precision, int scale) {
    return holder(column).getDecimal(position(column), precision, scale);
  }

  @Override
  public long getTimestampMillis(int column, int precision) {
    return holder(column).getTimestampMillis(position(column), precision);
  }

  @Override
  public int getNanoOfMilli(int column, int precision) {
    return holder(column).getNanoOfMilli(position(column), precision);
  }

  @Override
  public Values getArray(int column) {
    return holder(column).getArray(position(column));
  }

  @Override
  public MapValues getMap(int column) {
    return holder(column).getMap(position(column));
  }

  @Override
  public Row getRow(int column, int fields) {
    return holder(column).getRow(position(column), fields);
  }
}
