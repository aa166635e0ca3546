package io.sluice.sinks.pipeline;

import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.io.Backoff;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.scan.RowReader;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.TestIds;
import io.sluice.sinks.Liveness;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineSettings;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.SourceCallbacks;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.Succession;
import io.sluice.sinks.TableTarget;
import io.sluice.sinks.epoch.StorageRetry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A lake, a source's definitions and rows for tests: tables {@code (id BIGINT, v STRING, ...)}. */
final class TestLake {

  static final String PIPELINE = "shop";

  private static int runs;

  final FakeClock clock = new FakeClock();
  final String warehouse;

  TestLake(String warehouse) {
    this.warehouse = warehouse;
  }

  static SourceTableId id(String table) {
    return new SourceTableId("shop", table);
  }

  /** {@code id} and {@code v}, then further nullable INT columns. */
  static SourceTable definition(String table, String... more) {
    List<SourceColumn> columns = new ArrayList<>();
    columns.add(new SourceColumn("id", "BIGINT", null, null, false, null, List.of(), null));
    columns.add(new SourceColumn("v", "VARCHAR", 200, null, true, "utf8mb4", List.of(), null));
    for (String name : more) {
      columns.add(new SourceColumn(name, "INT", null, null, true, null, List.of(), null));
    }
    return new SourceTable(id(table), columns, List.of("id"));
  }

  static SourceTable withDefault(SourceTable table, String column, String value) {
    List<SourceColumn> columns = new ArrayList<>(table.columns());
    columns.add(new SourceColumn(column, "INT", null, null, true, null, List.of(), value));
    return new SourceTable(table.id(), columns, table.primaryKey());
  }

  static BinaryRow row(RoutedTable table, RowKind kind, long id, String v, Integer... more) {
    int size = table.lakeSchema().rowType().size();
    BinaryRowWriter writer = new BinaryRowWriter(size);
    writer.writeLong(0, id);
    writer.writeString(1, v);
    for (int i = 2; i < size; i++) {
      Integer value = i - 2 < more.length ? more[i - 2] : null;
      if (value == null) {
        writer.setNull(i);
      } else {
        writer.writeInt(i, value);
      }
    }
    return writer.finish(kind);
  }

  static SourcePosition position(long at) {
    return new SourcePosition("{\"at\":" + at + "}");
  }

  /** Every cut point is cut at as soon as nothing is in commit, and the position alone too. */
  PipelineSettings settings() {
    return settings(Duration.ZERO);
  }

  PipelineSettings settings(Duration idleInterval) {
    return new PipelineSettings(
        PIPELINE,
        warehouse,
        Duration.ZERO,
        idleInterval,
        2,
        16 << 20,
        1 << 20,
        1,
        Duration.ofHours(1),
        1000,
        10,
        1000);
  }

  /** Captures everything in database shop, two buckets a table. */
  static class Source implements SourceCallbacks {
    volatile String delivered = "";
    int buckets = 2;
    List<String> partitionBy = List.of();
    Map<String, String> options = Map.of();

    @Override
    public Optional<TableTarget> target(SourceTableId table) {
      return table.table().startsWith("not_")
          ? Optional.empty()
          : Optional.of(
              new TableTarget("shop", table.table(), buckets, "", partitionBy, options, false));
    }

    @Override
    public String deliveredMark() {
      return delivered;
    }

    @Override
    public List<String> foldHistory(List<String> history) {
      return history;
    }
  }

  /** Time as the stages' signs of life go by it: moves only when a test says so. */
  final AtomicLong livenessNanos = new AtomicLong();

  /** Of all starts. */
  final Liveness liveness = new Liveness(livenessNanos::get);

  Pipeline start(FileIO storage) {
    return start(storage, settings(), new Source(), PipelineListener.NONE, 8);
  }

  /**
   * @param tries how often a storage failure is tried again, without waiting
   */
  Pipeline start(
      FileIO storage,
      PipelineSettings settings,
      SourceCallbacks source,
      PipelineListener listener,
      int tries) {
    return start(storage, settings, source, listener, tries, Succession.ofAnybody());
  }

  /** A start of a daemon that may have rivals. */
  Pipeline start(FileIO storage, Succession succession) {
    return start(storage, settings(), new Source(), PipelineListener.NONE, 8, succession);
  }

  private Pipeline start(
      FileIO storage,
      PipelineSettings settings,
      SourceCallbacks source,
      PipelineListener listener,
      int tries,
      Succession succession) {
    StorageRetry retry = new StorageRetry(Backoff.NONE, tries, listener);
    TestIds ids = freshIds("run");
    return Pipeline.recover(
        settings,
        new Pipeline.Storage(storage, retry, retry),
        clock,
        ids,
        source,
        listener,
        succession,
        liveness);
  }

  private static TestIds freshIds(String prefix) {
    synchronized (TestLake.class) {
      return new TestIds(prefix + ++runs);
    }
  }

  String root(String table) {
    return warehouse + "/shop.db/" + table;
  }

  LsmTable table(FileIO storage, String table) throws IOException {
    return LsmTable.open(storage, root(table), clock, freshIds("reader"));
  }

  /** Rows of the newest snapshot, "v" and further columns joined by commas. */
  SortedMap<Long, String> rows(FileIO storage, String table) throws IOException {
    SortedMap<Long, String> result = new TreeMap<>();
    if (!LsmTable.exists(storage, root(table))) {
      return result;
    }
    try (RowReader reader = table(storage, table).newScan().open()) {
      int size = reader.rowType().size();
      while (reader.advance()) {
        Row row = reader.row();
        StringBuilder text = new StringBuilder(row.getString(1));
        for (int i = 2; i < size; i++) {
          text.append(',').append(row.isNullAt(i) ? "null" : Integer.toString(row.getInt(i)));
        }
        if (result.put(row.getLong(0), text.toString()) != null) {
          throw new AssertionError("Two rows with key " + row.getLong(0));
        }
      }
    }
    return result;
  }

  /** Snapshots of a table, oldest first. */
  List<Snapshot> snapshots(FileIO storage, String table) throws IOException {
    List<Snapshot> result = new ArrayList<>();
    LsmTable lsm = table(storage, table);
    for (long id : lsm.snapshots().listIds()) {
      result.add(lsm.snapshots().read(id));
    }
    return result;
  }

  static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("It does not come");
      }
      Thread.yield();
    }
  }

  /** Waits for an epoch with this position or fails after a while. */
  static void awaitPosition(Pipeline pipeline, @Nullable SourcePosition position)
      throws InterruptedException {
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (!pipeline.status().position().equals(Optional.ofNullable(position))) {
      if (pipeline.terminated().isDone()) {
        pipeline.terminated().join();
      }
      if (System.nanoTime() > deadline) {
        throw new AssertionError("No epoch with " + position + " but " + pipeline.status());
      }
      Thread.onSpinWait();
      Thread.yield();
    }
  }
}
