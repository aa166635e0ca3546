package io.sluice.config;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * One wide table, filled from several sources by partial update: each part sets its own columns.
 *
 * @param database and {@code table}: the lake table
 * @param primaryKey columns that every part fills
 * @param buckets empty: not said here
 * @param types types of columns in Paimon's words, by name; all of them where another pipeline
 *     fills a part
 * @param parts in the order of the file, at least one
 * @param options over the defaults' options, key by key
 */
public record WideRule(
    String database,
    String table,
    List<String> primaryKey,
    OptionalInt buckets,
    List<String> partitionBy,
    Map<String, String> types,
    List<WidePart> parts,
    Map<String, String> options) {

  public WideRule {
    primaryKey = List.copyOf(primaryKey);
    partitionBy = List.copyOf(partitionBy);
    types = java.util.Collections.unmodifiableMap(new java.util.LinkedHashMap<>(types));
    parts = List.copyOf(parts);
    options = Map.copyOf(options);
  }

  /** Whether another pipeline fills a part. */
  public boolean isShared() {
    return parts.stream().anyMatch(WidePart::isElsewhere);
  }
}
