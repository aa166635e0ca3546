package io.sluice.sinks.pipeline;

import io.sluice.evolution.PlanOptions;
import io.sluice.evolution.PlannedTable;
import io.sluice.evolution.SchemaChange;
import io.sluice.evolution.SchemaDiff;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.TableKind;
import io.sluice.evolution.TablePlanner;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.UnsupportedFeatures;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.TableRefusedException;
import io.sluice.sinks.TableTarget;
import io.sluice.sinks.epoch.LakeTable;
import io.sluice.sinks.epoch.LakeTables;
import io.sluice.sinks.epoch.StorageRetry;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of a source table's definition: a new lake table, more columns, nothing, or
 * a refusal. It reads the lake; it creates nothing (schemas are created by epochs).
 */
final class SchemaGate {

  /**
   * @param schema the lake table's newest schema after the change
   * @param kind what has to be done
   * @param oldRowsNeedValues rows already in the lake lack values that they have at the source
   * @param adds whether there are columns more
   */
  record Decision(TableSchema schema, Kind kind, boolean oldRowsNeedValues, boolean adds) {
    Decision(TableSchema schema, Kind kind) {
      this(schema, kind, false, false);
    }

    enum Kind {
      CREATE,
      EVOLVE,
      KEEP
    }
  }

  private final String pipeline;
  private final Map<LakeTable, Long> lastEpochs;
  private final LakeTables tables;
  private final StorageRetry retry;
  private final Clock clock;

  /**
   * @param pipeline name of the pipeline
   * @param lastEpochs of the epoch that the process began with
   */
  SchemaGate(
      String pipeline,
      Map<LakeTable, Long> lastEpochs,
      LakeTables tables,
      StorageRetry retry,
      Clock clock) {
    this.pipeline = pipeline;
    this.lastEpochs = Map.copyOf(lastEpochs);
    this.tables = tables;
    this.retry = retry;
    this.clock = clock;
  }

  /**
   * A table that this process meets for the first time.
   *
   * @param knownToPipeline its rows in the lake are this pipeline's, up to the recovered position
   */
  Decision meet(SourceTable definition, TableTarget target, boolean knownToPipeline) {
    LakeTable lake = new LakeTable(target.lakeDatabase(), target.lakeTable());
    TableSchema planned = plan(definition, target);
    String doing = "opening table " + lake;
    if (!retry.<Boolean>run(doing, () -> tables.exists(lake))) {
      if (knownToPipeline) {
        throw new TableRefusedException(
            definition.id(),
            Reason.PROTECTED,
            "Table "
                + definition.id()
                + " was replicated to "
                + lake.root(tables.warehouse())
                + ", but there is no table any more. Put its folder back, or exclude the table,"
                + " start once, and include it again to copy it anew.",
            null);
      }
      return new Decision(planned, Decision.Kind.CREATE);
    }
    try {
      TableSchema current = retry.run(doing, () -> tables.open(lake).newestSchema());
      // Said here, by table, and not by a worker at the first row.
      UnsupportedFeatures.checkWriting(current, lake.root(tables.warehouse()));
      if (knownToPipeline) {
        refuseRolledBack(definition, lake, doing);
      } else if (target.sharing() == TableTarget.Sharing.ALONE) {
        refuseForeignRows(definition, lake, doing);
      }
      return change(null, definition, current, target);
    } catch (UnsupportedTableException e) {
      throw new TableRefusedException(
          definition.id(),
          "Table " + definition.id() + " can't go to " + lake + ": " + e.getMessage());
    }
  }

  /** Where a lake table lies. */
  String root(LakeTable lake) {
    return lake.root(tables.warehouse());
  }

  /** What a lake table has of this pipeline; empty: there is no such table. */
  Optional<LakeTables.Standing> standing(LakeTable lake) {
    return retry.run(
        "looking at table " + lake,
        () ->
            tables.exists(lake)
                ? Optional.of(tables.standing(lake, pipeline))
                : Optional.<LakeTables.Standing>empty());
  }

  /** A table that is there and was left behind, which goes on from where it stands. */
  Decision goOn(SourceTable definition, TableTarget target) {
    LakeTable lake = new LakeTable(target.lakeDatabase(), target.lakeTable());
    try {
      TableSchema current =
          retry.run("opening table " + lake, () -> tables.open(lake).newestSchema());
      UnsupportedFeatures.checkWriting(current, root(lake));
      return change(null, definition, current, target);
    } catch (UnsupportedTableException e) {
      throw new TableRefusedException(
          definition.id(),
          "Table " + definition.id() + " can't go to " + lake + ": " + e.getMessage());
    }
  }

