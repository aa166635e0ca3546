package io.sluice.replicator.daemon;

import io.sluice.config.SluiceConfig;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.io.FileIO;
import io.sluice.replicator.backfill.Backfill;
import io.sluice.replicator.backfill.BackfillProgress;
import io.sluice.replicator.backfill.BackfillStatus;
import io.sluice.replicator.backfill.JdbcSource;
import io.sluice.replicator.sources.debezium.DebeziumSource;
import io.sluice.replicator.sources.debezium.SourceSettings;
import io.sluice.replicator.values.UnencodableValueException;
import io.sluice.replicator.values.ValueEncoders;
import io.sluice.replicator.values.ValueListener;
import io.sluice.sinks.KeyStretch;
import io.sluice.sinks.Liveness;
import io.sluice.sinks.PartCopy;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineStatus;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.RecoveredState;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.Succession;
import io.sluice.sinks.TableRefusedException;
import io.sluice.sinks.pipeline.Pipeline;
import java.sql.SQLException;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of pipeline, source and backfill, from recovery to the first of them that ends. A fault
 * of the source or the backfill ends the run; what was cut before it is committed where that is
 * safe.
 */
final class PipelineRun {

  private final Clock clock;
  private final Pipeline pipeline;
  private final DebeziumSource source;
  private final Backfill backfill;
  private final ObservedInput input;
  private final ResyncLoop resyncs;
  private final AtomicBoolean backfillStarted = new AtomicBoolean();
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
      long heapBytes) {}

  private PipelineRun(
      Clock clock, Pipeline pipeline, DebeziumSource source, JdbcSource jdbc, Parts parts) {
    this.clock = clock;
    this.pipeline = pipeline;
    this.source = source;
    this.input = new ObservedInput(pipeline.changes(), this::seen, this::definitionsAreKnown);
    this.backfill =
        new Backfill(
            jdbc,
            ConfigMapping.backfill(parts.config()),
            encoders(parts),
            pipeline.backfill(),
            source.progress(),
            input::routed,
            this::backfillFailed);
    this.resyncs =
        new ResyncLoop(
            parts.config().pipeline(),
            new ResyncRequests(parts.fileIO(), parts.folder()),
            new ResyncLoop.Run() {
              @Override
              public List<SourceTableId> tables() {
                return pipeline.tables();
              }

              @Override
              public CompletableFuture<Void> resync(
                  SourceTableId table, @Nullable KeyStretch keys) {
                return keys == null
                    ? source.resync(table, null)
                    : source.resync(
                        table, new PartCopy(keys, Backfill.copied(pipeline.backfill(), table)));
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
  }

  private static ValueEncoders encoders(Parts parts) {
    return new ValueEncoders(
        ConfigMapping.flavor(parts.config()),
        ConfigMapping.zeroDates(parts.config()),
        parts.values());
  }

  /**
   * Recovers and starts everything.
   *
   * @throws PipelineStoppedException it can't be started; then nothing of it runs
   */
  static PipelineRun start(Parts parts, SourceSettings settings) {
    var source = new DebeziumSource(settings, encoders(parts), parts.liveness());
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
    var run =
        new PipelineRun(parts.clock(), pipeline, source, ConfigMapping.jdbc(parts.config()), parts);
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
    if (state.position().isPresent() && resyncs.isAskedForAll()) {
      state = beginAnew();
    }
    source.start(input, state);
    watch(source.terminated());
    if (state.position().isPresent()) {
      definitionsAreKnown();
    }
    resyncs.start();
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

  private void seen(RoutedTable table) {
    backfill.add(table);
  }

  /** From here on the stream tells what it has delivered: chunks may be opened. */
  private void definitionsAreKnown() {
    if (backfillStarted.compareAndSet(false, true)) {
      backfill.start();
    }
  }

  private void backfillFailed(Throwable failure) {
    ended.complete(asStop(failure));
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
    resyncs.close();
    backfill.close();
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
    resyncs.close();
    backfill.close();
    pipeline.abort();
    source.close();
  }

  PipelineStatus status() {
    return pipeline.status();
  }

  /** 0 when all was read; empty if nothing was read yet. */
  OptionalDouble sourceLagSeconds() {
    if (source.caughtUp()) {
      return OptionalDouble.of(0);
    }
    long newest = input.newestChangeMicros();
    return newest == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(Math.max(0, clock.millis() / 1e3 - newest / 1e6));
  }

  /** The server's estimates for tables that are being copied. */
  Map<SourceTableId, Long> estimatedRows() {
    var result = new HashMap<SourceTableId, Long>();
    for (BackfillStatus table : backfill.status()) {
      if (table.state() != BackfillProgress.State.CONSISTENT && table.rowsEstimated() > 0) {
        result.put(table.table(), table.rowsEstimated());
      }
    }
    return result;
  }
}
