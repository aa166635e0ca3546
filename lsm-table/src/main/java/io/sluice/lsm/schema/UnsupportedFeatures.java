package io.sluice.lsm.schema;

import io.sluice.lsm.error.UnsupportedTableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a table uses and this engine lacks, by name. Refuse first, never read or write wrongly. */
public final class UnsupportedFeatures {

  /** Options that change which rows a reader sees; any other value than the default is refused. */
  private static final Map<String, String> READING =
      Map.ofEntries(
          Map.entry("deletion-vectors.enabled", "false"),
          Map.entry("force-lookup", "false"),
          Map.entry("row-tracking.enabled", "false"),
          Map.entry("data-evolution.enabled", "false"),
          Map.entry("pk-clustering-override", "false"),
          Map.entry("branch", "main"),
          Map.entry("type", "table"));

  /** Options that must be absent for a reader. */
  private static final List<String> READING_ABSENT =
      List.of("record-level.expire-time", "data-file.path-directory", "scan.fallback-branch");

  private static final Map<String, String> WRITING =
      Map.of(
          "bucket-function.type", "default",
          "metadata.iceberg.storage", "disabled",
          "index-file-in-data-file-dir", "false",
          "file.suffix.include.compression", "false");

  private static final List<String> WRITING_ABSENT =
      List.of(
          "rowkind.field",
          "data-file.external-paths",
          "file.format.per.level",
          "partition.expiration-time",
          "orc.encrypt",
          "orc.mask",
          "full-compaction.delta-commits");

  private static final List<String> COMPRESSIONS =
      List.of("zstd", "zlib", "snappy", "lz4", "none", "uncompressed");

  private UnsupportedFeatures() {}

  /** What keeps a table from being read; empty if nothing does. */
  public static List<String> forReading(TableSchema schema) {
    TableOptions options = TableOptions.of(schema);
    List<String> found = new ArrayList<>();
    if (schema.primaryKeys().isEmpty()) {
      found.add("a table without a primary key");
    } else if (schema.trimmedPrimaryKeys().isEmpty()) {
      found.add("a primary key of partition columns only");
    }
    if (options.bucket() == -2) {
      found.add("bucket = -2 (postponed buckets)");
    }
    if (!schema.primaryKeys().isEmpty()) {
      MergeOptions.of(schema);
    }
    differing(schema, READING, READING_ABSENT, found);
    return found;
  }

  /** What keeps a table from being written; what keeps it from being read is part of it. */
  public static List<String> forWriting(TableSchema schema) {
    TableOptions options = TableOptions.of(schema);
    List<String> found = new ArrayList<>(forReading(schema));
    if (options.bucket() == -1) {
      found.add("bucket = -1 (dynamic buckets; set bucket to a number when creating the table)");
    }
    if (!options.dataFiles().format().equals("orc")) {
      found.add("file.format = " + options.dataFiles().format() + " (set file.format = orc)");
    }
    if (!COMPRESSIONS.contains(options.dataFiles().compression())) {
      found.add("file.compression = " + options.dataFiles().compression());
    }
    if (options.changelogProducer() != ChangelogProducer.NONE) {
      found.add("changelog-producer = " + options.changelogProducer().text());
    }
    differing(schema, WRITING, WRITING_ABSENT, found);
    if (!schema.primaryKeys().isEmpty()) {
      uncomputed(MergeOptions.of(schema), found);
    }
    for (DataField field : schema.rowType().fields()) {
      if (field.type().root().isNested()) {
        found.add("column " + field.name() + " of type " + field.type().root());
      }
    }
    return found;
  }

  /** A scan refuses only what it needs of these columns; a writer needs all. */
  private static void uncomputed(MergeOptions options, List<String> found) {
    options.aggregations().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            e -> {
              AggregateFunction function = e.getValue().function();
              if (function.lacking() != null) {
                found.add(
                    "aggregate function "
                        + function.text()
                        + " of column "
                        + e.getKey()
                        + " (it "
                        + function.lacking()
                        + ")");
              }
            });
  }

  /**
   * Refuses a table that can't be read.
   *
   * @param table its path, for the message
   */
  public static void checkReading(TableSchema schema, String table) {
    refuse("read", forReading(schema), schema, table);
  }

  /** Refuses a table that can't be written. */
  public static void checkWriting(TableSchema schema, String table) {
    refuse("write", forWriting(schema), schema, table);
  }

  private static void refuse(String verb, List<String> found, TableSchema schema, String table) {
    if (!found.isEmpty()) {
      throw new UnsupportedTableException(
          "Cannot "
              + verb
              + " table "
              + table
              + ": schema-"
              + schema.id()
              + " uses "
              + String.join(", ", found)
              + ", which this engine does not support. Use another table or change its options.");
    }
  }

  private static void differing(
      TableSchema schema, Map<String, String> expected, List<String> absent, List<String> found) {
    expected.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            e -> {
              String value = schema.options().get(e.getKey());
              if (value != null && !value.trim().toLowerCase(Locale.ROOT).equals(e.getValue())) {
                found.add(e.getKey() + " = " + value);
              }
            });
    for (String key : absent) {
      String value = schema.options().get(key);
      if (value != null && !value.isBlank()) {
        found.add(key + " = " + value);
      }
    }
  }
}
