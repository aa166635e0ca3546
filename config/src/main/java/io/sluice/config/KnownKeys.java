package io.sluice.config;

import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import java.util.Map;
import java.util.Set;

/** {@code reference.conf} has every key that there is; any other is a problem. */
final class KnownKeys {

  /** Keys of one element of {@code tables.rules}, which has no place in {@code reference.conf}. */
  static final Set<String> RULE =
      Set.of(
          "match",
          "into",
          "bucket",
          "partition-by",
          "computed",
          "options",
          "tinyint1-as-boolean",
          "primary-key",
          "merge-engine",
          "types",
          "from");

  /** The same of a pipeline that reads topics. */
  static final Set<String> TOPIC_RULE =
      Set.of(
          "match",
          "into",
          "primary-key",
          "bucket",
          "partition-by",
          "columns",
          "metadata",
          "format",
          "format-options",
          "options",
          "merge-engine",
          "types",
          "from");

  /** Keys of a rule with {@code from}. */
  static final Set<String> WIDE_RULE =
      Set.of(
          "into",
          "primary-key",
          "merge-engine",
          "types",
          "bucket",
          "partition-by",
          "options",
          "from");

  /** Keys of one element of {@code from}. */
  static final Set<String> WIDE_PART =
      Set.of(
          "name",
          "match",
          "elsewhere",
          "table",
          "columns",
          "sequence",
          "on-delete",
          "aggregate",
          "nested");

  /** Keys of {@code nested} of a part. */
  static final Set<String> WIDE_ARRAY = Set.of("column", "key", "columns", "types");

  /** Keys of {@code source} that only a Kafka cluster has. */
  static final Set<String> KAFKA =
      Set.of(
          "bootstrap-servers",
          "topics",
          "exclude-topics",
          "start",
          "start-offsets",
          "on-lost-range",
          "group",
          "discovery-interval",
          "format",
          "format-options",
          "registry",
          "properties");

  private KnownKeys() {}

  static void check(ConfigObject own, ConfigObject reference, Problems problems) {
    check("sluice", own, reference, problems);
  }

  private static void check(
      String path, ConfigObject own, ConfigObject reference, Problems problems) {
    for (Map.Entry<String, ConfigValue> entry : own.entrySet()) {
      ConfigValue known = reference.get(entry.getKey());
      ConfigValue value = entry.getValue();
      String key = path + "." + entry.getKey();
      if (known == null) {
        problems.unknownKey(value.origin(), path, entry.getKey(), reference.keySet());
      } else if (known.valueType() == ConfigValueType.OBJECT
          && value.valueType() != ConfigValueType.NULL) {
        if (value.valueType() != ConfigValueType.OBJECT) {
          problems.add(
              value.origin(),
              key,
              "it is a block of keys.",
              "Write " + entry.getKey() + " { ... }.");
        } else if (!((ConfigObject) known).isEmpty()) {
          check(key, (ConfigObject) value, (ConfigObject) known, problems);
        }
      }
    }
  }
}
