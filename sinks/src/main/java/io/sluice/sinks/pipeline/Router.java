package io.sluice.sinks.pipeline;

import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TableKind;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.LsmException;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.DeadLetter;
import io.sluice.sinks.DeadLetterTable;
import io.sluice.sinks.Parked;
import io.sluice.sinks.PartCopy;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.SourceCallbacks;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.TablePlace;
import io.sluice.sinks.TableRefusedException;
import io.sluice.sinks.TableTarget;
import io.sluice.sinks.epoch.EpochFile.SourceFacts;
import io.sluice.sinks.epoch.LakeTable;
import io.sluice.sinks.epoch.TableFaultException;
import io.sluice.sinks.shard.Bucket;
import io.sluice.sinks.shard.RowBatch;
import io.sluice.sinks.shard.ShardMessage.Discard;
import io.sluice.sinks.shard.ShardWorker;
import java.time.Clock;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stream's entrance: gives every event its number, finds its bucket, copies it into that
 * bucket's batch. All under the pipeline's lock; waiting for a worker that is behind happens
 * outside it.
 */
final class Router implements ChangeInput {

  private static final long NEXT_NUMBER = -1;
  private static final Logger LOG = LoggerFactory.getLogger(Router.class);

  private final PipelineMonitor monitor;
  private final SourceCallbacks source;
  private final SchemaGate gate;
  private final SchemaGate resyncGate;
  private final TableRegistry tables;
  private final PipelineListener listener;
  private final Parking parking;
  private final CatchUps catchUps;
  private final Consumer<LakeTable> forget;
  private final Consumer<LakeTable> compactedElsewhere;
  private final String pipeline;
  private final Clock clock;
  private @Nullable RoutedTable deadLetters;

  // The table of the last row: rows come in runs.
  private @Nullable RoutedTable lastRouted;
  private @Nullable TableState lastState;

  /**
   * @param resyncGate the same as {@code gate}, but it doesn't wait long for storage
   * @param forget makes everybody look anew at a lake table
   * @param compactedElsewhere told of tables that this pipeline doesn't compact
   * @param pipeline its name
   */
  Router(
      PipelineMonitor monitor,
      SourceCallbacks source,
      SchemaGate gate,
      SchemaGate resyncGate,
      TableRegistry tables,
      PipelineListener listener,
      Parking parking,
      CatchUps catchUps,
      Consumer<LakeTable> forget,
      Consumer<LakeTable> compactedElsewhere,
      String pipeline,
      Clock clock) {
    this.monitor = monitor;
    this.source = source;
    this.gate = gate;
    this.resyncGate = resyncGate;
    this.tables = tables;
    this.listener = listener;
    this.parking = parking;
    this.catchUps = catchUps;
    this.forget = forget;
    this.compactedElsewhere = compactedElsewhere;
    this.pipeline = pipeline;
    this.clock = clock;
  }

  @Override
  public Optional<RoutedTable> restoreTable(SourceTable definition) {
    Optional<TableTarget> target = source.target(definition.id());
    if (target.isEmpty()) {
      return Optional.empty();
    }
    if (parking.isParked(definition.id())) {
      return Optional.empty();
    }
    TableState known = monitor.locked(() -> tables.find(definition.id()));
    try {
      return Optional.of(
          known == null ? meet(definition, target.get(), null, Handed.NOTHING) : known.routed());
    } catch (TableRefusedException e) {
      // Nothing was handed over: the pipeline stays where it may cut.
      parkOrThrow(e, Parking.By.OTHERS);
      return Optional.empty();
    }
  }

  private void parkOrThrow(TableRefusedException e, Parking.By by) {
    if (!parking.park(e.table(), String.valueOf(e.getMessage()), by)) {
      throw e;
    }
  }

  @Override
  public boolean park(SourceTableId table, String reason) {
    return parking.park(table, reason, Parking.By.SOURCE);
  }

  @Override
  public boolean parksTables() {
    return parking.parks();
  }

  @Override
  public boolean isParked(SourceTableId table) {
    return parking.isParked(table);
  }

