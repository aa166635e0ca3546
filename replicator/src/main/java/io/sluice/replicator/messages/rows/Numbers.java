package io.sluice.replicator.messages.rows;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Numbers in digits, exactly: plain loops for the common ones, BigDecimal for the rest. */
final class Numbers {

  /** What {@link #unscaled} gives where it gives no number. */
  static final long NONE = Long.MIN_VALUE;

  static final long[] POWERS = new long[19];

  /** Texts beyond this aren't read as numbers: no type has room for their digits. */
  private static final int LENGTH_MAX = 1_000;

  static {
    POWERS[0] = 1;
    for (int i = 1; i < POWERS.length; i++) {
      POWERS[i] = POWERS[i - 1] * 10;
    }
  }

  private Numbers() {}

  /**
   * The value times 10 to the power of {@code scale}, if the text is plain digits with at most one
   * point, has at most 18 digits then, and nothing but zeros behind that scale; else {@link #NONE}.
   */
  static long unscaled(byte[] text, int offset, int length, int scale) {
    int end = offset + length;
    int from = length > 0 && text[offset] == '-' ? offset + 1 : offset;
    long value = 0;
    int digits = 0;
    int fraction = -1;
    for (int i = from; i < end; i++) {
      byte c = text[i];
      if (c == '.' && fraction < 0) {
        fraction = 0;
        continue;
      }
      int digit = c - '0';
      if (digit < 0 || digit > 9) {
        return NONE;
      }
      if (fraction == scale) {
        if (digit != 0) {
          return NONE;
        }
        continue;
      }
      if (++digits > 18) {
        return NONE;
      }
      value = value * 10 + digit;
      if (fraction >= 0) {
        fraction++;
      }
    }
    if (digits == 0) {
      return NONE;
    }
    int missing = scale - Math.max(fraction, 0);
    if (digits + missing > 18) {
      return NONE;
    }
    value *= POWERS[missing];
    return from > offset ? -value : value;
  }

  /**
   * Whether a text is a number as one writes numbers: {@code 12}, {@code -0.50}; not {@code 012},
   * {@code +1}, {@code .5} or {@code 1e5}, which would be another text when written again.
   */
  static boolean isPlain(byte[] text, int offset, int length) {
    int end = offset + length;
    int i = offset;
    if (i < end && text[i] == '-') {
      i++;
    }
    int from = i;
    while (i < end && text[i] >= '0' && text[i] <= '9') {
      i++;
    }
    if (i == from || i - from > 1 && text[from] == '0') {
      return false;
    }
    if (i == end) {
      return true;
    }
    if (text[i] != '.') {
      return false;
    }
    int fraction = ++i;
    while (i < end && text[i] >= '0' && text[i] <= '9') {
      i++;
    }
    return i == end && i > fraction;
  }

  /** The number; null if the text is none, or too long for any type. */
  static @Nullable BigDecimal decimal(byte[] text, int offset, int length) {
    if (length > LENGTH_MAX) {
      return null;
    }
    char[] chars = new char[length];
    for (int i = 0; i < length; i++) {
      chars[i] = (char) (text[offset + i] & 0xff);
    }
    try {
      return new BigDecimal(chars);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /** Digits before the point; 0 or less for a fraction. */
  static long integerDigits(BigDecimal value) {
    return value.signum() == 0 ? 0 : (long) value.precision() - value.scale();
  }

  /** The value with exactly this scale; null if digits would be lost or there are too many. */
  static @Nullable BigDecimal scaled(BigDecimal value, int precision, int scale) {
    if (integerDigits(value) > precision - scale) {
      return null;
    }
    if (value.scale() > scale) {
      // Bounded, since the text was.
      BigDecimal stripped = value.signum() == 0 ? BigDecimal.ZERO : value.stripTrailingZeros();
      return stripped.scale() > scale ? null : stripped.setScale(scale);
    }
    return value.signum() == 0 ? BigDecimal.ZERO.setScale(scale) : value.setScale(scale);
  }

  /** The value as a long; null if it isn't one. */
  static @Nullable Long integer(BigDecimal value) {
    BigDecimal whole = scaled(value, 19, 0);
    if (whole == null) {
      return null;
    }
    try {
      return whole.longValueExact();
    } catch (ArithmeticException e) {
      return null;
    }
  }

  /**
   * Whether a double stands for a number in digits: it is the nearest, and its own shortest text,
   * or all its digits, say the same number again.
   */
  static boolean standsFor(double value, byte[] text, int offset, int length) {
    if (Double.isInfinite(value) || Double.isNaN(value)) {
      return false;
    }
    if (significantDigits(text, offset, length) <= 15 && value != 0 && Math.abs(value) > 1e-290) {
      // Any decimal number of so many digits comes back from its nearest double.
      return true;
    }
    BigDecimal number = decimal(text, offset, length);
    return number != null
        && (same(number, BigDecimal.valueOf(value)) || same(number, new BigDecimal(value)));
  }

  /** The same for a float; the digits of the double that it widens to will do, too. */
  static boolean standsFor(float value, byte[] text, int offset, int length) {
    if (Float.isInfinite(value) || Float.isNaN(value)) {
      return false;
    }
    if (significantDigits(text, offset, length) <= 6 && value != 0 && Math.abs(value) > 1e-30f) {
      return true;
    }
    BigDecimal number = decimal(text, offset, length);
    return number != null
        && (same(number, new BigDecimal(Float.toString(value)))
            || same(number, BigDecimal.valueOf(value))
            || same(number, new BigDecimal(value)));
  }

  private static boolean same(BigDecimal one, BigDecimal other) {
    // Numbers of very different scale would be compared by writing out all zeros.
    return integerDigits(one) == integerDigits(other) && one.compareTo(other) == 0;
  }

  /** Digits without the zeros in front; of a text with more than 18 digits just many. */
  static int significantDigits(byte[] text, int offset, int length) {
    int digits = 0;
    for (int i = offset; i < offset + length; i++) {
      byte c = text[i];
      if (c == 'e' || c == 'E') {
        break;
      }
      if (c >= '0' && c <= '9' && (digits > 0 || c != '0')) {
        digits++;
      }
    }
    return digits;
  }

  static double doubleOf(byte[] text, int offset, int length) {
    if (length <= 18) {
      // Up to 15 digits and 22 places the quotient of the two exact doubles is the nearest double.
      int point = -1;
      for (int i = offset; i < offset + length; i++) {
        if (text[i] == '.') {
          point = i;
        }
      }
      int scale = point < 0 ? 0 : offset + length - point - 1;
      long unscaled = scale > 15 ? NONE : unscaled(text, offset, length, scale);
      if (unscaled != NONE && unscaled != 0 && Math.abs(unscaled) < 1L << 53) {
        return (double) unscaled / (double) POWERS[scale];
      }
    }
    return Double.parseDouble(new String(text, offset, length, StandardCharsets.ISO_8859_1));
  }
}
