package io.sluice.replicator.messages.avro;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.json.Utf8;

/**
 * A cursor over Avro's binary form in an array, used again for the next. Avro's own decoder copies
 * each text and trusts lengths; this one gives offsets into the message and checks them. One
 * thread.
 */
final class AvroInput {

  /** Records, arrays, maps inside each other. */
  static final int DEPTH_MAX = 500;

  /** Elements that take no bytes, such as nulls, in one message. */
  private static final int EMPTY_ELEMENTS_MAX = 10_000;

  private static final byte[] EMPTY = {};

  private byte[] bytes = EMPTY;
  private int from;
  private int at;
  private int end;
  private int length;
  private int emptyElements;

  /** Goes to the start of data that lie in {@code data[start, stop)}. */
  void open(byte[] data, int start, int stop) {
    bytes = data;
    from = start;
    at = start;
    end = stop;
    emptyElements = 0;
  }

  byte[] bytes() {
    return bytes;
  }

  /** Index in {@link #bytes} of what is next. */
  int position() {
    return at;
  }

  /** Goes back to where it was before. */
  void goTo(int position) {
    at = position;
  }

  void requireEnd() throws BadMessageException {
    if (at != end) {
      throw malformed((end - at) + " bytes are left behind the data");
    }
  }

  boolean readBoolean() throws BadMessageException {
    byte value = next();
    if (value != 0 && value != 1) {
      throw malformed("a boolean is " + value);
    }
    return value == 1;
  }

  int readInt() throws BadMessageException {
    long value = readLong();
    if (value != (int) value) {
      throw malformed("an int has more than 32 bits");
    }
    return (int) value;
  }

  long readLong() throws BadMessageException {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      byte b = next();
      if (shift == 63 && b > 1) {
        throw malformed("a long has more than 64 bits");
      }
      value |= (b & 0x7fL) << shift;
      if (b >= 0) {
        return value >>> 1 ^ -(value & 1);
      }
    }
    throw malformed("a long has more than 64 bits");
  }

  float readFloat() throws BadMessageException {
    return Float.intBitsToFloat((int) littleEndian(Float.BYTES));
  }

  double readDouble() throws BadMessageException {
    return Double.longBitsToDouble(littleEndian(Double.BYTES));
  }

  private long littleEndian(int count) throws BadMessageException {
    int start = take(count);
    long value = 0;
    for (int i = count - 1; i >= 0; i--) {
      value = value << 8 | bytes[start + i] & 0xff;
    }
    return value;
  }

  /** Takes bytes behind their length, which {@link #length} has then; gives their offset. */
  int readBytes() throws BadMessageException {
    long claimed = readLong();
    if (claimed < 0 || claimed > end - at) {
      throw malformed("a value of " + claimed + " bytes, where " + (end - at) + " are left");
    }
    length = (int) claimed;
    return take(length);
  }

  /** The same, checked to be UTF-8. */
  int readText() throws BadMessageException {
    int start = readBytes();
    byte[] in = bytes;
    int i = start;
    while (i < at) {
      if (in[i] >= 0) {
        i++;
        continue;
      }
      int sequence = Utf8.sequenceLength(in, i, at);
      if (sequence == 0) {
        at = i;
        throw malformed("bytes in a string that are not UTF-8");
      }
      i += sequence;
    }
    return start;
  }

  /** Takes bytes of a known length, which {@link #length} has then; gives their offset. */
  int readFixed(int size) throws BadMessageException {
    length = size;
    return take(size);
  }

  /** Bytes of what was read last. */
  int length() {
    return length;
  }

  /** The branch of a union or the constant of an enum. */
  int readIndex(int size, String what) throws BadMessageException {
    long index = readLong();
    if (index < 0 || index >= size) {
      throw malformed(what + " has " + size + " choices, the data say " + index);
    }
    return (int) index;
  }

  /** Elements in the next block of an array or map; 0 at its end. */
  long readBlock() throws BadMessageException {
    long count = readLong();
    if (count < 0) {
      long size = readLong();
      if (size < 0 || size > end - at || count == Long.MIN_VALUE) {
        throw malformed("a block of " + size + " bytes, where " + (end - at) + " are left");
      }
      count = -count;
    }
    return count;
  }

  /**
   * An element was read: a few bytes may claim any number of elements that take none.
   *
   * @param start {@link #position} before it
   */
  void countElement(int start) throws BadMessageException {
    if (at == start && ++emptyElements > EMPTY_ELEMENTS_MAX) {
      throw malformed("more than " + EMPTY_ELEMENTS_MAX + " elements without a byte");
    }
  }

  void requireDepth(int depth) throws BadMessageException {
    if (depth > DEPTH_MAX) {
      throw malformed("more than " + DEPTH_MAX + " levels");
    }
  }

  private byte next() throws BadMessageException {
    if (at == end) {
      throw malformed("the data end too early");
    }
    return bytes[at++];
  }

  private int take(int count) throws BadMessageException {
    if (count > end - at) {
      throw malformed("the data end too early");
    }
    int start = at;
    at += count;
    return start;
  }

  BadMessageException malformed(String what) {
    return new BadMessageException(
        Reason.MALFORMED, "No Avro at byte " + (at - from) + " of the data: " + what + ".");
  }
}
