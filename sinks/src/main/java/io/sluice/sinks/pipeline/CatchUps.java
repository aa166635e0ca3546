package io.sluice.sinks.pipeline;

import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.error.LsmException;
import io.sluice.sinks.Parked;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.SourceCallbacks;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.TablePlace;
import io.sluice.sinks.TableRefusedException;
import io.sluice.sinks.TableTarget;
import io.sluice.sinks.epoch.LakeTable;
import io.sluice.sinks.epoch.LakeTables;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings tables back that were left behind, by reading the source for them once more from where
 * they stand.
 *
 * <p>Such a table has a place of its own in the source, which stands in every epoch beside the
 * pipeline's: the epoch has all its rows from before that place and none from behind. So a kill at
 * any moment neither loses nor doubles rows, whatever the table does with them. The table stays
 * left behind for the stream until both places are the same; then it joins, in one epoch with the
 * stream's position. Thread safe.
 */
final class CatchUps {

  private static final Logger LOG = LoggerFactory.getLogger(CatchUps.class);

  private final String pipeline;
  private final PipelineMonitor monitor;
  private final SourceCallbacks source;
  private final SchemaGate gate;
  private final TableRegistry tables;
  private final Consumer<LakeTable> forget;
  private final Supplier<Map<LakeTable, Long>> lastEpochs;

  /**
   * @param gate one that doesn't wait long for storage
   * @param forget makes everybody look anew at a lake table
   * @param lastEpochs of the newest finished epoch
   */
  CatchUps(
      String pipeline,
      PipelineMonitor monitor,
      SourceCallbacks source,
      SchemaGate gate,
      TableRegistry tables,
      Consumer<LakeTable> forget,
      Supplier<Map<LakeTable, Long>> lastEpochs) {
    this.pipeline = pipeline;
    this.monitor = monitor;
    this.source = source;
    this.gate = gate;
    this.tables = tables;
    this.forget = forget;
    this.lastEpochs = lastEpochs;
  }

  private TableTarget target(SourceTableId table) {
    return source
        .target(table)
        .orElseThrow(
            () -> new TableRefusedException(table, "Table " + table + " is not captured."));
  }

  private static LakeTable lake(TableTarget target) {
    return new LakeTable(target.lakeDatabase(), target.lakeTable());
  }

  /**
   * Looks into the folder: what was rolled back, or came late, is told by its newest snapshot of
   * this pipeline alone. Changes nothing.
   */
  TablePlace place(SourceTableId table) {
    LakeTable lake = lake(target(table));
    Parked parked = monitor.locked(() -> tables.parked(table));
    if (parked == null) {
      throw new TableRefusedException(table, "Table " + table + " goes on with the others.");
    }
    // Whatever happened to it while it was left behind.
    forget.accept(lake);
    LakeTables.Standing there = orRefuse(table, () -> gate.standing(lake)).orElse(null);
    Long last = lastEpochs.get().get(lake);
    if (last != null && (there == null || there.epoch() < 0)) {
      throw new TableRefusedException(
          table,
          Reason.PROTECTED,
          "Epoch "
              + last
              + " was in table "
              + table
              + ", but "
              + (there == null
                  ? "its folder " + gate.root(lake) + " is gone"
                  : gate.root(lake) + " has no snapshot of pipeline " + pipeline + " any more")
              + ": what it has can't be known. Put the folder back as it was; or give the rows"
              + " another table with into, in a pipeline of another name.",
          null);
    }
    long epoch = there == null ? -1 : there.epoch();
    boolean asParked = epoch <= parked.epoch() && (last == null || epoch == last);
    String position = asParked && parked.position() != null ? parked.position() : null;
    if (position == null && there != null) {
      position = there.position();
    }
    if (position == null) {
      throw new TableRefusedException(
          table,
          Reason.PROTECTED,
          "Where table "
              + table
              + " was parked is not known: it has no snapshot of pipeline "
              + pipeline
              + ". Give its rows another table with into, in a pipeline of another name.",
          null);
    }
    boolean rolledBack = last != null && epoch < last;
    if (!asParked) {
      LOG.warn(
          "Table {} of pipeline {} was parked at epoch {} and has epoch {}{}: it goes on from"
              + " there",
          table,
          pipeline,
          parked.epoch(),
          epoch,
          rolledBack ? ", since later ones were rolled back" : "");
    }
    return new TablePlace(epoch, new SourcePosition(position), rolledBack);
  }

