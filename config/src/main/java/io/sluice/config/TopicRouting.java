package io.sluice.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Where the messages of each topic go, and how they are read. Immutable, pure. */
public final class TopicRouting {

  private static final NameTemplate DATABASE = NameTemplate.parse("{database}");
  private static final NameTemplate TABLE = NameTemplate.parse("{table}");
  private static final NameTemplate TOPIC = NameTemplate.parse("{topic}");

  /** Of a table whose messages name no database. */
  private static final String DATABASE_OTHERWISE = "kafka";

  private final KafkaSourceConfig source;
  private final TablesConfig tables;

  TopicRouting(KafkaSourceConfig source, TablesConfig tables) {
    this.source = source;
    this.tables = tables;
  }

  /** All rules, in order. */
  public List<TopicRule> rules() {
    return tables.topicRules();
  }

  /** Wide tables; each part of each counts that matches a topic. */
  public List<WideRule> wideRules() {
    return tables.wideRules();
  }

  /** The lake table of a wide rule, without the options that follow from its parts. */
  public LakeTarget target(WideRule rule) {
    return target(
        rule.database(), rule.table(), rule.buckets(), rule.partitionBy(), rule.options());
  }

  /** The first rule that matches a topic. */
  public Optional<TopicRule> rule(String topic) {
    return tables.topicRules().stream().filter(rule -> rule.match().matches(topic)).findFirst();
  }

  /** How a topic's messages are read. */
  public MessagesConfig messages(String topic) {
    return rule(topic).flatMap(TopicRule::messages).orElse(source.messages());
  }

  /**
   * Fields of the message that its table's name is made of; empty: topic and what the message names
   * are enough.
   */
  public List<String> nameFields(String topic) {
    return rule(topic)
        .flatMap(TopicRule::into)
        .map(
            into ->
                java.util.stream.Stream.concat(
                        into.database().fields().stream(), into.table().fields().stream())
                    .toList())
        .orElse(List.of());
  }

  /**
   * The lake table of a message.
   *
   * @param database and {@code table}: what the message names; null if it names none
   * @param fields texts of fields, by name
   * @return empty if the rule's template asks for something that the message lacks
   */
  public Optional<LakeTarget> target(
      String topic,
      @Nullable String database,
      @Nullable String table,
      Function<String, @Nullable String> fields) {
    Optional<TopicRule> rule = rule(topic);
    Function<String, @Nullable String> values =
        place ->
            switch (place) {
              case "topic" -> topic;
              case "database" -> database;
              case "table" -> table;
              default -> fields.apply(place.substring("field:".length()));
            };
    Optional<TopicRule.Into> into = rule.flatMap(TopicRule::into);
    String lakeDatabase =
        into.isPresent()
            ? into.get().database().name(values)
            : database == null ? DATABASE_OTHERWISE : DATABASE.name(values);
    String lakeTable =
        (into.isPresent() ? into.get().table() : table == null ? TOPIC : TABLE).name(values);
    if (lakeDatabase == null || lakeTable == null) {
      return Optional.empty();
    }
    return Optional.of(
        target(
            lakeDatabase,
            lakeTable,
            rule.map(TopicRule::buckets).orElse(OptionalInt.empty()),
            rule.map(TopicRule::partitionBy).orElse(List.of()),
            rule.map(TopicRule::options).orElse(Map.of())));
  }

  private LakeTarget target(
      String lakeDatabase,
      String lakeTable,
      OptionalInt buckets,
      List<String> partitionBy,
      Map<String, String> ownOptions) {
    TableDefaults defaults = tables.defaults();
    int number = buckets.isPresent() ? buckets.getAsInt() : defaults.buckets().orElse(1);
    boolean auto = buckets.isEmpty() && defaults.buckets().isEmpty();
    Map<String, String> options = new LinkedHashMap<>(defaults.options());
    options.put("file.format", defaults.fileFormat());
    options.putAll(ownOptions);
    return new LakeTarget(
        lakeDatabase,
        lakeTable,
        number,
        auto ? "auto: a topic tells no size" : "",
        partitionBy,
        options,
        defaults.tinyIntOneAsBoolean());
  }
}
