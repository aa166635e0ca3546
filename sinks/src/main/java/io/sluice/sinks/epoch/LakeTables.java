package io.sluice.sinks.epoch;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.SchemaStore;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotStore;
import io.sluice.lsm.table.LsmTable;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one {@link LsmTable} of each table that a pipeline uses: its committer serializes epochs and
 * compactions of one process. Thread safe.
 */
public final class LakeTables {

  private final FileIO fileIO;
  private final String warehouse;
  private final Clock clock;
  private final Supplier<String> ids;
  private final LsmTable.Waits waits;
  private final ConcurrentHashMap<LakeTable, LsmTable> tables = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<LakeTable, SnapshotStore> snapshots = new ConcurrentHashMap<>();

  public LakeTables(FileIO fileIO, String warehouse, Clock clock, Supplier<String> ids) {
    this(fileIO, warehouse, clock, ids, LsmTable.Waits.DEFAULT);
  }

  /**
   * @param waits of all tables
   */
  public LakeTables(
      FileIO fileIO, String warehouse, Clock clock, Supplier<String> ids, LsmTable.Waits waits) {
    this.fileIO = fileIO;
    this.warehouse = warehouse;
    this.clock = clock;
    this.ids = ids;
    this.waits = waits;
  }

  public FileIO fileIO() {
    return fileIO;
  }

  public String warehouse() {
    return warehouse;
  }

  /** The snapshot files of a table, there or not. */
  public SnapshotStore snapshots(LakeTable table) {
    LsmTable known = tables.get(table);
    return known != null
        ? known.snapshots()
        : snapshots.computeIfAbsent(
            table, t -> new SnapshotStore(fileIO, t.paths(warehouse), waits.incomplete()));
  }

  /** The schema files of a table, there or not. */
  SchemaStore schemas(LakeTable table) {
    LsmTable known = tables.get(table);
    return known != null ? known.schemas() : new SchemaStore(fileIO, table.paths(warehouse));
  }

  /** Whether there is such a table on storage. */
  public boolean exists(LakeTable table) throws IOException {
    return LsmTable.exists(fileIO, table.root(warehouse));
  }

  /**
   * What a table has of a pipeline: the newest snapshot there tells it, whatever was rolled back or
   * came late.
   *
   * @param epoch -1 if the pipeline has no snapshot there
   * @param position all rows from before it are there, in the source's words; null if that isn't
   *     known
   */
  public record Standing(long epoch, @Nullable String position) {}

  /** The epoch of the newest snapshot that a pipeline has in a table; -1 if it has none there. */
  public long newestEpoch(LakeTable table, String pipeline) throws IOException {
    return standing(table, pipeline).epoch();
  }

  /** The newest snapshot that a pipeline has in a table. Others' snapshots may lie above it. */
  public Standing standing(LakeTable table, String pipeline) throws IOException {
    SnapshotStore store = snapshots(table);
    List<Long> ids = store.listIds();
    for (int i = ids.size() - 1; i >= 0; i--) {
      Snapshot snapshot = store.readIfThere(ids.get(i));
      long epoch = snapshot == null ? -1 : TableCommit.EpochProperties.epochOf(snapshot, pipeline);
      if (snapshot != null && epoch >= 0) {
        return new Standing(epoch, snapshot.properties().get(TableCommit.EpochProperties.POSITION));
      }
    }
    return new Standing(-1, null);
  }

  /** A table that is there, or has been {@link #plan planned}. */
  public LsmTable open(LakeTable table) throws IOException {
    LsmTable known = tables.get(table);
    if (known != null) {
      return known;
    }
    LsmTable opened = LsmTable.open(fileIO, table.root(warehouse), clock, ids, waits);
    LsmTable earlier = tables.putIfAbsent(table, opened);
    return earlier == null ? opened : earlier;
  }

  /** What is known of a table may be outdated: it is opened anew when it is asked for. */
  public void forget(LakeTable table) {
    tables.remove(table);
    snapshots.remove(table);
  }

  /** A table that has been opened or planned before; null if it has not. */
  public @Nullable LsmTable find(LakeTable table) {
    return tables.get(table);
  }

  /** A table that has been opened or planned before. */
  public LsmTable known(LakeTable table) {
    LsmTable known = tables.get(table);
    if (known == null) {
      throw new IllegalStateException("Table " + table + " has not been opened");
    }
    return known;
  }

  /** A table that the epoch now gathered will create. */
  public LsmTable plan(LakeTable table, TableSchema schema) {
    return tables.computeIfAbsent(
        table, t -> LsmTable.planned(fileIO, t.root(warehouse), schema, clock, ids, waits));
  }
}
