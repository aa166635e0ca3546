package io.sluice.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.DaemonActivity;
import io.sluice.it.support.DaemonProcess;
import io.sluice.it.support.LakeAssert;
import io.sluice.it.support.LakeState;
import io.sluice.it.support.PipelineFolder;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.TcpProxy;
import io.sluice.it.support.TestServers;
import io.sluice.it.support.Workload;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The daemon's way to its server fails: inside a transaction, while tables are copied, with all
 * connections open and silent, and by the server's sudden end. It goes on by itself, and in the end
 * source and lake are the same.
 */
class NetworkIT {
  private static final Duration LIMIT = Duration.ofSeconds(180);
  private static final int ROWS = 60_000;

  @TempDir Path folder;

  private PipelineFolder pipeline(ThrowawayServer server, TcpProxy proxy) {
    return new PipelineFolder(folder, "network")
        .source(server)
        .address(proxy.host(), proxy.port())
        .set("source.connect { timeout = 2s, read-timeout = 3s }");
  }

  private static void execute(ThrowawayServer server, String... statements) throws SQLException {
    try (Connection connection = server.connect("");
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static void makeTable(ThrowawayServer server) throws SQLException {
    execute(
        server,
        "CREATE DATABASE d",
        "USE d",
        "CREATE TABLE t (id INT PRIMARY KEY, v INT NOT NULL, note VARCHAR(60))",
        "CREATE TABLE u (id INT PRIMARY KEY, v INT NOT NULL)",
        "INSERT INTO u VALUES (1, 1)",
        "INSERT INTO t VALUES (0, 0, 'a note that makes the rows a little longer')");
    for (int rows = 1; rows < ROWS; rows *= 2) {
      execute(server, "INSERT INTO d.t SELECT id + " + rows + ", v, note FROM d.t");
    }
  }

  /** The rows of one transaction over two tables are on their way when the server is killed. */
  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void aServerKilledInsideATransactionLosesAndDoublesNothing(ServerKind kind) throws Exception {
    Random random = new Random(Seeds.of("NetworkIT on " + kind));
    try (ThrowawayServer server = TestServers.start(kind);
        TcpProxy proxy = TcpProxy.before(server.host(), server.port())) {
      makeTable(server);
      PipelineFolder pipeline = pipeline(server, proxy).include("d.*");
      DaemonActivity activity = DaemonActivity.ofNext(pipeline);
      try (DaemonProcess daemon = DaemonProcess.run(pipeline, DaemonActivity.JVM_OPTION)) {
        daemon.await(LIMIT, "the copy", () -> LakeState.consistentSources(pipeline).size() == 2);
        for (int round = 1; round <= 2; round++) {
          long epoch = LakeState.highestEpoch(pipeline);
          // Anywhere in the rows of the statement, which are some megabytes.
          proxy.holdBinlogAfter(200_000 + random.nextInt(3_000_000));
          try (Connection connection = server.connect("d");
              Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("UPDATE u SET v = v + 1");
            statement.execute("UPDATE t SET v = v + 1");
            statement.execute("DELETE FROM t WHERE id = " + round);
            statement.execute("INSERT INTO u VALUES (" + (round + 1) + ", 1)");
            connection.commit();
          }
          daemon.await(LIMIT, "the stream is held", () -> proxy.holds());
          daemon.await(
              LIMIT,
              "some of the transaction was taken",
              () -> activity.look().changesOfOpenTransaction() > 0);
          assertThat(LakeState.highestEpoch(pipeline))
              .as("no epoch with half a transaction")
              .isLessThanOrEqualTo(epoch + 1);
          server.kill();
          proxy.cut();
          server.start();
          LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "d", "t", "u");
        }
        assertThat(daemon.terminate()).as(daemon.logTail()).isZero();
      }
    }
  }

  /**
   * Connections stay open and nothing comes any more: in the copy, the wait before it, the stream.
   */
  @Test
  void aSilentNetworkWhileTablesAreCopiedHoldsUpAndLosesNothing() throws Exception {
    long seed = Seeds.of("NetworkIT.silence");
    Random random = new Random(seed);
    try (ThrowawayServer server = TestServers.start(ServerKind.MARIADB);
        TcpProxy proxy = TcpProxy.before(server.host(), server.port())) {
      Workload.createTables(server, 20_000);
      PipelineFolder pipeline =
          pipeline(server, proxy)
              .include(Workload.DATABASE + ".*")
              .set("source.backfill { readers = 2, chunk-rows = 100 }");
      try (Workload workload = Workload.start(server, seed);
          DaemonProcess daemon = DaemonProcess.run(pipeline)) {
        daemon.awaitFollowing(LIMIT);
        for (int round = 0; round < 2; round++) {
          long epoch = LakeState.highestEpoch(pipeline);
          daemon.await(LIMIT, "epochs", () -> LakeState.highestEpoch(pipeline) > epoch + 1);
          if (round == 0) {
            assertThat(LakeState.consistentSources(pipeline))
                .as("still copying")
                .hasSizeLessThan(3);
          }
          int lines = daemon.ownLog().length();
          proxy.fallSilent();
          daemon.await(
              LIMIT,
              "the silence is noticed",
              () -> daemon.ownLog().substring(lines).contains("goes on from its last epoch in"));
          proxy.speakAgain();
          proxy.cut();
          long before = LakeState.highestEpoch(pipeline);
          daemon.await(
              LIMIT,
              "it goes on",
              () -> LakeState.highestEpoch(pipeline) > before + random.nextInt(3));
        }
        workload.stop();
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, Workload.DATABASE, Workload.TABLES);
        daemon.await(
            LIMIT, "the copies end", () -> LakeState.consistentSources(pipeline).size() == 3);
        assertThat(daemon.terminate()).as(daemon.logTail()).isZero();
      }
    }
  }
}
