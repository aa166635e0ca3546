package io.sluice.config;

import io.sluice.config.TopicRule.MessageFact;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/** Reads what a config says of a Kafka cluster and its topics. */
final class KafkaReader {

  private final Function<Section, Optional<Secret>> password;

  /**
   * @param password reads {@code password} or {@code password-file} of a block
   */
  KafkaReader(Function<Section, Optional<Secret>> password) {
    this.password = password;
  }

  KafkaSourceConfig source(Section section, String pipeline) {
    List<TopicPattern> topics = topics(section, "topics");
    if (topics.isEmpty() && section.isEmptyList("topics")) {
      section.problem(
          "topics", "no topic is named.", "List names or patterns, e.g. topics = [\"shop.*\"].");
    }
    String group = section.string("group");
    return new KafkaSourceConfig(
        section.required("bootstrap-servers", "Give brokers as host:port, separated by commas."),
        topics,
        topics(section, "exclude-topics"),
        start(section),
        section.choice("on-lost-range", LostRangePolicy.class),
        group.equals("off")
            ? Optional.empty()
            : Optional.of(group.equals("auto") ? "sluice-" + pipeline : group),
        section.duration("discovery-interval", Duration.ofSeconds(1), Duration.ofHours(1)),
        new MessagesConfig(
            section.required(
                "format", "Say how messages are written, e.g. format = debezium-json."),
            section.texts("format-options")),
        registry(section.section("registry")),
        section.texts("properties"));
  }

  private static List<TopicPattern> topics(Section section, String key) {
    List<TopicPattern> result = new ArrayList<>();
    for (String text : section.strings(key)) {
      topic(section, key, text).ifPresent(result::add);
    }
    return result;
  }

