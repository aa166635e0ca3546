package io.sluice.evolution;

import java.util.List;
import java.util.Map;

/**
 * How a lake table is to be made.
 *
 * @param buckets of each partition, at least 1; not asked for where there is no key
 * @param partitionBy column names, empty for none
 * @param options further table options in Paimon's words
 */
public record PlanOptions(
    String lakeDatabase,
    String lakeTable,
    int buckets,
    List<String> partitionBy,
    Map<String, String> options,
    boolean tinyIntOneAsBoolean,
    TableKind kind) {

  public PlanOptions {
    partitionBy = List.copyOf(partitionBy);
    options = Map.copyOf(options);
  }

  /** Of a copy. */
  public PlanOptions(
      String lakeDatabase,
      String lakeTable,
      int buckets,
      List<String> partitionBy,
      Map<String, String> options,
      boolean tinyIntOneAsBoolean) {
    this(
        lakeDatabase,
        lakeTable,
        buckets,
        partitionBy,
        options,
        tinyIntOneAsBoolean,
        TableKind.COPY);
  }
}
