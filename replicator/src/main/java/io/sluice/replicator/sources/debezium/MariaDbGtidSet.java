package io.sluice.replicator.sources.debezium;

import java.util.Map;
import java.util.TreeMap;

/**
 * MariaDB's {@code domain-server-sequence}, one per domain: stands for everything of the domain up
 * to that sequence. With {@code gtid_strict_mode} sequences of a domain only grow.
 */
final class MariaDbGtidSet implements GtidSet {

  private record Newest(long server, long sequence) {}

  private final TreeMap<Long, Newest> domains;

  private MariaDbGtidSet(TreeMap<Long, Newest> domains) {
    this.domains = domains;
  }

  /**
   * @throws IllegalArgumentException if the text is not a MariaDB GTID list
   */
  static MariaDbGtidSet parse(String text) {
    var result = new TreeMap<Long, Newest>();
    for (String member : text.split(",", -1)) {
      String trimmed = member.strip();
      if (trimmed.isEmpty()) {
        continue;
      }
      String[] parts = trimmed.split("-", -1);
      try {
        if (parts.length != 3) {
          throw new NumberFormatException("three numbers wanted");
        }
        result.merge(
            Long.parseLong(parts[0]),
            new Newest(Long.parseLong(parts[1]), Long.parseLong(parts[2])),
            MariaDbGtidSet::newer);
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("Not a MariaDB GTID list: '" + text + "'", e);
      }
    }
    return new MariaDbGtidSet(result);
  }

  private static Newest newer(Newest a, Newest b) {
    return b.sequence >= a.sequence ? b : a;
  }

  @Override
  public MariaDbGtidSet with(String gtid) {
    return union(parse(gtid));
  }

  @Override
  public MariaDbGtidSet union(GtidSet other) {
    var result = new TreeMap<>(domains);
    ((MariaDbGtidSet) other)
        .domains.forEach((domain, newest) -> result.merge(domain, newest, MariaDbGtidSet::newer));
    return new MariaDbGtidSet(result);
  }

  @Override
  public boolean contains(GtidSet other) {
    for (Map.Entry<Long, Newest> wanted : ((MariaDbGtidSet) other).domains.entrySet()) {
      Newest mine = domains.get(wanted.getKey());
      if (mine == null || mine.sequence < wanted.getValue().sequence) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean isEmpty() {
    return domains.isEmpty();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MariaDbGtidSet that && domains.equals(that.domains);
  }

  @Override
  public int hashCode() {
    return domains.hashCode();
  }

  @Override
  public String toString() {
    var text = new StringBuilder();
    domains.forEach(
        (domain, newest) ->
            text.append(text.isEmpty() ? "" : ",")
                .append(domain)
                .append('-')
                .append(newest.server)
                .append('-')
                .append(newest.sequence));
    return text.toString();
  }
}