  @Override
  public Map<SourceTableId, Parked> parked() {
    return tables.parked();
  }

  @Override
  public TablePlace place(SourceTableId table) {
    return catchUps.place(table);
  }

  @Override
  public Optional<RoutedTable> catchUp(
      SourceTableId table, @Nullable SourceTable definition, TablePlace from) {
    return catchUps.begin(table, definition, from);
  }

  @Override
  public void caughtUpTo(SourceTableId table, SourcePosition position) {
    catchUps.advance(table, position);
  }

  @Override
  public void restate(SourceTableId table, SourcePosition before, SourcePosition now) {
    catchUps.restate(table, before, now);
  }

  @Override
  public void join(SourceTableId table) {
    catchUps.join(table);
  }

  @Override
  public Optional<RoutedTable> tableChanged(
      SourceTable definition, @Nullable String historyRecord) {
    Optional<TableTarget> target = source.target(definition.id());
    if (target.isPresent() && !tables.stands(definition.id())) {
      TableState known = monitor.locked(() -> tables.find(definition.id()));
      try {
        return Optional.of(
            known == null
                ? meet(definition, target.get(), historyRecord, Handed.EVENT)
                : alter(known, definition, target.get(), historyRecord));
      } catch (TableRefusedException e) {
        if (parking.isParked(definition.id())) {
          // It catches up, from a place that only its reader knows.
          throw e;
        }
        parkOrThrow(e, Parking.By.SOURCE);
      }
    }
    if (historyRecord != null) {
      history(historyRecord);
    }
    return Optional.empty();
  }

  /** Whether what is taken in is an event, after which only the source may name a cut point. */
  private enum Handed {
    EVENT,
    NOTHING
  }

  private RoutedTable meet(
      SourceTable definition, TableTarget target, @Nullable String historyRecord, Handed handed) {
    LakeTable lake = new LakeTable(target.lakeDatabase(), target.lakeTable());
    SourceFacts facts = monitor.locked(() -> tables.recovered(definition.id()));
    if (facts != null && !facts.lakeTable().equals(lake)) {
      // Of the config, not of the table: never parked.
      throw new PipelineStoppedException(
          Reason.REFUSED,
          "Table "
              + definition.id()
              + " was replicated to "
              + facts.lakeTable()
              + " and now has a rule that sends it to "
              + lake
              + ". Take the rule back; or exclude the table, start once, and include it again to"
              + " copy it anew.");
    }
    refuseSharing(definition, lake);
    SchemaGate.Decision decision;
    long numberFloor;
    try {
      boolean known = facts != null && !catchUps.isUnborn(definition.id(), lake);
      decision = gate.meet(definition, target, known);
      numberFloor = gate.largestNumber(lake, decision) + 1;
    } catch (TableFaultException e) {
      throw unusable(definition.id(), lake, e.reason(), e);
    } catch (CorruptTableException e) {
      throw unusable(definition.id(), lake, Reason.PROTECTED, e);
    }
    return monitor.locked(
        () -> {
          monitor.requireOpen();
          monitor.raiseNumber(numberFloor);
          TableState state = tables.add(definition, lake, target, decision, facts, 0);
          if (target.sharing() == TableTarget.Sharing.COMPACTED_ELSEWHERE) {
            compactedElsewhere.accept(lake);
          }
          if (decision.kind() != SchemaGate.Decision.Kind.KEEP) {
            told(definition, lake, target, decision);
          }
          if (decision.oldRowsNeedValues() && facts != null) {
            markAgain(definition.id());
          }
          taken(state, historyRecord, handed);
          return state.routed();
        });
  }

  private static TableRefusedException unusable(
      SourceTableId table, LakeTable lake, Reason reason, RuntimeException why) {
    return new TableRefusedException(
        table, reason, "Table " + table + " can't go on in " + lake + ": " + why.getMessage(), why);
  }

