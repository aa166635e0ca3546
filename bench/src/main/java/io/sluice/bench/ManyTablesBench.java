package io.sluice.bench;

import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.scan.RowReader;
import io.sluice.lsm.table.LsmTable;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineSettings;
import io.sluice.sinks.PipelineStatus;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.SourceCallbacks;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.TableTarget;
import io.sluice.sinks.pipeline.Pipeline;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * One pipeline with many tables of which each has a few rows a second: router, shard workers,
 * epochs, committer, compaction and expiry as in the daemon, rows from a generator instead of a
 * database. Run it in the heap that it is to live in ({@code SLUICE_HEAP=1g}).
 *
 * <p>Prints every half minute the epochs finished since, their times from cut to visible, the heap
 * after a collection and the worst bucket; at the end it reads some tables and counts their rows.
 *
 * <pre>
 * ManyTablesBench [tables (1000)] [seconds (180)] [rows a second and table (3)] [interval in ms (2000)]
 * </pre>
 */
public final class ManyTablesBench {

  private static final int BUCKETS = 2;
  private static final int KEYS = 20_000;
  private static final int ROWS_A_TRANSACTION = 20;
  private static final int REPORT_SECONDS = 30;
  private static final int TABLES_READ = 20;
  private static final long SEED = 42;

  private final int rowsPerSecond;
  private final List<RoutedTable> tables = new ArrayList<>();
  private final List<BitSet> keys = new ArrayList<>();
  private final List<Double> epochSeconds = new ArrayList<>();
  private long tablesCommitted;
  private long written;

  private ManyTablesBench(int rowsPerSecond) {
    this.rowsPerSecond = rowsPerSecond;
  }

  /** Runs it. */
  public static void main(String[] args) throws Exception {
    Arguments arguments = new Arguments(args);
    int tables = arguments.number(0, 1_000);
    int seconds = arguments.number(1, 180);
    int rowsPerTable = arguments.number(2, 3);
    Duration interval = Duration.ofMillis(arguments.number(3, 2_000));
    try (BenchFolder folder = BenchFolder.create("many-tables-bench")) {
      new ManyTablesBench(tables * rowsPerTable).run(folder.path(), tables, seconds, interval);
    }
    System.exit(0);
  }

  private void run(Path warehouse, int tableCount, int seconds, Duration interval)
      throws Exception {
    PipelineSettings settings =
        new PipelineSettings(
            "bench",
            warehouse.toString(),
            interval,
            Duration.ofMinutes(1),
            2,
            Runtime.getRuntime().maxMemory() / 4,
            8 << 20,
            2,
            Duration.ofMinutes(1),
            100,
            10,
            1_000_000);
    Pipeline pipeline =
        Pipeline.recover(
            settings,
            new LocalFileIO(() -> UUID.randomUUID().toString()),
            Clock.systemUTC(),
            () -> UUID.randomUUID().toString(),
            new Tables(),
            new PipelineListener() {
              @Override
              public void epochFinished(long epoch, double took, Map<String, Long> snapshots) {
                finished(took, snapshots.size());
              }
            });
    try {
      ChangeInput changes = pipeline.changes();
      long began = System.nanoTime();
      for (int i = 0; i < tableCount; i++) {
        tables.add(changes.tableChanged(definition(i), null).orElseThrow());
        keys.add(new BitSet(KEYS));
      }
      changes.cutPoint(new SourcePosition("{\"at\":0}"), 1);
      pipeline.awaitCommitted();
      System.out.printf(
          Locale.ROOT,
          "%,d tables x %d buckets created in %.1f s; heap of %,d MiB%n",
          tableCount,
          BUCKETS,
          (System.nanoTime() - began) / 1e9,
          Runtime.getRuntime().maxMemory() >> 20);
      feed(pipeline, seconds);
      long closing = System.nanoTime();
      pipeline.close();
      System.out.printf(
          Locale.ROOT, "last epoch and end: %.1f s%n", (System.nanoTime() - closing) / 1e9);
      check(warehouse);
    } finally {
      pipeline.abort();
    }
  }

  private void feed(Pipeline pipeline, int seconds) {
    SplittableRandom random = new SplittableRandom(SEED);
    BinaryRowWriter writer = new BinaryRowWriter(4);
    long began = System.nanoTime();
    long reported = began;
    long cpu = cpuNanos();
    long rowsReported = 0;
    take();
    while (System.nanoTime() - began < seconds * 1_000_000_000L) {
      long due = (long) ((System.nanoTime() - began) / 1e9 * rowsPerSecond);
      if (written >= due) {
        LockSupport.parkNanos(1_000_000);
      }
      while (written < due) {
        transaction(pipeline.changes(), random, writer);
      }
      long now = System.nanoTime();
      if (now - reported >= REPORT_SECONDS * 1_000_000_000L) {
        report(
            pipeline.status(),
            (now - began) / 1e9,
            (now - reported) / 1e9,
            (cpuNanos() - cpu) / 1e9,
            written - rowsReported);
        reported = now;
        cpu = cpuNanos();
        rowsReported = written;
      }
    }
  }