  private interface Look<T> {
    T look();
  }

  private <T> T orRefuse(SourceTableId table, Look<T> look) {
    try {
      return look.look();
    } catch (PipelineStoppedException | LsmException e) {
      if (e instanceof PipelineStoppedException stopped && stopped.reason() == Reason.CLOSED) {
        throw stopped;
      }
      // The others go on.
      throw new TableRefusedException(
          table, Reason.PROTECTED, "Table " + table + " can't go on now: " + e.getMessage(), e);
    }
  }

  /**
   * @return empty if the table is made by the first row that comes
   */
  Optional<RoutedTable> begin(
      SourceTableId table, @Nullable SourceTable definition, TablePlace from) {
    TableTarget target = target(table);
    LakeTable lake = lake(target);
    boolean there = definition != null && orRefuse(table, () -> gate.standing(lake)).isPresent();
    SchemaGate.Decision decision =
        there && definition != null ? orRefuse(table, () -> gate.goOn(definition, target)) : null;
    long numberFloor =
        decision == null ? 0 : orRefuse(table, () -> gate.largestNumber(lake, decision)) + 1;
    return monitor.locked(
        () -> {
          monitor.requireOpen();
          Parked parked = tables.parked(table);
          if (parked == null) {
            throw new TableRefusedException(table, "Table " + table + " goes on with the others.");
          }
          monitor.raiseNumber(numberFloor);
          tables.catchUp(
              table, parked.onItsWay(monitor.lastCutEpoch() + 1, from.position().text()));
          monitor.contentTaken();
          monitor.eventTaken();
          TableState before = tables.find(table);
          if (before != null) {
            tables.remove(before);
          }
          if (decision == null || definition == null) {
            return Optional.empty();
          }
          long generation = before == null ? 0 : before.routed().generation() + 1;
          TableState state =
              tables.add(definition, lake, target, decision, tables.recovered(table), generation);
          state.goesOnFrom(from.epoch());
          tables.changed(state);
          return Optional.of(state.routed());
        });
  }

  /** All up to there was handed over; the source follows with a cut point. */
  void advance(SourceTableId table, SourcePosition position) {
    monitor.locked(
        () -> {
          monitor.requireOpen();
          Parked parked = tables.parked(table);
          // Whoever parks it while it is read for knows the place that is in an epoch.
          if (parked != null && parked.catchingUp() && !position.text().equals(parked.position())) {
            note(table, parked.onItsWay(monitor.lastCutEpoch() + 1, position.text()));
          }
          return null;
        });
  }

  /** The same place in other words, unless it has become another one meanwhile. */
  void restate(SourceTableId table, SourcePosition before, SourcePosition now) {
    monitor.locked(
        () -> {
          monitor.requireOpen();
          Parked parked = tables.parked(table);
          if (parked != null && before.text().equals(parked.position())) {
            note(
                table,
                new Parked(
                    parked.epoch(),
                    now.text(),
                    parked.reason(),
                    parked.sinceMillis(),
                    parked.catchingUp()));
          }
          return null;
        });
  }

  private void note(SourceTableId table, Parked parked) {
    tables.catchUp(table, parked);
    monitor.contentTaken();
    monitor.eventTaken();
  }

  /** It is where the stream is; the source follows with a cut point of that place. */
  void join(SourceTableId table) {
    boolean isBack =
        monitor.locked(
            () -> {
              monitor.requireOpen();
              boolean joined = tables.join(table);
              monitor.contentTaken();
              monitor.eventTaken();
              return joined;
            });
    if (isBack) {
      LOG.info("Table {} of pipeline {} is back with the others", table, pipeline);
    }
  }

  /** Whether the first row makes the lake table: the pipeline has never had one there. */
  boolean isUnborn(SourceTableId table, LakeTable lake) {
    return tables.isParked(table) && !lastEpochs.get().containsKey(lake);
  }
}
