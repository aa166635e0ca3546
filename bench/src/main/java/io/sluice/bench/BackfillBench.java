package io.sluice.bench;

import io.sluice.config.ConnectionConfig;
import io.sluice.config.TlsMode;
import io.sluice.evolution.PlanOptions;
import io.sluice.evolution.PlannedTable;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TablePlanner;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.replicator.backfill.Backfill;
import io.sluice.replicator.backfill.BackfillProgress;
import io.sluice.replicator.backfill.BackfillSettings;
import io.sluice.replicator.backfill.JdbcSource;
import io.sluice.replicator.demo.servers.NativeMariaDb;
import io.sluice.replicator.demo.servers.NativeMySql;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import io.sluice.replicator.values.MySqlFlavor;
import io.sluice.replicator.values.ValueEncoders;
import io.sluice.replicator.values.ZeroDates;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineSettings;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.SourceCallbacks;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.TableTarget;
import io.sluice.sinks.pipeline.Pipeline;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.options.Options;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.ReadBuilder;
import org.jspecify.annotations.Nullable;

/**
 * How fast a table's existing rows come into the lake: a plain streaming JDBC read as the limit,
 * the backfill into nothing (converting alone), and the backfill through the pipeline until
 * Paimon's reader sees every row. Each is run {@code rounds} times, taking turns.
 *
 * <p>Arguments: {@code mysql|mariadb}, rows (2,000,000), rounds (3), readers (2).
 */
public final class BackfillBench {

  private static final SourceTableId ORDERS = new SourceTableId("bench", "orders");
  private static final SourceTable DEFINITION =
      new SourceTable(
          ORDERS,
          List.of(
              column("id", "BIGINT", null, null, false),
              column("customer_id", "INT", null, null, false),
              column("status", "VARCHAR", 16, null, false),
              column("amount", "DECIMAL", 12, 2, false),
              column("quantity", "INT", null, null, false),
              column("created_at", "DATETIME", 3, null, false),
              column("updated_at", "TIMESTAMP", 3, null, true),
              column("note", "VARCHAR", 100, null, true)),
          List.of("id"));

  private BackfillBench() {}

  private static SourceColumn column(
      String name,
      String type,
      @Nullable Integer length,
      @Nullable Integer scale,
      boolean nullable) {
    String charset = type.equals("VARCHAR") ? "utf8mb4" : null;
    return new SourceColumn(name, type, length, scale, nullable, charset, List.of(), null);
  }

  /** Runs it. */
  public static void main(String[] args) throws Exception {
    boolean mysql = args.length == 0 || args[0].equals("mysql");
    long rows = args.length > 1 ? Long.parseLong(args[1]) : 2_000_000;
    int rounds = args.length > 2 ? Integer.parseInt(args[2]) : 3;
    int readers = args.length > 3 ? Integer.parseInt(args[3]) : 2;
    try (ThrowawayServer server = mysql ? NativeMySql.start() : NativeMariaDb.start()) {
      fill(server, rows);
      for (int round = 0; round < rounds; round++) {
        measure("plain streaming read", rows, () -> plainRead(jdbc(server), rows));
        measure("backfill into nothing", rows, () -> intoNothing(server, rows, readers));
        measure("backfill until visible", rows, () -> untilVisible(server, rows, readers));
      }
    }
  }

