package io.sluice.replicator.messages.avro;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** JSON text being written, as UTF-8 in an array that is used again. */
final class JsonOutput {

  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private byte[] bytes = new byte[256];
  private int size;

  void clear() {
    size = 0;
  }

  byte[] bytes() {
    return bytes;
  }

  int size() {
    return size;
  }

  /** Text that needs no escape, ASCII. */
  JsonOutput raw(String ascii) {
    ensure(ascii.length());
    for (int i = 0; i < ascii.length(); i++) {
      bytes[size++] = (byte) ascii.charAt(i);
    }
    return this;
  }

  JsonOutput raw(char c) {
    ensure(1);
    bytes[size++] = (byte) c;
    return this;
  }

  JsonOutput string(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    return string(utf8, 0, utf8.length);
  }

  /** A string in quotes; valid UTF-8. */
  JsonOutput string(byte[] utf8, int offset, int length) {
    ensure(Math.addExact(Math.multiplyExact(6, length), 2));
    byte[] out = bytes;
    int at = size;
    out[at++] = '"';
    for (int i = offset; i < offset + length; i++) {
      byte c = utf8[i];
      if (c == '"' || c == '\\') {
        out[at++] = '\\';
        out[at++] = c;
      } else if (c >= 0 && c < ' ') {
        out[at++] = '\\';
        switch (c) {
          case '\n' -> out[at++] = 'n';
          case '\r' -> out[at++] = 'r';
          case '\t' -> out[at++] = 't';
          case '\b' -> out[at++] = 'b';
          case '\f' -> out[at++] = 'f';
          default -> {
            out[at++] = 'u';
            out[at++] = '0';
            out[at++] = '0';
            out[at++] = HEX[c >> 4];
            out[at++] = HEX[c & 15];
          }
        }
      } else {
        out[at++] = c;
      }
    }
    out[at++] = '"';
    size = at;
    return this;
  }

  private void ensure(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, more), 2 * bytes.length));
    }
  }
}
