package io.sluice.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.Await;
import io.sluice.it.support.DaemonProcess;
import io.sluice.it.support.LakeAssert;
import io.sluice.it.support.LakeState;
import io.sluice.it.support.PipelineFolder;
import io.sluice.it.support.TestServers;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many tables of which few change, and a source whose other databases are busy: idle tables cost no
 * file and no request, the position moves all the same, and what lies before it may be purged.
 *
 * <p>{@code -Dtest.idle.tables=N} (default 150), {@code -Dtest.idle.seconds=N} of watching (default
 * 8), {@code -Dtest.foreign.seconds=N} of foreign traffic (default 12), {@code
 * -Dtest.server=mysql|mariadb}. Requests are seen by {@code strace}; where it can't be had, files
 * alone are.
 */
class IdleTablesIT {
  private static final int IDLE = Integer.getInteger("test.idle.tables", 150);
  private static final int BUSY = 10;
  private static final int WATCH_SECONDS = Integer.getInteger("test.idle.seconds", 8);
  private static final int FOREIGN_SECONDS = Integer.getInteger("test.foreign.seconds", 12);
  private static final Duration LIMIT = Duration.ofSeconds(120 + IDLE / 2);

  @TempDir Path folder;

  private static ThrowawayServer startServer() {
    return TestServers.start(
        ServerKind.valueOf(System.getProperty("test.server", "mariadb").toUpperCase(Locale.ROOT)));
  }

