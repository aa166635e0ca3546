package io.sluice.lsm.schema;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads texts of an options map as values and gathers what is wrong with them. */
final class OptionReader {

  private static final Pattern QUANTITY = Pattern.compile("\\s*(\\d+)\\s*(\\p{L}*)\\s*");

  private final Map<String, String> options;
  private final List<String> problems = new ArrayList<>();

  OptionReader(Map<String, String> options) {
    this.options = options;
  }

  List<String> problems() {
    return problems;
  }

  @Nullable String text(String key) {
    String value = options.get(key);
    return value == null || value.isBlank() ? null : value.trim();
  }

  String text(String key, String byDefault) {
    String value = text(key);
    return value == null ? byDefault : value;
  }

  boolean flag(String key, boolean byDefault) {
    String value = text(key);
    if (value == null) {
      return byDefault;
    }
    switch (value.toLowerCase(Locale.ROOT)) {
      case "true":
        return true;
      case "false":
        return false;
      default:
        problem(key, value, "true or false");
        return byDefault;
    }
  }

  int number(String key, int byDefault, int min) {
    return (int) number(key, (long) byDefault, min, Integer.MAX_VALUE);
  }

  long number(String key, long byDefault, long min, long max) {
    String value = text(key);
    if (value == null) {
      return byDefault;
    }
    try {
      long number = Long.parseLong(value);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      problem(key, value, "a whole number");
      return byDefault;
    }
    problem(key, value, "a number from " + min + " to " + max);
    return byDefault;
  }

  List<String> names(String key) {
    String value = text(key);
    if (value == null) {
      return List.of();
    }
    return java.util.Arrays.stream(value.split(",", -1)).map(String::trim).toList();
  }

  /** Bytes: a number and none, b, kb, mb, gb or tb (powers of 1024). */
  long size(String key, long byDefault) {
    String value = text(key);
    if (value == null) {
      return byDefault;
    }
    Matcher matcher = QUANTITY.matcher(value);
    if (matcher.matches()) {
      int shift =
          switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
            case "", "b", "bytes" -> 0;
            case "k", "kb", "kibibytes" -> 10;
            case "m", "mb", "mebibytes" -> 20;
            case "g", "gb", "gibibytes" -> 30;
            case "t", "tb", "tebibytes" -> 40;
            default -> -1;
          };
      if (shift >= 0) {
        try {
          return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << shift);
        } catch (NumberFormatException | ArithmeticException e) {
          problem(key, value, "a size below 8 exabytes");
          return byDefault;
        }
      }
    }
    problem(key, value, "a size such as '64 mb'");
    return byDefault;
  }

  /** A number and none (milliseconds), ms, s, min, h or d. */
  Duration duration(String key, Duration byDefault) {
    String value = text(key);
    if (value == null) {
      return byDefault;
    }
    Matcher matcher = QUANTITY.matcher(value);
    if (matcher.matches()) {
      try {
        long number = Long.parseLong(matcher.group(1));
        Duration unit =
            switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
              case "ns", "nano", "nanos", "nanosecond", "nanoseconds" -> Duration.ofNanos(1);
              case "µs", "micro", "micros", "microsecond", "microseconds" -> Duration.ofNanos(1000);
              case "", "ms", "milli", "millis", "millisecond", "milliseconds" ->
                  Duration.ofMillis(1);
              case "s", "sec", "secs", "second", "seconds" -> Duration.ofSeconds(1);
              case "m", "min", "minute", "minutes" -> Duration.ofMinutes(1);
              case "h", "hour", "hours" -> Duration.ofHours(1);
              case "d", "day", "days" -> Duration.ofDays(1);
              default -> Duration.ZERO;
            };
        if (!unit.isZero()) {
          return unit.multipliedBy(number);
        }
      } catch (NumberFormatException | ArithmeticException e) {
        problem(key, value, "a shorter duration");
        return byDefault;
      }
    }
    problem(key, value, "a duration such as '1 h'");
    return byDefault;
  }

  void problem(String key, String value, String expected) {
    problems.add(key + " = '" + value + "' should be " + expected);
  }

  /** Texts by level, lower case, such as {@code 0:avro,5:orc}. */
  Map<Integer, String> byLevel(String key) {
    Map<Integer, String> result = new HashMap<>();
    String value = text(key);
    if (value == null || value.isBlank()) {
      return result;
    }
    for (String part : value.split(",", -1)) {
      int colon = part.indexOf(':');
      String level = colon < 0 ? "" : part.substring(0, colon).trim();
      String word = part.substring(colon + 1).trim().toLowerCase(Locale.ROOT);
      if (!level.matches("[0-9]{1,4}") || word.isEmpty()) {
        problem(key, value, "levels and their words, such as 0:avro,5:orc");
        return result;
      }
      result.put(Integer.parseInt(level), word);
    }
    return result;
  }
}
