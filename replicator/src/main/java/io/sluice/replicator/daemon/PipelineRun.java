package io.sluice.replicator.daemon;

import io.sluice.config.SluiceConfig;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.replicator.letters.KeptLetter;
import io.sluice.replicator.letters.LetterBox;
import io.sluice.replicator.letters.LetterWork;
import io.sluice.replicator.metrics.DaemonStatus;
import io.sluice.replicator.values.UnencodableValueException;
import io.sluice.replicator.values.ValueListener;
import io.sluice.sinks.KeyStretch;
import io.sluice.sinks.Liveness;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineStatus;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.RecoveredState;
import io.sluice.sinks.Succession;
import io.sluice.sinks.TableRefusedException;
import io.sluice.sinks.pipeline.Pipeline;
import java.sql.SQLException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of pipeline and source, from recovery to the first of them that ends. A fault of the
 * source ends the run; what was cut before it is committed where that is safe.
 */
final class PipelineRun {

  private final Pipeline pipeline;
  private final PipelineSource source;
  private final ResyncLoop resyncs;
  private final LetterLoop letters;
  private final CompletableFuture<PipelineStoppedException> ended = new CompletableFuture<>();

  /**
   * What a run is made of.
   *
   * @param folder of the pipeline in the warehouse
   */
  record Parts(
      SluiceConfig config,
      FileIO fileIO,
      String folder,
      Succession succession,
      Liveness liveness,
      Clock clock,
      Supplier<String> ids,
      PipelineListener listener,
      ValueListener values,
      int cores,
      long heapBytes) {

    /** What was set aside. */
    LetterBox letters() {
      return new LetterBox(
          fileIO, FileIOs.pathOf(config.warehouse()), config.pipeline(), clock, ids);
    }
  }

  private PipelineRun(Pipeline pipeline, PipelineSource source, Parts parts) {
    this.pipeline = pipeline;
    this.source = source;
    this.resyncs =
        new ResyncLoop(
            parts.config().pipeline(),
            new ResyncRequests(parts.fileIO(), parts.folder()),
            new ResyncLoop.Run() {
              @Override
              public List<SourceTableId> tables() {
                return source.copiesTables()
                    ? pipeline.tables()
                    : pipeline.tables().stream().filter(pipeline.changes()::isParked).toList();
              }

              @Override
              public CompletableFuture<Void> resync(
                  SourceTableId table, @Nullable KeyStretch keys) {
                return source.resync(table, keys);
              }

              @Override
              public boolean leaveBehind(SourceTableId table, String reason)
                  throws InterruptedException {
                return pipeline.leaveBehind(table, reason);
              }

              @Override
              public void awaitCommitted() throws InterruptedException {
                pipeline.awaitCommitted();
              }
            });
    this.letters =
        new LetterLoop(
            parts.config().pipeline(),
            new LetterRequests(parts.fileIO(), parts.folder()),
            parts.letters(),
            new LetterLoop.Run() {
              @Override
              public CompletableFuture<List<Optional<String>>> letters(
                  LetterWork work, List<KeptLetter> some) {
                return source.letters(work, some);
              }

              @Override
              public void awaitCommitted() throws InterruptedException {
                pipeline.awaitCommitted();
              }
            });
  }

  /**
   * Recovers and starts everything.
   *
   * @throws PipelineStoppedException it can't be started; then nothing of it runs
   */
  static PipelineRun start(Parts parts, SourceSide side) {
    PipelineSource source = side.open(parts);
    Pipeline pipeline =
        Pipeline.recover(
            ConfigMapping.pipeline(parts.config(), parts.cores(), parts.heapBytes()),
            parts.fileIO(),
            parts.clock(),
            parts.ids(),
            source,
            parts.listener(),
            parts.succession(),
            parts.liveness());
    var run = new PipelineRun(pipeline, source, parts);
    try {
      run.begin();
      return run;
    } catch (RuntimeException e) {
      run.dropAll();
      throw asStop(e);
    }
  }

  private void begin() {
    watch(pipeline.terminated());
    RecoveredState state = pipeline.recovered();
    if (state.position().isPresent() && source.copiesTables() && resyncs.isAskedForAll()) {
      state = beginAnew();
    }
    watch(source.terminated());
    source.begin(pipeline, state);
    resyncs.start();
    letters.start();
  }

  private RecoveredState beginAnew() {
    try {
      return pipeline
          .leaveAllBehind("All tables are to be copied again, as was asked.")
          .orElseThrow(
              () ->
                  new PipelineStoppedException(
                      Reason.MISCONFIGURED,
                      "All tables are to be copied again, as "
                          + resyncs.folder()
                          + "/resync-* asks, which takes on-table-error = park: what isn't copied"
                          + " yet is parked meanwhile. Set it, or delete that file to go on"
                          + " without."));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PipelineStoppedException(Reason.CLOSED, "Interrupted in a start", e);
    }
  }

  private void watch(CompletableFuture<Void> part) {
    part.whenComplete((nothing, failure) -> ended.complete(asStop(failure)));
  }

  /** Completes, never exceptionally, when anything of the run has ended by itself. */
  CompletableFuture<PipelineStoppedException> ended() {
    return ended;
  }

  static PipelineStoppedException asStop(Throwable failure) {
    Throwable cause =
        failure instanceof ExecutionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof PipelineStoppedException stopped) {
      return stopped;
    }
    String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    if (cause instanceof TableRefusedException || cause instanceof UnencodableValueException) {
      return new PipelineStoppedException(
          cause instanceof TableRefusedException refused ? refused.reason() : Reason.REFUSED,
          message + " (With on-table-error = park this table alone would be left behind.)",
          cause);
    }
    if (cause instanceof SQLException) {
      return new PipelineStoppedException(
          Reason.UNREACHABLE, "Existing rows can't be read: " + message, cause);
    }
    return new PipelineStoppedException(
        Reason.PROTECTED, "Stopped to protect data, by an error of Sluice's own: " + cause, cause);
  }

  /** Commits a last epoch and ends; the source goes on until then, to end its transaction. */
  void closeWell() {
    closeLoops();
    source.closeBeside();
    pipeline.close();
    source.close();
  }

  /** After {@link #ended}: commits what was cut before a refused change, drops it else. */
  void closeAfter(PipelineStoppedException why) {
    if (why.reason() == Reason.REFUSED) {
      closeWell();
    } else {
      dropAll();
    }
  }

  /** Ends at once, without a last epoch. */
  void dropAll() {
    closeLoops();
    source.closeBeside();
    pipeline.abort();
    source.close();
  }

  private void closeLoops() {
    resyncs.close();
    letters.close();
  }

  PipelineStatus status() {
    return pipeline.status();
  }

  /** See {@link PipelineSource#lagSeconds}. */
  OptionalDouble sourceLagSeconds() {
    return source.lagSeconds();
  }

  /** See {@link PipelineSource#topics}. */
  List<DaemonStatus.Topic> topics() {
    return source.topics();
  }

  /** See {@link PipelineSource#estimatedRows}. */
  Map<SourceTableId, Long> estimatedRows() {
    return source.estimatedRows();
  }
}