  /** CPU is this process's alone: the server's comes on top. */
  private static void measure(String what, long rows, Callable<Double> run) throws Exception {
    long cpuBefore = cpuNanos();
    double seconds = run.call();
    double cpu = (cpuNanos() - cpuBefore) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "%-24s %10.0f rows/s  %6.2f s  %5.2f us CPU/row%n",
        what,
        rows / seconds,
        seconds,
        cpu * 1e6 / rows);
  }

  private static long cpuNanos() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean bean
        ? bean.getProcessCpuTime()
        : 0;
  }

  private static JdbcSource jdbc(ThrowawayServer server) {
    return new JdbcSource(
        server.kind() == ServerKind.MYSQL ? MySqlFlavor.MYSQL : MySqlFlavor.MARIADB,
        new ConnectionConfig(
            server.host(),
            server.port(),
            ThrowawayServer.ROOT.user(),
            Optional.empty(),
            Duration.ofSeconds(10),
            Duration.ofMinutes(2),
            TlsMode.DISABLED,
            Map.of()));
  }

  /** About 100 bytes a row. */
  private static void fill(ThrowawayServer server, long rows) throws SQLException {
    try (Connection root = server.connect("");
        Statement statement = root.createStatement()) {
      statement.execute("CREATE DATABASE bench");
      statement.execute("USE bench");
      statement.execute(
          "CREATE TABLE bench.orders (id BIGINT PRIMARY KEY, customer_id INT NOT NULL,"
              + " status VARCHAR(16) NOT NULL, amount DECIMAL(12,2) NOT NULL,"
              + " quantity INT NOT NULL, created_at DATETIME(3) NOT NULL,"
              + " updated_at TIMESTAMP(3) NULL, note VARCHAR(100)) CHARACTER SET utf8mb4");
      statement.execute("SET SESSION sql_log_bin = 0");
      statement.execute("INSERT INTO bench.orders VALUES " + values("0"));
      for (long have = 1; have < rows; have *= 2) {
        statement.execute(
            "INSERT INTO bench.orders SELECT id + "
                + have
                + ", (id + "
                + have
                + ") * 7919 % 100000, ELT(1 + (id * 31 + "
                + have
                + ") % 4, 'new', 'paid', 'shipped', 'returned'), (id * 977 + "
                + have
                + ") % 1000000 / 100, 1 + id % 9, created_at + INTERVAL ("
                + have
                + " % 1000) SECOND, updated_at + INTERVAL ("
                + have
                + " % 777) SECOND, CONCAT(LEFT(note, 20), LPAD(HEX((id + "
                + have
                + ") * 2654435761), 32, 'no ')) FROM bench.orders WHERE id < "
                + (rows - have));
      }
      statement.execute("ANALYZE TABLE bench.orders");
    }
  }

  private static String values(String id) {
    return "("
        + id
        + ", 1, 'new', 1.50, 1, '2024-01-01 10:00:00.123', '2024-01-01 10:00:00.456',"
        + " 'deliver to the back ')";
  }

  private static double plainRead(JdbcSource source, long rows) throws SQLException {
    long began = System.nanoTime();
    long count = 0;
    try (Connection connection = source.connect();
        Statement statement = connection.createStatement()) {
      statement.setFetchSize(source.flavor() == MySqlFlavor.MYSQL ? Integer.MIN_VALUE : 1_000);
      try (ResultSet result = statement.executeQuery("SELECT * FROM bench.orders")) {
        while (result.next()) {
          count++;
        }
      }
    }
    check(count, rows);
    return seconds(began);
  }

  private static double intoNothing(ThrowawayServer server, long rows, int readers)
      throws Exception {
    PlannedTable.Planned plan =
        (PlannedTable.Planned)
            TablePlanner.plan(
                DEFINITION, new PlanOptions("bench", "orders", 2, List.of(), Map.of(), false), 0);
    RoutedTable table = new RoutedTable(DEFINITION, "bench.orders", plan.schema(), 1);
    CountingInput input = new CountingInput(mark(server));
    long began = System.nanoTime();
    copy(server, readers, input, table);
    double seconds = seconds(began);
    check(input.rows.get(), rows);
    return seconds;
  }

  private static double untilVisible(ThrowawayServer server, long rows, int readers)
      throws Exception {
    Path warehouse = Files.createTempDirectory("sluice-bench-");
    try {
      PipelineSettings settings =
          new PipelineSettings(
              "bench",
              warehouse.toString(),
              Duration.ofSeconds(2),
              Duration.ofMinutes(1),
              2,
              Runtime.getRuntime().maxMemory() / 4,
              16 << 20,
              2,
              Duration.ofHours(1),
              1000,
              10,
              1_000_000);
      String mark = mark(server);
      double seconds;
      try (Pipeline pipeline =
          Pipeline.recover(
              settings,
              new LocalFileIO(() -> UUID.randomUUID().toString()),
              Clock.systemUTC(),
              () -> UUID.randomUUID().toString(),
              new OneTable(mark),
              PipelineListener.NONE)) {
        RoutedTable table = pipeline.changes().tableChanged(DEFINITION, null).orElseThrow();
        pipeline.changes().cutPoint(new SourcePosition("{}"), 0);
        long began = System.nanoTime();
        copy(server, readers, pipeline.backfill(), table);
        // Ends well: the last epoch is in the table when this returns.
        pipeline.close();
        seconds = seconds(began);
      }
      check(paimonRows(warehouse), rows);
      return seconds;
    } finally {
      delete(warehouse);
    }
  }

  private static void copy(
      ThrowawayServer server, int readers, BackfillInput input, RoutedTable table)
      throws Exception {
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    JdbcSource source = jdbc(server);
    try (Backfill backfill =
        new Backfill(
            source,
            new BackfillSettings(readers, 50_000),
            new ValueEncoders(source.flavor(), ZeroDates.FAIL, (id, column) -> {}),
            input,
            (file, position) -> true,
            id -> Optional.of(table),
            failure::set)) {
      backfill.add(table);
      backfill.start();
      while (backfill.status().get(0).state() != BackfillProgress.State.CONSISTENT) {
        if (failure.get() != null) {
          throw new IllegalStateException("the backfill failed", failure.get());
        }
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  private static String mark(ThrowawayServer server) throws SQLException {
    if (server.kind() == ServerKind.MARIADB) {
      return "{}";
    }
    try (Connection root = server.connect("");
        Statement statement = root.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@gtid_executed")) {
      row.next();
      return "{\"gtids\":\"" + row.getString(1).replace("\n", "") + "\"}";
    }
  }

  private static long paimonRows(Path warehouse) throws Exception {
    Options options = new Options();
    options.set("warehouse", warehouse.toUri().toString());
    AtomicLong count = new AtomicLong();
    try (var catalog = CatalogFactory.createCatalog(CatalogContext.create(options))) {
      Table table = catalog.getTable(Identifier.create("bench", "orders"));
      ReadBuilder builder = table.newReadBuilder();
      try (var reader = builder.newRead().createReader(builder.newScan().plan())) {
        reader.forEachRemaining(row -> count.incrementAndGet());
      }
    }
    return count.get();
  }

  private static void check(long got, long wanted) {
    if (got != wanted) {
      throw new IllegalStateException(got + " rows instead of " + wanted);
    }
  }

  private static double seconds(long began) {
    return (System.nanoTime() - began) / 1e9;
  }

  private static void delete(Path folder) throws IOException {
    try (var paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  /** A source of one table whose stream stands still. */
  private record OneTable(String deliveredMark) implements SourceCallbacks {
    @Override
    public Optional<TableTarget> target(SourceTableId table) {
      return Optional.of(new TableTarget("bench", "orders", 2, "", List.of(), Map.of(), false));
    }

    @Override
    public List<String> foldHistory(List<String> history) {
      return history;
    }
  }

  /** Takes rows and counts them. */
  private static final class CountingInput implements BackfillInput {
    private final AtomicLong rows = new AtomicLong();
    private final String mark;

    CountingInput(String mark) {
      this.mark = mark;
    }

    @Override
    public Chunk openChunk(RoutedTable table) {
      return new Chunk() {
        private long count;

        @Override
        public long readNumber() {
          return 1;
        }

        @Override
        public String delivered() {
          return mark;
        }

        @Override
        public RoutedTable table() {
          return table;
        }

        @Override
        public void row(BinaryRow row) {
          count++;
        }

        @Override
        public void done(String progress) {
          rows.addAndGet(count);
        }

        @Override
        public void abandon() {
          count = 0;
        }
      };
    }

    @Override
    public boolean progress(RoutedTable table, String progress) {
      return true;
    }

    @Override
    public Map<SourceTableId, String> progress() {
      return Map.of();
    }
  }
}
