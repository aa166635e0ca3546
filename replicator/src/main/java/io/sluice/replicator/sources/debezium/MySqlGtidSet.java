package io.sluice.replicator.sources.debezium;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * MySQL's {@code uuid:1-9:11,uuid:5}. Intervals are kept sorted, closed and apart: neighbours that
 * touch are joined.
 */
final class MySqlGtidSet implements GtidSet {

  private final TreeMap<String, long[]> intervals;

  private MySqlGtidSet(TreeMap<String, long[]> intervals) {
    this.intervals = intervals;
  }

  /**
   * @throws IllegalArgumentException if the text is not a GTID set, or has tagged GTIDs, which
   *     Debezium can't read
   */
  static MySqlGtidSet parse(String text) {
    var result = new TreeMap<String, long[]>();
    for (String member : text.split(",", -1)) {
      String trimmed = member.strip();
      if (trimmed.isEmpty()) {
        continue;
      }
      String[] parts = trimmed.split(":", -1);
      if (parts.length < 2 || parts[0].isBlank()) {
        throw new IllegalArgumentException("Not a GTID set: '" + text + "'");
      }
      long[] ranges = new long[2 * (parts.length - 1)];
      for (int i = 1; i < parts.length; i++) {
        parseInterval(parts[i].strip(), ranges, 2 * (i - 1), text);
      }
      result.merge(
          parts[0].strip().toLowerCase(Locale.ROOT), normalized(ranges), MySqlGtidSet::joined);
    }
    return new MySqlGtidSet(result);
  }

  private static void parseInterval(String part, long[] into, int at, String whole) {
    int dash = part.indexOf('-');
    try {
      into[at] = Long.parseLong(dash < 0 ? part : part.substring(0, dash));
      into[at + 1] = dash < 0 ? into[at] : Long.parseLong(part.substring(dash + 1));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "Not a GTID set of numbers (tagged GTIDs are not supported): '" + whole + "'", e);
    }
    if (into[at] < 1 || into[at + 1] < into[at]) {
      throw new IllegalArgumentException("Not a GTID interval: '" + part + "' in '" + whole + "'");
    }
  }

  @Override
  public MySqlGtidSet with(String gtid) {
    return union(parse(gtid));
  }

  @Override
  public MySqlGtidSet union(GtidSet other) {
    var result = new TreeMap<>(intervals);
    ((MySqlGtidSet) other)
        .intervals.forEach((uuid, ranges) -> result.merge(uuid, ranges, MySqlGtidSet::joined));
    return new MySqlGtidSet(result);
  }

  private static long[] joined(long[] a, long[] b) {
    // The usual case, a transaction that follows the last one, without a sort.
    int last = a.length - 1;
    if (b.length == 2 && last > 0 && b[0] >= a[last - 1]) {
      if (b[0] <= a[last] + 1) {
        long[] longer = a.clone();
        longer[last] = Math.max(a[last], b[1]);
        return longer;
      }
    }
    long[] all = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, all, a.length, b.length);
    return normalized(all);
  }

  private static long[] normalized(long[] ranges) {
    if (ranges.length == 2) {
      return ranges;
    }
    Integer[] order = new Integer[ranges.length / 2];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, (x, y) -> Long.compare(ranges[2 * x], ranges[2 * y]));
    long[] result = new long[ranges.length];
    int end = 0;
    for (int i : order) {
      long from = ranges[2 * i];
      long to = ranges[2 * i + 1];
      if (end > 0 && from <= result[end - 1] + 1) {
        result[end - 1] = Math.max(result[end - 1], to);
      } else {
        result[end] = from;
        result[end + 1] = to;
        end += 2;
      }
    }
    return Arrays.copyOf(result, end);
  }

  @Override
  public boolean contains(GtidSet other) {
    for (Map.Entry<String, long[]> wanted : ((MySqlGtidSet) other).intervals.entrySet()) {
      long[] mine = intervals.get(wanted.getKey());
      if (mine == null) {
        return false;
      }
      long[] ranges = wanted.getValue();
      for (int i = 0; i < ranges.length; i += 2) {
        if (!holds(mine, ranges[i], ranges[i + 1])) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean holds(long[] mine, long from, long to) {
    for (int i = 0; i < mine.length; i += 2) {
      if (mine[i] <= from && to <= mine[i + 1]) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean isEmpty() {
    return intervals.isEmpty();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MySqlGtidSet && toString().equals(other.toString());
  }

  @Override
  public int hashCode() {
    return toString().hashCode();
  }

  @Override
  public String toString() {
    var text = new StringBuilder();
    intervals.forEach(
        (uuid, ranges) -> {
          text.append(text.isEmpty() ? "" : ",").append(uuid);
          for (int i = 0; i < ranges.length; i += 2) {
            text.append(':').append(ranges[i]);
            if (ranges[i + 1] > ranges[i]) {
              text.append('-').append(ranges[i + 1]);
            }
          }
        });
    return text.toString();
  }
}
