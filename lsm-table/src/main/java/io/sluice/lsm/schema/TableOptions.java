package io.sluice.lsm.schema;

import io.sluice.lsm.error.UnsupportedTableException;
import java.time.Duration;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Typed view of a table's options, with Paimon's defaults (format description section 13). Options
 * that the engine has no use for are not looked at, save those that {@link UnsupportedFeatures}
 * names.
 *
 * @param bucket number of buckets; -1 dynamic, -2 postponed
 * @param bucketKeys columns of the bucket hash
 * @param sequenceFields columns that order records of one key before their sequence number
 * @param sequenceAscending false: the smallest sequence field wins
 * @param partitionDefaultName folder of partition values null, empty or blank
 * @param partitionLegacyName true: folders show internal values (a DATE as its day number)
 * @param writeOnly true: somebody else compacts and expires
 */
public record TableOptions(
    int bucket,
    List<String> bucketKeys,
    MergeEngine mergeEngine,
    ChangelogProducer changelogProducer,
    boolean deletionVectors,
    List<String> sequenceFields,
    boolean sequenceAscending,
    String partitionDefaultName,
    boolean partitionLegacyName,
    boolean writeOnly,
    DataFiles dataFiles,
    Stats stats,
    Compaction compaction,
    AppendCompaction appendCompaction,
    Manifests manifests,
    Retention retention,
    @Nullable PartitionExpiration partitionExpiration) {

  /**
   * How data files are written.
   *
   * @param format orc, parquet or avro
   * @param formatByLevel other formats for single levels
   * @param compression zstd, zlib, snappy, lz4 or none; what there is hangs on the format
   * @param compressionByLevel other compressions for single levels
   * @param targetSizeBytes a writer goes on in the next file beyond it
   * @param blockSizeBytes size of a stripe or row group; null: the format's own default
   * @param parquetPages how a Parquet column is cut
   * @param thinMode files lack the {@code _KEY_} columns
   * @param prefix of file names
   * @param timestampLtzLegacy ORC: TIMESTAMP_LTZ is stored by the JVM's default zone
   */
  public record DataFiles(
      String format,
      Map<Integer, String> formatByLevel,
      String compression,
      Map<Integer, String> compressionByLevel,
      int zstdLevel,
      long targetSizeBytes,
      @Nullable Long blockSizeBytes,
      ParquetPages parquetPages,
      boolean thinMode,
      String prefix,
      boolean timestampLtzLegacy) {
    public DataFiles {
      formatByLevel = Map.copyOf(formatByLevel);
      compressionByLevel = Map.copyOf(compressionByLevel);
    }

    /** The format of new files of a level. */
    public String format(int level) {
      return formatByLevel.getOrDefault(level, format);
    }

    /** The compression of new files of a level. */
    public String compression(int level) {
      return compressionByLevel.getOrDefault(level, compression);
    }
  }

  /** A page ends with either of these. */
  public record ParquetPages(long bytes, int rowsMax) {}

  /**
   * Statistics of value columns in manifests.
   *
   * @param byLevel other modes for the files of single levels
   * @param byColumn modes set for single columns, which come first
   * @param keepFirstColumns later columns get none; -1: no limit
   * @param denseStore columns without any are left out
   */
  public record Stats(
      StatsMode mode,
      Map<Integer, StatsMode> byLevel,
      Map<String, StatsMode> byColumn,
      int keepFirstColumns,
      boolean denseStore) {
    public Stats {
      byLevel = Map.copyOf(byLevel);
      byColumn = Map.copyOf(byColumn);
    }

    /**
     * The mode of each column.
     *
     * @param level of the file
     * @param keys columns whose statistics readers need: those of the key where a file has it among
     *     the value columns only (thin mode)
     */
    public List<StatsMode> modes(int level, List<String> columns, List<String> keys) {
      StatsMode ofLevel = byLevel.getOrDefault(level, mode);
      List<StatsMode> modes = new ArrayList<>();
      int counted = 0;
      for (String column : columns) {
        StatsMode own = byColumn.get(column);
        if (own == null && keys.contains(column)) {
          modes.add(StatsMode.KEYS);
          continue;
        }
        boolean later = keepFirstColumns >= 0 && counted >= keepFirstColumns;
        modes.add(own != null ? own : later ? StatsMode.NONE : ofLevel);
        counted++;
      }
      return modes;
    }
  }

  /**
   * The shape of the LSM tree.
   *
   * @param trigger sorted runs at which compaction starts
   * @param stopTrigger sorted runs at which writes wait
   * @param levels including level 0
   * @param sizeAmplificationPercentMax size of all upper runs against the lowest
   * @param sizeRatioPercent tolerance when neighbouring runs are compared
   */
  public record Compaction(
      int trigger,
      int stopTrigger,
      int levels,
      int sizeAmplificationPercentMax,
      int sizeRatioPercent) {}

  /**
   * How small files of a table without a key are joined.
   *
   * @param filesMin so many are enough
   * @param openFileBytes what a file counts beside its bytes
   */
  public record AppendCompaction(int filesMin, long openFileBytes) {}

  /**
   * @param targetSizeBytes beyond it manifests roll, below it they are merged
   * @param fullCompactionBytes small and deleting manifests of this size together are rewritten
   * @param mergeCountMin small manifests that are merged at least
   */
  public record Manifests(
      String compression, long targetSizeBytes, long fullCompactionBytes, int mergeCountMin) {}

  /**
   * Which snapshots stay.
   *
   * @param expireLimit snapshots that one run of expiry removes at most
   */
  public record Retention(int snapshotsMin, int snapshotsMax, Duration time, int expireLimit) {}

  /**
   * Which partitions are dropped.
   *
   * @param time how old a partition may become
   * @param checkInterval between two looks at them
   * @param byValues strategy values-time; else update-time: by the newest file
   * @param pattern of a time with {@code $column} in it; null: the first column
   * @param formatter of that text; null: 2024-01-31, perhaps with 10:00:00
   * @param partitionsMax dropped in one run at most
   */
  public record PartitionExpiration(
      Duration time,
      Duration checkInterval,
      boolean byValues,
      @Nullable String pattern,
      @Nullable String formatter,
      int partitionsMax) {}

  public TableOptions {
    bucketKeys = List.copyOf(bucketKeys);
    sequenceFields = List.copyOf(sequenceFields);
  }

  /**
   * The options of a schema.
   *
   * @throws UnsupportedTableException naming all options whose values make no sense
   */
  public static TableOptions of(TableSchema schema) {
    OptionReader in = new OptionReader(schema.options());
    MergeEngine engine =
        choice(
            in, "merge-engine", MergeEngine.DEDUPLICATE, MergeEngine.values(), MergeEngine::text);
    ChangelogProducer producer =
        choice(
            in,
            "changelog-producer",
            ChangelogProducer.NONE,
            ChangelogProducer.values(),
            ChangelogProducer::text);
    int bucket = in.number("bucket", -1, -2);
    if (bucket == 0) {
      in.problem("bucket", "0", "positive, -1 or -2");
    }
    List<String> bucketKeys = schema.bucketKeys();
    List<String> sequenceFields = in.names("sequence.field");
    knownColumns(in, schema, "bucket-key", bucketKeys);
    knownColumns(in, schema, "sequence.field", sequenceFields);
    TableOptions options =
        new TableOptions(
            bucket,
            bucketKeys,
            engine,
            producer,
            in.flag("deletion-vectors.enabled", false),
            sequenceFields,
            sequenceAscending(in),
            in.text("partition.default-name", "__DEFAULT_PARTITION__"),
            in.flag("partition.legacy-name", true),
            in.flag("write-only", false),
            dataFiles(in, schema.primaryKeys().isEmpty()),
            stats(in, schema),
            compaction(in),
            new AppendCompaction(
                in.number("compaction.min.file-num", 5, 2),
                in.size("source.split.open-file-cost", 4L << 20)),
            manifests(in),
            retention(in),
            partitionExpiration(in));
    if (!in.problems().isEmpty()) {
      throw new UnsupportedTableException(
          "schema-"
              + schema.id()
              + " has options that can't be used: "
              + String.join("; ", in.problems())
              + ". Correct them with a schema change.");
    }
    return options;
  }

  private static DataFiles dataFiles(OptionReader in, boolean appendTable) {
    long block = in.size("file.block-size", -1);
    return new DataFiles(
        in.text("file.format", "parquet").toLowerCase(Locale.ROOT),
        in.byLevel("file.format.per.level"),
        in.text("file.compression", "zstd").toLowerCase(Locale.ROOT),
        in.byLevel("file.compression.per.level"),
        (int) in.number("file.compression.zstd-level", 1L, 1, 22),
        in.size("target-file-size", appendTable ? 256L << 20 : 128L << 20),
        block < 0 ? null : block,
        new ParquetPages(
            in.size("parquet.page.size", 1L << 20),
            in.number("parquet.page.row.count.limit", 20_000, 1)),
        in.flag("data-file.thin-mode", false),
        in.text("data-file.prefix", "data-"),
        in.flag("orc.timestamp-ltz.legacy.type", true));
  }

  private static Stats stats(OptionReader in, TableSchema schema) {
    StatsMode mode = statsMode(in, "metadata.stats-mode", StatsMode.truncate(16));
    Map<String, StatsMode> byColumn = new HashMap<>();
    for (DataField field : schema.rowType().fields()) {
      String key = "fields." + field.name() + ".stats-mode";
      if (in.text(key) != null) {
        byColumn.put(field.name(), statsMode(in, key, mode));
      }
    }
    Map<Integer, StatsMode> byLevel = new HashMap<>();
    String levels = "metadata.stats-mode.per.level";
    in.byLevel(levels).forEach((level, text) -> byLevel.put(level, statsMode(in, levels, text)));
    return new Stats(
        mode,
        // Paimon has one mode for all files of a table without a key.
        schema.primaryKeys().isEmpty() ? Map.of() : byLevel,
        byColumn,
        in.number("metadata.stats-keep-first-n-columns", -1, -1),
        in.flag("metadata.stats-dense-store", true));
  }

  private static Compaction compaction(OptionReader in) {
    int trigger = in.number("num-sorted-run.compaction-trigger", 5, 1);
    return new Compaction(
        trigger,
        Math.max(trigger, in.number("num-sorted-run.stop-trigger", trigger + 3, 1)),
        in.number("num-levels", trigger + 1, 2),
        in.number("compaction.max-size-amplification-percent", 200, 0),
        in.number("compaction.size-ratio", 1, 0));
  }

  private static Manifests manifests(OptionReader in) {
    return new Manifests(
        in.text("manifest.compression", "zstd").toLowerCase(Locale.ROOT),
        in.size("manifest.target-file-size", 8L << 20),
        in.size("manifest.full-compaction-threshold-size", 16L << 20),
        in.number("manifest.merge-min-count", 30, 1));
  }

  private static Retention retention(OptionReader in) {
    int min = in.number("snapshot.num-retained.min", 10, 1);
    int max = in.number("snapshot.num-retained.max", Integer.MAX_VALUE, 1);
    if (max < min) {
      in.problem("snapshot.num-retained.max", String.valueOf(max), "at least " + min);
    }
    return new Retention(
        min,
        max,
        in.duration("snapshot.time-retained", Duration.ofHours(1)),
        in.number("snapshot.expire.limit", 50, 1));
  }

  private static @Nullable PartitionExpiration partitionExpiration(OptionReader in) {
    if (in.text("partition.expiration-time") == null) {
      return null;
    }
    String strategy = in.text("partition.expiration-strategy", "values-time");
    if (!strategy.equals("values-time") && !strategy.equals("update-time")) {
      in.problem("partition.expiration-strategy", strategy, "values-time or update-time");
    }
    String formatter = in.text("partition.timestamp-formatter");
    if (formatter != null) {
      try {
        DateTimeFormatter unused = DateTimeFormatter.ofPattern(formatter, Locale.ROOT);
      } catch (IllegalArgumentException e) {
        in.problem("partition.timestamp-formatter", formatter, "a pattern such as yyyyMMdd");
      }
    }
    return new PartitionExpiration(
        in.duration("partition.expiration-time", Duration.ZERO),
        in.duration("partition.expiration-check-interval", Duration.ofHours(1)),
        strategy.equals("values-time"),
        in.text("partition.timestamp-pattern"),
        formatter,
        in.number("partition.expiration-max-num", 100, 1));
  }

  private static boolean sequenceAscending(OptionReader in) {
    String order = in.text("sequence.field.sort-order", "ascending").toLowerCase(Locale.ROOT);
    if (!order.equals("ascending") && !order.equals("descending")) {
      in.problem("sequence.field.sort-order", order, "ascending or descending");
    }
    return !order.equals("descending");
  }

  private static StatsMode statsMode(OptionReader in, String key, StatsMode byDefault) {
    String text = in.text(key);
    return text == null ? byDefault : statsMode(in, key, text);
  }

  private static StatsMode statsMode(OptionReader in, String key, String text) {
    try {
      return StatsMode.parse(text);
    } catch (IllegalArgumentException e) {
      in.problem(key, text, "none, counts, full or truncate(n)");
      return StatsMode.NONE;
    }
  }

  private static <T> T choice(
      OptionReader in,
      String key,
      T byDefault,
      T[] values,
      java.util.function.Function<T, String> text) {
    String wanted = in.text(key);
    if (wanted == null) {
      return byDefault;
    }
    List<String> words = new ArrayList<>();
    for (T value : values) {
      if (text.apply(value).equals(wanted.toLowerCase(Locale.ROOT))) {
        return value;
      }
      words.add(text.apply(value));
    }
    in.problem(key, wanted, "one of " + words);
    return byDefault;
  }

  private static void knownColumns(
      OptionReader in, TableSchema schema, String key, List<String> names) {
    for (String name : names) {
      if (schema.rowType().position(name) < 0) {
        in.problem(
            key,
            String.join(",", names),
            "columns of the table: "
                + Arrays.toString(
                    schema.rowType().fields().stream().map(DataField::name).toArray()));
        return;
      }
    }
  }
}
