package io.sluice.lsm.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.error.UnsupportedTableException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TableOptionsTest {

  private static TableSchema table(Map<String, String> options) {
    return new TableSchema(
        4,
        new RowType(
            List.of(
                new DataField(0, "id", DataTypes.INT.withNullable(false)),
                new DataField(1, "ver", DataTypes.INT),
                new DataField(2, "v", DataTypes.STRING))),
        2,
        List.of(),
        List.of("id"),
        options,
        null,
        0);
  }

  @Test
  void hasPaimonsDefaults() {
    TableOptions options = TableOptions.of(table(Map.of()));
    assertThat(options)
        .isEqualTo(
            new TableOptions(
                -1,
                List.of("id"),
                MergeEngine.DEDUPLICATE,
                ChangelogProducer.NONE,
                false,
                List.of(),
                true,
                "__DEFAULT_PARTITION__",
                true,
                false,
                new TableOptions.DataFiles(
                    "parquet",
                    Map.of(),
                    "zstd",
                    Map.of(),
                    1,
                    128L << 20,
                    null,
                    new TableOptions.ParquetPages(1 << 20, 20_000),
                    false,
                    "data-",
                    true),
                new TableOptions.Stats(StatsMode.truncate(16), Map.of(), Map.of(), -1, true),
                new TableOptions.Compaction(5, 8, 6, 200, 1),
                new TableOptions.AppendCompaction(5, 4L << 20),
                new TableOptions.Manifests("zstd", 8L << 20, 16L << 20, 30),
                new TableOptions.Retention(10, Integer.MAX_VALUE, Duration.ofHours(1), 50),
                null));
  }

  @Test
  void readsEveryOption() {
    Map<String, String> all = new HashMap<>();
    all.put("bucket", "4");
    all.put("bucket-key", "id");
    all.put("merge-engine", "Partial-Update");
    all.put("changelog-producer", "full-compaction");
    all.put("deletion-vectors.enabled", "true");
    all.put("sequence.field", "ver, v");
    all.put("sequence.field.sort-order", "descending");
    all.put("partition.default-name", "none");
    all.put("partition.legacy-name", "false");
    all.put("write-only", "true");
    all.put("file.format", "ORC");
    all.put("file.compression", "snappy");
    all.put("file.compression.zstd-level", "3");
    all.put("target-file-size", "64 mb");
    all.put("file.format.per.level", "0:Avro, 5:parquet");
    all.put("file.compression.per.level", "0:none");
    all.put("file.block-size", "1048576");
    all.put("parquet.page.size", "4096");
    all.put("parquet.page.row.count.limit", "100");
    all.put("data-file.thin-mode", "true");
    all.put("data-file.prefix", "d-");
    all.put("orc.timestamp-ltz.legacy.type", "false");
    all.put("metadata.stats-mode", "counts");
    all.put("metadata.stats-mode.per.level", "0:none, 3:truncate(4)");
    all.put("fields.v.stats-mode", "full");
    all.put("metadata.stats-keep-first-n-columns", "2");
    all.put("metadata.stats-dense-store", "false");
    all.put("num-sorted-run.compaction-trigger", "3");
    all.put("num-sorted-run.stop-trigger", "9");
    all.put("num-levels", "7");
    all.put("compaction.max-size-amplification-percent", "100");
    all.put("compaction.size-ratio", "5");
    all.put("compaction.min.file-num", "4");
    all.put("source.split.open-file-cost", "1 mb");
    all.put("manifest.compression", "deflate");
    all.put("manifest.target-file-size", "1 kb");
    all.put("manifest.full-compaction-threshold-size", "2 GB");
    all.put("manifest.merge-min-count", "2");
    all.put("snapshot.num-retained.min", "1");
    all.put("snapshot.num-retained.max", "7");
    all.put("snapshot.time-retained", "10 min");
    all.put("snapshot.expire.limit", "3");
    all.put("partition.expiration-time", "7 d");
    all.put("partition.expiration-check-interval", "5 min");
    all.put("partition.expiration-strategy", "update-time");
    all.put("partition.timestamp-pattern", "$a");
    all.put("partition.timestamp-formatter", "yyyyMMdd");
    all.put("partition.expiration-max-num", "9");
    assertThat(TableOptions.of(table(all)))
        .isEqualTo(
            new TableOptions(
                4,
                List.of("id"),
                MergeEngine.PARTIAL_UPDATE,
                ChangelogProducer.FULL_COMPACTION,
                true,
                List.of("ver", "v"),
                false,
                "none",
                false,
                true,
                new TableOptions.DataFiles(
                    "orc",
                    Map.of(0, "avro", 5, "parquet"),
                    "snappy",
                    Map.of(0, "none"),
                    3,
                    64L << 20,
                    1L << 20,
                    new TableOptions.ParquetPages(4096, 100),
                    true,
                    "d-",
                    false),
                new TableOptions.Stats(
                    StatsMode.COUNTS,
                    Map.of(0, StatsMode.NONE, 3, StatsMode.truncate(4)),
                    Map.of("v", StatsMode.FULL),
                    2,
                    false),
                new TableOptions.Compaction(3, 9, 7, 100, 5),
                new TableOptions.AppendCompaction(4, 1L << 20),
                new TableOptions.Manifests("deflate", 1024, 2L << 30, 2),
                new TableOptions.Retention(1, 7, Duration.ofMinutes(10), 3),
                new TableOptions.PartitionExpiration(
                    Duration.ofDays(7), Duration.ofMinutes(5), false, "$a", "yyyyMMdd", 9)));
    assertThat(
            TableOptions.of(table(all))
                .stats()
                .modes(1, List.of("id", "a", "b", "v", "c"), List.of("id")))
        .containsExactly(
            StatsMode.KEYS, StatsMode.COUNTS, StatsMode.COUNTS, StatsMode.FULL, StatsMode.NONE);
    assertThat(TableOptions.of(table(all)).stats().modes(3, List.of("a", "v", "c"), List.of()))
        .containsExactly(StatsMode.truncate(4), StatsMode.FULL, StatsMode.NONE);
  }

  @Test
  void tellsAllProblemsAtOnce() {
    Map<String, String> wrong =
        Map.of(
            "bucket", "0",
            "merge-engine", "newest",
            "target-file-size", "12 parsecs",
            "snapshot.time-retained", "soon",
            "write-only", "maybe",
            "sequence.field", "nope",
            "num-levels", "many");
    assertThatThrownBy(() -> TableOptions.of(table(wrong)))
        .isInstanceOf(UnsupportedTableException.class)
        .satisfies(
            e ->
                assertThat(e.getMessage())
                    .contains("schema-4")
                    .contains(wrong.keySet().toArray(String[]::new)));
  }

  @Test
  void namesWhatATableUsesThatTheEngineLacks() {
    Map<String, String> plain = Map.of("bucket", "1", "file.format", "orc");
    assertThat(UnsupportedFeatures.forWriting(table(plain))).isEmpty();
    assertThat(UnsupportedFeatures.forReading(table(Map.of()))).isEmpty();
    assertThat(UnsupportedFeatures.forWriting(table(Map.of())))
        .anyMatch(text -> text.startsWith("bucket = -1"));
    assertThat(
            UnsupportedFeatures.forWriting(
                table(
                    Map.of(
                        "bucket", "1",
                        "file.format", "orc",
                        "file.format.per.level", "0:csv,5:parquet",
                        "file.compression.per.level", "1:gzip,5:lz4"))))
        .containsExactly(
            "file.compression = gzip for orc (there are"
                + " [zstd, zlib, snappy, lz4, none, uncompressed])",
            "file.compression = lz4 for parquet (there are"
                + " [zstd, snappy, gzip, none, uncompressed])",
            "file.format = csv (set file.format = one of [avro, orc, parquet])");
    Map<String, String> options = new HashMap<>(plain);
    options.put("merge-engine", "aggregation");
    options.put("deletion-vectors.enabled", "true");
    options.put("record-level.expire-time", "1 d");
    options.put("changelog-producer", "lookup");
    assertThat(UnsupportedFeatures.forReading(table(options)))
        .containsExactly("record-level.expire-time = 1 d");
    assertThat(UnsupportedFeatures.forWriting(table(options)))
        .contains("deletion-vectors.enabled = true");
    assertThat(UnsupportedFeatures.forReading(table(Map.of("bucket", "-2")))).isEmpty();
    assertThat(UnsupportedFeatures.forWriting(table(Map.of("bucket", "-2"))))
        .contains("bucket = -2 (postponed buckets)");
    assertThatThrownBy(() -> UnsupportedFeatures.checkWriting(table(options), "lake/t"))
        .isInstanceOf(UnsupportedTableException.class)
        .hasMessageContaining("lake/t")
        .hasMessageContaining("changelog-producer = lookup");
  }
}
