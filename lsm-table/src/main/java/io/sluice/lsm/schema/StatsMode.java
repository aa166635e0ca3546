package io.sluice.lsm.schema;

import java.util.Locale;

/**
 * Which statistics a column gets: the option {@code metadata.stats-mode}.
 *
 * @param truncateChars of TRUNCATE: characters of a text that are kept; else 0
 */
public record StatsMode(Kind kind, int truncateChars) {

  /** The words of the option. */
  public enum Kind {
    NONE,
    COUNTS,
    FULL,
    TRUNCATE
  }

  public static final StatsMode NONE = new StatsMode(Kind.NONE, 0);
  public static final StatsMode COUNTS = new StatsMode(Kind.COUNTS, 0);
  public static final StatsMode FULL = new StatsMode(Kind.FULL, 0);

  /** Of key columns, whatever the table says. */
  public static final StatsMode KEYS = truncate(128);

  public static StatsMode truncate(int chars) {
    return new StatsMode(Kind.TRUNCATE, chars);
  }

  /** none, counts, full or truncate(n); IllegalArgumentException for anything else. */
  public static StatsMode parse(String text) {
    String lower = text.trim().toLowerCase(Locale.ROOT);
    switch (lower) {
      case "none":
        return NONE;
      case "counts":
        return COUNTS;
      case "full":
        return FULL;
      default:
        break;
    }
    if (lower.startsWith("truncate(") && lower.endsWith(")")) {
      int chars = Integer.parseInt(lower.substring(9, lower.length() - 1).trim());
      if (chars > 0) {
        return truncate(chars);
      }
    }
    throw new IllegalArgumentException("not a statistics mode: " + text);
  }
}
