package io.sluice.sinks;

import io.sluice.evolution.SourceTableId;

/**
 * A source table, or a change of one, that can't be followed; the message names column and remedy.
 */
public final class TableRefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient SourceTableId table;

  public TableRefusedException(SourceTableId table, String message) {
    super(message);
    this.table = table;
  }

  public SourceTableId table() {
    return table;
  }
}
