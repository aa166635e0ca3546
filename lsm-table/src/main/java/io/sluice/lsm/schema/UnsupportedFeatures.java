package io.sluice.lsm.schema;

import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.MultisetType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What a table uses and this engine lacks, by name. Refuse first, never read or write wrongly. */
public final class UnsupportedFeatures {

  /** Options that change which rows a reader sees; any other value than the default is refused. */
  private static final Map<String, String> READING =
      Map.ofEntries(
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
          "deletion-vectors.enabled", "false",
          "metadata.iceberg.storage", "disabled",
          "index-file-in-data-file-dir", "false",
          "file.suffix.include.compression", "false");

  private static final List<String> WRITING_ABSENT =
      List.of(
          "rowkind.field",
          "data-file.external-paths",
          "orc.encrypt",
          "orc.mask",
          "full-compaction.delta-commits");

  /** What files can be written in, and how each format can be compressed. */
  private static final Map<String, List<String>> FORMATS =
      Map.of(
          "orc", List.of("zstd", "zlib", "snappy", "lz4", "none", "uncompressed"),
          "parquet", List.of("zstd", "snappy", "gzip", "none", "uncompressed"),
          "avro", List.of("zstd", "deflate", "snappy", "none", "null"));

  private UnsupportedFeatures() {}

  /** What keeps a table from being read; empty if nothing does. */
  public static List<String> forReading(TableSchema schema) {
    TableOptions options = TableOptions.of(schema);
    List<String> found = new ArrayList<>();
    if (!schema.primaryKeys().isEmpty() && schema.trimmedPrimaryKeys().isEmpty()) {
      found.add("a primary key of partition columns only");
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
    boolean append = schema.primaryKeys().isEmpty();
    if (append && options.bucket() > 0 && schema.bucketKeys().isEmpty()) {
      found.add("bucket = " + options.bucket() + " without a key and without bucket-key");
    }
    if (!append && options.bucket() == -1) {
      found.add("bucket = -1 (dynamic buckets; set bucket to a number when creating the table)");
    }
    if (options.bucket() == -2) {
      found.add("bucket = -2 (postponed buckets)");
    }
    formats(options.dataFiles(), found);
    if (options.changelogProducer() != ChangelogProducer.NONE) {
      found.add("changelog-producer = " + options.changelogProducer().text());
    }
    differing(schema, WRITING, WRITING_ABSENT, found);
    if (!schema.primaryKeys().isEmpty()) {
      uncomputed(MergeOptions.of(schema), found);
      nullable(schema, MergeOptions.of(schema), found);
    }
    for (DataField field : schema.rowType().fields()) {
      if (holdsVariant(field.type())) {
        found.add("column " + field.name() + " of type VARIANT");
      }
    }
    return found;
  }

  /** A merge that leaves NULL in a NOT NULL column could never be written, nor tried again. */
  private static void nullable(TableSchema schema, MergeOptions options, List<String> found) {
    boolean mayLeaveNull =
        options.engine() == MergeEngine.AGGREGATION
            || options.engine() == MergeEngine.PARTIAL_UPDATE && !options.groups().isEmpty();
    for (DataField field : schema.rowType().fields()) {
      boolean inKey = schema.primaryKeys().contains(field.name());
      if (mayLeaveNull && !inKey && !field.type().nullable()) {
        found.add(
            "column "
                + field.name()
                + " NOT NULL with merge-engine = "
                + options.engine().text()
                + " (a merge may leave NULL there; let the column be nullable)");
      }
    }
  }

  /** A scan refuses only what it needs of these columns; a writer needs all. */
  private static void uncomputed(MergeOptions options, List<String> found) {
    options.aggregations().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            e -> {
              String lacking = e.getValue().lacking();
              if (lacking != null) {
                found.add(
                    "aggregate function "
                        + e.getValue().function().text()
                        + " of column "
                        + e.getKey()
                        + " (it "
                        + lacking
                        + ")");
              }
            });
  }

  /** Formats and compressions, level by level, that files can't be written in. */
  private static void formats(TableOptions.DataFiles files, List<String> found) {
    Set<Integer> levels = new TreeSet<>(files.formatByLevel().keySet());
    levels.addAll(files.compressionByLevel().keySet());
    // Some level that no option names.
    levels.add(-1);
    Set<String> problems = new TreeSet<>();
    for (int level : levels) {
      List<String> compressions = FORMATS.get(files.format(level));
      if (compressions == null) {
        problems.add(
            "file.format = "
                + files.format(level)
                + " (set file.format = one of "
                + new TreeSet<>(FORMATS.keySet())
                + ")");
      } else if (!compressions.contains(files.compression(level))) {
        problems.add(
            "file.compression = "
                + files.compression(level)
                + " for "
                + files.format(level)
                + " (there are "
                + compressions
                + ")");
      }
    }
    found.addAll(problems);
  }

  /** Whether a value of the type is or holds a VARIANT. */
  public static boolean holdsVariant(DataType type) {
    if (type instanceof ArrayType array) {
      return holdsVariant(array.element());
    }
    if (type instanceof MapType map) {
      return holdsVariant(map.key()) || holdsVariant(map.value());
    }
    if (type instanceof MultisetType multiset) {
      return holdsVariant(multiset.element());
    }
    if (type instanceof NestedRowType row) {
      return row.fields().stream().anyMatch(field -> holdsVariant(field.type()));
    }
    return type.root() == TypeRoot.VARIANT;
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
