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
import java.util.function.LongSupplier;
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
  private static final Duration START_LIMIT = Duration.ofSeconds(90);
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
              .set("source.backfill { readers = 2, chunk-rows = 60 }")
              .set(
                  "tables.defaults { bucket = 2, options { \"num-sorted-run.compaction-trigger\" = 3 } }");
      Map<Aim, Integer> aims = new EnumMap<>(Aim.class);
      Map<String, Integer> hits = new java.util.TreeMap<>();
      try (Workload workload = Workload.start(server, seed)) {
        for (int i = 1; i <= KILLS; i++) {
          Aim aim =
              i <= 4 ? Aim.SOON_AFTER_START : Aim.values()[random.nextInt(Aim.values().length)];
          try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
            waitFor(aim, random, pipeline, workload, daemon, i);
            daemon.kill();
          }
          workload.assertWell();
          String hit = LakeState.describe(pipeline, Workload.DATABASE);
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
      Aim aim,
      Random random,
      PipelineFolder pipeline,
      Workload workload,
      DaemonProcess daemon,
      int start)
      throws Exception {
    Await.until(
        START_LIMIT,
        () -> "the daemon follows its source; its log:\n" + daemon.logTail(),
        () -> {
          daemon.assertAlive();
          return daemon.log().split("follows its source", -1).length - 1 >= start;
        });
    if (aim == Aim.SOON_AFTER_START) {
      pause(random, 0, 2_500);
      return;
    }
    long snapshots = snapshots(pipeline);
    awaitMore(() -> snapshots(pipeline), snapshots, daemon);
    switch (aim) {
      case ANYWHERE -> pause(random, 0, 2_500);
      case AFTER_EPOCH_FILE -> {
        long epoch = LakeState.highestEpoch(pipeline) + random.nextInt(4);
        awaitMore(() -> LakeState.highestEpoch(pipeline), epoch, daemon);
        pause(random, 0, 25);
      }
      case IN_LARGE_STATEMENT -> {
        long seen = workload.largeStatements();
        Await.until(
            START_LIMIT, () -> "a large statement", () -> workload.largeStatements() > seen);
        pause(random, 0, 600);
      }
      case SOON_AFTER_START -> throw new IllegalStateException("handled above");
    }
    daemon.assertAlive();
  }

  private static long snapshots(PipelineFolder pipeline) {
    long sum = 0;
    for (String table : Workload.TABLES) {
      sum += LakeState.newestSnapshot(pipeline, Workload.DATABASE, table);
    }
    return sum;
  }

  private static void awaitMore(LongSupplier value, long than, DaemonProcess daemon) {
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    while (value.getAsLong() <= than) {
      daemon.assertAlive();
      if (System.nanoTime() > deadline) {
        throw new AssertionError(
            "nothing was committed within " + START_LIMIT.toSeconds() + " s:\n" + daemon.logTail());
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