  private void refuseSharing(SourceTable definition, LakeTable lake) {
    SourceTableId other = monitor.locked(() -> tables.sourceOf(lake));
    if (other != null && !other.equals(definition.id())) {
      throw new TableRefusedException(
          definition.id(),
          "Tables "
              + other
              + " and "
              + definition.id()
              + " both go to "
              + lake
              + ". Several sources of one table aren't possible yet: send one elsewhere with a rule"
              + " in tables.rules (into).");
    }
  }

  /**
   * All rows get numbers from here on, so that whatever has a smaller one when they are copied is
   * no row of the source any more.
   */
  @Override
  public RoutedTable resync(SourceTable definition, @Nullable PartCopy part) {
    TableTarget target =
        source
            .target(definition.id())
            .orElseThrow(
                () ->
                    new TableRefusedException(
                        definition.id(), "Table " + definition.id() + " is not captured."));
    LakeTable lake = new LakeTable(target.lakeDatabase(), target.lakeTable());
    refuseSharing(definition, lake);
    TableState state = monitor.locked(() -> tables.find(definition.id()));
    boolean goesOn = state != null && monitor.locked(() -> !state.parked());
    if (!goesOn) {
      // Whatever happened to it while it was left behind.
      forget.accept(lake);
    }
    TableSchema written =
        state == null || !goesOn ? null : monitor.locked(() -> state.routed().lakeSchema());
    SchemaGate.Decision decision;
    long numberFloor;
    try {
      decision = resyncGate.copyAgain(definition, target, written);
      numberFloor = resyncGate.largestNumber(lake, decision) + 1;
    } catch (PipelineStoppedException | LsmException e) {
      if (e instanceof PipelineStoppedException stopped && stopped.reason() == Reason.CLOSED) {
        throw stopped;
      }
      // The others go on.
      throw new TableRefusedException(
          definition.id(),
          "Table " + definition.id() + " can't be copied again now: " + e.getMessage());
    }
    return monitor.locked(
        () -> {
          monitor.requireOpen();
          monitor.raiseNumber(numberFloor);
          boolean parked = tables.parked(definition.id()) != null;
          if (goesOn == parked) {
            throw new TableRefusedException(
                definition.id(), "Table " + definition.id() + " was just parked: try again.");
          }
          String again = BackfillInput.AGAIN;
          if (part != null) {
            requireCopied(definition, part, decision);
            again = BackfillInput.again(part.keys());
          }
          // A wide table begins empty: nothing in it is stale.
          long staleBelow = target.kind() == TableKind.GATHERED ? 0 : monitor.nextNumber();
          tables.resync(definition.id(), lake, again, staleBelow);
          TableState now =
              goesOn
                  ? takeAgain(state, definition, decision)
                  : bringBack(state, definition, lake, target, decision);
          listener.backfillAgain(definition.id());
          monitor.contentTaken();
          tables.changed(now);
          return now.routed();
        });
  }

  /** In one step with the copy's begin: a part beside rows that lack would hide that they do. */
  private void requireCopied(SourceTable definition, PartCopy part, SchemaGate.Decision decision) {
    SourceTableId id = definition.id();
    if (!tables.isAt(id, part.copied())) {
      throw new TableRefusedException(
          id,
          "Table "
              + id
              + " is parked or being copied: a part of it can be copied again only when it is"
              + " consistent. Leave out --where to copy all of it.");
    }
    if (decision.kind() != SchemaGate.Decision.Kind.KEEP) {
      throw new TableRefusedException(
          id,
          "The columns of table "
              + id
              + " change by a new copy: leave out --where, so that all rows are copied.");
    }
  }

  private TableState takeAgain(
      TableState state, SourceTable definition, SchemaGate.Decision decision) {
    pushFilling(state);
    if (decision.kind() == SchemaGate.Decision.Kind.EVOLVE
        || !definition.equals(state.routed().source())) {
      state.alter(definition, decision.schema());
    } else {
      state.again();
    }
    return state;
  }

