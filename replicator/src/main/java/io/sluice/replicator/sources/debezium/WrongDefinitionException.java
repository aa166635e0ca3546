package io.sluice.replicator.sources.debezium;

import io.sluice.sinks.PipelineStoppedException;
import org.jspecify.annotations.Nullable;

/**
 * Rows or statements don't fit the definition that Debezium has of their table. While it isn't sure
 * that the definitions are those of the stream's place, which is so after they were read beside a
 * running server, they are read again; afterwards it is a reason to stop.
 */
final class WrongDefinitionException extends PipelineStoppedException {

  private static final long serialVersionUID = 1;

  WrongDefinitionException(String message, @Nullable Throwable cause) {
    super(Reason.REFUSED, message, cause);
  }
}
