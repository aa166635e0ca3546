package io.sluice.replicator.values;

import java.math.BigDecimal;

/** Numbers from the digits that the server sends. */
final class Ascii {

  private Ascii() {}

  /** An optional sign and decimal digits that fit a long. */
  static long parseLong(byte[] text, ColumnContext context) {
    int length = text.length;
    int from = length > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    boolean negative = from == 1 && text[0] == '-';
    if (from == length) {
      throw notANumber(context);
    }
    // Counted downwards, since the smallest long has no positive partner.
    long value = 0;
    for (int i = from; i < length; i++) {
      int digit = text[i] - '0';
      if (digit < 0 || digit > 9) {
        throw notANumber(context);
      }
      if (value < Long.MIN_VALUE / 10) {
        throw tooLarge(context);
      }
      value = value * 10 - digit;
      if (value > 0) {
        throw tooLarge(context);
      }
    }
    if (!negative && value == Long.MIN_VALUE) {
      throw tooLarge(context);
    }
    return negative ? value : -value;
  }

  /** Any decimal number, also with a fraction or an exponent. */
  static BigDecimal parseDecimal(byte[] text, ColumnContext context) {
    char[] chars = new char[text.length];
    for (int i = 0; i < text.length; i++) {
      chars[i] = (char) (text[i] & 0xff);
    }
    try {
      return new BigDecimal(chars);
    } catch (NumberFormatException e) {
      throw notANumber(context);
    }
  }

  /**
   * The digits of {@code [-]ddd.fff} as one number of exactly {@code scale} fraction digits, or
   * {@link Long#MIN_VALUE} where the text has another form or more than 18 digits.
   */
  static long parseUnscaled(byte[] text, int scale) {
    int length = text.length;
    int from = length > 0 && text[0] == '-' ? 1 : 0;
    if (length == from || length - from > 19) {
      return Long.MIN_VALUE;
    }
    long value = 0;
    int fraction = -1;
    int digits = 0;
    for (int i = from; i < length; i++) {
      byte c = text[i];
      if (c == '.' && fraction < 0) {
        fraction = 0;
        continue;
      }
      int digit = c - '0';
      if (digit < 0 || digit > 9 || ++digits > 18) {
        return Long.MIN_VALUE;
      }
      value = value * 10 + digit;
      if (fraction >= 0) {
        fraction++;
      }
    }
    if (Math.max(fraction, 0) != scale || digits == 0) {
      return Long.MIN_VALUE;
    }
    return from == 1 ? -value : value;
  }

  /** {@code count} digits from {@code from}, or -1 if there is anything else. */
  static int digits(byte[] text, int from, int count) {
    if (from + count > text.length) {
      return -1;
    }
    int value = 0;
    for (int i = from; i < from + count; i++) {
      int digit = text[i] - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      value = value * 10 + digit;
    }
    return value;
  }

  private static UnencodableValueException notANumber(ColumnContext context) {
    return context.unencodable("the server sent text that is not a number");
  }

  private static UnencodableValueException tooLarge(ColumnContext context) {
    return context.unencodable("the value is outside the lake type's range");
  }
}