  @Test
  void idleTablesCostNoFileAndNoRequest() throws Exception {
    try (ThrowawayServer server = startServer();
        Connection connection = server.connect("");
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE d");
      statement.execute("USE d");
      for (int i = 0; i < IDLE; i++) {
        statement.execute("CREATE TABLE idle" + i + " (id INT PRIMARY KEY, v VARCHAR(20))");
        statement.execute("INSERT INTO idle" + i + " VALUES (1, 'x')");
      }
      for (int i = 0; i < BUSY; i++) {
        statement.execute("CREATE TABLE busy" + i + " (id INT PRIMARY KEY, v INT)");
      }
      PipelineFolder pipeline = new PipelineFolder(folder, "idle").source(server).include("d.*");
      long begun = System.nanoTime();
      try (DaemonProcess daemon = DaemonProcess.run(pipeline, "-Xmx512m")) {
        daemon.await(
            LIMIT,
            "all copies; " + IDLE,
            () -> LakeState.consistentSources(pipeline).size() == IDLE + BUSY);
        double copied = (System.nanoTime() - begun) / 1e9;
        change(statement, 1);
        awaitRows(daemon, server, pipeline);
        Map<String, String> before = idleFiles(pipeline);
        long epoch = LakeState.highestEpoch(pipeline);
        Optional<Process> tracer = trace(daemon);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WATCH_SECONDS);
        int id = 1;
        while (System.nanoTime() < end) {
          change(statement, ++id);
          LockSupport.parkNanos(20_000_000);
        }
        awaitRows(daemon, server, pipeline);
        if (tracer.isPresent()) {
          tracer.get().destroy();
          assertThat(tracer.get().waitFor(20, TimeUnit.SECONDS)).isTrue();
        }
        long epochs = LakeState.highestEpoch(pipeline) - epoch;
        assertThat(epochs).isGreaterThan(WATCH_SECONDS / 2);
        assertThat(idleFiles(pipeline)).isEqualTo(before);
        long requests = 0;
        if (tracer.isPresent()) {
          List<String> calls = Files.readAllLines(folder.resolve("calls"));
          requests = calls.stream().filter(line -> line.contains("/d.db/busy")).count();
          assertThat(requests).as("calls that strace saw").isGreaterThan(epochs);
          assertThat(calls).noneMatch(line -> line.contains("/d.db/idle"));
        }
        System.out.printf(
            Locale.ROOT,
            "IdleTablesIT on %s: %d idle tables and %d busy ones copied in %.1f s; in %d s %d epochs,"
                + " %d changes, %d file calls for busy tables%s, none and no file for idle ones%n",
            server.kind(),
            IDLE,
            BUSY,
            copied,
            WATCH_SECONDS,
            epochs,
            id * BUSY,
            requests,
            tracer.isPresent() ? "" : " (not looked at)");
        assertThat(daemon.terminate()).as(daemon.logTail()).isZero();
      }
    }
  }

  private static void change(Statement statement, int id) throws SQLException {
    for (int i = 0; i < BUSY; i++) {
      statement.execute("INSERT INTO busy" + i + " VALUES (" + id + ", " + i + ")");
    }
  }

  private static void awaitRows(
      DaemonProcess daemon, ThrowawayServer server, PipelineFolder pipeline) throws Exception {
    String[] busy =
        Stream.iterate(0, i -> i < BUSY, i -> i + 1).map(i -> "busy" + i).toArray(String[]::new);
    LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", busy);
  }

  /** Every file of an idle table with its size and time. */
  private static Map<String, String> idleFiles(PipelineFolder pipeline) throws IOException {
    Map<String, String> result = new TreeMap<>();
    for (int i = 0; i < IDLE; i++) {
      try (Stream<Path> files = Files.walk(pipeline.table("d", "idle" + i))) {
        for (Path file : files.toList()) {
          result.put(
              file.toString(), Files.size(file) + " " + Files.getLastModifiedTime(file).toMillis());
        }
      }
    }
    return result;
  }

  private Optional<Process> trace(DaemonProcess daemon) throws Exception {
    Path log = folder.resolve("strace.log");
    try {
      Process process =
          new ProcessBuilder(
                  "strace",
                  "-f",
                  "-qq",
                  "-e",
                  "trace=%file",
                  "-o",
                  folder.resolve("calls").toString(),
                  "-p",
                  Long.toString(daemon.pid()))
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      Path calls = folder.resolve("calls");
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      while (process.isAlive() && System.nanoTime() < deadline) {
        if (Files.exists(calls) && Files.size(calls) > 0) {
          return Optional.of(process);
        }
        daemon.assertAlive();
        LockSupport.parkNanos(10_000_000);
      }
      process.destroy();
      System.out.println("IdleTablesIT: no calls are seen, " + Files.readString(log));
      return Optional.empty();
    } catch (IOException e) {
      System.out.println("IdleTablesIT: no calls are seen, " + e.getMessage());
      return Optional.empty();
    }
  }

  /** Trap 25: the captured table is idle, others are busy, the binlog behind the position goes. */
  @Test
  void movesItsPositionThroughForeignTraffic() throws Exception {
    try (ThrowawayServer server = startServer();
        Connection connection = server.connect("");
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE d");
      statement.execute("CREATE DATABASE elsewhere");
      statement.execute("CREATE TABLE d.t (id INT PRIMARY KEY, v INT)");
      statement.execute("INSERT INTO d.t VALUES (1, 1)");
      statement.execute("CREATE TABLE elsewhere.busy (id INT PRIMARY KEY, v TEXT)");
      PipelineFolder pipeline =
          new PipelineFolder(folder, "foreign")
              .source(server)
              .include("d.*")
              .set("idle-interval = 1s");
      try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "t");
        daemon.await(LIMIT, "its copy", () -> LakeState.consistentSources(pipeline).size() == 1);
        long snapshot = LakeState.newestSnapshot(pipeline, "d", "t");
        long epoch = LakeState.highestEpoch(pipeline);
        long begun = System.nanoTime();
        long end = begun + TimeUnit.SECONDS.toNanos(FOREIGN_SECONDS);
        long transactions = 0;
        while (System.nanoTime() < end) {
          for (int i = 0; i < 20; i++) {
            // Another value each time: what replaces a row by the same one is not logged.
            statement.execute(
                "REPLACE INTO elsewhere.busy VALUES ("
                    + transactions++ % 500
                    + ", REPEAT('x', "
                    + (10_000 + transactions / 500)
                    + "))");
          }
          if (transactions % 2_000 == 0) {
            statement.execute("FLUSH BINARY LOGS");
          }
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        long epochs = LakeState.highestEpoch(pipeline) - epoch;
        assertThat(epochs)
            .as("epochs for the position alone, one a second at most")
            .isBetween(Math.max(1L, FOREIGN_SECONDS / 6), FOREIGN_SECONDS + 3L);
        assertThat(LakeState.newestSnapshot(pipeline, "d", "t")).isEqualTo(snapshot);
        // Two more epochs, and it stands behind all that was written before.
        long last = LakeState.highestEpoch(pipeline) + 1;
        statement.execute("FLUSH BINARY LOGS");
        daemon.await(
            LIMIT,
            "the position moves",
            () -> {
              statement.execute(
                  "REPLACE INTO elsewhere.busy VALUES (1, '" + System.nanoTime() + "')");
              return LakeState.highestEpoch(pipeline) > last;
            });
        daemon.kill();
        int purged = purge(server, statement);
        assertThat(purged).isPositive();
        System.out.printf(
            Locale.ROOT,
            "IdleTablesIT on %s: %d foreign transactions in %.0f s, %d epochs, no snapshot; %d binlog"
                + " files purged behind the position%n",
            server.kind(),
            transactions,
            seconds,
            epochs,
            purged);
      }
      statement.execute("INSERT INTO d.t VALUES (2, 2)");
      try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "t");
        assertThat(daemon.terminate()).as(daemon.logTail()).isZero();
      }
    }
  }

  /** All files but the newest one: the position is in it. */
  private static int purge(ThrowawayServer server, Statement statement) throws Exception {
    if (server.kind() == ServerKind.MARIADB) {
      statement.execute("SET GLOBAL slave_connections_needed_for_purge = 0");
    }
    int[] before = {binlogs(statement).size()};
    Await.until(
        Duration.ofSeconds(60),
        () -> "the binlog is purged",
        () -> {
          // A server keeps a file as long as it believes that a reader, even one just gone, is in
          // it.
          List<String> files = binlogs(statement);
          statement.execute("PURGE BINARY LOGS TO '" + files.get(files.size() - 1) + "'");
          return binlogs(statement).size() <= 1;
        });
    return before[0] - binlogs(statement).size();
  }

  private static List<String> binlogs(Statement statement) throws SQLException {
    List<String> files = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery("SHOW BINARY LOGS")) {
      while (rows.next()) {
        files.add(rows.getString(1));
      }
    }
    return files;
  }
}
