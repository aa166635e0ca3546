package io.sluice.replicator.values;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/**
 * Prints MySQL's binary JSON (as the binlog holds it) exactly as the server prints it: the same
 * blanks, escapes, numbers and fractions. Layout (MySQL's {@code json_binary.h}), all
 * little-endian:
 *
 * <pre>
 * value:  type byte, then by type
 * 0x00/01 object, 0x02/03 array, small/large (offsets and counts of 2/4 bytes):
 *         count, size, [key entries: offset, 2 bytes length], value entries: type, offset or inlined
 * 0x04    literal: 0 null, 1 true, 2 false          0x05..0x0a  int16, uint16, int32, uint32, int64, uint64
 * 0x0b    double                                    0x0c  text: variable-length length, UTF-8
 * 0x0f    opaque: column type byte, variable-length length, bytes
 * </pre>
 *
 * One instance for one value; not thread safe.
 */
final class MySqlJson {

  private static final int DEPTH_MAX = 110;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final int TYPE_TIMESTAMP = 7;
  private static final int TYPE_DATE = 10;
  private static final int TYPE_TIME = 11;
  private static final int TYPE_DATETIME = 12;
  private static final int TYPE_NEWDECIMAL = 246;

  private final byte[] in;
  private final int end;
  private byte[] out;
  private int length;

  private MySqlJson(byte[] in, int from, int end) {
    this.in = in;
    this.end = end;
    this.out = new byte[Math.max(64, (end - from) * 2)];
  }

  /**
   * UTF-8 text of the value in {@code bytes[from, from + length)}.
   *
   * @throws IllegalArgumentException the bytes are not such a value
   */
  static byte[] print(byte[] bytes, int from, int length) {
    MySqlJson json = new MySqlJson(bytes, from, from + length);
    try {
      if (length == 0) {
        // What an INSERT IGNORE of nothing leaves behind; the server reads it as the literal.
        json.put("null");
      } else {
        json.value(bytes[from] & 0xff, from + 1, 0);
      }
    } catch (IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("JSON that points outside its own bytes", e);
    }
    return Arrays.copyOf(json.out, json.length);
  }

  private void value(int type, int at, int depth) {
    if (depth > DEPTH_MAX) {
      throw new IllegalArgumentException("JSON nested deeper than the server allows");
    }
    switch (type) {
      case 0x00 -> container(at, false, true, depth);
      case 0x01 -> container(at, true, true, depth);
      case 0x02 -> container(at, false, false, depth);
      case 0x03 -> container(at, true, false, depth);
      case 0x04 -> literal(at(at));
      case 0x05 -> put(Short.toString((short) u16(at)));
      case 0x06 -> put(Integer.toString(u16(at)));
      case 0x07 -> put(Integer.toString((int) u32(at)));
      case 0x08 -> put(Long.toString(u32(at)));
      case 0x09 -> put(Long.toString(i64(at)));
      case 0x0a -> put(Long.toUnsignedString(i64(at)));
      case 0x0b -> real(Double.longBitsToDouble(i64(at)));
      case 0x0c -> {
        long header = varLength(at);
        quoted(in, (int) (header >>> 32), (int) header);
      }
      case 0x0f -> opaque(at(at), at + 1);
      default -> throw new IllegalArgumentException("JSON of unknown type " + type);
    }
  }

  private void container(int at, boolean large, boolean object, int depth) {
    int width = large ? 4 : 2;
    int count = offset(at, large);
    int keyEntry = width + 2;
    int valueEntry = width + 1;
    int keys = at + 2 * width;
    int values = keys + (object ? count * keyEntry : 0);
    put(object ? '{' : '[');
    for (int i = 0; i < count; i++) {
      if (i > 0) {
        put(',');
        put(' ');
      }
      if (object) {
        int key = keys + i * keyEntry;
        quoted(in, at + offset(key, large), u16(key + width));
        put(':');
        put(' ');
      }
      int entry = values + i * valueEntry;
      int type = at(entry);
      boolean inlined =
          type == 0x04 || type == 0x05 || type == 0x06 || (large && (type == 0x07 || type == 0x08));
      value(type, inlined ? entry + 1 : at + offset(entry + 1, large), depth + 1);
    }
    put(object ? '}' : ']');
  }

  private void literal(int literal) {
    put(
        switch (literal) {
          case 0 -> "null";
          case 1 -> "true";
          case 2 -> "false";
          default -> throw new IllegalArgumentException("JSON literal " + literal);
        });
  }

  private void opaque(int columnType, int at) {
    long header = varLength(at);
    int from = (int) (header >>> 32);
    int size = (int) header;
    switch (columnType) {
      case TYPE_NEWDECIMAL -> decimal(from, size);
      case TYPE_DATE, TYPE_DATETIME, TYPE_TIMESTAMP -> dateTime(columnType, from, size);
      case TYPE_TIME -> time(from, size);
      default -> {
        String prefix = "base64:type" + columnType + ":";
        // Lines of 76 characters, as the server makes them.
        String text =
            Base64.getMimeEncoder(76, new byte[] {'\n'})
                .encodeToString(Arrays.copyOfRange(in, from, from + size));
        byte[] ascii = (prefix + text).getBytes(StandardCharsets.US_ASCII);
        quoted(ascii, 0, ascii.length);
      }
    }
  }

