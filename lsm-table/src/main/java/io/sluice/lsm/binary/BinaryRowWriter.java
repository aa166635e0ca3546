package io.sluice.lsm.binary;

import io.sluice.lsm.row.RowKind;
import java.util.Arrays;

/**
 * Writes one {@link BinaryRow} after another into a buffer of its own. Every field is written or
 * set null once, in field order (the variable part follows that order, and hashes run over it).
 * Then {@link #finish} hands out a view of the buffer that is good until {@link #reset}. Not thread
 * safe.
 */
public final class BinaryRowWriter extends BinaryWriter {

  private final int fieldCount;
  private final int fixedBytes;
  private final int nullBytes;
  private final BinaryRow view;

  public BinaryRowWriter(int fieldCount) {
    super(BinaryRow.nullBytes(fieldCount) + 8 * fieldCount + 64);
    this.fieldCount = fieldCount;
    this.nullBytes = BinaryRow.nullBytes(fieldCount);
    this.fixedBytes = nullBytes + 8 * fieldCount;
    this.view = new BinaryRow(fieldCount);
    reset();
  }

  public void reset() {
    Arrays.fill(buffer, 0, fixedBytes, (byte) 0);
    end = fixedBytes;
  }

  @Override
  int slot(int field) {
    return nullBytes + (field << 3);
  }

  @Override
  void setNullBit(int field) {
    int bit = field + 8;
    buffer[bit >> 3] |= (byte) (1 << (bit & 7));
  }

  @Override
  public void setNullDecimal(int field, int precision) {
    setNullBit(field);
    if (precision > 18) {
      int start = reserve(16);
      BinaryRow.LONG.set(buffer, slot(field), (long) start << 32);
    }
  }

  @Override
  public void setNullTimestamp(int field, int precision) {
    setNullBit(field);
    if (precision > 3) {
      int start = reserve(8);
      BinaryRow.LONG.set(buffer, slot(field), (long) start << 32);
    }
  }

  /** The row just written: a view that {@link #reset} makes invalid. */
  public BinaryRow finish(RowKind kind) {
    buffer[0] = kind.toByte();
    view.pointTo(buffer, 0, end);
    return view;
  }

  public int fieldCount() {
    return fieldCount;
  }
}
