package io.sluice.replicator.sources.debezium;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.backfill.StreamPosition;
import io.sluice.replicator.values.ValueEncoders;
import io.sluice.replicator.wide.tables.TableParts;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.Liveness;
import io.sluice.sinks.PartCopy;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.RecoveredState;
import io.sluice.sinks.SourceCallbacks;
import io.sluice.sinks.TableRefusedException;
import io.sluice.sinks.TableTarget;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of a MySQL or MariaDB source: from a recovered state to its end. A fault, whatever it is,
 * ends the run; going on is a new run from the last committed epoch.
 *
 * <p>Order of use: construct, hand it to the pipeline as its {@link SourceCallbacks}, {@link
 * #start}, {@link #close}. Thread safe.
 */
public final class DebeziumSource implements SourceCallbacks, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(DebeziumSource.class);

  private static final long CLOSE_SECONDS_MAX = 30;

  private final SourceSettings settings;
  private final ValueEncoders encoders;
  private final TableParts parts;
  private final Liveness.Stage stage;
  private final StreamProgress progress = new StreamProgress();
  private final CompletableFuture<Void> terminated = new CompletableFuture<>();
  private final AtomicBoolean closing = new AtomicBoolean();
  private volatile @Nullable DeliveredMark delivered;
  private volatile @Nullable EngineSession session;
  private volatile @Nullable DebeziumEngine<RecordChangeEvent<SourceRecord>> engine;
  private final Queue<Errand> errands = new ConcurrentLinkedQueue<>();
  private volatile boolean consuming;
  private volatile boolean caughtUp;
  private volatile long batches;

  /** A resync that was asked for. */
  private record Errand(
      SourceTableId table, @Nullable PartCopy part, CompletableFuture<Void> done) {}

  public DebeziumSource(SourceSettings settings, ValueEncoders encoders) {
    this(settings, encoders, TableParts.none(), new Liveness());
  }

  /**
   * @param parts tables that fill wide tables; begun before {@link #start}
   * @param liveness gets a stage for the engine's task: it polls, hands over, and polls again
   */
  public DebeziumSource(
      SourceSettings settings, ValueEncoders encoders, TableParts parts, Liveness liveness) {
    this.settings = settings;
    this.encoders = encoders;
    this.parts = parts;
    this.stage = liveness.stage("source");
  }

  @Override
  public Optional<TableTarget> target(SourceTableId table) {
    return parts.target(table).or(() -> settings.target().apply(table));
  }

  /** Whether a table has a lake table of its own. */
  private boolean isCopied(SourceTableId table) {
    return settings.target().apply(table).isPresent();
  }

  private boolean isCaptured(SourceTableId table) {
    return isCopied(table) || parts.takes(table);
  }

  /** See {@link DeliveredMark#text}; empty before anything is known. */
  @Override
  public String deliveredMark() {
    DeliveredMark mark = delivered;
    return mark == null ? "" : mark.text();
  }

  @Override
  public List<String> foldHistory(List<String> history) {
    return HistoryRecords.fold(history);
  }

  /** Whether all that the server had was handed over when it was last seen idle. */
  public boolean caughtUp() {
    return caughtUp;
  }

  /**
   * Has a table copied again, as soon as the stream's order allows: between two records. A parked
   * table comes back by it.
   *
   * @param part null: all of it
   * @return fails with a {@link io.sluice.sinks.TableRefusedException} if it can't be, and with a
   *     {@link PipelineStoppedException} if the source ends before
   */
  public CompletableFuture<Void> resync(SourceTableId table, @Nullable PartCopy part) {
    var errand = new Errand(table, part, new CompletableFuture<>());
    errands.add(errand);
    terminated.whenComplete(
        (nothing, failure) -> {
          if (failure != null) {
            errand.done.completeExceptionally(failure);
          }
        });
    return errand.done;
  }

  private void runErrands(RecordInterpreter interpreter) {
    // As many as there are now: those that must wait come again with the next records.
    for (int left = errands.size(); left > 0 && interpreter.knowsDefinitions(); left--) {
      Errand errand = errands.poll();
      if (errand == null) {
        return;
      }
      if (!interpreter.isPastLosses(errand.table)) {
        errands.add(errand);
        continue;
      }
      try {
        interpreter.resync(errand.table, errand.part);
      } catch (TableRefusedException e) {
        errand.done.completeExceptionally(e);
        continue;
      }
      errand.done.complete(null);
    }
  }

  /** How far the stream has come, for the backfill. */
  public StreamPosition progress() {
    return progress;
  }

  /** Ends, always exceptionally, with a {@link PipelineStoppedException}; CLOSED after close. */
  public CompletableFuture<Void> terminated() {
    return terminated;
  }

  /**
   * Restores the tables and starts the engine; returns when its thread runs.
   *
   * @throws PipelineStoppedException the recovered state is not this source's, the source no longer
   *     has what comes behind it, or can't be asked
   */
  public void start(ChangeInput input, RecoveredState state) {
    BinlogPosition position = recoveredPosition(state);
    List<String> history = HistoryRecords.fold(state.history());
    var schemas =
        new SchemaChanges(
            input,
            this::isCopied,
            parts,
            new SchemaChanges.ServerFacts() {
              @Override
              public boolean cascadesAreLogged() {
                return SourceServer.cascadesAreLogged(settings);
              }

              @Override
              public boolean characterSetsAreLogged() {
                return SourceServer.characterSetsAreLogged(settings);
              }
            });
    if (position != null) {
      PositionCheck.require(settings, position);
      delivered =
          new DeliveredMark(
              position.gtids(),
              null,
              position.eventsToSkip() == 0 ? position.point() : position.point().justBehind());
      history = forgetLeft(history, input);
      schemas.restore(history);
      expectNew(history, schemas);
    } else {
      // A pipeline that begins anew: what it knew of before holds no more.
      HistoryRecords.databases(history).stream()
          .map(HistoryRecords::forgotten)
          .forEach(input::history);
    }
    List<String> recovered = history;
    var watch =
        new RecordInterpreter.SourceWatch() {
          @Override
          public void delivered(DeliveredMark mark) {
            delivered = mark;
          }

          @Override
          public void passed(BinlogPoint point) {
            progress.passed(point);
          }
        };
    var holder = new RecordInterpreter[1];
    EngineSession opened =
        EngineSession.open(
            position == null ? null : position.toOffset(),
            position == null ? List.of() : recovered,
            point -> {
              caughtUp = true;
              consume(
                  () -> {
                    holder[0].idleAt(point);
                    runErrands(holder[0]);
                  });
            },
            () -> {
              stage.enter();
              stage.works();
            },
            new EngineSession.Tables() {
              @Override
              public boolean isCaptured(SourceTableId table) {
                return DebeziumSource.this.isCaptured(table);
              }

              @Override
              public boolean isParked(SourceTableId table) {
                return SchemaChanges.isParked(table, DebeziumSource.this::isCopied, parts, input);
              }

              @Override
              public boolean areParked() {
                return input.parksTables();
              }
            });
    session = opened;
    holder[0] =
        new RecordInterpreter(
            settings.flavor(),
            EngineProperties.topicPrefix(settings.pipeline()),
            opened,
            input,
            schemas,
            encoders,
            () -> SourceServer.binlogEnd(settings),
            watch,
            position);
    try {
      run(opened, holder[0]);
    } catch (RuntimeException e) {
      opened.close();
      throw e;
    }
  }

  /**
   * Databases that the config has left behind: their statements come no longer, so what was known
   * of their tables must not be taken for true when they come back.
   */
  private List<String> forgetLeft(List<String> history, ChangeInput input) {
    var kept = new ArrayList<String>(history);
    for (String database : HistoryRecords.databases(history)) {
      if (!settings.follows(database)) {
        String record = HistoryRecords.forgotten(database);
        input.history(record);
        kept.add(record);
      }
    }
    return HistoryRecords.fold(kept);
  }

  private void expectNew(List<String> history, SchemaChanges schemas) {
    Set<String> known = HistoryRecords.databases(history);
    // First the tables, then the end: what is made in between comes before it.
    Set<String> fresh =
        SourceServer.tables(settings).stream()
            .filter(table -> settings.follows(table.database()))
            .filter(table -> !known.contains(table.database()))
            .filter(this::isCaptured)
            .map(SourceTableId::database)
            .collect(Collectors.toCollection(TreeSet::new));
    if (!fresh.isEmpty()) {
      schemas.expect(fresh, SourceServer.binlogEnd(settings));
    }
  }

  private @Nullable BinlogPosition recoveredPosition(RecoveredState state) {
    if (state.position().isEmpty()) {
      return null;
    }
    try {
      return BinlogPosition.parse(state.position().get(), settings.flavor());
    } catch (IllegalArgumentException e) {
      throw new PipelineStoppedException(
          Reason.MISCONFIGURED,
          "Pipeline "
              + settings.pipeline()
              + " stands at "
              + state.position().get().text()
              + ", which is no position of a "
              + settings.flavor()
              + " server: the source in the config is of another kind than before.",
          e);
    }
  }

  private void run(EngineSession opened, RecordInterpreter interpreter) {
    DebeziumEngine<RecordChangeEvent<SourceRecord>> made =
        DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
            .using(EngineProperties.of(settings, opened, Runtime.getRuntime().maxMemory()))
            .notifying((records, committer) -> consumeBatch(interpreter, records))
            .using(
                (success, message, error) ->
                    ended(opened, interpreter, success ? null : message, success ? null : error))
            .build();
    engine = made;
    var thread = new Thread(made, "source-" + settings.pipeline());
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler((t, e) -> ended(opened, interpreter, null, e));
    thread.start();
    var watchdog = new Thread(() -> watch(opened), "source-watchdog-" + settings.pipeline());
    watchdog.setDaemon(true);
    watchdog.start();
  }

  /** The committer is never called: Debezium stores nothing. */
  private void consumeBatch(
      RecordInterpreter interpreter, List<RecordChangeEvent<SourceRecord>> records) {
    caughtUp = false;
    consume(
        () -> {
          runErrands(interpreter);
          for (RecordChangeEvent<SourceRecord> record : records) {
            if (closing.get()) {
              return;
            }
            interpreter.accept(record.record());
            stage.works();
          }
          interpreter.batchEnded();
        });
  }

  private void consume(Runnable work) {
    EngineSession current = session;
    if (closing.get() || current == null) {
      return;
    }
    PipelineStoppedException before = current.fault();
    if (before != null) {
      throw before;
    }
    consuming = true;
    try {
      work.run();
    } catch (RuntimeException e) {
      PipelineStoppedException why = SourceFailures.explain(settings, null, e);
      current.fail(why);
      throw why;
    } finally {
      batches++;
      consuming = false;
    }
  }

  private void ended(
      EngineSession opened,
      RecordInterpreter interpreter,
      @Nullable String message,
      @Nullable Throwable error) {
    PipelineStoppedException fault = opened.fault();
    stage.rests();
    opened.close();
    if (closing.get()) {
      terminated.completeExceptionally(
          new PipelineStoppedException(Reason.CLOSED, "The source was asked to stop"));
    } else {
      PipelineStoppedException why =
          fault != null
              ? fault
              : SourceFailures.explain(
                  settings, message, error == null ? new IOException("the engine ended") : error);
      boolean again = why instanceof WrongDefinitionException && !interpreter.definitionsAreSure();
      terminated.completeExceptionally(again ? RecordInterpreter.readDefinitionsAgain(why) : why);
    }
  }

  /** A server that says nothing at all is gone, though nobody tells us. */
  private void watch(EngineSession opened) {
    var silence = new SilenceWatch(settings.readTimeout());
    Optional<String> lost = Optional.empty();
    while (lost.isEmpty()) {
      if (hasEndedWithin(Duration.ofSeconds(1)) || opened.closed()) {
        return;
      }
      lost =
          silence.tick(
              new SilenceWatch.Seen(
                  opened.eventsSeen(),
                  batches + opened.storedCount(),
                  opened.isConnected(),
                  consuming));
    }
    giveUp(opened, new PipelineStoppedException(Reason.UNREACHABLE, lost.get()));
  }

  /**
   * Ends the run though the engine may hang: nothing is handed over behind a fault, so it can be
   * left behind.
   */
  private void giveUp(EngineSession opened, PipelineStoppedException why) {
    opened.fail(why);
    var closer = new Thread(this::closeEngine, "source-closer-" + settings.pipeline());
    closer.setDaemon(true);
    closer.start();
    if (!hasEndedWithin(Duration.ofSeconds(CLOSE_SECONDS_MAX))) {
      LOG.warn("The source did not end within {} s; it is left behind", CLOSE_SECONDS_MAX);
      opened.close();
      terminated.completeExceptionally(why);
    }
  }

  private boolean hasEndedWithin(Duration time) {
    try {
      terminated.get(time.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (java.util.concurrent.ExecutionException e) {
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** Stops and waits until the engine has ended; what was handed over stays handed over. */
  @Override
  public void close() {
    closing.set(true);
    EngineSession opened = session;
    if (opened == null) {
      terminated.completeExceptionally(
          new PipelineStoppedException(Reason.CLOSED, "The source was asked to stop"));
      return;
    }
    if (!terminated.isDone()) {
      opened.markClosing();
      closeEngine();
      if (!hasEndedWithin(Duration.ofSeconds(CLOSE_SECONDS_MAX))) {
        LOG.warn("The source did not end within {} s; it is left behind", CLOSE_SECONDS_MAX);
      }
    }
    opened.close();
  }

  /** The engine can't be closed while it starts (its own rule): tried again until it can. */
  private void closeEngine() {
    DebeziumEngine<?> current = engine;
    for (int attempt = 0; current != null && attempt < 100 && !terminated.isDone(); attempt++) {
      try {
        current.close();
        return;
      } catch (IllegalStateException e) {
        LOG.debug("The engine can't be closed yet", e);
        try {
          terminated.get(100, TimeUnit.MILLISECONDS);
        } catch (TimeoutException again) {
          continue;
        } catch (java.util.concurrent.ExecutionException ended) {
          return;
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
          return;
        }
      } catch (IOException e) {
        LOG.warn("The engine did not close cleanly", e);
        return;
      }
    }
  }
}
