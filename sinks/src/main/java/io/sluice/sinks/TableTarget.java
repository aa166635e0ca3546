package io.sluice.sinks;

import io.sluice.evolution.TableKind;
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
 * @param sharing whether others may have written to the table
 */
public record TableTarget(
    String lakeDatabase,
    String lakeTable,
    int buckets,
    String bucketsText,
    List<String> partitionBy,
    Map<String, String> options,
    boolean tinyIntOneAsBoolean,
    TableKind kind,
    Sharing sharing) {

  /** Who else writes to a table. */
  public enum Sharing {
    /** Nobody: rows that are there before the pipeline comes are of an unknown past. */
    ALONE,
    /** Other pipelines and other writers: their rows are as good as ours. */
    SHARED,
    /** The same, and another one compacts it. */
    COMPACTED_ELSEWHERE
  }

  public TableTarget {
    partitionBy = List.copyOf(partitionBy);
    options = Map.copyOf(options);
  }

  /** Of a copy of a database's table, which nobody else writes. */
  public TableTarget(
      String lakeDatabase,
      String lakeTable,
      int buckets,
      String bucketsText,
      List<String> partitionBy,
      Map<String, String> options,
      boolean tinyIntOneAsBoolean) {
    this(
        lakeDatabase,
        lakeTable,
        buckets,
        bucketsText,
        partitionBy,
        options,
        tinyIntOneAsBoolean,
        TableKind.COPY,
        Sharing.ALONE);
  }

  public String lakeName() {
    return lakeDatabase + "." + lakeTable;
  }
}
