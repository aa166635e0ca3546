package io.sluice.lsm.binary;

import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.MapValues;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.Values;
import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * Reads values from slots; what {@link BinaryRow} and {@link BinaryArray} have in common. A slot
 * that points into the variable part has the offset, from the start of the row or array, in its
 * upper and the length in its lower half.
 */
abstract sealed class BinarySlots implements Values permits BinaryRow, BinaryArray {

  byte[] array;
  int offset;
  int length;

  BinarySlots(byte[] array, int offset, int length) {
    this.array = array;
    this.offset = offset;
    this.length = length;
  }

  /**
   * Where the value at a position stands in the bytes.
   *
   * @param bytes of a value of its type, where slots are as narrow as their values
   */
  abstract int slot(int position, int bytes);

  @Override
  public final boolean getBoolean(int position) {
    return array[slot(position, 1)] != 0;
  }

  @Override
  public final byte getByte(int position) {
    return array[slot(position, 1)];
  }

  @Override
  public final short getShort(int position) {
    return (short) BinaryRow.SHORT.get(array, slot(position, 2));
  }

  @Override
  public final int getInt(int position) {
    return (int) BinaryRow.INT.get(array, slot(position, 4));
  }

  @Override
  public final long getLong(int position) {
    return (long) BinaryRow.LONG.get(array, slot(position, 8));
  }

  @Override
  public final float getFloat(int position) {
    return (float) BinaryRow.FLOAT.get(array, slot(position, 4));
  }

  @Override
  public final double getDouble(int position) {
    return (double) BinaryRow.DOUBLE.get(array, slot(position, 8));
  }

  @Override
  public final void getBytes(int position, BytesView into) {
    int slot = slot(position, 8);
    int last = array[slot + 7] & 0xff;
    if ((last & 0x80) != 0) {
      into.set(array, slot, last & 0x7f);
    } else {
      long word = (long) BinaryRow.LONG.get(array, slot);
      into.set(array, offset + (int) (word >>> 32), (int) word);
    }
  }

  @Override
  public final long getDecimalUnscaled(int position) {
    return getLong(position);
  }

  @Override
  public final BigDecimal getDecimal(int position, int precision, int scale) {
    if (precision <= 18) {
      return BigDecimal.valueOf(getLong(position), scale);
    }
    long word = getLong(position);
    int start = offset + (int) (word >>> 32);
    return new BigDecimal(new BigInteger(array, start, (int) word), scale);
  }

  @Override
  public final long getTimestampMillis(int position, int precision) {
    long word = getLong(position);
    return precision <= 3 ? word : (long) BinaryRow.LONG.get(array, offset + (int) (word >>> 32));
  }

  @Override
  public final int getNanoOfMilli(int position, int precision) {
    return precision <= 3 ? 0 : (int) getLong(position);
  }

  @Override
  public final Values getArray(int position) {
    long word = getLong(position);
    return BinaryArray.at(array, offset + (int) (word >>> 32), (int) word);
  }

  @Override
  public final MapValues getMap(int position) {
    long word = getLong(position);
    return BinaryMap.at(array, offset + (int) (word >>> 32), (int) word);
  }

  @Override
  public final Row getRow(int position, int fields) {
    long word = getLong(position);
    return new BinaryRow(fields, array, offset + (int) (word >>> 32), (int) word);
  }
}
