package io.sluice.it.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.Await;
import io.sluice.it.support.DaemonProcess;
import io.sluice.it.support.LakeAssert;
import io.sluice.it.support.PipelineFolder;
import io.sluice.it.support.TestServers;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A config that changes: while the daemon runs, by SIGHUP, and between two starts. */
class ReloadIT {

  private static final Duration LIMIT = Duration.ofSeconds(90);

  private static ThrowawayServer server;

  @TempDir Path folder;

  @BeforeAll
  static void startServer() {
    server = TestServers.start(ServerKind.MARIADB);
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  /** Under nohup the signal is ignored, by what is started here, too. */
  private static void assumeThatHangUpIsHeard() throws IOException {
    Path status = Path.of("/proc/self/status");
    boolean ignored =
        Files.exists(status)
            && Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .anyMatch(line -> Long.parseUnsignedLong(line.split("\\s+")[1], 16) % 2 == 1);
    Assumptions.assumeFalse(ignored, "SIGHUP is ignored here, as under nohup");
  }

  private static void sql(String... statements) throws SQLException {
    try (Connection connection = server.connect("");
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static void table(String name) throws SQLException {
    sql(
        "CREATE TABLE " + name + " (id INT PRIMARY KEY, v VARCHAR(20))",
        "INSERT INTO "
            + name
            + IntStream.rangeClosed(1, 500)
                .mapToObj(i -> "(" + i + ", 'row " + i + "')")
                .collect(Collectors.joining(",", " VALUES ", "")));
  }

  private static void awaitLog(DaemonProcess daemon, String text) throws Exception {
    Await.until(
        LIMIT,
        () -> "\"" + text + "\" in the log:\n" + daemon.logTail(),
        () -> {
          daemon.assertAlive();
          return daemon.ownLog().contains(text);
        });
  }

  @Test
  void takesTablesIntoARunningPipeline() throws Exception {
    assumeThatHangUpIsHeard();
    sql("CREATE DATABASE shop");
    table("shop.a");
    table("shop.b");
    PipelineFolder pipeline = new PipelineFolder(folder, "reload").source(server).include("shop.a");
    pipeline.writeConfig();
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "shop", "a");
      sql("UPDATE shop.b SET v = 'before' WHERE id < 9");

      pipeline.include("shop.a", "shop.b").writeConfig();
      daemon.hangUp();
      sql("UPDATE shop.a SET v = 'meanwhile' WHERE id < 50", "DELETE FROM shop.b WHERE id = 3");
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "shop", "a", "b");

      pipeline.set("no-such-key = 1").writeConfig();
      daemon.hangUp();
      awaitLog(daemon, "The changed config is not taken, the old one holds");
      sql("UPDATE shop.b SET v = 'after' WHERE id > 400");
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "shop", "a", "b");
      assertThat(daemon.terminate()).isZero();
    }
    sql("DROP DATABASE shop");
  }

  @Test
  void keepsTheOldConfigWhenTheNewOneDoesNotWork() throws Exception {
    assumeThatHangUpIsHeard();
    sql("CREATE DATABASE first", "CREATE DATABASE second");
    table("first.t");
    table("second.t");
    PipelineFolder pipeline =
        new PipelineFolder(folder, "fallback").source(server).include("first.*");
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "first", "t");
      pipeline.include("first.*", "second.*").writeConfig();
      daemon.hangUp();
      awaitLog(daemon, "The changed config does not work, the old one holds again");
      assertThat(daemon.ownLog())
          .contains("Database second has come into source.include after this pipeline began");
      sql("UPDATE first.t SET v = 'after' WHERE id < 100");
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "first", "t");
      assertThat(daemon.terminate()).isZero();
    }
    sql("DROP DATABASE first", "DROP DATABASE second");
  }

  @Test
  void followsADatabaseThatWasMadeWhileItWasDown() throws Exception {
    sql("CREATE DATABASE down_a");
    table("down_a.t");
    PipelineFolder pipeline = new PipelineFolder(folder, "down").source(server).include("down_*.*");
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "down_a", "t");
      assertThat(daemon.terminate()).isZero();
    }
    sql("CREATE DATABASE down_b");
    table("down_b.t");
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "down_b", "t");
      sql("UPDATE down_b.t SET v = 'on' WHERE id < 10");
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "down_b", "t");
      assertThat(daemon.terminate()).isZero();
    }
    sql("DROP DATABASE down_a", "DROP DATABASE down_b");
  }

  @Test
  void doesNotTrustWhatItKnewOfADatabaseThatWasLeftOut() throws Exception {
    sql("CREATE DATABASE kept", "CREATE DATABASE left_out");
    table("kept.t");
    table("left_out.t");
    PipelineFolder pipeline =
        new PipelineFolder(folder, "left").source(server).include("kept.*", "left_out.*");
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "left_out", "t");
      assertThat(daemon.terminate()).isZero();
    }
    pipeline.include("kept.*");
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      daemon.awaitFollowing(LIMIT);
      // Of the same number of columns: only the definition tells them apart.
      sql(
          "ALTER TABLE left_out.t DROP COLUMN v, ADD COLUMN w VARCHAR(20)",
          "UPDATE left_out.t SET w = 'other' WHERE id < 50",
          "UPDATE kept.t SET v = 'seen' WHERE id < 50");
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "kept", "t");
      assertThat(daemon.terminate()).isZero();
    }
    pipeline.include("kept.*", "left_out.*");
    sql("UPDATE left_out.t SET w = 'new' WHERE id = 7");
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      assertThat(daemon.awaitExit()).as(daemon.logTail()).isEqualTo(2);
      assertThat(daemon.ownLog()).contains("left_out").contains("source.include");
    }
    sql("DROP DATABASE kept", "DROP DATABASE left_out");
  }
}