  static Optional<TopicPattern> topic(Section section, String key, String text) {
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(TopicPattern.parse(text));
    } catch (IllegalArgumentException e) {
      section.problem(
          key, e.getMessage() + ".", "Write a topic's name, * in it, or /regex/ between slashes.");
      return Optional.empty();
    }
  }

  private static TopicStart start(Section section) {
    Map<String, Map<Integer, Long>> offsets = offsets(section);
    String text = section.string("start");
    if (text.equals("earliest") || text.equals("latest")) {
      return new TopicStart(
          TopicStart.At.valueOf(text.toUpperCase(Locale.ROOT)), Instant.EPOCH, offsets);
    }
    try {
      return new TopicStart(TopicStart.At.TIME, OffsetDateTime.parse(text).toInstant(), offsets);
    } catch (DateTimeException e) {
      section.problem(
          "start",
          "\"" + text + "\" is no place in a topic.",
          "Write earliest, latest, or a time with its zone such as 2026-01-31T00:00:00Z.");
      return new TopicStart(TopicStart.At.EARLIEST, Instant.EPOCH, offsets);
    }
  }

  private static Map<String, Map<Integer, Long>> offsets(Section section) {
    Map<String, Map<Integer, Long>> result = new LinkedHashMap<>();
    section
        .texts("start-offsets")
        .forEach(
            (key, value) -> {
              int dot = key.lastIndexOf('.');
              String partition = key.substring(dot + 1);
              if (dot <= 0 || !partition.matches("\\d{1,9}") || !value.matches("\\d{1,18}")) {
                section.problem(
                    "start-offsets",
                    key + " = " + value + " is no offset of a partition.",
                    "Write topics in double quotes: start-offsets { \"orders\" { 0 = 1200 } }.");
                return;
              }
              result
                  .computeIfAbsent(key.substring(0, dot), topic -> new LinkedHashMap<>())
                  .put(Integer.valueOf(partition), Long.valueOf(value));
            });
    return result;
  }

  private Optional<RegistryConfig> registry(Section section) {
    List<String> urls = section.strings("urls");
    for (String url : urls) {
      if (!url.matches("https?://.+")) {
        section.problem("urls", "\"" + url + "\" is no URL.", "Write http://host:port.");
      }
    }
    if (urls.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new RegistryConfig(
            urls,
            section.optional("user"),
            password.apply(section),
            section.optional("token").map(Secret::new),
            section.duration("timeout", Duration.ofMillis(100), Duration.ofHours(1))));
  }

  /** All rules, of both kinds. */
  TablesConfig tables(Section tables, TableDefaults defaults) {
    List<TopicRule> plain = new ArrayList<>();
    List<WideRule> wide = new ArrayList<>();
    for (Section rule : tables.sections("rules", KnownKeys.TOPIC_RULE)) {
      if (WideReader.isWide(rule)) {
        WideReader.read(rule, WideReader.Sources.TOPICS).ifPresent(wide::add);
      } else {
        rule(rule).ifPresent(plain::add);
      }
    }
    return new TablesConfig(defaults, List.of(), plain, wide);
  }

  private static Optional<TopicRule> rule(Section rule) {
    for (String key : List.of("merge-engine", "types")) {
      if (rule.has(key)) {
        rule.problem(
            key,
            "it belongs to a rule with from.",
            "Write options { merge-engine = ... }, columns { ... } instead.");
      }
    }
    Optional<TopicPattern> match =
        topic(rule, "match", rule.required("match", "Give the pattern of its topics."));
    Optional<TopicRule.Into> into = rule.optional("into").flatMap(each -> into(rule, each));
    OptionalInt buckets =
        rule.has("bucket") ? rule.autoInt("bucket", 1, 32_768) : OptionalInt.empty();
    Map<String, MessageFact> metadata = metadata(rule);
    Map<String, String> columns = rule.has("columns") ? rule.texts("columns") : Map.of();
    for (String column : metadata.keySet()) {
      if (columns.containsKey(column)) {
        rule.problem(
            "metadata", "column " + column + " is in columns, too.", "Keep one of the two.");
      }
    }
    Optional<MessagesConfig> messages =
        rule.optional("format")
            .map(
                format ->
                    new MessagesConfig(
                        format,
                        rule.has("format-options") ? rule.texts("format-options") : Map.of()));
    if (messages.isEmpty() && rule.has("format-options")) {
      rule.problem(
          "format-options", "there is no format beside them.", "Name the format in this rule.");
    }
    return match.map(
        pattern ->
            new TopicRule(
                pattern,
                into,
                rule.has("primary-key") ? rule.strings("primary-key") : List.of(),
                buckets,
                rule.has("partition-by") ? rule.strings("partition-by") : List.of(),
                columns,
                metadata,
                messages,
                rule.has("options") ? rule.texts("options") : Map.of()));
  }

  private static Map<String, MessageFact> metadata(Section rule) {
    Map<String, MessageFact> result = new LinkedHashMap<>();
    if (!rule.has("metadata")) {
      return result;
    }
    rule.texts("metadata")
        .forEach(
            (column, fact) -> {
              try {
                result.put(column, MessageFact.valueOf(fact.toUpperCase(Locale.ROOT)));
              } catch (IllegalArgumentException e) {
                rule.problem(
                    "metadata",
                    "\"" + fact + "\" is not known of a message.",
                    "There are topic, partition, offset, timestamp, key and headers.");
              }
            });
    return result;
  }

  private static Optional<TopicRule.Into> into(Section rule, String text) {
    int dot = dotOutsideOfBraces(text);
    try {
      if (dot > 0 && dot < text.length() - 1) {
        return Optional.of(
            new TopicRule.Into(
                NameTemplate.parse(text.substring(0, dot)),
                NameTemplate.parse(text.substring(dot + 1))));
      }
      rule.problem("into", "\"" + text + "\" names no lake table.", "Write database.table.");
    } catch (IllegalArgumentException e) {
      rule.problem("into", e.getMessage() + ".", "Write e.g. ods.{topic} or {database}.{table}.");
    }
    return Optional.empty();
  }

  private static int dotOutsideOfBraces(String text) {
    int depth = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      if (c == '.' && depth == 0) {
        return i;
      }
    }
    return -1;
  }
}
