package io.sluice.lsm.merge;

import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.KeyValue;
import io.sluice.lsm.row.MapValues;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.row.Values;
import java.math.BigDecimal;
import java.util.Arrays;

/**
 * The record that a merge builds: each column is that of some record's row, or a {@link ValueRow}
 * that an aggregate function has computed. Nothing is copied; good as long as these rows are.
 */
final class AssembledRow implements Row, KeyValue {

  /** By column; whoever holds the value has it at the same position. */
  private final Row[] holders;

  private RowKind kind = RowKind.INSERT;
  private long sequenceNumber;

  AssembledRow(int columns) {
    this.holders = new Row[columns];
    clear();
  }

  /** NULL in every column. */
  void clear() {
    Arrays.fill(holders, ValueRow.NULL);
  }

  /** All columns are those of this row. */
  void setAll(Row row) {
    Arrays.fill(holders, row);
  }

  /** The column's value is that of this row, NULL too. */
  void set(int column, Row row) {
    holders[column] = row;
  }

  Row holder(int column) {
    return holders[column];
  }

  AssembledRow with(RowKind newKind, long newSequenceNumber) {
    kind = newKind;
    sequenceNumber = newSequenceNumber;
    return this;
  }

  @Override
  public long sequenceNumber() {
    return sequenceNumber;
  }

  @Override
  public Row row() {
    return this;
  }

  @Override
  public RowKind kind() {
    return kind;
  }

  @Override
  public int size() {
    return holders.length;
  }

  @Override
  public boolean isNullAt(int column) {
    return holders[column].isNullAt(column);
  }

  @Override
  public boolean getBoolean(int column) {
    return holders[column].getBoolean(column);
  }

  @Override
  public byte getByte(int column) {
    return holders[column].getByte(column);
  }

  @Override
  public short getShort(int column) {
    return holders[column].getShort(column);
  }

  @Override
  public int getInt(int column) {
    return holders[column].getInt(column);
  }

  @Override
  public long getLong(int column) {
    return holders[column].getLong(column);
  }

  @Override
  public float getFloat(int column) {
    return holders[column].getFloat(column);
  }

  @Override
  public double getDouble(int column) {
    return holders[column].getDouble(column);
  }

  @Override
  public void getBytes(int column, BytesView into) {
    holders[column].getBytes(column, into);
  }

  @Override
  public long getDecimalUnscaled(int column) {
    return holders[column].getDecimalUnscaled(column);
  }

  @Override
  public BigDecimal getDecimal(int column, int precision, int scale) {
    return holders[column].getDecimal(column, precision, scale);
  }

  @Override
  public long getTimestampMillis(int column, int precision) {
    return holders[column].getTimestampMillis(column, precision);
  }

  @Override
  public int getNanoOfMilli(int column, int precision) {
    return holders[column].getNanoOfMilli(column, precision);
  }

  @Override
  public Values getArray(int column) {
    return holders[column].getArray(column);
  }

  @Override
  public MapValues getMap(int column) {
    return holders[column].getMap(column);
  }

  @Override
  public Row getRow(int column, int fields) {
    return holders[column].getRow(column, fields);
  }
}
