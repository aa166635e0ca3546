package io.sluice.replicator.daemon;

import io.sluice.evolution.SourceTableId;
import io.sluice.sinks.KeyStretch;
import io.sluice.sinks.RecoveredState;
import io.sluice.sinks.SourceCallbacks;
import io.sluice.sinks.pipeline.Pipeline;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Everything that reads a source in one run. Order of use: the pipeline gets it as its {@link
 * SourceCallbacks}, {@link #begin}, {@link #closeBeside}, {@link #close}. Thread safe.
 */
interface PipelineSource extends SourceCallbacks, AutoCloseable {

  /** Starts to read and to hand over. */
  void begin(Pipeline pipeline, RecoveredState state);

  /** Ends, always exceptionally, with the first failure of any of its parts. */
  CompletableFuture<Void> terminated();

  /**
   * Has a table copied again. Fails with a {@link io.sluice.sinks.TableRefusedException} if it
   * can't be, and with whatever ends the source before.
   *
   * @param keys null: all of it
   */
  CompletableFuture<Void> resync(SourceTableId table, @Nullable KeyStretch keys);

  /**
   * How far behind its source's newest change it is, in seconds; 0 when all was read; empty if
   * nothing was read yet.
   */
  OptionalDouble lagSeconds();

  /** The source's estimates of the rows of tables that are being copied. */
  Map<SourceTableId, Long> estimatedRows();

  /** Ends what reads beside the stream; the stream goes on, to end its transaction. */
  void closeBeside();

  /** Ends all of it and waits for that. */
  @Override
  void close();
}
