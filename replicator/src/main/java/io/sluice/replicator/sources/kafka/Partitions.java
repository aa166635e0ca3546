package io.sluice.replicator.sources.kafka;

import io.sluice.config.KafkaSourceConfig;
import io.sluice.config.LostRangePolicy;
import io.sluice.config.TopicStart;
import io.sluice.replicator.sources.kafka.TopicWatch.Topic;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
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
  private Consumer<Set<TopicPartition>> changed = fresh -> {};

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

  /** Names of the topics that are read. */
  Set<String> topics() {
    return topics.keySet();
  }

  /** Tells from here on when other partitions are read than before, and which are new. */
  void onChange(Consumer<Set<TopicPartition>> listener) {
    changed = listener;
  }

  /**
   * Takes up partitions that there are.
   *
   * @param start where they begin; null: at their first message, since they are new
   */
  void discover(Map<String, Topic> there, @Nullable TopicStart start) {
    if (topics.isEmpty()) {
      missingAtStart(there);
    }
    boolean news = topics.keySet().removeIf(gone -> isGone(gone, there));
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
      news |= !each.getValue().equals(topics.put(name, each.getValue()));
    }
    if (!news) {
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
      consumer.seek(partition, position.place(partition));
    }
    LOG.info(
        "Pipeline {} reads {} partitions of {} topics, {} of them new",
        pipeline,
        all.size(),
        topics.size(),
        fresh.size());
    changed.accept(fresh);
  }

  private void missingAtStart(Map<String, Topic> there) {
    for (String known : position.topics()) {
      if (!there.containsKey(known) && config.reads(known)) {
        LOG.warn("Topic {} was read before and is not there; its tables stay as they are", known);
      }
    }
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
            + " read it up to the offsets (by partition) "
            + position.describe(topic)
            + ": what the old one held beyond them is lost. Where the new one has as many messages"
            + " already, some of it may have been read as if they followed (for at most "
            + config.discoveryInterval().toSeconds()
            + " s): a table without a key gets these a second time.";
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
      choose(fresh, start, first, chosen);
    }
    chosen.forEach((partition, offset) -> position.put(partition, offset, Optional.empty()));
  }

  private void choose(
      Set<TopicPartition> fresh,
      TopicStart start,
      Map<TopicPartition, Long> first,
      Map<TopicPartition, Long> chosen) {
    Map<TopicPartition, Long> told = new LinkedHashMap<>();
    for (TopicPartition partition : fresh) {
      Long offset =
          start.offsets().getOrDefault(partition.topic(), Map.of()).get(partition.partition());
      if (offset != null) {
        told.put(partition, offset);
      }
    }
    if (told.isEmpty()) {
      return;
    }
    Map<TopicPartition, Long> ends = consumer.endOffsets(told.keySet());
    told.forEach(
        (partition, offset) -> {
          long begins = Objects.requireNonNull(first.get(partition));
          long end = Objects.requireNonNull(ends.get(partition));
          if (offset < begins || offset > end) {
            throw new PipelineStoppedException(
                Reason.MISCONFIGURED,
                "source.start-offsets has "
                    + offset
                    + " for "
                    + partition
                    + ", which holds the offsets "
                    + begins
                    + " to "
                    + (end - 1)
                    + ": name one of them, or "
                    + end
                    + " for the next message that comes.");
          }
        });
    chosen.putAll(told);
  }

  private static void chosenAt(
      Map<TopicPartition, Long> chosen,
      TopicPartition partition,
      @Nullable OffsetAndTimestamp found) {
    if (found != null) {
      chosen.put(partition, found.offset());
    }
  }

  /** A partition whose log doesn't hold what is to be read next, and where it could go on. */
  private record Gap(TopicPartition partition, OffsetAndMetadata next, String what) {}

  /**
   * Messages between the position and what is there are gone.
   *
   * @param there the topics as they are now: perhaps one was made anew, which is another matter
   */
  void lostRange(OffsetOutOfRangeException missing, Map<String, Topic> there) {
    Map<String, Uuid> before = new HashMap<>();
    missing.partitions().forEach(each -> before.put(each.topic(), topicId(each)));
    discover(there, null);
    Set<TopicPartition> partitions = new LinkedHashSet<>(missing.partitions());
    partitions.removeIf(
        each -> !assigned.contains(each) || !topicId(each).equals(before.get(each.topic())));
    if (partitions.isEmpty()) {
      return;
    }
    List<Gap> gaps = gaps(missing, partitions);
    String what =
        "The topics don't hold any more what pipeline "
            + pipeline
            + " is to read next: "
            + gaps.stream().map(Gap::what).collect(Collectors.joining("; "))
            + ".";
    if (config.onLostRange() == LostRangePolicy.STOP) {
      throw new PipelineStoppedException(
          Reason.PROTECTED, what + " Set source.on-lost-range = skip to go on behind the gap.");
    }
    LOG.error("{} Going on behind the gap (on-lost-range = skip)", what);
    for (Gap gap : gaps) {
      position.put(gap.partition, gap.next.offset(), gap.next.leaderEpoch());
      consumer.seek(gap.partition, gap.next);
    }
  }

  private Uuid topicId(TopicPartition partition) {
    return Objects.requireNonNull(position.topicId(partition.topic()), "It is read");
  }

  private List<Gap> gaps(OffsetOutOfRangeException missing, Set<TopicPartition> partitions) {
    Map<TopicPartition, OffsetAndMetadata> divergent =
        missing instanceof LogTruncationException truncated
            ? truncated.divergentOffsets()
            : Map.of();
    Map<TopicPartition, Long> first = consumer.beginningOffsets(partitions);
    Map<TopicPartition, Long> end = consumer.endOffsets(partitions);
    List<Gap> result = new ArrayList<>();
    for (TopicPartition partition : partitions) {
      long at = Objects.requireNonNull(missing.offsetOutOfRangePartitions().get(partition));
      long begins = Objects.requireNonNull(first.get(partition));
      OffsetAndMetadata diverges = divergent.get(partition);
      if (at < begins) {
        result.add(
            new Gap(
                partition,
                new OffsetAndMetadata(begins),
                partition + ": messages " + at + " to " + (begins - 1) + " are gone"));
        continue;
      }
      // Without a known place where the two logs part: nothing below the end is surely new.
      OffsetAndMetadata next =
          diverges == null
              ? new OffsetAndMetadata(Objects.requireNonNull(end.get(partition)))
              : diverges;
      result.add(
          new Gap(
              partition,
              next,
              partition
                  + ": it was truncated at offset "
                  + next.offset()
                  + ", messages "
                  + next.offset()
                  + " to "
                  + (at - 1)
                  + " that were read are gone from it"));
    }
    return result;
  }

  /** Whether all that the cluster has told of a partition has been read. */
  boolean isAtEnd(TopicPartition partition) {
    return consumer.currentLag(partition).orElse(1) <= 0;
  }
}
