package io.sluice.config;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What holds for the messages of topics that a pattern matches.
 *
 * @param into the lake table's name; empty: what the message names, else the topic in database
 *     {@code kafka}
 * @param primaryKey columns; empty: what the message tells, else none
 * @param buckets empty: not said here
 * @param columns types of columns in Paimon's words, by name: over what messages tell
 * @param metadata facts about a message that become columns: {@code topic}, {@code partition},
 *     {@code offset}, {@code timestamp}, {@code key}, {@code headers}, by column name
 * @param messages how they are read; empty: as the source says
 * @param options over the defaults' options, key by key
 */
public record TopicRule(
    TopicPattern match,
    Optional<Into> into,
    List<String> primaryKey,
    OptionalInt buckets,
    List<String> partitionBy,
    Map<String, String> columns,
    Map<String, MessageFact> metadata,
    Optional<MessagesConfig> messages,
    Map<String, String> options) {

  public TopicRule {
    primaryKey = List.copyOf(primaryKey);
    partitionBy = List.copyOf(partitionBy);
    columns = java.util.Collections.unmodifiableMap(new java.util.LinkedHashMap<>(columns));
    metadata = java.util.Collections.unmodifiableMap(new java.util.LinkedHashMap<>(metadata));
    options = Map.copyOf(options);
  }

  /** Templates of a lake table's name. */
  public record Into(NameTemplate database, NameTemplate table) {}

  /** What may be known of a message beside its value. */
  public enum MessageFact {
    TOPIC,
    PARTITION,
    OFFSET,
    TIMESTAMP,
    KEY,
    HEADERS
  }
}
