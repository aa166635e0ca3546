package io.sluice.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.Await;
import io.sluice.it.support.DaemonProcess;
import io.sluice.it.support.LakeAssert;
import io.sluice.it.support.LakeRows;
import io.sluice.it.support.LakeState;
import io.sluice.it.support.LedgerWorkload;
import io.sluice.it.support.PipelineFolder;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.TableRows;
import io.sluice.it.support.TestServers;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The daemon is killed at random instants while twenty tables are changed, get new columns, are
 * emptied, and two of them are taken into the config only after some kills, so that they are copied
 * while the others stream. After each kill all tables come back at one position: each table of the
 * newest epoch has it once. Every epoch is a consistent cut: two tables whose sums every
 * transaction keeps equal have equal sums at each. In the end Paimon's reader sees the source's
 * rows.
 *
 * <p>{@code -Dtest.kills=N} (default 12), {@code -Dtest.server=mysql|mariadb}.
 */
class ConsistentCutsIT {
  private static final int KILLS = Integer.getInteger("test.kills", 12);
  private static final Duration START_LIMIT = Duration.ofSeconds(120);
  private static final Duration CATCH_UP_LIMIT = Duration.ofSeconds(300);
  private static final String DATABASE = LedgerWorkload.DATABASE;

  /** However slow the machine: from here on there are cuts to compare. */
  private static final int COPIED_BY_KILL = 3;

  private static final int TRANSACTIONS_MEANWHILE = 150;

  @TempDir Path folder;

  /** Sums and counts that were read, by table and snapshot. */
  private final Map<String, List<Long>> sums = new HashMap<>();

  private long checkedEpoch;
  private long checkedCuts;