  private void transaction(ChangeInput changes, SplittableRandom random, BinaryRowWriter writer) {
    long micros = System.currentTimeMillis() * 1000;
    for (int i = 0; i < ROWS_A_TRANSACTION; i++) {
      int table = random.nextInt(tables.size());
      int id = random.nextInt(KEYS);
      keys.get(table).set(id);
      writer.reset();
      writer.writeLong(0, id);
      writer.writeInt(1, random.nextInt(1000));
      writer.writeString(2, "delivered");
      writer.writeString(3, "a note about the order with the number " + random.nextInt(1 << 20));
      changes.row(tables.get(table), writer.finish(RowKind.INSERT), micros);
      written++;
    }
    changes.cutPoint(new SourcePosition("{\"at\":" + written + "}"), micros);
  }

  private synchronized void finished(double took, int tablesOfEpoch) {
    epochSeconds.add(took);
    tablesCommitted += tablesOfEpoch;
  }

  private synchronized List<Double> take() {
    List<Double> taken = List.copyOf(epochSeconds);
    epochSeconds.clear();
    return taken;
  }

  private void report(
      PipelineStatus status, double at, double elapsed, double cpuSeconds, long rows) {
    List<Double> epochs = take();
    Sample seconds = Sample.of(epochs);
    long commits;
    synchronized (this) {
      commits = tablesCommitted;
      tablesCommitted = 0;
    }
    System.gc();
    // As the collection left it: the other threads go on allocating.
    long heap = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      MemoryUsage left = pool.getType() == MemoryType.HEAP ? pool.getCollectionUsage() : null;
      heap += left == null ? 0 : left.getUsed() >> 20;
    }
    int runs = 0;
    for (PipelineStatus.TableStatus table : status.tables()) {
      runs = Math.max(runs, table.sortedRuns());
    }
    System.out.printf(
        Locale.ROOT,
        "%4.0f s: %,.0f rows/s, %.2f epochs/s, %,.0f table commits/s, epoch p50 %.2f s p99 %.2f s,"
            + " freshness %.1f s, CPU %.2f cores, heap after GC %,d MiB, worst bucket %d runs%n",
        at,
        rows / elapsed,
        epochs.size() / elapsed,
        commits / elapsed,
        seconds.median(),
        seconds.percentile(99),
        status.freshnessSeconds(),
        cpuSeconds / elapsed,
        heap,
        runs);
  }

  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
        .getProcessCpuTime();
  }

  private void check(Path warehouse) throws IOException {
    long rows = 0;
    int step = Math.max(1, tables.size() / TABLES_READ);
    for (int i = 0; i < tables.size(); i += step) {
      LsmTable table =
          SluiceSession.open(warehouse.resolve("bench.db").resolve(definition(i).id().table()));
      long count = 0;
      try (RowReader reader = table.newScan().open()) {
        while (reader.advance()) {
          count++;
        }
      }
      if (count != keys.get(i).cardinality()) {
        throw new AssertionError(
            "Table " + i + " has " + count + " rows instead of " + keys.get(i).cardinality());
      }
      rows += count;
    }
    System.out.printf(
        Locale.ROOT, "%,d rows read back of every %dth table: all there%n", rows, step);
  }

  private static SourceTable definition(int number) {
    return new SourceTable(
        new SourceTableId("bench", String.format(Locale.ROOT, "t%04d", number)),
        List.of(
            new SourceColumn("id", "BIGINT", null, null, false, null, List.of(), null),
            new SourceColumn("quantity", "INT", null, null, true, null, List.of(), null),
            new SourceColumn("state", "VARCHAR", 20, null, true, "utf8mb4", List.of(), null),
            new SourceColumn("note", "VARCHAR", 200, null, true, "utf8mb4", List.of(), null)),
        List.of("id"));
  }

  /** Every table of the source is captured. */
  private static final class Tables implements SourceCallbacks {
    @Override
    public Optional<TableTarget> target(SourceTableId table) {
      return Optional.of(
          new TableTarget("bench", table.table(), BUCKETS, "", List.of(), Map.of(), false));
    }

    @Override
    public String deliveredMark() {
      return "";
    }

    @Override
    public List<String> foldHistory(List<String> history) {
      return history;
    }
  }
}
