package io.sluice.evolution;

import java.util.List;

/**
 * A source table's definition at one moment.
 *
 * @param columns in column order
 * @param primaryKey in key order; empty for a table without one
 */
public record SourceTable(SourceTableId id, List<SourceColumn> columns, List<String> primaryKey) {

  public SourceTable {
    columns = List.copyOf(columns);
    primaryKey = List.copyOf(primaryKey);
  }
}
