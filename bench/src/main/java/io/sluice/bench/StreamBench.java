package io.sluice.bench;

import io.sluice.config.ConfigLoader;
import io.sluice.lsm.io.FileIOs;
import io.sluice.lsm.scan.RowReader;
import io.sluice.lsm.table.LsmTable;
import io.sluice.replicator.daemon.Daemon;
import io.sluice.replicator.demo.servers.NativeMySql;
import io.sluice.replicator.demo.servers.ServerFiles;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Streaming updates until they are visible, compaction included. One binlog of single-row updates,
 * 100 to a transaction, is written while nobody follows; then it is read several times, by turns:
 * by the stock Debezium engine with the same settings and an empty consumer, and by the daemon,
 * each time from the same place over a fresh copy of the same lake, until a scan shows the last
 * transaction. Prints changes/s of both and the ratio of the medians. Both times include the start.
 * Arguments: updates (default 320,000), rounds (default 3).
 */
public final class StreamBench {

  private static final long LOOK_MILLIS = 10;
  private static final Supplier<String> IDS = () -> UUID.randomUUID().toString();

  private StreamBench() {}

  public static void main(String[] arguments) throws Exception {
    int updates = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 320_000;
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 3;
    Path folder = Files.createTempDirectory("stream-bench");
    try (ThrowawayServer server = NativeMySql.start()) {
      SourceBench.fill(server);
      execute(server, "CREATE TABLE marker (id INT PRIMARY KEY, n BIGINT)");
      execute(server, "INSERT INTO marker VALUES (1, 0)");
      Path start = Files.createDirectory(folder.resolve("start"));
      SourceBench.runStock(server, start, 0);
      runDaemon(server, start, 0);
      SourceBench.write(server, updates);
      execute(server, "UPDATE marker SET n = " + updates);
      List<Double> stock = new ArrayList<>();
      List<Double> sluice = new ArrayList<>();
      for (int round = 1; round <= rounds; round++) {
        Path copy = folder.resolve("round" + round);
        copy(start, copy);
        stock.add(
            report(
                "stock engine, empty consumer",
                updates,
                () -> SourceBench.runStock(server, copy, updates)));
        sluice.add(
            report("Sluice, until visible", updates, () -> runDaemon(server, copy, updates)));
      }
      System.out.printf(
          Locale.ROOT,
          "ratio of the medians %.2f (goal 0.9)%n",
          Sample.of(sluice).median() / Sample.of(stock).median());
    } finally {
      ServerFiles.deleteTree(folder);
    }
  }

  private interface Run {
    void run() throws Exception;
  }

  private static double report(String what, int updates, Run run) throws Exception {
    long start = System.nanoTime();
    run.run();
    double perSecond = updates / ((System.nanoTime() - start) / 1e9);
    System.out.printf(Locale.ROOT, "%-30s %,10.0f changes/s%n", what, perSecond);
    return perSecond;
  }

  /** The daemon over the folder's lake, until the marker has the number. */
  private static void runDaemon(ThrowawayServer server, Path folder, long marker) throws Exception {
    Path config = BenchConfig.write(folder, server, "bench.*");
    try (Daemon daemon = Daemon.start(ConfigLoader.load(config, System.getenv()))) {
      String root = folder.resolve("warehouse/bench.db/").toString();
      while (marker(root + "/marker") != marker || (marker == 0 && isCopying(daemon))) {
        if (!daemon.isRunning()) {
          throw new IllegalStateException(
              "the daemon has ended: " + daemon.status().problem().orElse(""));
        }
        Thread.sleep(LOOK_MILLIS);
      }
    }
  }

  private static boolean isCopying(Daemon daemon) {
    return daemon.status().pipeline().stream()
        .flatMap(pipeline -> pipeline.tables().stream())
        .anyMatch(
            table ->
                table.backfillProgress() != null
                    && !table.backfillProgress().contains("\"consistent\""));
  }

  private static long marker(String root) throws IOException {
    var fileIO = FileIOs.forUri(root, IDS);
    if (!LsmTable.exists(fileIO, root)) {
      return -1;
    }
    try (RowReader reader =
        LsmTable.open(fileIO, root, Clock.systemUTC(), IDS)
            .newScan()
            .columns(List.of("n"))
            .open()) {
      return reader.advance() ? reader.row().getLong(0) : -1;
    }
  }

  private static void execute(ThrowawayServer server, String sql) throws Exception {
    try (Connection connection = server.connect("bench");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static void copy(Path from, Path to) throws Exception {
    int code =
        new ProcessBuilder("cp", "-r", from.toString(), to.toString())
            .inheritIO()
            .start()
            .waitFor();
    if (code != 0) {
      throw new IOException("cp -r " + from + " " + to + " ended with " + code);
    }
  }
}
