package io.sluice.config;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Topics of a Kafka cluster.
 *
 * @param bootstrapServers {@code host:port}, separated by commas
 * @param topics patterns of topics, at least one
 * @param exclude patterns of topics that are left out although they are included
 * @param group name under which the position is shown to the cluster's lag tools; empty: none
 * @param discoveryInterval how often new topics and partitions are looked for
 * @param messages of topics whose rule says nothing else
 * @param properties handed to the client untouched
 */
public record KafkaSourceConfig(
    String bootstrapServers,
    List<TopicPattern> topics,
    List<TopicPattern> exclude,
    TopicStart start,
    LostRangePolicy onLostRange,
    Optional<String> group,
    Duration discoveryInterval,
    MessagesConfig messages,
    Optional<RegistryConfig> registry,
    Map<String, String> properties)
    implements SourceConfig {

  public KafkaSourceConfig {
    topics = List.copyOf(topics);
    exclude = List.copyOf(exclude);
    properties = Map.copyOf(properties);
  }

  @Override
  public SourceType type() {
    return SourceType.KAFKA;
  }

  /** Whether a topic is read. The cluster's own topics never are. */
  public boolean reads(String topic) {
    return !topic.startsWith("__")
        && topics.stream().anyMatch(pattern -> pattern.matches(topic))
        && exclude.stream().noneMatch(pattern -> pattern.matches(topic));
  }

  /** Where the pipeline's client properties may hold secrets: never shown. */
  @Override
  public String toString() {
    return "KafkaSourceConfig[" + bootstrapServers + ", " + topics + "]";
  }
}
