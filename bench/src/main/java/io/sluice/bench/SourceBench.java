package io.sluice.bench;

import com.sun.management.OperatingSystemMXBean;
import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import io.sluice.evolution.PlanOptions;
import io.sluice.evolution.PlannedTable;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TablePlanner;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.replicator.demo.servers.NativeMySql;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import io.sluice.replicator.sources.debezium.DebeziumSource;
import io.sluice.replicator.sources.debezium.SourceSettings;
import io.sluice.replicator.values.MySqlFlavor;
import io.sluice.replicator.values.ValueEncoders;
import io.sluice.replicator.values.ZeroDates;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.RecoveredState;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.TableTarget;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/**
 * Reads one binlog of single-row updates (100 to a transaction) several times, by turns: the stock
 * Debezium engine with the daemon's settings and an empty consumer, and the daemon's source with a
 * pipeline that takes rows and drops them. Prints changes/s and CPU microseconds per change of the
 * whole process. Arguments: updates (default 320,000), rounds (default 3).
 */
public final class SourceBench {

  private static final int ROWS = 100_000;
  private static final SourceTableId TABLE = new SourceTableId("bench", "t");

  private SourceBench() {}

  public static void main(String[] arguments) throws Exception {
    int updates = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 320_000;
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 3;
    Path folder = Files.createTempDirectory("source-bench");
    try (ThrowawayServer server = NativeMySql.start()) {
      fill(server);
      RecoveredState state = startOfSluice(server);
      runStock(server, folder, 0);
      write(server, updates);
      for (int round = 1; round <= rounds; round++) {
        Path copy = Files.createDirectory(folder.resolve("round" + round));
        for (String name : List.of("offsets", "history")) {
          Files.copy(folder.resolve(name), copy.resolve(name));
        }
        report("stock engine, empty consumer", updates, () -> runStock(server, copy, updates));
        report("Sluice's source, empty input", updates, () -> runSluice(server, state, updates));
      }
    }
  }

  private interface Run {
    void run() throws Exception;
  }

