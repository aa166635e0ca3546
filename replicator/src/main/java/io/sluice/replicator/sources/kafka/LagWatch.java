package io.sluice.replicator.sources.kafka;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/** Keeps {@link TopicLag} up to date. Of the source's thread, but for {@link #newest}. */
final class LagWatch {

  private static final long INTERVAL_NANOS = 500_000_000L;

  private final LongSupplier nanoTime;
  private final Map<TopicPartition, Long> readMillis = new HashMap<>();
  private long lookedNanos;
  private volatile TopicLag newest = TopicLag.UNKNOWN;

  LagWatch(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.lookedNanos = nanoTime.getAsLong() - INTERVAL_NANOS;
  }

  /** As last looked at. Thread safe. */
  TopicLag newest() {
    return newest;
  }

  /** Notes the time of the last message of each partition; those before it don't matter. */
  void read(ConsumerRecords<byte[], byte[]> records) {
    for (TopicPartition partition : records.partitions()) {
      List<ConsumerRecord<byte[], byte[]>> some = records.records(partition);
      if (!some.isEmpty()) {
        readMillis.put(partition, some.get(some.size() - 1).timestamp());
      }
    }
  }

  /**
   * Looks, at most twice a second.
   *
   * @param lag messages that a partition has beyond what was read; empty: not known
   */
  void look(Set<TopicPartition> assigned, Function<TopicPartition, OptionalLong> lag) {
    long now = nanoTime.getAsLong();
    if (now - lookedNanos < INTERVAL_NANOS) {
      return;
    }
    lookedNanos = now;
    Map<String, long[]> byTopic = new TreeMap<>();
    boolean behind = false;
    long oldest = Long.MAX_VALUE;
    for (TopicPartition partition : assigned) {
      OptionalLong messages = lag.apply(partition);
      long[] sums = byTopic.computeIfAbsent(partition.topic(), topic -> new long[2]);
      sums[0]++;
      sums[1] += messages.orElse(0);
      if (messages.orElse(1) > 0) {
        behind = true;
        Long millis = readMillis.get(partition);
        if (millis != null && millis > 0) {
          oldest = Math.min(oldest, millis);
        }
      }
    }
    List<TopicLag.OfTopic> topics = new ArrayList<>();
    byTopic.forEach(
        (topic, sums) ->
            topics.add(new TopicLag.OfTopic(topic, Math.toIntExact(sums[0]), sums[1])));
    newest = new TopicLag(topics, behind, oldest == Long.MAX_VALUE ? 0 : oldest);
  }
}
