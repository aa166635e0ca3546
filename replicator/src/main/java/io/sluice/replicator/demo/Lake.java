package io.sluice.replicator.demo;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.scan.RowReader;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.table.TableStatistics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The demo's tables in the lake, read through Sluice's own table engine and nothing of the
 * daemon's. Not thread safe.
 */
public final class Lake {
  private final Path warehouse;
  private final FileIO fileIO;
  private final Supplier<String> ids = () -> UUID.randomUUID().toString();
  private final Map<String, LsmTable> tables = new HashMap<>();

  public Lake(Path warehouse) {
    this.warehouse = warehouse;
    this.fileIO = FileIOs.forUri(warehouse.toString(), ids);
  }

  /** Files, bytes and snapshots of all tables. */
  public record Totals(long tables, long files, long bytes, long snapshots) {}

  Path folder(String table) {
    return warehouse.resolve(Shop.DATABASE + ".db").resolve(table);
  }

  private Optional<LsmTable> table(String name) throws IOException {
    LsmTable known = tables.get(name);
    if (known == null) {
      String root = folder(name).toString();
      if (!LsmTable.exists(fileIO, root)) {
        return Optional.empty();
      }
      known = LsmTable.open(fileIO, root, Clock.systemUTC(), ids);
      tables.put(name, known);
    }
    return Optional.of(known);
  }

  /** Newest snapshot of a table; null before its first. */
  @Nullable Snapshot newestSnapshot(String name, @Nullable Snapshot known) throws IOException {
    Optional<LsmTable> table = table(name);
    return table.isPresent() ? table.get().snapshots().findLatest(known) : null;
  }

  /**
   * Epoch of the newest snapshot between the two ids (both exclusive) that carries one.
   *
   * @param otherwise when none does
   */
  long newestEpochBelow(String name, long below, long above, long otherwise) throws IOException {
    LsmTable table = table(name).orElseThrow();
    for (long id = below - 1; id > above; id--) {
      Snapshot snapshot = table.snapshots().readIfThere(id);
      String epoch = snapshot == null ? null : snapshot.properties().get("sluice.epoch");
      if (epoch != null) {
        return Long.parseLong(epoch);
      }
    }
    return otherwise;
  }

  /** The pulse as the snapshot has it: transactions by worker. */
  Map<Integer, Long> pulse(Snapshot snapshot) throws IOException {
    Map<Integer, Long> beats = new HashMap<>();
    LsmTable table = table(Shop.PULSE).orElseThrow();
    try (RowReader reader = table.newScan(snapshot).columns(List.of("worker", "beats")).open()) {
      while (reader.advance()) {
        Row row = reader.row();
        beats.put(row.getInt(0), row.getLong(1));
      }
    }
    return beats;
  }

  /** A scan of the newest snapshot; empty while there is no such table. */
  Optional<TableScan> scan(String name) throws IOException {
    Optional<LsmTable> table = table(name);
    return table.isPresent() ? Optional.of(table.get().newScan()) : Optional.empty();
  }

  /** Live files of the table that has most of them, for each of its buckets. */
  public long filesPerBucketMax() throws IOException {
    long most = 0;
    for (Shop.Table each : Shop.TABLES) {
      Optional<LsmTable> table = table(each.name());
      Snapshot newest = table.isPresent() ? table.get().snapshots().findLatest() : null;
      if (table.isPresent() && newest != null) {
        TableStatistics statistics = table.get().statistics(newest);
        most = Math.max(most, statistics.files() / Math.max(1, statistics.buckets()));
      }
    }
    return most;
  }

  /** What the newest snapshots hold. */
  public Totals totals() throws IOException {
    long count = 0;
    long files = 0;
    long bytes = 0;
    long snapshots = 0;
    for (Shop.Table each : Shop.TABLES) {
      Optional<LsmTable> table = table(each.name());
      Snapshot newest = table.isPresent() ? table.get().snapshots().findLatest() : null;
      if (table.isPresent() && newest != null) {
        TableStatistics statistics = table.get().statistics(newest);
        count++;
        files += statistics.files();
        bytes += statistics.bytes();
        snapshots += newest.id();
      }
    }
    return new Totals(count, files, bytes, snapshots);
  }
}
