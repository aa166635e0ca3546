package io.sluice.config;

import java.time.Instant;
import java.util.Map;

/**
 * Where a new pipeline begins in its topics; partitions that come up later begin at their first
 * message.
 *
 * @param at where partitions begin of which {@code offsets} says nothing
 * @param time of {@link At#TIME}; else the epoch
 * @param offsets by topic and partition, over {@code at}
 */
public record TopicStart(At at, Instant time, Map<String, Map<Integer, Long>> offsets) {

  /** The first message that is there; the next that comes; the first of a time or later. */
  public enum At {
    EARLIEST,
    LATEST,
    TIME
  }

  public TopicStart {
    offsets = Map.copyOf(offsets);
  }
}
