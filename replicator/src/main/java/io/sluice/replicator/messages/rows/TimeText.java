package io.sluice.replicator.messages.rows;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Times as the lake has them: {@code [-]HH[H]:MM:SS[.f]}, as a direct copy writes them. */
public final class TimeText {

  private TimeText() {}

  /**
   * @param micros since midnight; may be negative or beyond a day
   * @param digits of the fraction, 0 to 6
   * @return null if the value has more fraction digits
   */
  public static @Nullable String print(long micros, int digits) {
    long rest = Math.abs(micros);
    StringBuilder text = new StringBuilder(20);
    if (micros < 0) {
      text.append('-');
    }
    long seconds = rest / 1_000_000;
    pair(text, seconds / 3600);
    text.append(':');
    pair(text, seconds / 60 % 60);
    text.append(':');
    pair(text, seconds % 60);
    long fraction = rest % 1_000_000;
    if (digits > 0) {
      text.append('.');
    }
    long unit = 100_000;
    for (int i = 0; i < digits && unit > 0; i++) {
      text.append((char) ('0' + fraction / unit % 10));
      fraction %= unit;
      unit /= 10;
    }
    return fraction == 0 ? text.toString() : null;
  }

  /** With as many fraction digits as it needs, of 0, 3 and 6. */
  public static String print(long micros) {
    for (int digits = 0; digits < 6; digits += 3) {
      String text = print(micros, digits);
      if (text != null) {
        return text;
      }
    }
    return Objects.requireNonNull(print(micros, 6));
  }

  /** A wall clock: {@code 2026-01-31T12:00:00}, with its fraction if it has one. */
  public static String timestamp(long epochMillis, int nanosOfMilli) {
    return DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(
        LocalDateTime.ofEpochSecond(
            Math.floorDiv(epochMillis, 1_000L),
            (int) Math.floorMod(epochMillis, 1_000L) * 1_000_000 + nanosOfMilli,
            ZoneOffset.UTC));
  }

  private static void pair(StringBuilder text, long value) {
    if (value < 10) {
      text.append('0');
    }
    text.append(value);
  }
}
