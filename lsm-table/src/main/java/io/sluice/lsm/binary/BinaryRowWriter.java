package io.sluice.lsm.binary;

import io.sluice.lsm.row.RowKind;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes one {@link BinaryRow} after another into a buffer of its own. Every field is written or
 * set null once, in field order (the variable part follows that order, and hashes run over it).
 * Then {@link #finish} hands out a view of the buffer that is good until {@link #reset}. Not thread
 * safe.
 */
public final class BinaryRowWriter {

  private static final int INLINE_MAX = 7;

  private final int fieldCount;
  private final int fixedBytes;
  private final int nullBytes;
  private final BinaryRow view;
  private byte[] buffer;
  private int end;

  public BinaryRowWriter(int fieldCount) {
    this.fieldCount = fieldCount;
    this.nullBytes = BinaryRow.nullBytes(fieldCount);
    this.fixedBytes = nullBytes + 8 * fieldCount;
    this.buffer = new byte[fixedBytes + 64];
    this.view = new BinaryRow(fieldCount);
    reset();
  }

  public void reset() {
    Arrays.fill(buffer, 0, fixedBytes, (byte) 0);
    end = fixedBytes;
  }

  private int slot(int field) {
    return nullBytes + (field << 3);
  }

  private void setNullBit(int field) {
    int bit = field + 8;
    buffer[bit >> 3] |= (byte) (1 << (bit & 7));
  }

  /** Null for all types but DECIMAL above 18 digits and timestamps above 3. */
  public void setNull(int field) {
    setNullBit(field);
  }

  public void writeBoolean(int field, boolean value) {
    buffer[slot(field)] = (byte) (value ? 1 : 0);
  }

  public void writeByte(int field, byte value) {
    buffer[slot(field)] = value;
  }

  public void writeShort(int field, short value) {
    BinaryRow.SHORT.set(buffer, slot(field), value);
  }

  /** INT; DATE as epoch days; TIME as milliseconds of the day. */
  public void writeInt(int field, int value) {
    BinaryRow.INT.set(buffer, slot(field), value);
  }

  public void writeLong(int field, long value) {
    BinaryRow.LONG.set(buffer, slot(field), value);
  }

  public void writeFloat(int field, float value) {
    BinaryRow.FLOAT.set(buffer, slot(field), value);
  }

  public void writeDouble(int field, double value) {
    BinaryRow.DOUBLE.set(buffer, slot(field), value);
  }

  /** CHAR, VARCHAR as UTF-8. */
  public void writeString(int field, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    writeBytes(field, bytes, 0, bytes.length);
  }

  /** UTF-8 text or bytes. */
  public void writeBytes(int field, byte[] bytes, int from, int length) {
    int slot = slot(field);
    if (length <= INLINE_MAX) {
      System.arraycopy(bytes, from, buffer, slot, length);
      buffer[slot + 7] = (byte) (0x80 | length);
      return;
    }
    int start = reserve(length);
    System.arraycopy(bytes, from, buffer, start, length);
    BinaryRow.LONG.set(buffer, slot, (long) start << 32 | length);
  }

  /** DECIMAL of at most 18 digits. */
  public void writeDecimalUnscaled(int field, long unscaled) {
    writeLong(field, unscaled);
  }

  /**
   * DECIMAL of any precision. REQUIRES: the value has exactly the column's scale and at most its
   * precision; nothing is rounded here.
   */
  public void writeDecimal(int field, BigDecimal value, int precision) {
    if (precision <= 18) {
      writeLong(field, value.unscaledValue().longValueExact());
      return;
    }
    byte[] bytes = value.unscaledValue().toByteArray();
    if (bytes.length > 16) {
      throw new ArithmeticException(value + " does not fit into 16 bytes");
    }
    int start = reserve(16);
    System.arraycopy(bytes, 0, buffer, start, bytes.length);
    BinaryRow.LONG.set(buffer, slot(field), (long) start << 32 | bytes.length);
  }

  /** Null DECIMAL: above 18 digits its variable part is reserved all the same. */
  public void setNullDecimal(int field, int precision) {
    setNullBit(field);
    if (precision > 18) {
      BinaryRow.LONG.set(buffer, slot(field), (long) reserve(16) << 32);
    }
  }

  /** TIMESTAMP, TIMESTAMP_LTZ: epoch milliseconds and 0 to 999,999 nanoseconds within. */
  public void writeTimestamp(int field, long millis, int nanoOfMilli, int precision) {
    if (precision <= 3) {
      writeLong(field, millis);
      return;
    }
    int start = reserve(8);
    BinaryRow.LONG.set(buffer, start, millis);
    BinaryRow.LONG.set(buffer, slot(field), (long) start << 32 | nanoOfMilli);
  }

  /** Null timestamp: above precision 3 its variable part is reserved all the same. */
  public void setNullTimestamp(int field, int precision) {
    setNullBit(field);
    if (precision > 3) {
      BinaryRow.LONG.set(buffer, slot(field), (long) reserve(8) << 32);
    }
  }

  /** Room in the variable part, zeroed, padded to 8 bytes. */
  private int reserve(int length) {
    int padded = (length + 7) & ~7;
    int start = end;
    if (padded < 0 || start + padded < 0) {
      throw new ArithmeticException("A row larger than 2 GiB");
    }
    end = start + padded;
    if (end > buffer.length) {
      buffer =
          Arrays.copyOf(
              buffer, (int) Math.min(Integer.MAX_VALUE - 8L, Math.max(2L * buffer.length, end)));
    }
    // The buffer is reused: the padding and what the value leaves must be zero.
    Arrays.fill(buffer, start, end, (byte) 0);
    return start;
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
