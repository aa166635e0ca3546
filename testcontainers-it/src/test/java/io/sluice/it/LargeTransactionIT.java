package io.sluice.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.DaemonActivity;
import io.sluice.it.support.DaemonProcess;
import io.sluice.it.support.LakeRows;
import io.sluice.it.support.LakeState;
import io.sluice.it.support.PipelineFolder;
import io.sluice.it.support.TestServers;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is larger than the daemon's memory: one transaction of very many rows, and rows of 16 MB, in
 * a heap of 512 MiB. {@code -Dtest.transaction.rows=N} (default 200,000), {@code
 * -Dtest.large.rows=N} (default 24; from 200 on their transaction passes 2 GiB of one binlog file),
 * {@code -Dtest.server=mysql|mysql-without-gtid|mariadb}: without GTIDs the place in the file is
 * the position.
 */
class LargeTransactionIT {
  private static final int ROWS = Integer.getInteger("test.transaction.rows", 200_000);
  private static final int LARGE_ROWS = Integer.getInteger("test.large.rows", 24);
  private static final int LARGE_ROW_BYTES = 16 << 20;
  private static final Duration LIMIT = Duration.ofSeconds(120 + ROWS / 2_000 + 2L * LARGE_ROWS);
  private static final String[] HEAP = {
    "-Xmx512m", "-XX:+ExitOnOutOfMemoryError", DaemonActivity.JVM_OPTION
  };

  @TempDir Path folder;

  private static ThrowawayServer start() {
    String packets = "--max-allowed-packet=128M";
    return switch (System.getProperty("test.server", "mariadb")) {
      case "mysql" -> TestServers.start(ServerKind.MYSQL, packets);
      case "mysql-without-gtid" ->
          TestServers.start(
              ServerKind.MYSQL, packets, "--gtid-mode=OFF", "--enforce-gtid-consistency=OFF");
      default -> TestServers.start(ServerKind.MARIADB, packets);
    };
  }

  @Test
  void takesATransactionOfAnyNumberOfRows() throws Exception {
    try (ThrowawayServer server = start()) {
      execute(
          server,
          "CREATE DATABASE d",
          "CREATE TABLE d.t (id INT PRIMARY KEY, v BIGINT NOT NULL, note VARCHAR(40))",
          "CREATE TABLE d.u (id INT PRIMARY KEY)");
      PipelineFolder pipeline = new PipelineFolder(folder, "large").source(server).include("d.*");
      try (Connection connection = server.connect("d");
          Statement statement = connection.createStatement()) {
        DaemonActivity activity = DaemonActivity.ofNext(pipeline);
        long before;
        try (DaemonProcess daemon = DaemonProcess.run(pipeline, HEAP)) {
          daemon.await(
              LIMIT,
              "the empty tables are copied",
              () -> LakeState.consistentSources(pipeline).containsAll(Set.of("d.t", "d.u")));
          connection.setAutoCommit(false);
          statement.execute("INSERT INTO t VALUES (0, 7, 'one of very many rows')");
          for (int rows = 1; rows < ROWS; rows *= 2) {
            statement.execute(
                "INSERT INTO t SELECT id + "
                    + rows
                    + ", v + id, note FROM t WHERE id < "
                    + (ROWS - rows));
          }
          statement.execute("INSERT INTO u VALUES (1)");
          before = commitAndKillInside(daemon, activity, pipeline, connection);
        }
        assertThat(LakeState.newestSnapshot(pipeline, "d", "t"))
            .as("nothing of a transaction that was under way is there")
            .isEqualTo(before);
        try (DaemonProcess daemon = DaemonProcess.run(pipeline, HEAP)) {
          daemon.await(LIMIT, "the lake has it all", () -> same(server, pipeline));
          statement.execute("UPDATE t SET v = v + 1");
          statement.execute("DELETE FROM t WHERE id % 10 = 0");
          connection.commit();
          daemon.await(LIMIT, "the lake has what changed", () -> same(server, pipeline));
          assertThat(daemon.terminate()).as(daemon.logTail()).isZero();
        }
      }
    }
  }

  /**
   * Commits what is open, and another transaction over all rows where that has passed before
   * anybody could look, and kills the daemon when more than half has come.
   *
   * @return the newest snapshot before it
   */
  private static long commitAndKillInside(
      DaemonProcess daemon, DaemonActivity activity, PipelineFolder pipeline, Connection connection)
      throws Exception {
    try (Statement statement = connection.createStatement()) {
      for (int attempt = 1; attempt <= 8; attempt++) {
        long before = LakeState.newestSnapshot(pipeline, "d", "t");
        connection.commit();
        daemon.await(
            LIMIT,
            "more than half of it has come",
            () ->
                activity.look().changesOfOpenTransaction() > ROWS / 2
                    || LakeState.newestSnapshot(pipeline, "d", "t") > before);
        if (activity.look().changesOfOpenTransaction() > ROWS / 2) {
          daemon.kill();
          return before;
        }
        statement.execute("UPDATE t SET v = v + 1");
      }
    }
    throw new AssertionError("Eight transactions of " + ROWS + " rows have passed unseen");
  }

