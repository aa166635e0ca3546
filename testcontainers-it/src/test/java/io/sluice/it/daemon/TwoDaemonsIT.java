package io.sluice.it.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.it.support.Await;
import io.sluice.it.support.DaemonProcess;
import io.sluice.it.support.LakeAssert;
import io.sluice.it.support.LakeState;
import io.sluice.it.support.PipelineFolder;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.TestServers;
import io.sluice.it.support.Workload;
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
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several daemons of one pipeline, as processes: one owns it, the others stop with exit code 4, and
 * Paimon's reader sees the source's rows in the end.
 */
class TwoDaemonsIT {

  private static final int PROTECTED = 4;
  private static final int ROUNDS = Integer.getInteger("test.two-daemons.rounds", 1);
  private static final int ROWS = 1_000;
  private static final Duration LIMIT = Duration.ofSeconds(300);

  @TempDir Path folder;

  private PipelineFolder pipeline(ThrowawayServer server) throws SQLException {
    Workload.createTables(server, ROWS);
    return new PipelineFolder(folder, "two")
        .source(server)
        .include(Workload.DATABASE + ".*")
        .set("source.backfill { readers = 2, chunk-rows = 200 }");
  }

  @Test
  void ofTwoStartsAtOnceOneOwnsThePipeline() throws Exception {
    long seed = Seeds.of("TwoDaemonsIT");
    Random random = new Random(seed);
    try (ThrowawayServer server = TestServers.start(ServerKind.MARIADB)) {
      PipelineFolder pipeline = pipeline(server);
      Map<String, Integer> losers = new TreeMap<>();
      try (Workload workload = Workload.start(server, seed)) {
        for (int round = 1; round <= ROUNDS; round++) {
          String loser = startTwo(pipeline, round, random);
          losers.merge(loser, 1, Integer::sum);
          System.out.println("  round " + round + ": the other one " + loser);
          workload.assertWell();
        }
        System.out.println("TwoDaemonsIT: " + ROUNDS + " rounds, one owner each; " + losers);
        try (DaemonProcess last = DaemonProcess.runNamed("last", pipeline)) {
          awaitFollowing(last);
          workload.stop();
          LakeAssert.awaitSame(last, server, pipeline, LIMIT, Workload.DATABASE, Workload.TABLES);
          assertThat(last.terminate()).as("log:\n%s", last.logTail()).isZero();
        }
      }
      LakeAssert.same(server, pipeline, Workload.DATABASE, Workload.TABLES);
    }
  }

  /** What the loser said; the owner has committed and is gone afterwards. */
  private static String startTwo(PipelineFolder pipeline, int round, Random random)
      throws Exception {
    List<DaemonProcess> both = new ArrayList<>();
    try {
      both.add(DaemonProcess.runNamed("round-" + round + "-a", pipeline));
      if (random.nextBoolean()) {
        LockSupport.parkNanos(Duration.ofMillis(random.nextInt(1_500)).toNanos());
      }
      both.add(DaemonProcess.runNamed("round-" + round + "-b", pipeline));
      Await.until(
          LIMIT,
          () -> "one of the two ends; " + both.get(0).logTail() + "\n" + both.get(1).logTail(),
          () -> !both.get(0).isAlive() || !both.get(1).isAlive());
      DaemonProcess loser = both.get(both.get(0).isAlive() ? 1 : 0);
      DaemonProcess owner = both.get(both.get(0).isAlive() ? 0 : 1);
      assertThat(loser.awaitExit()).as("exit code; log:\n%s", loser.logTail()).isEqualTo(PROTECTED);
      awaitFollowing(owner);
      awaitEpochs(pipeline, owner, 3);
      assertThat(leasePid(pipeline)).isEqualTo(owner.pid());
      if (random.nextBoolean()) {
        owner.kill();
      } else {
        assertThat(owner.terminate()).as("exit code; log:\n%s", owner.logTail()).isZero();
      }
      boolean refused = loser.log().contains("Another daemon runs this pipeline");
      boolean fenced = loser.log().contains("Pipeline two is fenced");
      assertThat(refused || fenced).as("says why; log:\n%s", loser.logTail()).isTrue();
      return refused ? "saw the lease renewed" : "was fenced";
    } finally {
      both.forEach(DaemonProcess::close);
    }
  }

