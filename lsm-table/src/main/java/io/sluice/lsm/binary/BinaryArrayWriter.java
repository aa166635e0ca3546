package io.sluice.lsm.binary;

import io.sluice.lsm.schema.DataType;
import java.util.Arrays;

/**
 * Writes one {@link BinaryArray} after another into a buffer of its own: {@link #reset} says how
 * many elements come, then each is written or set null once, in order. Not thread safe.
 */
public final class BinaryArrayWriter extends BinaryWriter {

  private final int elementBytes;
  private int headerBytes;
  private int count;

  public BinaryArrayWriter(DataType element) {
    super(64);
    this.elementBytes = BinaryArray.elementBytes(element.root());
    reset(0);
  }

  /** Begins an array of so many elements. */
  public void reset(int elements) {
    count = elements;
    headerBytes = BinaryArray.headerBytes(elements);
    long fixed = (headerBytes + (long) elementBytes * elements + 7) & ~7L;
    if (fixed > Integer.MAX_VALUE - 8) {
      throw new ArithmeticException("An array of " + elements + " elements is too large");
    }
    end = (int) fixed;
    ensure(end);
    Arrays.fill(buffer, 0, end, (byte) 0);
    BinaryRow.INT.set(buffer, 0, elements);
  }

  @Override
  int slot(int element) {
    return headerBytes + element * elementBytes;
  }

  @Override
  void setNullBit(int element) {
    buffer[4 + (element >> 3)] |= (byte) (1 << (element & 7));
  }

  @Override
  public void setNullDecimal(int element, int precision) {
    setNullBit(element);
  }

  @Override
  public void setNullTimestamp(int element, int precision) {
    setNullBit(element);
  }

  /** The array just written: a view that {@link #reset} makes invalid. */
  public BinaryArray finish() {
    return new BinaryArray(count, buffer, 0, end);
  }
}
