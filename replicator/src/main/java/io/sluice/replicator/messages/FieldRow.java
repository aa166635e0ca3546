package io.sluice.replicator.messages;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Names and values of one row, in the message's order, in arrays that are used again for the next
 * row. Texts, decimals, bytes and nested values lie in one buffer, by offset and length.
 */
public final class FieldRow {

  /** What a value is. */
  public enum Kind {
    NULL,
    BOOLEAN,
    /** A 64-bit signed integer. */
    LONG,
    /** A number in decimal notation, ASCII, any length, perhaps with an exponent. */
    DECIMAL,
    DOUBLE,
    /** UTF-8, known to be valid. */
    TEXT,
    BYTES,
    /** An object or array: its JSON text, UTF-8. */
    NESTED,
    /** An array in the bytes of the lake's rows, of exactly its column's type; in no message. */
    BINARY_ARRAY,
    /** Days since 1970-01-01. */
    DATE,
    /** Microseconds since midnight; may be negative or beyond a day. */
    TIME,
    /** A wall clock: milliseconds since 1970-01-01T00:00 and nanoseconds within the millisecond. */
    TIMESTAMP,
    /** An instant: epoch milliseconds and nanoseconds within the millisecond. */
    INSTANT
  }

  private String[] names = new String[16];
  private Kind[] kinds = new Kind[16];
  // The number; of what lies in the buffer offset << 32 | length.
  private long[] longs = new long[16];
  private int[] nanos = new int[16];
  private int size;
  private byte[] buffer = new byte[1024];
  private int end;

  public void clear() {
    size = 0;
    end = 0;
  }

  public int size() {
    return size;
  }

  /** Position of a field, -1 if there is none; a name that occurs twice: its last. */
  public int position(String name) {
    for (int i = size - 1; i >= 0; i--) {
      if (names[i].equals(name)) {
        return i;
      }
    }
    return -1;
  }

  public String name(int field) {
    return names[field];
  }

  public Kind kind(int field) {
    return kinds[field];
  }

  public boolean booleanValue(int field) {
    return longs[field] != 0;
  }

  /** Of LONG, DATE, TIME; milliseconds of TIMESTAMP and INSTANT. */
  public long longValue(int field) {
    return longs[field];
  }

  /** 0 to 999,999, of TIMESTAMP and INSTANT. */
  public int nanosOfMilli(int field) {
    return nanos[field];
  }

  public double doubleValue(int field) {
    return Double.longBitsToDouble(longs[field]);
  }

  /** The 64 bits behind a value that doesn't lie in the buffer: equal ones of a kind are equal. */
  public long rawValue(int field) {
    return longs[field];
  }

  /**
   * Where TEXT, DECIMAL, BYTES, NESTED and BINARY_ARRAY lie; good until the next field is added.
   */
  public byte[] buffer() {
    return buffer;
  }

  public int offset(int field) {
    return (int) (longs[field] >>> 32);
  }

  public int length(int field) {
    return (int) longs[field];
  }

  /** A TEXT, DECIMAL or NESTED value as a String, for rare ways and messages. */
  public String text(int field) {
    return new String(buffer, offset(field), length(field), StandardCharsets.UTF_8);
  }

  public void addNull(String name) {
    add(name, Kind.NULL, 0);
  }

  public void addBoolean(String name, boolean value) {
    add(name, Kind.BOOLEAN, value ? 1 : 0);
  }

  public void addLong(String name, long value) {
    add(name, Kind.LONG, value);
  }

  public void addDouble(String name, double value) {
    add(name, Kind.DOUBLE, Double.doubleToRawLongBits(value));
  }

  public void addDate(String name, long epochDay) {
    add(name, Kind.DATE, epochDay);
  }

  public void addTime(String name, long microsOfDay) {
    add(name, Kind.TIME, microsOfDay);
  }

  public void addTimestamp(String name, long epochMillis, int nanosOfMilli) {
    int field = add(name, Kind.TIMESTAMP, epochMillis);
    nanos[field] = nanosOfMilli;
  }

  public void addInstant(String name, long epochMillis, int nanosOfMilli) {
    int field = add(name, Kind.INSTANT, epochMillis);
    nanos[field] = nanosOfMilli;
  }

  /**
   * Adds a value that lies in the buffer.
   *
   * @param kind TEXT, DECIMAL, BYTES, NESTED or BINARY_ARRAY
   */
  public void addSlice(String name, Kind kind, byte[] bytes, int offset, int length) {
    int start = reserve(length);
    System.arraycopy(bytes, offset, buffer, start, length);
    addReserved(name, kind, start, length);
  }

  /** A TEXT, DECIMAL or NESTED value from a String. */
  public void addText(String name, Kind kind, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    addSlice(name, kind, bytes, 0, bytes.length);
  }

  /** Room in {@link #buffer} to write a value into; returns its offset. */
  public int reserve(int length) {
    if (buffer.length - end < length) {
      buffer = Arrays.copyOf(buffer, Math.max(Math.addExact(end, length), 2 * buffer.length));
    }
    int start = end;
    end += length;
    return start;
  }

  /** Adds what was written into reserved room, perhaps shorter than reserved. */
  public void addReserved(String name, Kind kind, int offset, int length) {
    add(name, kind, (long) offset << 32 | length);
  }

  /** Takes a field out; those behind it move up. */
  public void remove(int field) {
    int behind = size - field - 1;
    System.arraycopy(names, field + 1, names, field, behind);
    System.arraycopy(kinds, field + 1, kinds, field, behind);
    System.arraycopy(longs, field + 1, longs, field, behind);
    System.arraycopy(nanos, field + 1, nanos, field, behind);
    size--;
  }

  /** Gives another row all that this one has, and takes what that has. */
  public void swap(FieldRow other) {
    String[] otherNames = other.names;
    Kind[] otherKinds = other.kinds;
    long[] otherLongs = other.longs;
    int[] otherNanos = other.nanos;
    int otherSize = other.size;
    byte[] otherBuffer = other.buffer;
    int otherEnd = other.end;
    other.names = names;
    other.kinds = kinds;
    other.longs = longs;
    other.nanos = nanos;
    other.size = size;
    other.buffer = buffer;
    other.end = end;
    names = otherNames;
    kinds = otherKinds;
    longs = otherLongs;
    nanos = otherNanos;
    size = otherSize;
    buffer = otherBuffer;
    end = otherEnd;
  }

  /** Adds a field of another row with its value. */
  public void addFrom(FieldRow other, int field) {
    addFrom(other.names[field], other, field);
  }

  /** The same under another name. */
  public void addFrom(String name, FieldRow other, int field) {
    switch (other.kinds[field]) {
      case TEXT, DECIMAL, BYTES, NESTED, BINARY_ARRAY ->
          addSlice(
              name, other.kinds[field], other.buffer, other.offset(field), other.length(field));
      default -> {
        // Not in one expression: adding may replace the array.
        int added = add(name, other.kinds[field], other.longs[field]);
        nanos[added] = other.nanos[field];
      }
    }
  }

  private int add(String name, Kind kind, long value) {
    if (size == names.length) {
      names = Arrays.copyOf(names, 2 * size);
      kinds = Arrays.copyOf(kinds, 2 * size);
      longs = Arrays.copyOf(longs, 2 * size);
      nanos = Arrays.copyOf(nanos, 2 * size);
    }
    names[size] = name;
    kinds[size] = kind;
    longs[size] = value;
    return size++;
  }
}
