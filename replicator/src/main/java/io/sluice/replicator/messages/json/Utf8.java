package io.sluice.replicator.messages.json;

/** UTF-8, strictly: no overlong forms, no surrogates, nothing above U+10FFFF. */
public final class Utf8 {

  private Utf8() {}

  /** Index of the first byte that isn't UTF-8; -1 if all is. */
  public static int firstInvalid(byte[] bytes, int from, int to) {
    int i = from;
    while (i < to) {
      if (bytes[i] >= 0) {
        i++;
        continue;
      }
      int length = sequenceLength(bytes, i, to);
      if (length == 0) {
        return i;
      }
      i += length;
    }
    return -1;
  }

  /** Length of the sequence that begins at {@code i} with a byte from 0x80 on; 0 if it is none. */
  public static int sequenceLength(byte[] bytes, int i, int to) {
    int lead = bytes[i] & 0xff;
    if (lead < 0xc2 || lead > 0xf4) {
      return 0;
    }
    int length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (to - i < length) {
      return 0;
    }
    for (int k = 1; k < length; k++) {
      if ((bytes[i + k] & 0xc0) != 0x80) {
        return 0;
      }
    }
    int second = bytes[i + 1] & 0xff;
    boolean valid =
        switch (lead) {
          case 0xe0 -> second >= 0xa0;
          case 0xed -> second < 0xa0;
          case 0xf0 -> second >= 0x90;
          case 0xf4 -> second < 0x90;
          default -> true;
        };
    return valid ? length : 0;
  }

  /** Writes a character; returns its bytes, up to four. */
  public static int write(int code, byte[] out, int offset) {
    if (code < 0x80) {
      out[offset] = (byte) code;
      return 1;
    }
    if (code < 0x800) {
      out[offset] = (byte) (0xc0 | code >> 6);
      out[offset + 1] = (byte) (0x80 | code & 0x3f);
      return 2;
    }
    if (code < 0x10000) {
      out[offset] = (byte) (0xe0 | code >> 12);
      out[offset + 1] = (byte) (0x80 | code >> 6 & 0x3f);
      out[offset + 2] = (byte) (0x80 | code & 0x3f);
      return 3;
    }
    out[offset] = (byte) (0xf0 | code >> 18);
    out[offset + 1] = (byte) (0x80 | code >> 12 & 0x3f);
    out[offset + 2] = (byte) (0x80 | code >> 6 & 0x3f);
    out[offset + 3] = (byte) (0x80 | code & 0x3f);
    return 4;
  }
}
