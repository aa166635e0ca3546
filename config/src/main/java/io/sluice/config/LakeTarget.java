package io.sluice.config;

import java.util.List;
import java.util.Map;

/**
 * Where a captured table goes, by config.
 *
 * @param buckets fixed number for a new table, at least 1; an existing table keeps its own
 * @param bucketsAuto the number was chosen by {@link TableRouting#autoBuckets}
 * @param partitionBy column names; empty for none
 * @param options further options for a new table, {@code file.format} included
 */
public record LakeTarget(
    String database,
    String table,
    int buckets,
    boolean bucketsAuto,
    List<String> partitionBy,
    Map<String, String> options,
    boolean tinyIntOneAsBoolean) {

  public LakeTarget {
    partitionBy = List.copyOf(partitionBy);
    options = Map.copyOf(options);
  }
}
