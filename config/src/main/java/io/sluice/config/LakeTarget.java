package io.sluice.config;

import java.util.List;
import java.util.Map;

/**
 * Where a captured table goes, by config.
 *
 * @param buckets fixed number for a new table, at least 1; an existing table keeps its own
 * @param bucketsBecause what the number was chosen by; empty: the config says it
 * @param partitionBy column names; empty for none
 * @param options further options for a new table, {@code file.format} included
 */
public record LakeTarget(
    String database,
    String table,
    int buckets,
    String bucketsBecause,
    List<String> partitionBy,
    Map<String, String> options,
    boolean tinyIntOneAsBoolean) {

  public LakeTarget {
    partitionBy = List.copyOf(partitionBy);
    options = Map.copyOf(options);
  }

  /** "1 bucket", "3 buckets (auto: about 2100 MiB in the source)". */
  public String bucketsText() {
    return buckets
        + (buckets == 1 ? " bucket" : " buckets")
        + (bucketsBecause.isEmpty() ? "" : " (" + bucketsBecause + ")");
  }
}
