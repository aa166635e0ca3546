package io.sluice.sinks;

import java.util.List;
import java.util.Map;

/**
 * Where a captured source table goes, by config.
 *
 * @param lakeDatabase database in the warehouse
 * @param lakeTable table in it
 * @param buckets fixed number of buckets for a new table
 * @param bucketsText the number in words, with what it was chosen by
 * @param partitionBy column names, empty for none
 * @param options further table options for a new table
 * @param tinyIntOneAsBoolean TINYINT(1) becomes BOOLEAN
 */
public record TableTarget(
    String lakeDatabase,
    String lakeTable,
    int buckets,
    String bucketsText,
    List<String> partitionBy,
    Map<String, String> options,
    boolean tinyIntOneAsBoolean) {

  public TableTarget {
    partitionBy = List.copyOf(partitionBy);
    options = Map.copyOf(options);
  }

  public String lakeName() {
    return lakeDatabase + "." + lakeTable;
  }
}
