package io.sluice.sinks;

import io.sluice.evolution.SourceTableId;
import io.sluice.sinks.PipelineStoppedException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * A source table, or a change of one, that can't be followed; the message names column and remedy.
 */
public final class TableRefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient SourceTableId table;
  private final Reason reason;

  public TableRefusedException(SourceTableId table, String message) {
    this(table, Reason.REFUSED, message, null);
  }

  /**
   * @param reason what it means to a pipeline that leaves no table behind
   */
  public TableRefusedException(
      SourceTableId table, Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.table = table;
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }

  public SourceTableId table() {
    return table;
  }
}
