package io.sluice.lsm.merge;

import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.MapValues;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.row.Values;
import java.math.BigDecimal;

/**
 * A value on its own, in the guise of a row so that it can stand in for the row of a record: it
 * answers for whatever column is asked. This one is NULL; subclasses hold something.
 */
class ValueRow implements Row {

  static final Row NULL = new ValueRow();

  @Override
  public int size() {
    return 1;
  }

  @Override
  public RowKind kind() {
    return RowKind.INSERT;
  }

  @Override
  public boolean isNullAt(int column) {
    return true;
  }

  private static AssertionError otherType() {
    return new AssertionError("A value of another type, or NULL");
  }

  @Override
  public boolean getBoolean(int column) {
    throw otherType();
  }

  @Override
  public byte getByte(int column) {
    throw otherType();
  }

  @Override
  public short getShort(int column) {
    throw otherType();
  }

  @Override
  public int getInt(int column) {
    throw otherType();
  }

  @Override
  public long getLong(int column) {
    throw otherType();
  }

  @Override
  public float getFloat(int column) {
    throw otherType();
  }

  @Override
  public double getDouble(int column) {
    throw otherType();
  }

  @Override
  public void getBytes(int column, BytesView into) {
    throw otherType();
  }

  @Override
  public long getDecimalUnscaled(int column) {
    throw otherType();
  }

  @Override
  public BigDecimal getDecimal(int column, int precision, int scale) {
    throw otherType();
  }

  @Override
  public long getTimestampMillis(int column, int precision) {
    throw otherType();
  }

  @Override
  public int getNanoOfMilli(int column, int precision) {
    throw otherType();
  }

  @Override
  public Values getArray(int column) {
    throw otherType();
  }

  @Override
  public MapValues getMap(int column) {
    throw otherType();
  }

  @Override
  public Row getRow(int column, int fields) {
    throw otherType();
  }
}
