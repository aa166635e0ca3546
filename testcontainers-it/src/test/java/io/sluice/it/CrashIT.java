package io.sluice.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.Await;
import io.sluice.it.support.DaemonActivity;
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
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The daemon is killed with {@code kill -9} at random instants under a workload over three tables
 * and started again each time; in the end Paimon's reader sees exactly the source's rows. The
 * instants are drawn from a seed and aim at different places: anywhere, soon after the start (the
 * backfill, recovery), just after an epoch file appeared (its snapshots are being written), between
 * two snapshots of an epoch, inside one statement of 5,000 rows, inside a compaction. What each
 * kill hit is proven by what it left: the lake's files, and the daemon's log, which tells what had
 * begun and not ended. Where one of these places was not hit by then, more kills aim at it.
 *
 * <p>{@code -Dtest.kills=N} (default 12).
 */
class CrashIT {
  private static final int KILLS = Integer.getInteger("test.kills", 12);
  private static final int ROWS = 8_000;
  private static final Duration START_LIMIT = Duration.ofSeconds(90);
  private static final Duration CATCH_UP_LIMIT = Duration.ofSeconds(240);

  @TempDir Path folder;

  private static final int KILLS_MAX = KILLS + 50;

  /** Fewer changes than this may be of several statements. */
  private static final int SURELY_IN_LARGE_STATEMENT = 300;

  private enum Aim {
    ANYWHERE,
    SOON_AFTER_START,
    AFTER_EPOCH_FILE,
    AFTER_A_SNAPSHOT,
    IN_LARGE_STATEMENT,
    IN_COMPACTION
  }

  /** Where a kill must have hit in each run, and the aim that hits there. */
  private enum Hit {
    IN_BACKFILL(Aim.SOON_AFTER_START),
    BETWEEN_EPOCH_FILE_AND_SNAPSHOTS(Aim.AFTER_EPOCH_FILE),
    BETWEEN_SNAPSHOTS_OF_AN_EPOCH(Aim.AFTER_A_SNAPSHOT),
    IN_A_LARGE_STATEMENT(Aim.IN_LARGE_STATEMENT),
    IN_A_COMPACTION(Aim.IN_COMPACTION);

    final Aim aim;

    Hit(Aim aim) {
      this.aim = aim;
    }
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
              // Small chunks and few runs, so that backfill and compaction are hit; small batches,
              // so that the log tells of a large statement while it comes.
              .set("source.backfill { readers = 2, chunk-rows = 60 }")
              .set("source.debezium { \"max.batch.size\" = 200, \"max.queue.size\" = 600 }")
              .set(
                  "tables.defaults { bucket = 2, options { \"num-sorted-run.compaction-trigger\" = 3 } }");
      Map<Hit, Integer> hits = new EnumMap<>(Hit.class);
      try (Workload workload = Workload.start(server, seed)) {
        int kills = 0;
        while (kills < KILLS || (kills < KILLS_MAX && hits.size() < Hit.values().length)) {
          kills++;
          Aim aim = aim(kills, random, hits);
          DaemonActivity activity = DaemonActivity.ofNext(pipeline);
          try (DaemonProcess daemon = DaemonProcess.run(pipeline, DaemonActivity.JVM_OPTION)) {
            waitFor(aim, random, pipeline, activity, daemon);
            daemon.kill();
          }
          workload.assertWell();
          Set<Hit> hit = hits(pipeline, activity.look());
          hit.forEach(each -> hits.merge(each, 1, Integer::sum));
          System.out.println(
              "  kill "
                  + kills
                  + " "
                  + aim
                  + ": "
                  + hit
                  + " "
                  + activity.changesOfOpenTransaction()
                  + " changes of an open transaction, compactions "
                  + activity.compactions());
          assertReadable(pipeline);
        }
        assertThat(hits.keySet()).as("places hit by %d kills", kills).contains(Hit.values());
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
                + kills
                + " kills, hit "
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

  private static Aim aim(int kill, Random random, Map<Hit, Integer> hits) {
    if (kill <= 4) {
      return Aim.SOON_AFTER_START;
    }
    if (kill <= KILLS) {
      return Aim.values()[random.nextInt(Aim.values().length)];
    }
    return Stream.of(Hit.values())
        .filter(each -> !hits.containsKey(each))
        .findFirst()
        .orElseThrow()
        .aim;
  }

  private static Set<Hit> hits(PipelineFolder pipeline, DaemonActivity activity) {
    Set<Hit> result = EnumSet.noneOf(Hit.class);
    LakeState.Left left = LakeState.left(pipeline, Workload.DATABASE);
    if (left.backfilling()) {
      result.add(Hit.IN_BACKFILL);
    }
    if (left.tablesOfEpoch() > 0 && left.tablesLackingEpoch() == left.tablesOfEpoch()) {
      result.add(Hit.BETWEEN_EPOCH_FILE_AND_SNAPSHOTS);
    } else if (left.tablesLackingEpoch() > 0) {
      result.add(Hit.BETWEEN_SNAPSHOTS_OF_AN_EPOCH);
    }
    if (isInLargeStatement(activity)) {
      result.add(Hit.IN_A_LARGE_STATEMENT);
    }
    if (!activity.compactions().isEmpty()) {
      result.add(Hit.IN_A_COMPACTION);
    }
    return result;
  }

  private static boolean isInLargeStatement(DaemonActivity activity) {
    long changes = activity.changesOfOpenTransaction();
    return changes >= SURELY_IN_LARGE_STATEMENT && changes < Workload.LARGE_STATEMENT_ROWS;
  }

  private static void waitFor(
      Aim aim,
      Random random,
      PipelineFolder pipeline,
      DaemonActivity activity,
      DaemonProcess daemon)
      throws Exception {
    daemon.awaitFollowing(START_LIMIT);
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
      case AFTER_A_SNAPSHOT -> {
        long epoch = LakeState.highestEpoch(pipeline);
        awaitMore(() -> LakeState.highestEpoch(pipeline), epoch, daemon);
        awaitMore(() -> snapshots(pipeline), snapshots(pipeline), daemon);
      }
      case IN_LARGE_STATEMENT -> {
        awaitMore(() -> isInLargeStatement(activity.look()) ? 1 : 0, 0, daemon);
        pause(random, 0, 6);
      }
      case IN_COMPACTION -> {
        awaitMore(() -> activity.look().compactions().size(), 0, daemon);
        pause(random, 0, 12);
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
      LockSupport.parkNanos(200_000);
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
