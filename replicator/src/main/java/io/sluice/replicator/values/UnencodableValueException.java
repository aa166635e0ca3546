package io.sluice.replicator.values;

import io.sluice.evolution.SourceTableId;

/**
 * A value that the lake column can't hold as it is. The message names table, column, both types and
 * what to do, never the value of a text (it may be private).
 */
public final class UnencodableValueException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient SourceTableId table;
  private final String column;

  public UnencodableValueException(SourceTableId table, String column, String message) {
    super(message);
    this.table = table;
    this.column = column;
  }

  public SourceTableId table() {
    return table;
  }

  public String column() {
    return column;
  }
}
