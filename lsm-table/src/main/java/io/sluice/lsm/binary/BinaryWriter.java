package io.sluice.lsm.binary;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes values into a buffer of its own, each position once, in order: what a {@link
 * BinaryRowWriter} and a {@link BinaryArrayWriter} have in common. Not thread safe.
 */
public abstract sealed class BinaryWriter permits BinaryRowWriter, BinaryArrayWriter {

  private static final int INLINE_MAX = 7;

  byte[] buffer;
  int end;

  BinaryWriter(int bytes) {
    buffer = new byte[bytes];
  }

  /** Where the value at a position stands. */
  abstract int slot(int position);

  abstract void setNullBit(int position);

  /** Null for all types but DECIMAL above 18 digits and timestamps above 3. */
  public void setNull(int position) {
    setNullBit(position);
  }

  public void writeBoolean(int position, boolean value) {
    buffer[slot(position)] = (byte) (value ? 1 : 0);
  }

  public void writeByte(int position, byte value) {
    buffer[slot(position)] = value;
  }

  public void writeShort(int position, short value) {
    BinaryRow.SHORT.set(buffer, slot(position), value);
  }

  /** INT; DATE as epoch days; TIME as milliseconds of the day. */
  public void writeInt(int position, int value) {
    BinaryRow.INT.set(buffer, slot(position), value);
  }

  public void writeLong(int position, long value) {
    BinaryRow.LONG.set(buffer, slot(position), value);
  }

  public void writeFloat(int position, float value) {
    BinaryRow.FLOAT.set(buffer, slot(position), value);
  }

  public void writeDouble(int position, double value) {
    BinaryRow.DOUBLE.set(buffer, slot(position), value);
  }

  /** CHAR, VARCHAR as UTF-8. */
  public void writeString(int position, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    writeBytes(position, bytes, 0, bytes.length);
  }

  /** UTF-8 text or bytes. */
  public void writeBytes(int position, byte[] bytes, int from, int length) {
    int slot = slot(position);
    if (length <= INLINE_MAX) {
      System.arraycopy(bytes, from, buffer, slot, length);
      buffer[slot + 7] = (byte) (0x80 | length);
      return;
    }
    writeNested(position, bytes, from, length);
  }

  /**
   * ARRAY, MAP, MULTISET, ROW: what {@link BinaryArray}, {@link BinaryMap}, {@link BinaryRow} hold.
   */
  public void writeNested(int position, byte[] bytes, int from, int length) {
    int start = claim(length);
    if (end > start) {
      // The last word may be padding in part.
      BinaryRow.LONG.set(buffer, end - Long.BYTES, 0L);
    }
    System.arraycopy(bytes, from, buffer, start, length);
    BinaryRow.LONG.set(buffer, slot(position), (long) start << 32 | length);
  }

  /** DECIMAL of at most 18 digits. */
  public void writeDecimalUnscaled(int position, long unscaled) {
    writeLong(position, unscaled);
  }

  /**
   * DECIMAL of any precision. REQUIRES: the value has exactly the column's scale and at most its
   * precision; nothing is rounded here.
   */
  public void writeDecimal(int position, BigDecimal value, int precision) {
    if (precision <= 18) {
      writeLong(position, value.unscaledValue().longValueExact());
      return;
    }
    byte[] bytes = value.unscaledValue().toByteArray();
    if (bytes.length > 16) {
      throw new ArithmeticException(value + " does not fit into 16 bytes");
    }
    int start = reserve(16);
    System.arraycopy(bytes, 0, buffer, start, bytes.length);
    BinaryRow.LONG.set(buffer, slot(position), (long) start << 32 | bytes.length);
  }

  /** Null DECIMAL: above 18 digits a row reserves its variable part all the same. */
  public abstract void setNullDecimal(int position, int precision);

  /** TIMESTAMP, TIMESTAMP_LTZ: epoch milliseconds and 0 to 999,999 nanoseconds within. */
  public void writeTimestamp(int position, long millis, int nanoOfMilli, int precision) {
    if (precision <= 3) {
      writeLong(position, millis);
      return;
    }
    int start = claim(8);
    BinaryRow.LONG.set(buffer, start, millis);
    BinaryRow.LONG.set(buffer, slot(position), (long) start << 32 | nanoOfMilli);
  }

  /** Null timestamp: above precision 3 a row reserves its variable part all the same. */
  public abstract void setNullTimestamp(int position, int precision);

  /** Room in the variable part, zeroed, padded to 8 bytes. */
  final int reserve(int length) {
    int start = claim(length);
    // The buffer is reused: the padding and what the value leaves must be zero.
    Arrays.fill(buffer, start, end, (byte) 0);
    return start;
  }

  /** Room in the variable part, padded to 8 bytes; what stands in it is left from before. */
  private int claim(int length) {
    int padded = (length + 7) & ~7;
    int start = end;
    if (padded < 0 || start + padded < 0) {
      throw new ArithmeticException("A value larger than 2 GiB");
    }
    end = start + padded;
    ensure(end);
    return start;
  }

  final void ensure(int bytes) {
    if (bytes > buffer.length) {
      buffer =
          Arrays.copyOf(
              buffer, (int) Math.min(Integer.MAX_VALUE - 8L, Math.max(2L * buffer.length, bytes)));
    }
  }

  /** The buffer, good until the next value begins. */
  final byte[] buffer() {
    return buffer;
  }

  /** Bytes written. */
  final int length() {
    return end;
  }
}