  private TableState bringBack(
      @Nullable TableState before,
      SourceTable definition,
      LakeTable lake,
      TableTarget target,
      SchemaGate.Decision decision) {
    long generation = 0;
    if (before != null) {
      generation = before.routed().generation() + 1;
      tables.remove(before);
    }
    TableState state =
        tables.add(
            definition, lake, target, decision, tables.recovered(definition.id()), generation);
    state.broughtBack();
    if (decision.kind() != SchemaGate.Decision.Kind.KEEP) {
      told(definition, lake, target, decision);
    }
    return state;
  }

  /** Tells of a table that is made or changed. */
  private void told(
      SourceTable definition, LakeTable lake, TableTarget target, SchemaGate.Decision decision) {
    listener.schemaChanged(lake.name(), kind(decision));
    if (decision.kind() == SchemaGate.Decision.Kind.CREATE) {
      LOG.info(
          "Table {} goes to the new table {} of {}", definition.id(), lake, target.bucketsText());
    }
  }

  private static String kind(SchemaGate.Decision decision) {
    return switch (decision.kind()) {
      case CREATE -> "create";
      case EVOLVE, KEEP -> decision.adds() ? "add-column" : "widen-column";
    };
  }

  private RoutedTable alter(
      TableState state, SourceTable definition, TableTarget target, @Nullable String record) {
    RoutedTable now = monitor.locked(state::routed);
    SchemaGate.Decision decision = gate.change(now.source(), definition, now.lakeSchema(), target);
    return monitor.locked(
        () -> {
          monitor.requireOpen();
          if (!definition.equals(now.source())) {
            pushFilling(state);
            state.alter(definition, decision.schema());
            if (decision.kind() == SchemaGate.Decision.Kind.EVOLVE) {
              listener.schemaChanged(state.lake().name(), kind(decision));
            }
            if (decision.oldRowsNeedValues()) {
              markAgain(definition.id());
            }
          }
          taken(state, record, Handed.EVENT);
          return state.routed();
        });
  }

  private void markAgain(SourceTableId table) {
    tables.progress(table, BackfillInput.AGAIN);
    listener.backfillAgain(table);
  }

  private void taken(TableState state, @Nullable String historyRecord, Handed handed) {
    if (historyRecord != null) {
      monitor.addHistory(historyRecord);
    }
    monitor.contentTaken();
    if (handed == Handed.EVENT) {
      monitor.eventTaken();
    }
    tables.changed(state);
  }

  /** The stream's batches of one table go to their workers. Under the lock. */
  private void pushFilling(TableState state) {
    Iterator<Bucket> filling = monitor.filling().iterator();
    while (filling.hasNext()) {
      Bucket bucket = filling.next();
      if (bucket.table() == state.sink()) {
        filling.remove();
        PipelineMonitor.pushFilling(bucket);
      }
    }
  }

  @Override
  public void history(String historyRecord) {
    monitor.locked(
        () -> {
          monitor.requireOpen();
          monitor.addHistory(historyRecord);
          monitor.contentTaken();
          monitor.eventTaken();
          return null;
        });
  }

  @Override
  public void deadLetter(DeadLetter letter) {
    RoutedTable letters = deadLetters();
    long sequence = monitor.locked(() -> monitor.nextNumbers(DeadLetter.ROWS_MAX));
    keep(letters, letter, DeadLetter.State.SET_ASIDE, sequence);
    String table = letter.table();
    listener.deadLetter(table == null ? letter.source() : table, letter.reason());
  }

  @Override
  public void deadLetterNow(DeadLetter letter, DeadLetter.State state, long sequence) {
    keep(deadLetters(), letter, state, sequence);
  }

  private void keep(RoutedTable letters, DeadLetter letter, DeadLetter.State state, long sequence) {
    long now = clock.millis();
    row(letters, DeadLetterTable.row(pipeline, letter, state, sequence, now), now * 1000);
  }