  /**
   * A table whose rows are all copied again, over those that it has.
   *
   * @param schema that it is written in now; null if it is not written
   */
  Decision copyAgain(SourceTable definition, TableTarget target, @Nullable TableSchema schema) {
    if (schema != null) {
      return decision(
          definition,
          schema,
          SchemaDiff.forNewCopy(definition, schema, target.tinyIntOneAsBoolean(), clock.millis()));
    }
    LakeTable lake = new LakeTable(target.lakeDatabase(), target.lakeTable());
    TableSchema planned = plan(definition, target);
    String doing = "opening table " + lake;
    if (!retry.<Boolean>run(doing, () -> tables.exists(lake))) {
      return new Decision(planned, Decision.Kind.CREATE);
    }
    try {
      TableSchema current = retry.run(doing, () -> tables.open(lake).newestSchema());
      UnsupportedFeatures.checkWriting(current, lake.root(tables.warehouse()));
      if (target.kind() == TableKind.GATHERED) {
        refuseOldRows(definition, lake, doing);
        return change(null, definition, current, target);
      }
      return decision(
          definition,
          current,
          SchemaDiff.forNewCopy(definition, current, target.tinyIntOneAsBoolean(), clock.millis()));
    } catch (UnsupportedTableException e) {
      throw new TableRefusedException(
          definition.id(),
          "Table " + definition.id() + " can't go to " + lake + ": " + e.getMessage());
    }
  }

  /**
   * The largest sequence number that lives in a table, -1 if none does: new ones must lie above it.
   */
  long largestNumber(LakeTable lake, Decision decision) {
    if (decision.kind() == Decision.Kind.CREATE) {
      return -1;
    }
    return retry.<Long>run(
        "reading table " + lake,
        () -> {
          LsmTable lsm = tables.open(lake);
          return lsm.statistics(lsm.snapshots().findLatest()).maxSequenceNumber();
        });
  }

  /**
   * The newest snapshot of ours must have the last epoch that gave the table one. Our own expiry
   * keeps it, so that it is found unless somebody else took it away.
   */
  private void refuseRolledBack(SourceTable definition, LakeTable lake, String doing) {
    Long last = lastEpochs.get(lake);
    if (last == null) {
      return;
    }
    Long there = retry.run(doing, () -> tables.newestEpoch(lake, pipeline));
    if (there < last) {
      throw new TableRefusedException(
          definition.id(),
          Reason.PROTECTED,
          "Table "
              + definition.id()
              + " was last changed in "
              + lake.root(tables.warehouse())
              + " by epoch "
              + last
              + ", but "
              + (there < 0
                  ? "no snapshot of this pipeline is there"
                  : "the newest snapshot of this pipeline there has epoch " + there)
              + ": it was rolled back, or its rows were replaced. Compare it with the source, or"
              + " copy it anew.",
          null);
    }
  }

  private boolean hasRows(LakeTable lake, String doing) {
    return retry.<Boolean>run(
        doing,
        () -> {
          Snapshot latest = tables.snapshots(lake).findLatest();
          return latest != null && latest.totalRecordCount() > 0;
        });
  }

  /** A row of several sources can't be told from one that they all have deleted. */
  private void refuseOldRows(SourceTable definition, LakeTable lake, String doing) {
    if (hasRows(lake, doing)) {
      throw new TableRefusedException(
          definition.id(),
          "Wide table "
              + definition.id()
              + " can't be filled again over the rows that it has: what its sources have deleted"
              + " meanwhile would stay. Move the folder "
              + lake.root(tables.warehouse())
              + " away (readers see no table until the new one is there), and ask again.");
    }
  }

  /** Rows of an unknown past would stay beside the copied ones, deleted ones for ever. */
  private void refuseForeignRows(SourceTable definition, LakeTable lake, String doing) {
    if (hasRows(lake, doing)) {
      throw new TableRefusedException(
          definition.id(),
          "Table "
              + definition.id()
              + " is new to this pipeline, but "
              + lake.root(tables.warehouse())
              + " has rows already, and rows deleted at the source meanwhile would stay in it. Move"
              + " that folder away, or send the table elsewhere with a rule in tables.rules (into).");
    }
  }

  /** A known table's new definition. */
  Decision change(
      @Nullable SourceTable before,
      SourceTable definition,
      TableSchema current,
      TableTarget target) {
    return decision(
        definition,
        current,
        switch (target.kind()) {
          case COPY ->
              SchemaDiff.diff(
                  before, definition, current, target.tinyIntOneAsBoolean(), clock.millis());
          case GATHERED ->
              SchemaDiff.gathered(definition, current, target.options(), clock.millis());
        });
  }

  private static Decision decision(
      SourceTable definition, TableSchema current, SchemaChange change) {
    if (change instanceof SchemaChange.Refused refused) {
      throw new TableRefusedException(definition.id(), refused.reason());
    }
    if (change instanceof SchemaChange.Evolve evolve) {
      return new Decision(
          evolve.schema(),
          Decision.Kind.EVOLVE,
          evolve.oldRowsNeedValues(),
          !evolve.added().isEmpty());
    }
    return new Decision(current, Decision.Kind.KEEP);
  }

  private TableSchema plan(SourceTable definition, TableTarget target) {
    PlanOptions options =
        new PlanOptions(
            target.lakeDatabase(),
            target.lakeTable(),
            target.buckets(),
            target.partitionBy(),
            target.options(),
            target.tinyIntOneAsBoolean(),
            target.kind());
    // Several pipelines may make a shared table at once: their schema files are the same.
    long timeMillis = target.sharing() != TableTarget.Sharing.ALONE ? 0 : clock.millis();
    PlannedTable planned = TablePlanner.plan(definition, options, timeMillis);
    if (planned instanceof PlannedTable.Refused refused) {
      throw new TableRefusedException(definition.id(), refused.text());
    }
    return ((PlannedTable.Planned) planned).schema();
  }
}