  @Test
  void whoSleptOrWasTakenOverStopsWithoutHarm() throws Exception {
    long seed = Seeds.of("TwoDaemonsIT sleeping");
    try (ThrowawayServer server = TestServers.start(ServerKind.MARIADB)) {
      PipelineFolder pipeline = pipeline(server);
      try (Workload workload = Workload.start(server, seed);
          DaemonProcess first = DaemonProcess.runNamed("first", pipeline)) {
        awaitFollowing(first);
        awaitEpochs(pipeline, first, 2);
        first.pause();
        cutConnections(server);

        try (DaemonProcess second = DaemonProcess.runNamed("second", pipeline)) {
          awaitFollowing(second);
          assertThat(second.log()).contains("hasn't renewed the lease");
          awaitEpochs(pipeline, second, 2);
          first.resume();
          assertFenced(first);
          assertThat(leasePid(pipeline)).isEqualTo(second.pid());
          awaitEpochs(pipeline, second, 2);

          // From a live one that commits all the time.
          try (DaemonProcess third = DaemonProcess.runNamed("third", pipeline, "--take-over")) {
            awaitFollowing(third);
            assertFenced(second);
            awaitEpochs(pipeline, third, 2);

            third.pause();
            try (DaemonProcess fourth = DaemonProcess.runNamed("fourth", pipeline, "--take-over")) {
              awaitFollowing(fourth);
              assertThat(fourth.log()).contains("Taking over from process " + third.pid());
              assertThat(fourth.log()).doesNotContain("watching for");
              third.resume();
              assertFenced(third);
              awaitEpochs(pipeline, fourth, 2);
              assertThat(leasePid(pipeline)).isEqualTo(fourth.pid());

              // kill -9: the next one starts at once.
              fourth.kill();
              try (DaemonProcess fifth = DaemonProcess.runNamed("fifth", pipeline)) {
                awaitFollowing(fifth);
                assertThat(fifth.log()).contains("going on at once").doesNotContain("watching for");
                workload.stop();
                LakeAssert.awaitSame(
                    fifth, server, pipeline, LIMIT, Workload.DATABASE, Workload.TABLES);
                assertThat(fifth.terminate()).as("log:\n%s", fifth.logTail()).isZero();
              }
            }
          }
        }
      }
      LakeAssert.same(server, pipeline, Workload.DATABASE, Workload.TABLES);
    }
  }

  @Test
  void doesNotBringBackAPipelineThatWasEndedWhileItSlept() throws Exception {
    try (ThrowawayServer server = TestServers.start(ServerKind.MARIADB)) {
      PipelineFolder pipeline = pipeline(server);
      try (Workload workload = Workload.start(server, Seeds.of("TwoDaemonsIT forgotten"));
          DaemonProcess daemon = DaemonProcess.runNamed("sleeper", pipeline)) {
        awaitFollowing(daemon);
        awaitEpochs(pipeline, daemon, 2);
        daemon.pause();
        Path own = Files.createDirectories(folder.resolve("command"));
        String config = pipeline.folder().resolve("pipeline.conf").toString();
        try (DaemonProcess forget =
            DaemonProcess.start(own, List.of(), List.of("forget", "-c", config))) {
          assertThat(forget.awaitExit()).as(forget.logTail()).isZero();
        }
        assertThat(pipeline.stateFolder()).doesNotExist();
        daemon.resume();
        assertThat(daemon.awaitExit()).as(daemon.logTail()).isEqualTo(PROTECTED);
        assertThat(daemon.log()).contains("was ended (sluice forget)");
        assertThat(pipeline.stateFolder()).doesNotExist();
        workload.assertWell();
      }
    }
  }

  /** What the source's side of a sleeping daemon looks like after a while. */
  private static void cutConnections(ThrowawayServer server) throws SQLException {
    try (Connection connection = server.connect("");
        Statement statement = connection.createStatement()) {
      List<Long> ids = new ArrayList<>();
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT id FROM information_schema.processlist WHERE user = '"
                  + ThrowawayServer.CDC.user()
                  + "'")) {
        while (rows.next()) {
          ids.add(rows.getLong(1));
        }
      }
      assertThat(ids).as("connections of the daemon").isNotEmpty();
      for (long id : ids) {
        statement.execute("KILL " + id);
      }
    }
  }

  private static void assertFenced(DaemonProcess daemon) {
    assertThat(daemon.awaitExit()).as("exit code; log:\n%s", daemon.logTail()).isEqualTo(PROTECTED);
    assertThat(daemon.log()).contains("Pipeline two is fenced");
  }

  private static void awaitFollowing(DaemonProcess daemon) throws Exception {
    Await.until(
        LIMIT,
        () -> "the daemon follows its source; its log:\n" + daemon.logTail(),
        () -> {
          daemon.assertAlive();
          return daemon.log().contains("follows its source");
        });
  }

  private static void awaitEpochs(PipelineFolder pipeline, DaemonProcess owner, int more)
      throws Exception {
    long first = LakeState.highestEpoch(pipeline);
    Await.until(
        LIMIT,
        () -> more + " epochs more; log:\n" + owner.logTail(),
        () -> {
          owner.assertAlive();
          return LakeState.highestEpoch(pipeline) >= first + more;
        });
  }

  /** Looks until there is a lease: after a rival has given one back the owner writes it anew. */
  private static long leasePid(PipelineFolder pipeline) throws Exception {
    Path lease = pipeline.stateFolder().resolve("lease");
    long[] pid = {-1};
    Await.until(
        LIMIT,
        () -> "a lease in " + lease,
        () -> {
          try {
            pid[0] = new ObjectMapper().readTree(lease.toFile()).path("pid").asLong(-1);
            return pid[0] > 0;
          } catch (IOException e) {
            return false;
          }
        });
    return pid[0];
  }
}