  /** Their table, made with the first letter. */
  private RoutedTable deadLetters() {
    RoutedTable letters = deadLetters;
    if (letters == null) {
      letters =
          tableChanged(DeadLetterTable.DEFINITION, null)
              .orElseThrow(() -> new IllegalStateException("Dead letters are never parked"));
      monitor.locked(
          () -> {
            tables.progress(DeadLetterTable.ID, BackfillInput.NOTHING_TO_COPY);
            return null;
          });
      deadLetters = letters;
    }
    return letters;
  }

  @Override
  public void row(RoutedTable table, BinaryRow row, long sourceTimeMicros) {
    take(table, row, sourceTimeMicros, NEXT_NUMBER);
  }

  @Override
  public void replayedRow(RoutedTable table, BinaryRow row, long sourceTimeMicros, long sequence) {
    take(table, row, sourceTimeMicros, sequence);
  }

  @Override
  public long nextNumber() {
    return monitor.locked(monitor::nextNumber);
  }

  /**
   * @param number {@link #NEXT_NUMBER}: the event counter's next
   */
  private void take(RoutedTable table, BinaryRow row, long sourceTimeMicros, long number) {
    ShardWorker behind = null;
    monitor.lock();
    try {
      monitor.requireOpen();
      TableState state = stateOf(table);
      if (state.parked()) {
        monitor.eventTaken();
        return;
      }
      Bucket bucket = state.take(row, sourceTimeMicros);
      RowBatch batch = bucket.filling;
      if (batch == null) {
        batch = newBatch(bucket, table.lakeSchema());
      }
      batch.add(row, number == NEXT_NUMBER ? monitor.nextNumber() : number);
      tables.changed(state);
      monitor.contentTaken();
      monitor.eventTaken();
      if (batch.full()) {
        monitor.filling().remove(bucket);
        PipelineMonitor.pushFilling(bucket);
        bucket.lastBatchFull = true;
        if (bucket.worker().full()) {
          behind = bucket.worker();
        }
      }
    } finally {
      monitor.unlock();
    }
    if (behind != null) {
      monitor.awaitRoom(behind);
    }
  }

  private RowBatch newBatch(Bucket bucket, TableSchema schema) {
    int expected = bucket.lastBatchFull ? RowBatch.BYTES_MAX + RowBatch.BYTES_MAX / 16 : 0;
    bucket.lastBatchFull = false;
    RowBatch batch = new RowBatch(bucket, schema, null, expected);
    bucket.filling = batch;
    monitor.filling().add(bucket);
    return batch;
  }

  private TableState stateOf(RoutedTable table) {
    TableState cached = lastState;
    if (cached != null && table == lastRouted && cached.routed() == table) {
      return cached;
    }
    TableState state = tables.require(table);
    lastRouted = state.routed();
    lastState = state;
    return state;
  }

  @Override
  public RoutedTable truncate(RoutedTable table, long sourceTimeMicros) {
    return monitor.locked(
        () -> {
          monitor.requireOpen();
          TableState state = stateOf(table);
          if (state.parked()) {
            monitor.eventTaken();
            return table;
          }
          Iterator<Bucket> filling = monitor.filling().iterator();
          while (filling.hasNext()) {
            Bucket bucket = filling.next();
            if (bucket.table() == state.sink()) {
              bucket.filling = null;
              filling.remove();
            }
          }
          monitor.pushToAll(new Discard(state.sink()));
          RoutedTable next = state.truncate(sourceTimeMicros);
          tables.swept(state.source());
          tables.changed(state);
          monitor.contentTaken();
          monitor.eventTaken();
          monitor.demandCut();
          return next;
        });
  }

  @Override
  public void cutPoint(SourcePosition position, long sourceTimeMicros) {
    cutPoint(position, sourceTimeMicros, null);
  }

  @Override
  public void cutPoint(
      SourcePosition position, long sourceTimeMicros, @Nullable Long watermarkMillis) {
    monitor.cutPoint(position, sourceTimeMicros, watermarkMillis);
  }

  @Override
  public Optional<RoutedTable> routed(SourceTableId id) {
    return monitor.locked(
        () -> {
          TableState state = tables.find(id);
          return state == null || state.parked() ? Optional.empty() : Optional.of(state.routed());
        });
  }
}
