package io.sluice.replicator.sources.kafka;

import io.sluice.config.KafkaSourceConfig;
import io.sluice.config.LostRangePolicy;
import io.sluice.config.TopicStart;
import io.sluice.replicator.sources.kafka.TopicWatch.Topic;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partitions that a run reads, and where it stands in each: begins with new ones, leaves those
 * that are gone, and decides what a gap means. Of the source's thread.
 */
final class Partitions {

  private static final Logger LOG = LoggerFactory.getLogger(Partitions.class);

  private final String pipeline;
  private final KafkaSourceConfig config;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final KafkaPosition position;
  private final Set<TopicPartition> assigned = new LinkedHashSet<>();
  private final Map<String, Topic> topics = new HashMap<>();

  /**
   * @param position where the last run stood; moves on
   */
  Partitions(
      String pipeline,
      KafkaSourceConfig config,
      KafkaConsumer<byte[], byte[]> consumer,
      KafkaPosition position) {
    this.pipeline = pipeline;
    this.config = config;
    this.consumer = consumer;
    this.position = position;
  }

  Set<TopicPartition> assigned() {
    return assigned;
  }

  /**
   * Takes up partitions that there are.
   *
   * @param start where they begin; null: at their first message, since they are new
   */
  void discover(Map<String, Topic> there, @Nullable TopicStart start) {
    boolean changed = topics.keySet().removeIf(gone -> isGone(gone, there));
    for (Map.Entry<String, Topic> each : there.entrySet()) {
      String name = each.getKey();
      Uuid known = position.topicId(name);
      if (known == null) {
        position.begin(name, each.getValue().id());
      } else if (!known.equals(each.getValue().id())) {
        recreated(name);
        assigned.removeIf(partition -> partition.topic().equals(name));
        topics.remove(name);
        position.begin(name, each.getValue().id());
      }
      changed |= !each.getValue().equals(topics.put(name, each.getValue()));
    }
    if (!changed) {
      return;
    }
    Set<TopicPartition> all = new LinkedHashSet<>();
    topics.forEach(
        (name, topic) -> {
          for (int i = 0; i < topic.partitions(); i++) {
            all.add(new TopicPartition(name, i));
          }
        });
    Set<TopicPartition> fresh =
        all.stream()
            .filter(partition -> position.offset(partition) == null)
            .collect(Collectors.toCollection(LinkedHashSet::new));
    begin(fresh, start);
    Set<TopicPartition> added = new LinkedHashSet<>(all);
    added.removeAll(assigned);
    assigned.clear();
    assigned.addAll(all);
    consumer.assign(all);
    for (TopicPartition partition : added) {
      consumer.seek(partition, at(partition));
    }
    LOG.info(
        "Pipeline {} reads {} partitions of {} topics, {} of them new",
        pipeline,
        all.size(),
        topics.size(),
        fresh.size());
  }

  private boolean isGone(String topic, Map<String, Topic> there) {
    if (there.containsKey(topic)) {
      return false;
    }
    LOG.warn("Topic {} is not there any more; its tables stay as they are", topic);
    assigned.removeIf(partition -> partition.topic().equals(topic));
    return true;
  }

  private void recreated(String topic) {
    String what =
        "Topic "
            + topic
            + " was deleted and made anew since pipeline "
            + pipeline
            + " read it: what the old one held beyond its position is lost.";
    if (config.onLostRange() == LostRangePolicy.STOP) {
      throw new PipelineStoppedException(
          Reason.PROTECTED,
          what
              + " Set source.on-lost-range = skip to go on with the first message of the new one;"
              + " rows of the old one stay in their tables.");
    }
    LOG.error("{} Going on with the first message of the new one (on-lost-range = skip)", what);
  }

  /** Notes where new partitions begin. */
  private void begin(Set<TopicPartition> fresh, @Nullable TopicStart start) {
    if (fresh.isEmpty()) {
      return;
    }
    Map<TopicPartition, Long> first = consumer.beginningOffsets(fresh);
    Map<TopicPartition, Long> chosen = new LinkedHashMap<>(first);
    if (start != null) {
      switch (start.at()) {
        case EARLIEST -> {}
        case LATEST -> chosen.putAll(consumer.endOffsets(fresh));
        case TIME -> {
          // No message of then or later: the next one that comes.
          chosen.putAll(consumer.endOffsets(fresh));
          Map<TopicPartition, Long> times = new HashMap<>();
          fresh.forEach(partition -> times.put(partition, start.time().toEpochMilli()));
          consumer
              .offsetsForTimes(times)
              .forEach((partition, found) -> chosenAt(chosen, partition, found));
        }
      }
      for (TopicPartition partition : fresh) {
        Long told =
            start.offsets().getOrDefault(partition.topic(), Map.of()).get(partition.partition());
        if (told != null) {
          chosen.put(partition, told);
        }
      }
    }
    chosen.forEach(position::put);
  }

  private static void chosenAt(
      Map<TopicPartition, Long> chosen,
      TopicPartition partition,
      @Nullable OffsetAndTimestamp found) {
    if (found != null) {
      chosen.put(partition, found.offset());
    }
  }

  private long at(TopicPartition partition) {
    return Objects.requireNonNull(position.offset(partition), "A partition has a position");
  }

  /** Messages between the position and what is there are gone. */
  void lostRange(Collection<TopicPartition> partitions) {
    Map<TopicPartition, Long> first = consumer.beginningOffsets(partitions);
    Map<TopicPartition, Long> end = consumer.endOffsets(partitions);
    List<String> lost = new ArrayList<>();
    for (TopicPartition partition : partitions) {
      long at = at(partition);
      long begins = Objects.requireNonNull(first.get(partition));
      long ends = Objects.requireNonNull(end.get(partition));
      lost.add(
          at < begins
              ? partition + ": messages " + at + " to " + (begins - 1) + " are gone"
              : partition
                  + ": it was truncated to "
                  + ends
                  + " messages, "
                  + (at - ends)
                  + " that were read are gone from it");
    }
    String what =
        "The topics don't hold any more what pipeline "
            + pipeline
            + " is to read next: "
            + String.join("; ", lost)
            + ".";
    if (config.onLostRange() == LostRangePolicy.STOP) {
      throw new PipelineStoppedException(
          Reason.PROTECTED, what + " Set source.on-lost-range = skip to go on behind the gap.");
    }
    LOG.error("{} Going on behind the gap (on-lost-range = skip)", what);
    for (TopicPartition partition : partitions) {
      long begins = Objects.requireNonNull(first.get(partition));
      long ends = Objects.requireNonNull(end.get(partition));
      long next = at(partition) < begins ? begins : ends;
      position.put(partition, next);
      consumer.seek(partition, next);
    }
  }

  /** Whether all that the cluster has told of has been read. */
  boolean isAtEnd() {
    for (TopicPartition partition : assigned) {
      if (consumer.currentLag(partition).orElse(1) > 0) {
        return false;
      }
    }
    return true;
  }
}
