package io.sluice.replicator.daemon;

import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.letters.KeptLetter;
import io.sluice.replicator.letters.LetterWork;
import io.sluice.replicator.metrics.DaemonStatus;
import io.sluice.sinks.KeyStretch;
import io.sluice.sinks.RecoveredState;
import io.sluice.sinks.SourceCallbacks;
import io.sluice.sinks.pipeline.Pipeline;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  /** Whether {@link #resync} can be done at all. */
  default boolean copiesTables() {
    return true;
  }

  /**
   * Has a table copied again. Fails with a {@link io.sluice.sinks.TableRefusedException} if it
   * can't be, and with whatever ends the source before.
   *
   * @param keys null: all of it
   */
  CompletableFuture<Void> resync(SourceTableId table, @Nullable KeyStretch keys);

  /**
   * Takes dead letters in, or drops them, in the stream's place of now; what became of each is in
   * the same epoch as its rows. Fails with whatever ends the source before.
   *
   * @return for each letter why it still waits; empty: it doesn't
   */
  default CompletableFuture<List<Optional<String>>> letters(
      LetterWork work, List<KeptLetter> letters) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException("This source sets nothing aside"));
  }

  /**
   * How far behind its source's newest change it is, in seconds; 0 when all was read; empty if
   * nothing was read yet.
   */
  OptionalDouble lagSeconds();

  /** The topics that are read, if it has any. */
  default List<DaemonStatus.Topic> topics() {
    return List.of();
  }

  /** The source's estimates of the rows of tables that are being copied. */
  Map<SourceTableId, Long> estimatedRows();

  /** Ends what reads beside the stream; the stream goes on, to end its transaction. */
  void closeBeside();

  /** Ends all of it and waits for that. */
  @Override
  void close();
}
