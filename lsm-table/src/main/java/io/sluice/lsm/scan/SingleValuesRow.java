package io.sluice.lsm.scan;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.MapValues;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.row.Values;
import java.math.BigDecimal;

/** A row each of whose columns is a row of one column. */
final class SingleValuesRow implements Row {

  private final BinaryRow[] values;

  SingleValuesRow(BinaryRow[] values) {
    this.values = values.clone();
  }

  @Override
  public int size() {
    return values.length;
  }

  @Override
  public RowKind kind() {
    return RowKind.INSERT;
  }

  @Override
  public boolean isNullAt(int column) {
    return values[column].isNullAt(0);
  }

  @Override
  public boolean getBoolean(int column) {
    return values[column].getBoolean(0);
  }

  @Override
  public byte getByte(int column) {
    return values[column].getByte(0);
  }

  @Override
  public short getShort(int column) {
    return values[column].getShort(0);
  }

  @Override
  public int getInt(int column) {
    return values[column].getInt(0);
  }

  @Override
  public long getLong(int column) {
    return values[column].getLong(0);
  }

  @Override
  public float getFloat(int column) {
    return values[column].getFloat(0);
  }

  @Override
  public double getDouble(int column) {
    return values[column].getDouble(0);
  }

  @Override
  public void getBytes(int column, BytesView into) {
    values[column].getBytes(0, into);
  }

  @Override
  public long getDecimalUnscaled(int column) {
    return values[column].getDecimalUnscaled(0);
  }

  @Override
  public BigDecimal getDecimal(int column, int precision, int scale) {
    return values[column].getDecimal(0, precision, scale);
  }

  @Override
  public long getTimestampMillis(int column, int precision) {
    return values[column].getTimestampMillis(0, precision);
  }

  @Override
  public int getNanoOfMilli(int column, int precision) {
    return values[column].getNanoOfMilli(0, precision);
  }

  @Override
  public Values getArray(int column) {
    return values[column].getArray(0);
  }

  @Override
  public MapValues getMap(int column) {
    return values[column].getMap(0);
  }

  @Override
  public Row getRow(int column, int fields) {
    return values[column].getRow(0, fields);
  }
}
