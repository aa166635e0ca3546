package io.sluice.sinks.epoch;

import io.sluice.sinks.PipelineStoppedException;
import org.jspecify.annotations.Nullable;

/**
 * One table can't be committed to; the others can. A pipeline that parks tables leaves it behind,
 * any other stops with this.
 */
public final class TableFaultException extends PipelineStoppedException {

  private static final long serialVersionUID = 1L;

  public TableFaultException(Reason reason, String message) {
    this(reason, message, null);
  }

  public TableFaultException(Reason reason, String message, @Nullable Throwable cause) {
    super(reason, message, cause);
  }
}
