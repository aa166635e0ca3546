package io.sluice.replicator.messages.rows;

import org.jspecify.annotations.Nullable;

/**
 * ISO 8601's dates and times as texts have them; used again for the next text. Years 0001 to 9999.
 */
final class IsoTime {

  private static final int[] DAYS = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

  /** What {@link #parse} found. */
  long epochMillis;

  int nanosOfMilli;
  boolean zoned;

  /** Days since 1970-01-01 of {@code 2026-01-31}; null if it is none. */
  static @Nullable Integer date(byte[] text, int offset, int length) {
    return length == 10 && dateAt(text, offset) != Integer.MIN_VALUE ? dateAt(text, offset) : null;
  }

  private static int dateAt(byte[] text, int at) {
    int year = digits(text, at, 4);
    int month = digits(text, at + 5, 2);
    int day = digits(text, at + 8, 2);
    if (text[at + 4] != '-'
        || text[at + 7] != '-'
        || year < 1
        || month < 1
        || month > 12
        || day < 1
        || day > DAYS[month - 1]
        || month == 2 && day == 29 && (year % 4 != 0 || year % 100 == 0 && year % 400 != 0)) {
      return Integer.MIN_VALUE;
    }
    // Years begin in March, so that a leap day is the last one; 400 years are 146,097 days.
    int y = month <= 2 ? year - 1 : year;
    int era = y / 400;
    int yearOfEra = y - era * 400;
    int dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468;
  }

  /**
   * Reads {@code 2026-01-31[T ]12:00[:00[.123456789]][Z|+01:00|+0100|+01]}.
   *
   * @return whether it is one
   */
  boolean parse(byte[] text, int offset, int length) {
    if (length < 16) {
      return false;
    }
    int end = offset + length;
    int day = dateAt(text, offset);
    byte between = text[offset + 10];
    if (day == Integer.MIN_VALUE || between != 'T' && between != ' ' && between != 't') {
      return false;
    }
    int at = clock(text, offset + 11, end);
    if (at < 0) {
      return false;
    }
    zoned = at < end;
    int offsetSeconds = zoned ? zone(text, at, end) : 0;
    if (offsetSeconds == Integer.MIN_VALUE) {
      return false;
    }
    epochMillis = day * 86_400_000L + nanosOfDay / 1_000_000 - offsetSeconds * 1_000L;
    nanosOfMilli = (int) (nanosOfDay % 1_000_000);
    return true;
  }

  /** What {@link #clock} found. */
  long nanosOfDay;

  /** Reads {@code 12:00[:00[.123456789]]}; returns the index behind it, -1 if it is none. */
  int clock(byte[] text, int start, int end) {
    if (end - start < 5 || text[start + 2] != ':') {
      return -1;
    }
    int hour = digits(text, start, 2);
    int minute = digits(text, start + 3, 2);
    int at = start + 5;
    int second = 0;
    long fraction = 0;
    if (at < end && text[at] == ':') {
      second = end - at < 3 ? -1 : digits(text, at + 1, 2);
      at += 3;
      if (at < end && text[at] == '.') {
        int from = ++at;
        while (at < end && text[at] >= '0' && text[at] <= '9') {
          if (at - from < 9) {
            fraction = fraction * 10 + text[at] - '0';
          } else if (text[at] != '0') {
            return -1;
          }
          at++;
        }
        int digits = Math.min(9, at - from);
        if (digits == 0) {
          return -1;
        }
        fraction *= Numbers.POWERS[9 - digits];
      }
    }
    if ((hour | minute | second) < 0 || hour > 23 || minute > 59 || second > 59) {
      return -1;
    }
    nanosOfDay = (hour * 3600L + minute * 60L + second) * 1_000_000_000L + fraction;
    return at;
  }

  /** Seconds east of UTC; MIN_VALUE if it is no zone. */
  private static int zone(byte[] text, int at, int end) {
    byte sign = text[at];
    if ((sign == 'Z' || sign == 'z') && end - at == 1) {
      return 0;
    }
    int length = end - at;
    if (sign != '+' && sign != '-' || length != 3 && length != 5 && length != 6) {
      return Integer.MIN_VALUE;
    }
    int hours = digits(text, at + 1, 2);
    int minutes = length == 3 ? 0 : digits(text, end - 2, 2);
    if (hours < 0
        || hours > 18
        || minutes < 0
        || minutes > 59
        || length == 6 && text[at + 3] != ':') {
      return Integer.MIN_VALUE;
    }
    int seconds = hours * 3600 + minutes * 60;
    return sign == '-' ? -seconds : seconds;
  }

  /** A number of so many digits, or -1. REQUIRES: the text is that long. */
  private static int digits(byte[] text, int from, int count) {
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
}
