package io.sluice.sinks.pipeline;

import io.sluice.evolution.SourceTableId;
import io.sluice.sinks.DeadLetterTable;
import io.sluice.sinks.Parked;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.SourceCallbacks;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.epoch.EpochFile;
import io.sluice.sinks.epoch.LakeTable;
import io.sluice.sinks.shard.Bucket;
import io.sluice.sinks.shard.ShardMessage.Dismiss;
import java.time.Clock;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leaves tables behind that can't go on, so that the others can.
 *
 * <p>A parked table stands at an epoch that is wholly in it: what the epoch now gathered has of it
 * is dropped. If the source says so at a place where an epoch may be cut (a DDL), that is done
 * before, so that nothing is dropped that could be kept. Thread safe.
 */
final class Parking {

  private static final Logger log = LoggerFactory.getLogger(Parking.class);

  /** Who says that a table can't go on. */
  enum By {
    /** The source's thread, in the order of its log. */
    SOURCE,
    /** Any other thread. */
    OTHERS
  }

  private final String pipeline;
  private final boolean parks;
  private final PipelineMonitor monitor;
  private final SourceCallbacks source;
  private final TableRegistry tables;
  private final PipelineListener listener;
  private final Clock clock;

  /**
   * @param parks false: no table is left behind
   */
  Parking(
      String pipeline,
      boolean parks,
      PipelineMonitor monitor,
      SourceCallbacks source,
      TableRegistry tables,
      PipelineListener listener,
      Clock clock) {
    this.pipeline = pipeline;
    this.parks = parks;
    this.monitor = monitor;
    this.source = source;
    this.tables = tables;
    this.listener = listener;
    this.clock = clock;
  }

  boolean parks() {
    return parks;
  }

  boolean isParked(SourceTableId table) {
    return tables.isParked(table);
  }

  /**
   * Leaves a captured table behind; once more does nothing.
   *
   * @return false if no table is left behind: the pipeline has to stop
   */
  boolean park(SourceTableId table, String reason, By by) {
    // A letter that is dropped is lost.
    return (parks || isParked(table))
        && !table.equals(DeadLetterTable.ID)
        && monitor.locked(
            () -> {
              monitor.requireOpen();
              if (!tables.stands(table)) {
                parkNow(table, reason, by);
              }
              return true;
            });
  }

  /**
   * Leaves a table behind that an epoch in commit leaves out; one that is parked already stands at
   * the older of the two epochs.
   *
   * @param at the newest one that is in it; null: none is known to be
   */
  void parkAt(LakeTable lake, String reason, @Nullable EpochFile at) {
    long epoch = at == null ? 0 : at.number();
    monitor.locked(
        () -> {
          SourceTableId table = tables.sourceOf(lake);
          if (table == null) {
            throw new IllegalStateException("Table " + lake + " is of no source: " + reason);
          }
          if (table.equals(DeadLetterTable.ID)) {
            throw new PipelineStoppedException(
                Reason.PROTECTED,
                "Dead letters can't be kept: "
                    + reason
                    + " Nothing is lost: the pipeline goes on from its last epoch when its table"
                    + " can be written.");
          }
          Parked before = tables.parked(table);
          if (before != null && !before.catchingUp() && before.epoch() <= epoch) {
            return null;
          }
          TableState state = tables.find(table);
          if (state != null && !state.parked()) {
            dropGathered(state);
            state.park();
          }
          String position = at == null ? null : at.positionOf(lake);
          note(table, lake, new Parked(epoch, position, reason, clock.millis()));
          return null;
        });
  }

  private void parkNow(SourceTableId table, String reason, By by) {
    TableState state = tables.find(table);
    if (state != null && state.gathered() && by == By.SOURCE) {
      monitor.cutIfPossible();
      if (tables.stands(table)) {
        return;
      }
    }
    boolean inAnEpoch = state == null ? tables.recovered(table) != null : !state.isNew();
    LakeTable lake = state == null ? lakeTable(table) : state.lake();
    if (state != null) {
      dropGathered(state);
      state.park();
    }
    note(
        table,
        lake,
        new Parked(
            inAnEpoch ? monitor.lastCutEpoch() : 0, positionAtCut(table), reason, clock.millis()));
    if (by == By.SOURCE) {
      monitor.eventTaken();
    }
  }

  /**
   * Which place all rows are from before that the newest cut has of a table: of one that no epoch
   * had yet there was none before.
   */
  private @Nullable String positionAtCut(SourceTableId table) {
    Parked then = tables.parkedAtCut(table);
    if (then != null && then.catchingUp()) {
      return then.position();
    }
    SourcePosition position = monitor.lastCutPosition();
    return position == null ? null : position.text();
  }

  private void note(SourceTableId table, LakeTable lake, Parked parked) {
    tables.park(table, lake, parked);
    monitor.contentTaken();
    listener.tableParked(table, parked.reason());
    log.error(
        "Table {} of pipeline {} is parked at epoch {}, position {}: it takes no more rows, the"
            + " others go on. {} To bring it back: sluice resync -c FILE {}",
        table,
        pipeline,
        parked.epoch(),
        parked.position(),
        parked.reason(),
        table);
  }

  private LakeTable lakeTable(SourceTableId table) {
    return source
        .target(table)
        .map(target -> new LakeTable(target.lakeDatabase(), target.lakeTable()))
        .orElseThrow(() -> new IllegalStateException("Table " + table + " is not captured"));
  }

  private void dropGathered(TableState state) {
    Iterator<Bucket> filling = monitor.filling().iterator();
    while (filling.hasNext()) {
      Bucket bucket = filling.next();
      if (bucket.table() == state.sink()) {
        bucket.filling = null;
        filling.remove();
      }
    }
    monitor.pushToAll(new Dismiss(state.sink()));
  }
}
