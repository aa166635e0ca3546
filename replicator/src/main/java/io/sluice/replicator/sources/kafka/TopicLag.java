package io.sluice.replicator.sources.kafka;

import java.util.List;
import java.util.OptionalDouble;

/**
 * How far behind its topics a run is.
 *
 * @param topics by name
 * @param behind whether a partition has messages that were not read
 * @param oldestMillis time of the newest message read of the partition that is furthest behind,
 *     epoch milliseconds; 0 if none of those that are behind was read yet
 */
public record TopicLag(List<OfTopic> topics, boolean behind, long oldestMillis) {

  /** Nothing is known yet. */
  static final TopicLag UNKNOWN = new TopicLag(List.of(), true, 0);

  /**
   * One topic.
   *
   * @param messages that were not read, of all its partitions of which that is known
   */
  public record OfTopic(String topic, int partitions, long messages) {}

  public TopicLag {
    topics = List.copyOf(topics);
  }

  /** Now minus the newest message read where it is furthest behind; 0 if all was read. */
  public OptionalDouble seconds(long nowMillis) {
    if (!behind) {
      return OptionalDouble.of(0);
    }
    return oldestMillis <= 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(Math.max(0, nowMillis - oldestMillis) / 1e3);
  }
}