  /** {@code precision, scale}, then MySQL's packed decimal: groups of nine digits in four bytes. */
  private void decimal(int from, int size) {
    int precision = at(from);
    int scale = at(from + 1);
    int[] leftover = {0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
    int whole = precision - scale;
    int start = from + 2;
    boolean negative = (at(start) & 0x80) == 0;
    StringBuilder digits = new StringBuilder();
    int position = start;
    int first = whole % 9;
    position = digitGroup(digits, start, position, leftover[first], first, negative);
    for (int i = 0; i < whole / 9; i++) {
      position = digitGroup(digits, start, position, 4, 9, negative);
    }
    for (int i = 0; i < scale / 9; i++) {
      position = digitGroup(digits, start, position, 4, 9, negative);
    }
    position = digitGroup(digits, start, position, leftover[scale % 9], scale % 9, negative);
    if (position != from + size) {
      throw new IllegalArgumentException("JSON decimal of a wrong length");
    }
    BigInteger unscaled = new BigInteger(digits.isEmpty() ? "0" : digits.toString());
    put(new BigDecimal(negative ? unscaled.negate() : unscaled, scale).toPlainString());
  }

  private int digitGroup(
      StringBuilder digits, int start, int at, int bytes, int count, boolean negative) {
    if (count == 0) {
      return at;
    }
    long value = 0;
    for (int i = 0; i < bytes; i++) {
      int b = at(at + i);
      if (at + i == start) {
        b ^= 0x80;
      }
      value = value << 8 | (negative ? ~b & 0xff : b);
    }
    String text = Long.toString(value);
    digits.append("0".repeat(Math.max(0, count - text.length()))).append(text);
    return at + bytes;
  }

  /** Packed: 22 bits year * 13 + month and day, 17 bits time, 24 bits microseconds. */
  private void dateTime(int columnType, int from, int size) {
    long packed = packed(from, size);
    if (packed < 0) {
      throw new IllegalArgumentException("JSON date below zero");
    }
    int micros = (int) (packed & 0xffffff);
    long date = packed >>> 41;
    int time = (int) (packed >>> 24) & 0x1ffff;
    put('"');
    digits((int) (date >>> 5) / 13, 4);
    put('-');
    digits((int) (date >>> 5) % 13, 2);
    put('-');
    digits((int) date & 31, 2);
    if (columnType != TYPE_DATE) {
      put(' ');
      clock(time >>> 12, time, micros);
    }
    put('"');
  }

  private void time(int from, int size) {
    long packed = packed(from, size);
    put('"');
    if (packed < 0) {
      put('-');
      packed = -packed;
    }
    int whole = (int) (packed >>> 24);
    clock(whole >>> 12 & 0x3ff, whole, (int) (packed & 0xffffff));
    put('"');
  }

  private long packed(int from, int size) {
    if (size != 8) {
      throw new IllegalArgumentException("JSON time of " + size + " bytes");
    }
    return i64(from);
  }

  private void clock(int hours, int packedMinutes, int micros) {
    digits(hours, hours > 99 ? 3 : 2);
    put(':');
    digits(packedMinutes >>> 6 & 63, 2);
    put(':');
    digits(packedMinutes & 63, 2);
    put('.');
    digits(micros, 6);
  }

  private void digits(int value, int count) {
    String text = Integer.toString(value);
    for (int i = text.length(); i < count; i++) {
      put('0');
    }
    put(text);
  }

  private void real(double value) {
    String text = DoubleText.print(value);
    put(text);
    if (text.indexOf('.') < 0 && text.indexOf('e') < 0) {
      put(".0");
    }
  }

  private void quoted(byte[] text, int from, int size) {
    if (from < 0 || size < 0 || from + size > text.length || (text == in && from + size > end)) {
      throw new IndexOutOfBoundsException();
    }
    put('"');
    for (int i = from; i < from + size; i++) {
      byte b = text[i];
      switch (b) {
        case '"' -> escape('"');
        case '\\' -> escape('\\');
        case '\b' -> escape('b');
        case '\f' -> escape('f');
        case '\n' -> escape('n');
        case '\r' -> escape('r');
        case '\t' -> escape('t');
        default -> {
          if (b >= 0 && b < 0x20) {
            put("\\u00");
            put(HEX[b >> 4]);
            put(HEX[b & 15]);
          } else {
            put(b);
          }
        }
      }
    }
    put('"');
  }

  private void escape(int letter) {
    put('\\');
    put(letter);
  }

  private void put(int b) {
    if (length == out.length) {
      out = Arrays.copyOf(out, out.length * 2);
    }
    out[length++] = (byte) b;
  }

  private void put(String ascii) {
    for (int i = 0; i < ascii.length(); i++) {
      put(ascii.charAt(i));
    }
  }

  private int at(int position) {
    if (position < 0 || position >= end) {
      throw new IndexOutOfBoundsException(position);
    }
    return in[position] & 0xff;
  }

  private int u16(int position) {
    return at(position) | at(position + 1) << 8;
  }

  private long u32(int position) {
    return u16(position) | (long) u16(position + 2) << 16;
  }

  private long i64(int position) {
    return u32(position) | u32(position + 4) << 32;
  }

  private int offset(int position, boolean large) {
    long value = large ? u32(position) : u16(position);
    if (value > Integer.MAX_VALUE) {
      throw new IndexOutOfBoundsException();
    }
    return (int) value;
  }

  /**
   * Seven bits a byte, lowest first, while the high bit is set. High half: where the data begins.
   */
  private long varLength(int position) {
    long size = 0;
    for (int i = 0; i < 5; i++) {
      int b = at(position + i);
      size |= (long) (b & 0x7f) << 7 * i;
      if ((b & 0x80) == 0) {
        if (size > end - position - i - 1) {
          throw new IndexOutOfBoundsException();
        }
        return (long) (position + i + 1) << 32 | size;
      }
    }
    throw new IllegalArgumentException("JSON length of more than five bytes");
  }
}
