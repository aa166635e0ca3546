package io.sluice.replicator.values;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * A double as MySQL prints it ({@code my_gcvt}): the fewest digits that give the same double back;
 * plain while the decimal point lies within 15 places of the first digit, else with an exponent.
 */
final class DoubleText {

  private static final int PLACES_MAX = 15;

  private DoubleText() {}

  static String print(double value) {
    if (value == 0) {
      return 1 / value < 0 ? "-0" : "0";
    }
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      throw new IllegalArgumentException("JSON number " + value);
    }
    BigDecimal shortest = shortest(Math.abs(value));
    String digits = shortest.unscaledValue().toString();
    // value = 0.digits * 10^point
    int point = digits.length() - shortest.scale();
    StringBuilder text = new StringBuilder();
    if (value < 0) {
      text.append('-');
    }
    if (point < 1 - PLACES_MAX || point > PLACES_MAX) {
      text.append(digits.charAt(0));
      if (digits.length() > 1) {
        text.append('.').append(digits, 1, digits.length());
      }
      text.append('e').append(point - 1);
    } else if (point <= 0) {
      text.append("0.").append("0".repeat(-point)).append(digits);
    } else if (point >= digits.length()) {
      text.append(digits).append("0".repeat(point - digits.length()));
    } else {
      text.append(digits, 0, point).append('.').append(digits, point, digits.length());
    }
    return text.toString();
  }

  /** Java 17's own text may have digits too many (JDK-4511638), so it is only where to begin. */
  private static BigDecimal shortest(double value) {
    BigDecimal best = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    BigDecimal exact = new BigDecimal(value);
    for (int digits = best.precision() - 1; digits >= 1; digits--) {
      BigDecimal shorter = exact.round(new MathContext(digits, RoundingMode.HALF_EVEN));
      if (shorter.doubleValue() != value) {
        break;
      }
      best = shorter.stripTrailingZeros();
      digits = Math.min(digits, best.precision());
    }
    // Of the texts of this length the nearest to the value.
    BigDecimal nearest = exact.round(new MathContext(best.precision(), RoundingMode.HALF_EVEN));
    return nearest.doubleValue() == value ? nearest.stripTrailingZeros() : best;
  }
}