  private boolean same(ThrowawayServer server, PipelineFolder pipeline) throws Exception {
    if (LakeState.newestSnapshot(pipeline, "d", "t") == 0) {
      return false;
    }
    long[] found = new long[3];
    LakeRows.forEach(
        pipeline.warehouse(),
        "d",
        "t",
        row -> {
          found[0]++;
          found[1] += row.getInt(0);
          found[2] += row.getLong(1);
        });
    try (Connection connection = server.connect("d");
        Statement statement = connection.createStatement();
        ResultSet expected = statement.executeQuery("SELECT COUNT(*), SUM(id), SUM(v) FROM t")) {
      expected.next();
      for (int i = 0; i < found.length; i++) {
        if (found[i] != expected.getLong(i + 1)) {
          return false;
        }
      }
      return true;
    }
  }

  @Test
  void takesRowsOfSixteenMegabytesInBothPhases() throws Exception {
    try (ThrowawayServer server = start()) {
      execute(
          server,
          "CREATE DATABASE d",
          "CREATE TABLE d.t (id INT PRIMARY KEY, v INT NOT NULL, payload LONGBLOB, story LONGTEXT)");
      insert(server, 0, LARGE_ROWS / 3);
      PipelineFolder pipeline =
          new PipelineFolder(folder, "large")
              .source(server)
              .include("d.*")
              .set(
                  "tables.defaults { bucket = 1, options { \"num-sorted-run.compaction-trigger\" = 3 } }");
      try (DaemonProcess daemon = DaemonProcess.run(pipeline, HEAP)) {
        daemon.await(LIMIT, "the copy", () -> digests(pipeline).equals(digests(server)));
        // Before and after image of each.
        execute(server, "UPDATE d.t SET v = v + 1");
        daemon.await(LIMIT, "the update", () -> digests(pipeline).equals(digests(server)));
        insert(server, LARGE_ROWS / 3, LARGE_ROWS);
        daemon.await(LIMIT, "one transaction", () -> digests(pipeline).equals(digests(server)));
        for (int i = 0; i < 8; i++) {
          execute(server, "UPDATE d.t SET v = v + 1 WHERE id % 8 = " + i);
        }
        daemon.await(LIMIT, "small ones", () -> digests(pipeline).equals(digests(server)));
        daemon.await(
            LIMIT,
            "a compaction of them",
            () -> daemon.ownLog().matches("(?s).*Compacted .* of d\\.t.*"));
        assertThat(digests(pipeline)).isEqualTo(digests(server));
        assertThat(daemon.terminate()).as(daemon.logTail()).isZero();
      }
    }
  }

  /** In one transaction: half of them bytes, half of them text. */
  private static void insert(ThrowawayServer server, int from, int to) throws SQLException {
    try (Connection connection = server.connect("d");
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (int id = from; id < to; id++) {
        String large = "REPEAT(SHA2(" + id + ", 256), " + LARGE_ROW_BYTES / 64 + ")";
        statement.execute(
            "INSERT INTO t VALUES ("
                + id
                + ", 0, "
                + (id % 2 == 0 ? large + ", NULL" : "NULL, " + large)
                + ")");
      }
      connection.commit();
    }
  }

  private static List<String> digests(ThrowawayServer server) throws SQLException {
    List<String> lines = new ArrayList<>();
    try (Connection connection = server.connect("d");
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT id, v, SHA2(payload, 256), SHA2(story, 256) FROM t ORDER BY id")) {
      while (rows.next()) {
        lines.add(
            rows.getInt(1)
                + " "
                + rows.getInt(2)
                + " "
                + rows.getString(3)
                + " "
                + rows.getString(4));
      }
    }
    return lines;
  }

  private static List<String> digests(PipelineFolder pipeline) throws Exception {
    if (LakeState.newestSnapshot(pipeline, "d", "t") == 0) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    LakeRows.forEach(
        pipeline.warehouse(),
        "d",
        "t",
        row ->
            lines.add(
                row.getInt(0)
                    + " "
                    + row.getInt(1)
                    + " "
                    + (row.isNullAt(2) ? "null" : md5(row.getBinary(2)))
                    + " "
                    + (row.isNullAt(3) ? "null" : md5(row.getString(3).toBytes()))));
    lines.sort(java.util.Comparator.comparingInt(line -> Integer.parseInt(line.split(" ")[0])));
    return lines;
  }

  private static String md5(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static void execute(ThrowawayServer server, String... statements) throws SQLException {
    try (Connection connection = server.connect("");
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }
}
