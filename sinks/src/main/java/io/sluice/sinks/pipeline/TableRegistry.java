package io.sluice.sinks.pipeline;

import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.write.BucketAssigner;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.Parked;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.TableTarget;
import io.sluice.sinks.epoch.EpochFile.SourceFacts;
import io.sluice.sinks.epoch.LakeTable;
import io.sluice.sinks.epoch.LakeTables;
import io.sluice.sinks.shard.ShardWorker;
import io.sluice.sinks.shard.SinkTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The captured tables, the facts about them that go into epoch files, and which of them the epoch
 * now gathered changes otherwise than by rows. Under the router's lock.
 */
final class TableRegistry {

  private final LakeTables lake;
  private final List<ShardWorker> workers;
  private final Map<SourceTableId, TableState> bySource = new LinkedHashMap<>();
  private final Map<SourceTableId, SourceFacts> facts;
  private final Map<LakeTable, SourceTableId> byLake = new HashMap<>();
  private final List<TableState> changed = new ArrayList<>();
  private @Nullable Map<SourceTableId, SourceFacts> factsNow;
  private Map<SourceTableId, SourceFacts> factsAtCut;
  private volatile Map<SourceTableId, Parked> parkedNow = Map.of();

  /**
   * @param recovered facts of the highest epoch, of tables that are still captured
   */
  TableRegistry(
      LakeTables lake, List<ShardWorker> workers, Map<SourceTableId, SourceFacts> recovered) {
    this.lake = lake;
    this.workers = workers;
    this.facts = new LinkedHashMap<>(recovered);
    this.factsAtCut = Map.copyOf(recovered);
    // A parked table may be one of two that were sent to one lake table: the other has it.
    recovered.forEach(
        (source, fact) -> {
          if (fact.parked() == null) {
            byLake.put(fact.lakeTable(), source);
          }
        });
    recovered.forEach((source, fact) -> byLake.putIfAbsent(fact.lakeTable(), source));
    notePark();
  }

  /** Without the lock: asked for each event by the source's threads. */
  boolean isParked(SourceTableId source) {
    return parkedNow.containsKey(source);
  }

  /** The tables that are left behind, those that catch up as well. Without the lock. */
  Map<SourceTableId, Parked> parked() {
    return parkedNow;
  }

  /** Whether the table is left behind and takes no rows. Without the lock. */
  boolean stands(SourceTableId source) {
    Parked parked = parkedNow.get(source);
    return parked != null && !parked.catchingUp();
  }

  /** What the newest cut has of a table that was left behind then; null: it was not. */
  @Nullable Parked parkedAtCut(SourceTableId source) {
    SourceFacts known = factsAtCut.get(source);
    return known == null ? null : known.parked();
  }

  /** A table that is left behind is on its way back, or has come so far. */
  void catchUp(SourceTableId source, Parked at) {
    SourceFacts known = facts.get(source);
    if (known == null) {
      throw new IllegalStateException("Table " + source + " has not been routed");
    }
    facts.put(source, new SourceFacts(known.lakeTable(), known.backfill(), at, 0));
    factsNow = null;
    notePark();
    byLake.put(known.lakeTable(), source);
  }

  /**
   * A table that caught up is one like the others.
   *
   * @return false if it doesn't catch up any more
   */
  boolean join(SourceTableId source) {
    SourceFacts known = facts.get(source);
    if (known == null || known.parked() == null || !known.parked().catchingUp()) {
      return false;
    }
    facts.put(source, new SourceFacts(known.lakeTable(), BackfillInput.NOTHING_TO_COPY));
    factsNow = null;
    notePark();
    return true;
  }

  private void notePark() {
    Map<SourceTableId, Parked> now = new HashMap<>();
    facts.forEach(
        (source, fact) -> {
          Parked parked = fact.parked();
          if (parked != null) {
            now.put(source, parked);
          }
        });
    parkedNow = Map.copyOf(now);
  }

  /** Why and where the table is left behind; null if it is not. */
  @Nullable Parked parked(SourceTableId source) {
    SourceFacts known = facts.get(source);
    return known == null ? null : known.parked();
  }

  /** Parked tables that this process has no state of. */
  Map<SourceTableId, SourceFacts> parkedUnmet() {
    Map<SourceTableId, SourceFacts> result = new LinkedHashMap<>();
    facts.forEach(
        (source, fact) -> {
          if (fact.parked() != null && !bySource.containsKey(source)) {
            result.put(source, fact);
          }
        });
    return result;
  }

  /** The table is left behind. Its backfill's progress means nothing any more. */
  void park(SourceTableId source, LakeTable table, Parked parked) {
    facts.put(source, new SourceFacts(table, null, parked, 0));
    factsNow = null;
    notePark();
    byLake.putIfAbsent(table, source);
  }