  private static void report(String what, int updates, Run run) throws Exception {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long cpu = system.getProcessCpuTime();
    long wall = System.nanoTime();
    run.run();
    double cpuMicros = (system.getProcessCpuTime() - cpu) / 1e3;
    double seconds = (System.nanoTime() - wall) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "%-30s %8.0f changes/s  %6.1f us CPU a change%n",
        what,
        updates / seconds,
        cpuMicros / updates);
  }

  static void fill(ThrowawayServer server) throws SQLException {
    try (Connection connection = server.connect("");
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE bench");
      statement.execute("USE bench");
      statement.execute("CREATE TABLE t (id INT PRIMARY KEY, k INT, c CHAR(120), p CHAR(60))");
      statement.execute("SET SESSION cte_max_recursion_depth = " + (ROWS + 1));
      statement.execute(
          "INSERT INTO t WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s"
              + " WHERE n < "
              + ROWS
              + ") SELECT n, 0, CONCAT(SHA2(n, 256), SHA2(n, 224)), LEFT(SHA2(n + 7, 256), 60) FROM s");
    }
  }

  static void write(ThrowawayServer server, int updates) throws SQLException {
    try (Connection connection = server.connect("bench");
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < updates; i++) {
        statement.execute("UPDATE t SET k = k + 1 WHERE id = " + (1 + i * 7919L % ROWS));
        if (i % 100 == 99) {
          connection.commit();
        }
      }
      connection.commit();
    }
  }

  private static SourceSettings settings(ThrowawayServer server) {
    return new SourceSettings(
        "bench",
        MySqlFlavor.MYSQL,
        server.host(),
        server.port(),
        ThrowawayServer.CDC.user(),
        ThrowawayServer.CDC.password(),
        SourceSettings.Tls.DISABLED,
        Duration.ofSeconds(10),
        Duration.ofMinutes(2),
        4711,
        List.of("bench"),
        List.of("bench\\.t"),
        id ->
            id.equals(TABLE)
                ? Optional.of(new TableTarget("bench", "t", 1, "", List.of(), Map.of(), false))
                : Optional.empty(),
        Map.of(),
        Duration.ofMillis(20));
  }

  private static RecoveredState startOfSluice(ThrowawayServer server) throws InterruptedException {
    var input = new EmptyInput(0);
    try (DebeziumSource source = newSource(server)) {
      source.start(input, new RecoveredState(0, Optional.empty(), List.of(), Map.of()));
      input.cut.await();
    }
    return new RecoveredState(
        1, Optional.ofNullable(input.position), List.copyOf(input.history), Map.of());
  }

  private static DebeziumSource newSource(ThrowawayServer server) {
    return new DebeziumSource(
        settings(server),
        new ValueEncoders(MySqlFlavor.MYSQL, ZeroDates.NULL, (table, column) -> {}));
  }

  private static void runSluice(ThrowawayServer server, RecoveredState state, int updates)
      throws InterruptedException {
    var input = new EmptyInput(updates);
    try (DebeziumSource source = newSource(server)) {
      source.start(input, state);
      input.enough.await();
    }
  }

  /** From the folder's offsets; with no updates wanted, only until the schemas were read. */
  static void runStock(ThrowawayServer server, Path folder, int updates) throws Exception {
    var properties = new Properties();
    Map.ofEntries(
            Map.entry("name", "stock"),
            Map.entry("connector.class", "io.debezium.connector.mysql.MySqlConnector"),
            Map.entry("topic.prefix", "stock"),
            Map.entry("offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore"),
            Map.entry("offset.storage.file.filename", folder.resolve("offsets").toString()),
            Map.entry("offset.flush.interval.ms", "100"),
            Map.entry(
                "schema.history.internal", "io.debezium.storage.file.history.FileSchemaHistory"),
            Map.entry(
                "schema.history.internal.file.filename", folder.resolve("history").toString()),
            Map.entry("database.hostname", server.host()),
            Map.entry("database.port", Integer.toString(server.port())),
            Map.entry("database.user", ThrowawayServer.CDC.user()),
            Map.entry("database.password", ThrowawayServer.CDC.password()),
            Map.entry("database.server.id", "4712"),
            Map.entry("database.ssl.mode", "disabled"),
            Map.entry("driver.allowPublicKeyRetrieval", "true"),
            Map.entry("database.include.list", "bench"),
            Map.entry("table.include.list", "bench\\.t"),
            Map.entry("snapshot.mode", "no_data"),
            Map.entry("snapshot.locking.mode", "none"),
            Map.entry("provide.transaction.metadata", "true"),
            Map.entry("skipped.operations", "none"),
            Map.entry("tombstones.on.delete", "false"),
            Map.entry("extended.headers.enabled", "false"),
            Map.entry("decimal.handling.mode", "precise"),
            Map.entry("bigint.unsigned.handling.mode", "precise"),
            Map.entry("time.precision.mode", "microseconds"),
            Map.entry("enable.time.adjuster", "false"),
            Map.entry("record.processing.threads", "1"),
            Map.entry("max.batch.size", "8192"),
            Map.entry("max.queue.size", "32768"),
            Map.entry("max.queue.size.in.bytes", Long.toString(64L << 20)),
            Map.entry("poll.interval.ms", "20"))
        .forEach(properties::setProperty);
    var changes = new AtomicLong();
    var enough = new CountDownLatch(1);
    var ended = new CountDownLatch(1);
    DebeziumEngine<RecordChangeEvent<SourceRecord>> engine =
        DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
            .using(properties)
            .using((success, message, error) -> ended.countDown())
            .notifying(
                (records, committer) -> {
                  for (RecordChangeEvent<SourceRecord> record : records) {
                    if (record.record().topic().equals("stock.bench.t")) {
                      changes.incrementAndGet();
                    }
                    if (updates == 0) {
                      committer.markProcessed(record);
                    }
                  }
                  if (updates == 0) {
                    committer.markBatchFinished();
                  }
                  boolean schemasRead =
                      updates == 0
                          && !records
                              .get(records.size() - 1)
                              .record()
                              .sourceOffset()
                              .containsKey("snapshot");
                  if (schemasRead || (updates > 0 && changes.get() >= updates)) {
                    enough.countDown();
                  }
                })
            .build();
    var thread = new Thread(engine, "stock-engine");
    thread.start();
    enough.await();
    engine.close();
    ended.await();
  }

  /** Takes everything and keeps nothing but what a restart needs. */
  private static final class EmptyInput implements ChangeInput {

    private final long wanted;
    private final CountDownLatch enough = new CountDownLatch(1);
    private final CountDownLatch cut = new CountDownLatch(1);
    private final List<String> history = new ArrayList<>();
    private @Nullable RoutedTable table;
    private volatile @Nullable SourcePosition position;
    private long rows;

    EmptyInput(long wanted) {
      this.wanted = wanted;
    }

    @Override
    public Optional<RoutedTable> restoreTable(SourceTable definition) {
      var plan =
          (PlannedTable.Planned)
              TablePlanner.plan(
                  definition, new PlanOptions("bench", "t", 1, List.of(), Map.of(), false), 0);
      table = new RoutedTable(definition, "bench.t", plan.schema(), 0);
      return Optional.of(table);
    }

    @Override
    public Optional<RoutedTable> tableChanged(
        SourceTable definition, @Nullable String historyRecord) {
      if (historyRecord != null) {
        history.add(historyRecord);
      }
      return restoreTable(definition);
    }

    @Override
    public void history(String historyRecord) {
      history.add(historyRecord);
    }

    @Override
    public void row(RoutedTable to, BinaryRow row, long sourceTimeMicros) {
      if (++rows == wanted) {
        enough.countDown();
      }
    }

    @Override
    public RoutedTable truncate(RoutedTable of, long sourceTimeMicros) {
      return of;
    }

    @Override
    public void cutPoint(SourcePosition at, long sourceTimeMicros) {
      position = at;
      cut.countDown();
    }

    @Override
    public Optional<RoutedTable> routed(SourceTableId id) {
      return Optional.ofNullable(table);
    }
  }
}
