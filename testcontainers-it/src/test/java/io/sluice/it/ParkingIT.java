package io.sluice.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.Await;
import io.sluice.it.support.DaemonProcess;
import io.sluice.it.support.LakeAssert;
import io.sluice.it.support.LakeRows;
import io.sluice.it.support.LakeState;
import io.sluice.it.support.PipelineFolder;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.TestServers;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One table can't go on: the others do; an operator brings it back. Through kills. */
class ParkingIT {

  private static final Duration LIMIT = Duration.ofSeconds(120);
  private static final Pattern URL = Pattern.compile("Status page: (http://\\S+/)");

  /** Rows that no test changes: readers must see them at any time. */
  private static final int STILL = 2_000;

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void leavesATableBehindAndBringsItBack(ServerKind kind) throws Exception {
    try (ThrowawayServer server = TestServers.start(kind)) {
      execute(
          server,
          "CREATE DATABASE d",
          "CREATE TABLE d.a (id INT PRIMARY KEY, v INT, w INT)",
          "CREATE TABLE d.b (id INT PRIMARY KEY, v INT)",
          "INSERT INTO d.a VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3), (100, 100, 100)",
          "INSERT INTO d.b VALUES (1, 1)");
      PipelineFolder pipeline = pipeline(server);
      List<String> asParked;
      try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "a", "b");
        asParked = rows(pipeline, "a");
        execute(
            server,
            "ALTER TABLE d.a DROP COLUMN w",
            "DELETE FROM d.a WHERE id IN (1, 100)",
            "UPDATE d.a SET v = 20 WHERE id = 2",
            "INSERT INTO d.a VALUES (4, 4)",
            "CREATE TABLE d.keyless (x INT)",
            "INSERT INTO d.keyless VALUES (1)",
            "INSERT INTO d.b VALUES (2, 2)");
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "b");
        assertThat(daemon.log())
            .contains("Table d.a of pipeline parking is parked", "sluice resync -c FILE d.a")
            .contains("Table d.keyless of pipeline parking is parked");
        assertThat(get(daemon, "metrics"))
            .contains("sluice_parked{pipeline=\"parking\",table=\"d.a\",} 1.0")
            .contains("sluice_parked{pipeline=\"parking\",table=\"d.b\",} 0.0");
        assertThat(get(daemon, "api/status")).contains("\"state\" : \"parked\"");
        daemon.kill();
      }
      execute(server, "INSERT INTO d.a VALUES (5, 5)", "INSERT INTO d.b VALUES (3, 3)");
      try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "b");
        assertThat(rows(pipeline, "a")).isEqualTo(asParked);
        assertThat(get(daemon, "metrics"))
            .contains("sluice_parked{pipeline=\"parking\",table=\"d.a\",} 1.0");
        assertThat(command(pipeline, "check", "-c", config(pipeline))).isEqualTo(1);
        assertThat(commandLog()).contains("d.a").contains("parked at epoch");
        assertThat(command(pipeline, "resync", "-c", config(pipeline), "d.a"))
            .as(commandLog())
            .isZero();
        LakeAssert.same(server, pipeline, "d", "a");
        execute(server, "INSERT INTO d.a VALUES (6, 6)", "DELETE FROM d.a WHERE id = 3");
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "a", "b");
        assertThat(command(pipeline, "resync", "-c", config(pipeline), "d.keyless")).isEqualTo(1);
        assertThat(commandLog()).contains("no primary key");
        assertThat(command(pipeline, "resync", "-c", config(pipeline), "d.nothing")).isEqualTo(2);
        // A table that goes on may be repaired in the same way.
        execute(
            server,
            "SET SESSION sql_log_bin = 0",
            "UPDATE d.b SET v = 10",
            "DELETE FROM d.b WHERE id = 2");
        String second = "id > 1 AND id <= 2";
        assertThat(command(pipeline, "resync", "-c", config(pipeline), "d.b", "--where", second))
            .as(commandLog())
            .isZero();
        assertThat(rows(pipeline, "b")).isEqualTo(List.of("[1, 1]", "[3, 3]"));
        String value = "v = 1";
        assertThat(command(pipeline, "resync", "-c", config(pipeline), "d.b", "--where", value))
            .isEqualTo(1);
        assertThat(commandLog()).contains("first column of its primary key");
        assertThat(command(pipeline, "resync", "-c", config(pipeline), "d.b")).isZero();
        LakeAssert.same(server, pipeline, "d", "b");
        assertThat(daemon.terminate()).as(daemon.logTail()).isZero();
      }
      try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
        execute(server, "INSERT INTO d.a VALUES (7, 7)", "INSERT INTO d.b VALUES (7, 7)");
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "a", "b");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void bringsBackATableOfWhichASessionLostRows(ServerKind kind) throws Exception {
    try (ThrowawayServer server = TestServers.start(kind)) {
      execute(
          server,
          "CREATE DATABASE d",
          "CREATE TABLE d.a (id INT PRIMARY KEY, v INT, born DATE)",
          "CREATE TABLE d.b (id INT PRIMARY KEY, v INT)",
          "INSERT INTO d.a VALUES (1, 1, NULL), (2, 2, NULL), (3, 3, NULL)",
          "INSERT INTO d.b VALUES (1, 1)");
      PipelineFolder pipeline = pipeline(server);
      try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "a", "b");
        execute(
            server,
            "SET SESSION binlog_row_image = 'MINIMAL'",
            "UPDATE d.a SET v = 10 WHERE id = 1",
            "SET SESSION binlog_row_image = 'FULL'",
            "DELETE FROM d.a WHERE id = 2",
            "INSERT INTO d.b VALUES (2, 2)");
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "b");
        assertThat(daemon.log()).contains("d.a of pipeline parking is parked", "row_image");
        assertThat(command(pipeline, "resync", "-c", config(pipeline), "d.a"))
            .as(commandLog())
            .isZero();
        LakeAssert.same(server, pipeline, "d", "a");
        execute(
            server,
            "SET SESSION sql_mode = 'ALLOW_INVALID_DATES'",
            "INSERT INTO d.a VALUES (4, 4, '2023-02-31')",
            "INSERT INTO d.b VALUES (3, 3)");
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "b");
        assertThat(daemon.log()).contains("row of d.a").contains("in column born that no calendar");
        daemon.kill();
      }
      execute(
          server,
          "UPDATE d.a SET born = '2023-02-28' WHERE id = 4",
          "DELETE FROM d.a WHERE id = 3");
      try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
        assertThat(command(pipeline, "resync", "-c", config(pipeline), "d.a"))
            .as(commandLog())
            .isZero();
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "a", "b");
      }
    }
  }

  @Test
  void rollsATableBackThatItsDaemonHasParked() throws Exception {
    try (ThrowawayServer server = TestServers.start(ServerKind.MARIADB)) {
      execute(
          server,
          "CREATE DATABASE d",
          "CREATE TABLE d.a (id INT PRIMARY KEY, v INT)",
          "CREATE TABLE d.b (id INT PRIMARY KEY, v INT)",
          "INSERT INTO d.a VALUES (1, 1), (2, 2)");
      PipelineFolder pipeline = pipeline(server);
      String table = pipeline.table("d", "a").toString();
      try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "a", "b");
        long good = LakeState.newestSnapshot(pipeline, "d", "a");
        List<String> then = rows(pipeline, "a");
        execute(server, "UPDATE d.a SET v = 666", "DELETE FROM d.a WHERE id = 1");
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "a", "b");
        assertThat(command(pipeline, "rollback", table, "--snapshot", "" + good)).isEqualTo(4);
        assertThat(commandLog()).contains("owns table", "--park");
        assertThat(command(pipeline, "rollback", table, "--snapshot", "" + good, "--park"))
            .as(commandLog())
            .isZero();
        assertThat(rows(pipeline, "a")).isEqualTo(then);
        execute(server, "INSERT INTO d.a VALUES (3, 3)", "INSERT INTO d.b VALUES (3, 3)");
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "b");
        assertThat(rows(pipeline, "a")).isEqualTo(then);
        assertThat(daemon.log()).contains("An operator rolls it back to snapshot " + good);
        assertThat(command(pipeline, "resync", "-c", config(pipeline), "d.a"))
            .as(commandLog())
            .isZero();
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "a", "b");
        assertThat(daemon.terminate()).as(daemon.logTail()).isZero();
      }
    }
  }

  @Test
  void bringsATableBackThroughKillsWhileReadersSeeIt() throws Exception {
    Random random = new Random(Seeds.of("ParkingIT"));
    try (ThrowawayServer server = TestServers.start(ServerKind.MARIADB)) {
      execute(
          server,
          "CREATE DATABASE d",
          // The sequence engine wants a current database.
          "USE d",
          "CREATE TABLE d.a (id INT PRIMARY KEY, v INT, w INT)",
          "CREATE TABLE d.b (id INT PRIMARY KEY, v INT)",
          "INSERT INTO d.a SELECT seq, seq, seq FROM seq_1_to_" + 2 * STILL,
          "INSERT INTO d.b VALUES (1, 1)");
      PipelineFolder pipeline = pipeline(server).set("source.backfill { chunk-rows = 100 }");
      try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "a", "b");
        execute(
            server,
            "ALTER TABLE d.a DROP COLUMN w",
            "DELETE FROM d.a WHERE id > " + STILL + " AND id % 3 = 0",
            "INSERT INTO d.b VALUES (2, 2)");
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "b");
      }
      AtomicBoolean ended = new AtomicBoolean();
      CompletableFuture<Void> reader = readAllTheTime(pipeline, ended);
      CompletableFuture<Void> writer =
          writeAllTheTime(server, new Random(random.nextLong()), ended);
      Files.createDirectories(folder.resolve("command"));
      try (DaemonProcess asking =
          DaemonProcess.start(
              folder.resolve("command"),
              List.of(),
              List.of("resync", "-c", config(pipeline), "d.a"))) {
        for (int i = 0; i < 4; i++) {
          try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
            Await.until(
                LIMIT,
                () -> "the daemon runs; " + daemon.logTail(),
                () ->
                    daemon.log().lines().filter(l -> l.contains("follows its source")).count() > 0);
            pause(random.nextInt(2_500));
            daemon.kill();
          }
          Files.delete(pipeline.folder().resolve("daemon.log"));
        }
        try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
          assertThat(asking.awaitExit()).as(asking.logTail() + daemon.logTail()).isZero();
          ended.set(true);
          writer.join();
          reader.join();
          LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "a", "b");
          assertThat(daemon.terminate()).isZero();
        }
      } finally {
        ended.set(true);
      }
    }
  }

  /** Every row that nobody changes is there, whenever a reader looks. */
  private static CompletableFuture<Void> readAllTheTime(
      PipelineFolder pipeline, AtomicBoolean ended) {
    return CompletableFuture.runAsync(
        () -> {
          while (!ended.get()) {
            Set<String> ids =
                LakeRows.read(pipeline.warehouse(), "d", "a").rows().stream()
                    .map(row -> row.get(0))
                    .collect(Collectors.toSet());
            for (int id = 1; id <= STILL; id++) {
              if (!ids.contains(Integer.toString(id))) {
                throw new AssertionError("A reader misses row " + id + " of " + ids.size());
              }
            }
          }
        });
  }

  private static CompletableFuture<Void> writeAllTheTime(
      ThrowawayServer server, Random random, AtomicBoolean ended) {
    return CompletableFuture.runAsync(
        () -> {
          try (Connection connection = server.connect("d");
              Statement statement = connection.createStatement()) {
            while (!ended.get()) {
              int id = STILL + 1 + random.nextInt(STILL);
              statement.execute(
                  switch (random.nextInt(3)) {
                    case 0 -> "DELETE FROM a WHERE id = " + id;
                    case 1 -> "REPLACE INTO a VALUES (" + id + ", " + random.nextInt() + ")";
                    default -> "UPDATE IGNORE a SET id = id + 1 WHERE id = " + id;
                  });
              pause(5);
            }
          } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** The workload's and the kills' own tempo; nothing is waited for by it. */
  private static void pause(int millis) {
    java.util.concurrent.locks.LockSupport.parkNanos(millis * 1_000_000L);
  }

  private PipelineFolder pipeline(ThrowawayServer server) {
    return new PipelineFolder(folder.resolve("pipeline"), "parking")
        .source(server)
        .include("d.*")
        .set("on-table-error = park");
  }

  private static String config(PipelineFolder pipeline) {
    return pipeline.folder().resolve("pipeline.conf").toString();
  }

  private int command(PipelineFolder pipeline, String... arguments) throws Exception {
    Path own = folder.resolve("command");
    Files.createDirectories(own);
    Files.deleteIfExists(own.resolve("daemon.log"));
    try (DaemonProcess process = DaemonProcess.start(own, List.of(), List.of(arguments))) {
      return process.awaitExit();
    }
  }

  private String commandLog() throws Exception {
    return Files.readString(folder.resolve("command").resolve("daemon.log"));
  }

  private static List<String> rows(PipelineFolder pipeline, String table) {
    return LakeRows.read(pipeline.warehouse(), "d", table).rows().stream()
        .map(List::toString)
        .sorted()
        .toList();
  }

  private static String get(DaemonProcess daemon, String path) throws Exception {
    Matcher matcher = URL.matcher(daemon.log());
    String url = null;
    while (matcher.find()) {
      url = matcher.group(1);
    }
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(URI.create(url + path)).build(), BodyHandlers.ofString())
        .body();
  }

  private static void execute(ThrowawayServer on, String... statements) throws Exception {
    try (Connection connection = on.connect("");
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
