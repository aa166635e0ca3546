package io.sluice.config;

import java.util.Map;
import java.util.OptionalInt;

/**
 * What holds for tables of which no rule says otherwise.
 *
 * @param buckets of each partition; empty: by {@link TableRouting#autoBuckets}
 * @param bucketBytes size of a bucket that {@code auto} aims at
 * @param fileFormat of data files: {@code orc}, {@code parquet} or {@code avro}
 * @param options table options in Paimon's words
 * @param tinyIntOneAsBoolean TINYINT(1) becomes BOOLEAN
 */
public record TableDefaults(
    OptionalInt buckets,
    long bucketBytes,
    String fileFormat,
    Map<String, String> options,
    boolean tinyIntOneAsBoolean) {

  public TableDefaults {
    options = Map.copyOf(options);
  }
}
