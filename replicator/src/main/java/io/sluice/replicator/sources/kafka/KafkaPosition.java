package io.sluice.replicator.sources.kafka;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import io.sluice.sinks.SourcePosition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The next offset of each partition, by topic, with the topic's id, which another topic of the same
 * name has not, and, where it is known, the leader epoch of the message before: by it a broker
 * tells whether its log still holds what was read.
 *
 * <pre>
 * {"topics":{"orders":{"id":"kR...","offsets":{"0":120,"1":98},"epochs":{"0":3}}}}
 * </pre>
 *
 * Mutable; of the source's thread.
 */
final class KafkaPosition {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int UNKNOWN = -1;

  private final SortedMap<String, Topic> topics = new TreeMap<>();

  /** Of one topic; by partition, {@link #UNKNOWN} where nothing is known. */
  private static final class Topic {
    final Uuid id;
    long[] offsets = {};
    int[] epochs = {};
    // Most topics stand still between two cuts.
    @Nullable String text;

    Topic(Uuid id) {
      this.id = id;
    }

    void put(int partition, long offset, int epoch) {
      int known = offsets.length;
      if (partition >= known) {
        offsets = Arrays.copyOf(offsets, partition + 1);
        epochs = Arrays.copyOf(epochs, partition + 1);
        Arrays.fill(offsets, known, partition + 1, UNKNOWN);
        Arrays.fill(epochs, known, partition + 1, UNKNOWN);
      }
      if (offsets[partition] != offset || epochs[partition] != epoch) {
        offsets[partition] = offset;
        epochs[partition] = epoch;
        text = null;
      }
    }

    String text(String name) {
      String known = text;
      if (known == null) {
        var built = new StringBuilder(64 + 16 * offsets.length);
        built.append(TextNode.valueOf(name)).append(":{\"id\":\"").append(id);
        built.append("\",\"offsets\":{");
        boolean first = true;
        for (int i = 0; i < offsets.length; i++) {
          if (offsets[i] != UNKNOWN) {
            built.append(first ? "\"" : ",\"").append(i).append("\":").append(offsets[i]);
            first = false;
          }
        }
        built.append('}');
        first = true;
        for (int i = 0; i < epochs.length; i++) {
          if (epochs[i] != UNKNOWN) {
            built.append(first ? ",\"epochs\":{\"" : ",\"").append(i);
            built.append("\":").append(epochs[i]);
            first = false;
          }
        }
        known = built.append(first ? "}" : "}}").toString();
        text = known;
      }
      return known;
    }
  }

  /**
   * @throws IllegalArgumentException if the text is no such position
   */
  static KafkaPosition parse(SourcePosition position) {
    try {
      JsonNode all = JSON.readTree(position.text()).path("topics");
      if (!all.isObject()) {
        throw new IllegalArgumentException("Not a position in topics: " + position.text());
      }
      var result = new KafkaPosition();
      all.properties()
          .forEach(
              topic -> {
                var parsed = new Topic(Uuid.fromString(topic.getValue().path("id").asText()));
                JsonNode epochs = topic.getValue().path("epochs");
                topic
                    .getValue()
                    .path("offsets")
                    .properties()
                    .forEach(
                        offset ->
                            parsed.put(
                                Integer.parseInt(offset.getKey()),
                                offset.getValue().asLong(),
                                epochs.path(offset.getKey()).asInt(UNKNOWN)));
                result.topics.put(topic.getKey(), parsed);
              });
      return result;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("Not a position in topics: " + position.text(), e);
    }
  }

  SourcePosition toSourcePosition() {
    var text = new StringBuilder("{\"topics\":{");
    boolean first = true;
    for (var topic : topics.entrySet()) {
      if (!first) {
        text.append(',');
      }
      first = false;
      text.append(topic.getValue().text(topic.getKey()));
    }
    return new SourcePosition(text.append("}}").toString());
  }

  /** Names of the topics that it knows offsets of. */
  Set<String> topics() {
    return topics.keySet();
  }

