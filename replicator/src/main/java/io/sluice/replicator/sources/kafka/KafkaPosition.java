package io.sluice.replicator.sources.kafka;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.sinks.SourcePosition;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The next offset of each partition, by topic, with the topic's id, which another topic of the same
 * name has not:
 *
 * <pre>
 * {"topics":{"orders":{"id":"kR...","offsets":{"0":120,"1":98}}}}
 * </pre>
 *
 * Mutable; of the source's thread.
 */
final class KafkaPosition {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final SortedMap<String, Topic> topics = new TreeMap<>();

  private static final class Topic {
    final Uuid id;
    final SortedMap<Integer, Long> offsets = new TreeMap<>();

    Topic(Uuid id) {
      this.id = id;
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
                topic
                    .getValue()
                    .path("offsets")
                    .properties()
                    .forEach(
                        offset ->
                            parsed.offsets.put(
                                Integer.valueOf(offset.getKey()), offset.getValue().asLong()));
                result.topics.put(topic.getKey(), parsed);
              });
      return result;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("Not a position in topics: " + position.text(), e);
    }
  }

  SourcePosition toSourcePosition() {
    ObjectNode root = JSON.createObjectNode();
    ObjectNode all = root.putObject("topics");
    topics.forEach(
        (name, topic) -> {
          ObjectNode node = all.putObject(name);
          node.put("id", topic.id.toString());
          ObjectNode offsets = node.putObject("offsets");
          topic.offsets.forEach((partition, offset) -> offsets.put(partition.toString(), offset));
        });
    return new SourcePosition(root.toString());
  }

  /** Id of the topic that the offsets are of; null if it has none here. */
  @Nullable Uuid topicId(String topic) {
    Topic known = topics.get(topic);
    return known == null ? null : known.id;
  }

  /** The next offset of a partition; null if it isn't known. */
  @Nullable Long offset(TopicPartition partition) {
    Topic known = topics.get(partition.topic());
    return known == null ? null : known.offsets.get(partition.partition());
  }

  /** A topic, perhaps in the place of one of the same name whose offsets say nothing any more. */
  void begin(String topic, Uuid id) {
    topics.put(topic, new Topic(id));
  }

  /** REQUIRES: {@link #begin} of its topic. */
  void put(TopicPartition partition, long nextOffset) {
    Topic topic = topics.get(partition.topic());
    if (topic == null) {
      throw new IllegalStateException("Topic " + partition.topic() + " has not begun");
    }
    topic.offsets.put(partition.partition(), nextOffset);
  }
}