  @Nullable TableState find(SourceTableId source) {
    return bySource.get(source);
  }

  Collection<TableState> all() {
    return bySource.values();
  }

  /** What the recovered epoch says of a source table; null if it is new to the pipeline. */
  @Nullable SourceFacts recovered(SourceTableId source) {
    return facts.get(source);
  }

  @Nullable SourceTableId sourceOf(LakeTable table) {
    return byLake.get(table);
  }

  TableState add(
      SourceTable definition,
      LakeTable table,
      TableTarget target,
      SchemaGate.Decision decision,
      @Nullable SourceFacts known,
      long generation) {
    TableSchema schema = decision.schema();
    boolean create = decision.kind() == SchemaGate.Decision.Kind.CREATE;
    LsmTable lsm = create ? lake.plan(table, schema) : lake.known(table);
    SinkTable sink =
        new SinkTable(table, lsm, schema, new BucketAssigner(schema).totalBuckets(), workers);
    TableState state =
        new TableState(
            table, sink, new RoutedTable(definition, target.lakeName(), schema, generation));
    if (decision.kind() != SchemaGate.Decision.Kind.KEEP) {
      state.create();
    }
    bySource.put(definition.id(), state);
    byLake.put(table, definition.id());
    if (known == null) {
      facts.put(definition.id(), new SourceFacts(table, null));
      factsNow = null;
    }
    return state;
  }

  /** The state that belongs to a routed table, which must be the newest version. */
  TableState require(RoutedTable table) {
    TableState state = bySource.get(table.source().id());
    if (state == null) {
      throw new IllegalStateException("Table " + table.source().id() + " has not been routed");
    }
    if (state.routed().generation() != table.generation()) {
      throw new IllegalStateException(
          "Rows of generation "
              + table.generation()
              + " of table "
              + table.source().id()
              + ", which is at generation "
              + state.routed().generation());
    }
    return state;
  }

  void progress(SourceTableId source, String progress) {
    SourceFacts known = facts.get(source);
    if (known == null) {
      throw new IllegalStateException("Table " + source + " has not been routed");
    }
    facts.put(
        source, new SourceFacts(known.lakeTable(), progress, known.parked(), known.staleBelow()));
    factsNow = null;
  }

  /**
   * Rows are to be copied again; what then has a smaller number than this is stale.
   *
   * @param again which rows: the backfill's progress
   */
  void resync(SourceTableId source, LakeTable table, String again, long staleBelow) {
    facts.put(source, new SourceFacts(table, again, null, staleBelow));
    factsNow = null;
    notePark();
    byLake.put(table, source);
  }

  /** Whether the backfill's progress is still this one, and no copy's end is open. */
  boolean isAt(SourceTableId source, String progress) {
    SourceFacts known = facts.get(source);
    return known != null
        && progress.equals(known.backfill())
        && known.parked() == null
        && known.staleBelow() == 0;
  }

  /** 0 if nothing is. */
  long staleBelow(SourceTableId source) {
    SourceFacts known = facts.get(source);
    return known == null ? 0 : known.staleBelow();
  }

  /** Nothing stale is left. */
  void swept(SourceTableId source) {
    SourceFacts known = facts.get(source);
    if (known != null && known.staleBelow() > 0) {
      facts.put(source, new SourceFacts(known.lakeTable(), known.backfill(), known.parked(), 0));
      factsNow = null;
    }
  }

  /** Forgets the state of a parked table, so that it can be added anew. */
  void remove(TableState state) {
    bySource.remove(state.source());
  }

  Map<SourceTableId, String> progress() {
    Map<SourceTableId, String> result = new LinkedHashMap<>();
    facts.forEach(
        (source, fact) -> {
          String progress = fact.backfill();
          if (progress != null) {
            result.put(source, progress);
          }
        });
    return result;
  }

  /** For the epoch file; the same object as long as nothing changes. */
  Map<SourceTableId, SourceFacts> facts() {
    Map<SourceTableId, SourceFacts> now = factsNow;
    if (now == null) {
      now = Collections.unmodifiableMap(new LinkedHashMap<>(facts));
      factsNow = now;
    }
    return now;
  }

  /** The epoch now gathered changes this table. */
  void changed(TableState state) {
    if (state.firstGathered()) {
      changed.add(state);
    }
  }

  /** Begins a new epoch: what the old one changed. */
  List<TableState.Cut> cut() {
    List<TableState.Cut> cuts = new ArrayList<>();
    for (TableState state : changed) {
      cuts.add(state.cut());
    }
    changed.clear();
    factsAtCut = facts();
    return cuts;
  }
}
