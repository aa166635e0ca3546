package io.sluice.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.DaemonProcess;
import io.sluice.it.support.LakeAssert;
import io.sluice.it.support.LakeState;
import io.sluice.it.support.PipelineFolder;
import io.sluice.it.support.TestServers;
import io.sluice.it.support.Workload;
import io.sluice.replicator.demo.servers.ServerFiles;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * There is no state outside the lake: the same config with only the warehouse goes on where the
 * first daemon stopped.
 */
class ResumeElsewhereIT {
  private static final Duration LIMIT = Duration.ofSeconds(90);

  @TempDir Path folder;

  @Test
  void goesOnWithTheWarehouseAloneOnMySql() throws Exception {
    resume(ServerKind.MYSQL);
  }

  @Test
  void goesOnWithTheWarehouseAloneOnMariaDb() throws Exception {
    resume(ServerKind.MARIADB);
  }

  private void resume(ServerKind kind) throws Exception {
    try (ThrowawayServer server = TestServers.start(kind)) {
      Workload.createTables(server, 3_000);
      PipelineFolder first =
          pipeline(server, folder.resolve("first"), folder.resolve("first/warehouse"));
      try (DaemonProcess daemon = DaemonProcess.run(first)) {
        change(server, 1);
        LakeAssert.awaitSame(daemon, server, first, LIMIT, Workload.DATABASE, Workload.TABLES);
        assertThat(daemon.terminate()).as("exit code; log:\n%s", daemon.logTail()).isZero();
      }
      long epoch = LakeState.highestEpoch(first);
      long snapshot = LakeState.newestSnapshot(first, Workload.DATABASE, "accounts");

      // Changes while nobody follows, then another folder with a copy of nothing but the warehouse.
      change(server, 2);
      Path moved = folder.resolve("elsewhere/lake");
      copy(first.warehouse(), moved);
      ServerFiles.deleteTree(first.folder());
      PipelineFolder second = pipeline(server, folder.resolve("second"), moved);
      try (DaemonProcess daemon = DaemonProcess.run(second)) {
        LakeAssert.awaitSame(daemon, server, second, LIMIT, Workload.DATABASE, Workload.TABLES);
        daemon.kill();
      }
      assertThat(LakeState.highestEpoch(second)).as("epochs go on").isGreaterThan(epoch);
      assertThat(LakeState.newestSnapshot(second, Workload.DATABASE, "accounts"))
          .as("snapshots go on")
          .isGreaterThan(snapshot);

      // The same warehouse, again an empty working folder, after a kill.
      change(server, 3);
      PipelineFolder third = pipeline(server, folder.resolve("third"), moved);
      try (DaemonProcess daemon = DaemonProcess.run(third)) {
        LakeAssert.awaitSame(daemon, server, third, LIMIT, Workload.DATABASE, Workload.TABLES);
        assertThat(daemon.terminate()).as("exit code; log:\n%s", daemon.logTail()).isZero();
      }
      assertThat(filesOf(third.folder()))
          .as("what a daemon leaves in its working folder")
          .containsExactlyInAnyOrder("daemon.log", "pipeline.conf");
    }
  }

  private static PipelineFolder pipeline(ThrowawayServer server, Path folder, Path warehouse) {
    return new PipelineFolder(folder, warehouse, "mover")
        .source(server)
        .include(Workload.DATABASE + ".*");
  }

  private static void change(ThrowawayServer server, int round) throws SQLException {
    try (Connection connection = server.connect(Workload.DATABASE);
        Statement statement = connection.createStatement()) {
      statement.execute("UPDATE accounts SET balance = balance + " + round + " WHERE id % 3 = 0");
      statement.execute("DELETE FROM orders WHERE id % 10 = " + round);
      statement.execute("UPDATE blobs SET id = id + 100000 WHERE id % 7 = " + round);
      statement.execute("INSERT INTO accounts VALUES (" + (500_000 + round) + ", 1, NULL, 1)");
    }
  }

  private static void copy(Path from, Path to) throws Exception {
    Files.createDirectories(to.getParent());
    Process copy =
        new ProcessBuilder("cp", "-r", from.toString(), to.toString()).inheritIO().start();
    assertThat(copy.waitFor()).isZero();
  }

  private static List<String> filesOf(Path folder) throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }
}
