package io.sluice.sinks.pipeline;

import io.sluice.lsm.io.FileIO;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineSettings;
import io.sluice.sinks.PipelineStatus;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.RecoveredState;
import io.sluice.sinks.SourceCallbacks;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * One pipeline from a source's changes to tables in a lake. It holds no static state: many may run
 * in one process. Thread safe.
 */
public final class Pipeline implements AutoCloseable {

  private Pipeline() {}

  /**
   * Finds out from the lake alone where the pipeline stood: puts the highest epoch into the tables
   * that lack it, writes an empty epoch of its own (from then on an older daemon of this pipeline
   * cannot commit any more) and starts.
   *
   * @param ids gives a fresh, never repeated text at each call
   * @throws PipelineStoppedException UNREACHABLE if storage fails, PROTECTED if going on could lose
   *     or double rows, MISCONFIGURED if settings and lake contradict each other
   */
  public static Pipeline recover(
      PipelineSettings settings,
      FileIO fileIO,
      Clock clock,
      Supplier<String> ids,
      SourceCallbacks source,
      PipelineListener listener) {
    throw new UnsupportedOperationException();
  }

  /** What {@link #recover} found. */
  public RecoveredState recovered() {
    throw new UnsupportedOperationException();
  }

  public ChangeInput changes() {
    throw new UnsupportedOperationException();
  }

  public BackfillInput backfill() {
    throw new UnsupportedOperationException();
  }

  public PipelineStatus status() {
    throw new UnsupportedOperationException();
  }

  /** Ends, always exceptionally, with a {@link PipelineStoppedException}; CLOSED after close. */
  public CompletableFuture<Void> terminated() {
    throw new UnsupportedOperationException();
  }

  /**
   * Ends well: waits a while for the transaction under way, commits a last epoch, stops. The source
   * must go on delivering (or be stopped already) meanwhile.
   */
  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }

  /** Ends at once; what came since the last epoch is dropped and will come again. */
  public void abort() {
    throw new UnsupportedOperationException();
  }
}
