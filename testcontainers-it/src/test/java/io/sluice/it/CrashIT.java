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
import io.sluice.it.support.Workload;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The daemon is killed with {@code kill -9} at 25 random instants under a workload over three
 * tables and started again each time; in the end Paimon's reader sees exactly the source's rows.
 * The instants are drawn from a seed and aim at different places: anywhere, soon after the start
 * (the backfill, recovery), just after an epoch file appeared (its snapshots are being written),
 * and inside or just behind a statement of 5,000 rows. What each kill hit is printed, as far as the
 * lake tells.
 */
class CrashIT {
  private static final int KILLS = 25;
  private static final int ROWS = 8_000;
  private static final Duration FIRST_COMMIT_LIMIT = Duration.ofSeconds(60);
  private static final Duration CATCH_UP_LIMIT = Duration.ofSeconds(240);

  @TempDir Path folder;

  private enum Aim {
    ANYWHERE,
    SOON_AFTER_START,
    AFTER_EPOCH_FILE,
    IN_LARGE_STATEMENT
  }

  @Test
  void losesAndDoublesNothingOnMySql() throws Exception {
    killAndCompare(ServerKind.MYSQL);
  }

  @Test
  void losesAndDoublesNothingOnMariaDb() throws Exception {
    killAndCompare(ServerKind.MARIADB);
  }

  private void killAndCompare(ServerKind kind) throws Exception {
    long seed = Seeds.of("CrashIT on " + kind);
    Random random = new Random(seed);
    try (ThrowawayServer server = TestServers.start(kind)) {
      Workload.createTables(server, ROWS);
      PipelineFolder pipeline =
          new PipelineFolder(folder, "crash")
              .source(server)
              .include(Workload.DATABASE + ".*")
              // Small chunks and few runs, so that backfill and compaction are hit.
              .set("source.backfill { readers = 2, chunk-rows = 500 }")
              .set(
                  "tables.defaults { bucket = 2, options { \"num-sorted-run.compaction-trigger\" = 3 } }");
      Map<Aim, Integer> aims = new EnumMap<>(Aim.class);
      Map<String, Integer> hits = new java.util.TreeMap<>();
      try (Workload workload = Workload.start(server, seed)) {
        for (int i = 1; i <= KILLS; i++) {
          Aim aim =
              i <= 4 ? Aim.SOON_AFTER_START : Aim.values()[random.nextInt(Aim.values().length)];
          try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
            waitFor(aim, random, pipeline, workload, daemon);
            daemon.kill();
          }
          workload.assertWell();
          String hit = LakeState.describe(pipeline, Workload.DATABASE, Workload.TABLES);
          aims.merge(aim, 1, Integer::sum);
          hits.merge(hit, 1, Integer::sum);
          System.out.println("  kill " + i + " " + aim + ": " + hit);
          assertReadable(pipeline);
        }
        try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
          long before = workload.transactions();
          Await.until(
              Duration.ofSeconds(60),
              () -> "the workload goes on",
              () -> workload.transactions() > before + 50);
          workload.stop();
          LakeAssert.awaitSame(
              daemon, server, pipeline, CATCH_UP_LIMIT, Workload.DATABASE, Workload.TABLES);
          assertThat(daemon.terminate())
              .as("exit code after SIGTERM; log:\n%s", daemon.logTail())
              .isZero();
        }
        LakeAssert.same(server, pipeline, Workload.DATABASE, Workload.TABLES);
        System.out.println(
            "CrashIT on "
                + kind
                + ": "
                + KILLS
                + " kills "
                + aims
                + ", found "
                + hits
                + "; "
                + workload.transactions()
                + " transactions, "
                + workload.largeStatements()
                + " statements of "
                + Workload.LARGE_STATEMENT_ROWS
                + " rows");
      }
    }
  }

  private static void waitFor(
      Aim aim, Random random, PipelineFolder pipeline, Workload workload, DaemonProcess daemon)
      throws Exception {
    long epoch = LakeState.highestEpoch(pipeline);
    switch (aim) {
      case SOON_AFTER_START -> pause(random, 500, 4_000);
      case ANYWHERE -> {
        awaitEpochAfter(epoch, pipeline, daemon);
        pause(random, 0, 3_000);
      }
      case AFTER_EPOCH_FILE -> {
        awaitEpochAfter(epoch + random.nextInt(4), pipeline, daemon);
        pause(random, 0, 25);
      }
      case IN_LARGE_STATEMENT -> {
        awaitEpochAfter(epoch, pipeline, daemon);
        long seen = workload.largeStatements();
        Await.until(
            FIRST_COMMIT_LIMIT, () -> "a large statement", () -> workload.largeStatements() > seen);
        pause(random, 0, 400);
      }
    }
    daemon.assertAlive();
  }

  private static void awaitEpochAfter(long epoch, PipelineFolder pipeline, DaemonProcess daemon) {
    long deadline = System.nanoTime() + FIRST_COMMIT_LIMIT.toNanos();
    while (LakeState.highestEpoch(pipeline) <= epoch) {
      daemon.assertAlive();
      if (System.nanoTime() > deadline) {
        throw new AssertionError(
            "no epoch after "
                + epoch
                + " within "
                + FIRST_COMMIT_LIMIT.toSeconds()
                + " s:\n"
                + daemon.logTail());
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  // Not to wait for something, but to choose an instant.
  private static void pause(Random random, int fromMillis, int toMillis) {
    long until =
        System.nanoTime()
            + Duration.ofMillis(fromMillis + random.nextInt(toMillis - fromMillis)).toNanos();
    while (System.nanoTime() < until) {
      LockSupport.parkNanos(Math.max(1, until - System.nanoTime()));
    }
  }

  private static void assertReadable(PipelineFolder pipeline) {
    for (String table : Workload.TABLES) {
      if (Files.exists(pipeline.table(Workload.DATABASE, table).resolve("schema/schema-0"))) {
        LakeRows.read(pipeline.warehouse(), Workload.DATABASE, table);
      }
    }
  }
}
