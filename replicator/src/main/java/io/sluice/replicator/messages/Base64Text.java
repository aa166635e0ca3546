package io.sluice.replicator.messages;

import java.util.Arrays;

/** Base64 of RFC 4648, padded, nothing else in it. */
public final class Base64Text {

  private static final byte[] VALUES = new byte[256];

  static {
    Arrays.fill(VALUES, (byte) -1);
    String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0; i < alphabet.length(); i++) {
      VALUES[alphabet.charAt(i)] = (byte) i;
    }
  }

  private Base64Text() {}

  /**
   * Writes the bytes over their text, from its beginning.
   *
   * @return how many; -1 if it is no base64, then the text is as it was
   */
  public static int decodeInPlace(byte[] text, int offset, int length) {
    if (length % 4 != 0) {
      return -1;
    }
    if (length == 0) {
      return 0;
    }
    int end = offset + length;
    int padding = text[end - 1] != '=' ? 0 : text[end - 2] != '=' ? 1 : 2;
    for (int i = offset; i < end - padding; i++) {
      if (VALUES[text[i] & 0xff] < 0) {
        return -1;
      }
    }
    // Bits that no byte takes must be zero: else two texts would be one value.
    if (padding > 0
        && (VALUES[text[end - padding - 1] & 0xff] & (padding == 1 ? 0x03 : 0x0f)) != 0) {
      return -1;
    }
    int out = offset;
    for (int i = offset; i < end; i += 4) {
      int bits = VALUES[text[i] & 0xff] << 18 | VALUES[text[i + 1] & 0xff] << 12;
      if (i + 4 < end || padding < 2) {
        bits |= VALUES[text[i + 2] & 0xff] << 6;
      }
      if (i + 4 < end || padding < 1) {
        bits |= VALUES[text[i + 3] & 0xff];
      }
      text[out++] = (byte) (bits >> 16);
      if (i + 4 < end || padding < 2) {
        text[out++] = (byte) (bits >> 8);
      }
      if (i + 4 < end || padding < 1) {
        text[out++] = (byte) bits;
      }
    }
    return out - offset;
  }
}