  @Test
  void keepsEveryEpochAConsistentCutThroughKills() throws Exception {
    ServerKind kind =
        ServerKind.valueOf(
            System.getProperty("test.server", "mysql").toUpperCase(java.util.Locale.ROOT));
    long seed = Seeds.of("ConsistentCutsIT on " + kind);
    Random random = new Random(seed);
    List<String> later = LedgerWorkload.OTHERS.subList(16, 18);
    List<String> first = new ArrayList<>(LedgerWorkload.PAIR);
    first.addAll(LedgerWorkload.OTHERS.subList(0, 16));
    try (ThrowawayServer server = TestServers.start(kind)) {
      LedgerWorkload.createTables(server);
      PipelineFolder pipeline =
          new PipelineFolder(folder, "cuts")
              .source(server)
              .include(first.stream().map(t -> DATABASE + "." + t).toArray(String[]::new))
              .set("source.backfill { readers = 2, chunk-rows = 40 }")
              .set("retention { time = 12h, snapshots-max = 1000000 }")
              .set(
                  "tables.defaults { bucket = 2, options { \"num-sorted-run.compaction-trigger\" = 3 } }");
      try (LedgerWorkload workload = LedgerWorkload.start(server, seed)) {
        for (int kill = 1; kill <= KILLS; kill++) {
          if (kill == KILLS / 3) {
            pipeline.include(DATABASE + ".*");
          }
          long epoch = LakeState.highestEpoch(pipeline);
          List<String> tablesOfEpoch = LakeState.tablesOfNewestEpoch(pipeline);
          workload.grant(TRANSACTIONS_MEANWHILE);
          try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
            daemon.awaitFollowing(START_LIMIT);
            assertAllHave(pipeline, epoch, tablesOfEpoch);
            if (kill == COPIED_BY_KILL) {
              daemon.await(CATCH_UP_LIMIT, "the pair is copied", () -> pairIsConsistent(pipeline));
            }
            awaitEpochAbove(pipeline, epoch + random.nextInt(6), daemon, workload);
            LockSupport.parkNanos(random.nextInt(400) * 1_000_000L);
            daemon.kill();
          }
          workload.assertWell();
          checkCuts(pipeline);
        }
        try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
          workload.grant(TRANSACTIONS_MEANWHILE);
          long before = workload.transactions();
          Await.until(
              START_LIMIT,
              () -> "the workload goes on",
              () -> workload.transactions() > before + 100);
          workload.stop();
          LakeAssert.awaitSame(
              daemon,
              server,
              pipeline,
              CATCH_UP_LIMIT,
              DATABASE,
              Stream.concat(first.stream(), later.stream()).toArray(String[]::new));
          assertThat(daemon.terminate())
              .as("exit code after SIGTERM; log:\n%s", daemon.logTail())
              .isZero();
        }
        checkCuts(pipeline);
        assertThat(checkedCuts).as("consistent cuts that were compared").isGreaterThan(KILLS);
        System.out.println(
            "ConsistentCutsIT on "
                + kind
                + ": "
                + KILLS
                + " kills, "
                + workload.transactions()
                + " transactions, "
                + workload.addedColumns()
                + " columns added, "
                + workload.truncates()
                + " truncates, "
                + checkedCuts
                + " epochs compared as cuts");
      }
    }
  }

  /** The workload goes on as long as the daemon does. */
  private static void awaitEpochAbove(
      PipelineFolder pipeline, long epoch, DaemonProcess daemon, LedgerWorkload workload) {
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    while (LakeState.highestEpoch(pipeline) <= epoch) {
      daemon.assertAlive();
      if (System.nanoTime() > deadline) {
        throw new AssertionError("no epoch above " + epoch + ":\n" + daemon.logTail());
      }
      workload.grant(1);
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** After recovery: what the newest epoch file named is in each of its tables, once. */
  private static void assertAllHave(PipelineFolder pipeline, long epoch, List<String> tables) {
    for (String table : tables) {
      assertThat(LakeState.epochs(pipeline, DATABASE, table).values())
          .as("epochs of %s's snapshots", table)
          .containsOnlyOnce(epoch);
    }
  }

  private static boolean pairIsConsistent(PipelineFolder pipeline) {
    return LakeState.consistentSources(pipeline)
        .containsAll(LedgerWorkload.PAIR.stream().map(table -> DATABASE + "." + table).toList());
  }

  /** Compares the pair at each epoch since the last call, from where both are consistent. */
  private void checkCuts(PipelineFolder pipeline) {
    if (checkedEpoch == 0) {
      if (pairIsConsistent(pipeline)) {
        checkedEpoch = LakeState.highestEpoch(pipeline);
      }
      return;
    }
    Map<String, TreeMap<Long, Long>> snapshotsByEpoch = new HashMap<>();
    var epochs = new TreeSet<Long>();
    for (String table : LedgerWorkload.PAIR) {
      var byEpoch = new TreeMap<Long, Long>();
      for (Entry<Long, Long> each : LakeState.epochs(pipeline, DATABASE, table).entrySet()) {
        byEpoch.merge(each.getValue(), each.getKey(), Math::max);
      }
      snapshotsByEpoch.put(table, byEpoch);
      epochs.addAll(byEpoch.keySet());
    }
    // The newest may be in one table only yet: recovery brings it into the others.
    LakeState.Left left = LakeState.left(pipeline, DATABASE);
    long newest = LakeState.highestEpoch(pipeline) - (left.tablesLackingEpoch() > 0 ? 1 : 0);
    for (long epoch : epochs.subSet(checkedEpoch, false, newest, true)) {
      List<List<Long>> found = new ArrayList<>();
      for (String table : LedgerWorkload.PAIR) {
        Entry<Long, Long> at = snapshotsByEpoch.get(table).floorEntry(epoch);
        found.add(sumAndCount(pipeline, table, at.getValue()));
      }
      assertThat(found.get(0))
          .as("sum and rows of %s at epoch %d", LedgerWorkload.PAIR, epoch)
          .isEqualTo(found.get(1));
      checkedCuts++;
    }
    checkedEpoch = Math.max(checkedEpoch, newest);
  }

  private List<Long> sumAndCount(PipelineFolder pipeline, String table, long snapshot) {
    return sums.computeIfAbsent(
        table + "@" + snapshot,
        key -> {
          TableRows rows =
              LakeRows.read(
                  pipeline.warehouse(),
                  DATABASE,
                  table,
                  Map.of("scan.snapshot-id", Long.toString(snapshot)));
          int v = rows.columns().indexOf("v");
          long sum = 0;
          for (List<String> row : rows.rows()) {
            sum += Long.parseLong(row.get(v));
          }
          return List.of(sum, (long) rows.rows().size());
        });
  }
}