  /** Id of the topic that the offsets are of; null if it has none here. */
  @Nullable Uuid topicId(String topic) {
    Topic known = topics.get(topic);
    return known == null ? null : known.id;
  }

  /** The next offset of a partition; null if it isn't known. */
  @Nullable Long offset(TopicPartition partition) {
    Topic known = topics.get(partition.topic());
    int index = partition.partition();
    return known == null || index >= known.offsets.length || known.offsets[index] == UNKNOWN
        ? null
        : known.offsets[index];
  }

  /**
   * The same with the leader epoch that belongs to it.
   *
   * @throws IllegalStateException if it isn't known
   */
  OffsetAndMetadata place(TopicPartition partition) {
    Long offset = offset(partition);
    Topic known = topics.get(partition.topic());
    if (offset == null || known == null) {
      throw new IllegalStateException("Nothing is known of " + partition);
    }
    int epoch = known.epochs[partition.partition()];
    return new OffsetAndMetadata(
        offset, epoch == UNKNOWN ? Optional.empty() : Optional.of(epoch), "");
  }

  /** A topic's partitions of which something is known. */
  List<TopicPartition> partitions(String name) {
    List<TopicPartition> result = new ArrayList<>();
    Topic topic = topics.get(name);
    for (int i = 0; topic != null && i < topic.offsets.length; i++) {
      if (topic.offsets[i] != UNKNOWN) {
        result.add(new TopicPartition(name, i));
      }
    }
    return result;
  }

  /**
   * Begins with partitions of which nothing is known yet, where another position stands. One of a
   * topic that has another id there is left alone: what it had would be forgotten.
   */
  void begin(Collection<TopicPartition> fresh, KafkaPosition there) {
    for (TopicPartition partition : fresh) {
      Topic theirs = there.topics.get(partition.topic());
      if (theirs == null) {
        continue;
      }
      Topic ours = topics.computeIfAbsent(partition.topic(), name -> new Topic(theirs.id));
      if (ours.id.equals(theirs.id) && offset(partition) == null) {
        ours.put(
            partition.partition(),
            theirs.offsets[partition.partition()],
            theirs.epochs[partition.partition()]);
      }
    }
  }

  /** Takes over what another position has of a topic. */
  void copy(String name, KafkaPosition other) {
    Topic theirs = other.topics.get(name);
    Topic ours = topics.get(name);
    if (theirs == null) {
      return;
    }
    if (ours == null || !ours.id.equals(theirs.id)) {
      ours = new Topic(theirs.id);
      topics.put(name, ours);
    }
    for (int i = 0; i < theirs.offsets.length; i++) {
      if (theirs.offsets[i] != UNKNOWN) {
        ours.put(i, theirs.offsets[i], theirs.epochs[i]);
      }
    }
  }

  /** A topic's next offsets as a person reads them, such as {@code 0: 120, 1: 98}. */
  String describe(String topic) {
    Topic known = topics.get(topic);
    var text = new StringBuilder();
    for (int i = 0; known != null && i < known.offsets.length; i++) {
      if (known.offsets[i] != UNKNOWN) {
        text.append(text.isEmpty() ? "" : ", ").append(i).append(": ").append(known.offsets[i]);
      }
    }
    return text.toString();
  }

  /** A topic, perhaps in the place of one of the same name whose offsets say nothing any more. */
  void begin(String topic, Uuid id) {
    topics.put(topic, new Topic(id));
  }

  /**
   * REQUIRES: {@link #begin} of its topic.
   *
   * @param leaderEpoch of the message before; empty if it isn't known
   */
  void put(TopicPartition partition, long nextOffset, Optional<Integer> leaderEpoch) {
    Topic topic = topics.get(partition.topic());
    if (topic == null) {
      throw new IllegalStateException("Topic " + partition.topic() + " has not begun");
    }
    topic.put(partition.partition(), nextOffset, leaderEpoch.orElse(UNKNOWN));
  }
}
