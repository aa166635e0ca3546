package io.sluice.sinks.epoch;

import io.sluice.lsm.io.TablePaths;

/** A table in the warehouse, by name. */
public record LakeTable(String database, String table) implements Comparable<LakeTable> {

  /** {@code database.table}: for people; may be ambiguous where names have dots. */
  public String name() {
    return database + "." + table;
  }

  public String root(String warehouse) {
    return warehouse + "/" + database + ".db/" + table;
  }

  public TablePaths paths(String warehouse) {
    return new TablePaths(root(warehouse));
  }

  @Override
  public int compareTo(LakeTable other) {
    int byDatabase = database.compareTo(other.database);
    return byDatabase != 0 ? byDatabase : table.compareTo(other.table);
  }

  @Override
  public String toString() {
    return name();
  }
}
