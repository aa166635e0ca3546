package io.sluice.lsm.datafile.avro;

import java.io.EOFException;
import java.io.IOException;

/**
 * Reads Avro's primitives from bytes in memory. No length is believed that goes beyond them. A view
 * that its owner sets on the next block.
 */
final class AvroInput {

  private byte[] bytes = new byte[0];
  private int position;
  private int end;

  void set(byte[] newBytes, int from, int length) {
    bytes = newBytes;
    position = from;
    end = from + length;
  }

  byte[] bytes() {
    return bytes;
  }

  int position() {
    return position;
  }

  boolean atEnd() {
    return position == end;
  }

  /** Steps over bytes, after a look whether they are there; gives where they begin. */
  int take(long count) throws IOException {
    if (count < 0 || count > end - position) {
      throw new EOFException(count + " bytes where " + (end - position) + " are left");
    }
    int from = position;
    position += (int) count;
    return from;
  }

  long readLong() throws IOException {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int b = bytes[take(1)];
      value |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return value >>> 1 ^ -(value & 1);
      }
    }
    throw new IOException("A number of more than 64 bits");
  }

  int readInt() throws IOException {
    long value = readLong();
    if (value != (int) value) {
      throw new IOException(value + " is no int");
    }
    return (int) value;
  }

  boolean readBoolean() throws IOException {
    return switch (bytes[take(1)]) {
      case 0 -> false;
      case 1 -> true;
      default -> throw new IOException("A boolean that is neither");
    };
  }

  float readFloat() throws IOException {
    int at = take(4);
    return Float.intBitsToFloat(
        bytes[at] & 0xff
            | (bytes[at + 1] & 0xff) << 8
            | (bytes[at + 2] & 0xff) << 16
            | bytes[at + 3] << 24);
  }

  double readDouble() throws IOException {
    int at = take(8);
    long bits = 0;
    for (int i = 7; i >= 0; i--) {
      bits = bits << 8 | bytes[at + i] & 0xff;
    }
    return Double.longBitsToDouble(bits);
  }

  byte[] readBytes() throws IOException {
    long length = readLong();
    int from = take(length);
    return java.util.Arrays.copyOfRange(bytes, from, from + (int) length);
  }

  /**
   * The number of items in the next block of an array or map, 0 at its end. An item has at least
   * one byte, or its number could not be checked.
   */
  long readCount() throws IOException {
    long count = readLong();
    if (count < 0) {
      count = -count;
      readLong();
    }
    if (count < 0 || count > end - position) {
      throw new EOFException(count + " items where " + (end - position) + " bytes are left");
    }
    return count;
  }
}
