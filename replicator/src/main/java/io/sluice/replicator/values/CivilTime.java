package io.sluice.replicator.values;

/** Days and seconds of the proleptic Gregorian calendar, without objects. */
final class CivilTime {

  private static final int[] DAYS = {0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

  private CivilTime() {}

  /** Days since 1970-01-01. REQUIRES: {@link #exists}. */
  static int epochDay(int year, int month, int day) {
    // Howard Hinnant, days_from_civil: years begin in March, so that a leap day is the last one.
    int y = month <= 2 ? year - 1 : year;
    int era = Math.floorDiv(y, 400);
    int yearOfEra = y - era * 400;
    int dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
    return era * 146097 + dayOfEra - 719468;
  }

  /** Whether there is such a day. */
  static boolean exists(int year, int month, int day) {
    return month >= 1
        && month <= 12
        && day >= 1
        && day <= DAYS[month]
        && (month != 2 || day < 29 || (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)));
  }
}
