package io.sluice.replicator.daemon;

import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.backfill.Backfill;
import io.sluice.replicator.backfill.BackfillProgress;
import io.sluice.replicator.backfill.BackfillStatus;
import io.sluice.replicator.sources.debezium.DebeziumSource;
import io.sluice.replicator.sources.debezium.SourceSettings;
import io.sluice.replicator.values.ValueEncoders;
import io.sluice.replicator.wide.tables.TableParts;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.KeyStretch;
import io.sluice.sinks.PartCopy;
import io.sluice.sinks.RecoveredState;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.TableTarget;
import io.sluice.sinks.pipeline.Pipeline;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A database's stream, and the copy of existing rows beside it. */
final class DatabaseSource implements PipelineSource {

  private final PipelineRun.Parts parts;
  private final Clock clock;
  private final TableParts wide;
  private final DebeziumSource stream;
  private final AtomicBoolean backfillStarted = new AtomicBoolean();
  private final CompletableFuture<Void> terminated = new CompletableFuture<>();
  private volatile @Nullable Begun begun;

  /** What there is once the pipeline is there. */
  private record Begun(Backfill backfill, BackfillInput copied, ObservedInput input) {}

  /**
   * @param wide tables that fill wide tables
   */
  DatabaseSource(SourceSettings settings, TableParts wide, PipelineRun.Parts parts) {
    this.parts = parts;
    this.wide = wide;
    this.clock = parts.clock();
    this.stream = new DebeziumSource(settings, encoders(parts), wide, parts.liveness());
  }

  private static ValueEncoders encoders(PipelineRun.Parts parts) {
    return new ValueEncoders(
        ConfigMapping.flavor(parts.config()),
        ConfigMapping.zeroDates(parts.config()),
        parts.values());
  }

  @Override
  public Optional<TableTarget> target(SourceTableId table) {
    return stream.target(table);
  }

  @Override
  public String deliveredMark() {
    return stream.deliveredMark();
  }

  @Override
  public List<String> foldHistory(List<String> history) {
    return stream.foldHistory(history);
  }

  @Override
  public void begin(Pipeline pipeline, RecoveredState state) {
    var input = new ObservedInput(pipeline.changes(), this::copy, this::definitionsAreKnown);
    var backfill =
        new Backfill(
            ConfigMapping.jdbc(parts.config()),
            ConfigMapping.backfill(parts.config()),
            encoders(parts),
            pipeline.backfill(),
            stream.progress(),
            input::routed,
            terminated::completeExceptionally);
    begun = new Begun(backfill, pipeline.backfill(), input);
    wide.begin(new TableParts.Pipeline(input, pipeline.backfill(), backfill::add));
    stream.start(input, state);
    stream
        .terminated()
        .whenComplete(
            (nothing, failure) -> {
              if (failure != null) {
                terminated.completeExceptionally(failure);
              }
            });
    if (state.position().isPresent()) {
      definitionsAreKnown();
    }
  }

  /** A wide table's parts are copied, each for itself. */
  private void copy(RoutedTable table) {
    if (!wide.isWide(table.source().id())) {
      backfill().add(table);
    }
  }

  private Backfill backfill() {
    return Objects.requireNonNull(begun).backfill();
  }

  /** From here on the stream tells what it has delivered: chunks may be opened. */
  private void definitionsAreKnown() {
    if (backfillStarted.compareAndSet(false, true)) {
      backfill().start();
    }
  }

  @Override
  public CompletableFuture<Void> terminated() {
    return terminated;
  }

  @Override
  public CompletableFuture<Void> resync(SourceTableId table, @Nullable KeyStretch keys) {
    Begun now = begun;
    return keys == null || now == null
        ? stream.resync(table, null)
        : stream.resync(table, new PartCopy(keys, Backfill.copied(now.copied(), table)));
  }

  @Override
  public OptionalDouble lagSeconds() {
    if (stream.caughtUp()) {
      return OptionalDouble.of(0);
    }
    Begun now = begun;
    long newest = now == null ? 0 : now.input().newestChangeMicros();
    return newest == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(Math.max(0, clock.millis() / 1e3 - newest / 1e6));
  }

  @Override
  public Map<SourceTableId, Long> estimatedRows() {
    var result = new HashMap<SourceTableId, Long>();
    Begun now = begun;
    if (now != null) {
      for (BackfillStatus table : now.backfill().status()) {
        if (table.state() != BackfillProgress.State.CONSISTENT && table.rowsEstimated() > 0) {
          result.merge(table.table(), table.rowsEstimated(), Long::sum);
        }
      }
    }
    return result;
  }

  @Override
  public void closeBeside() {
    Begun now = begun;
    if (now != null) {
      now.backfill().close();
    }
  }

  @Override
  public void close() {
    closeBeside();
    stream.close();
  }
}
