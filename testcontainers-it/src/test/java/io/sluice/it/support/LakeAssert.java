package io.sluice.it.support;

import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Source and lake hold the same rows: every row of every table, as Paimon's reader sees them. */
public final class LakeAssert {
  private static final long LOOK_NANOS = Duration.ofMillis(250).toNanos();

  private LakeAssert() {}

  /** Compares now. */
  public static void same(
      ThrowawayServer server, PipelineFolder pipeline, String database, String... tables)
      throws Exception {
    List<String> differences = differences(server, pipeline, database, tables);
    if (!differences.isEmpty()) {
      throw new AssertionError(
          "source (first) and lake (second) differ:\n" + String.join("\n", differences));
    }
  }

  /** Looks until both are the same; the source must be quiet, the daemon must live. */
  public static void awaitSame(
      DaemonProcess daemon,
      ThrowawayServer server,
      PipelineFolder pipeline,
      Duration limit,
      String database,
      String... tables)
      throws Exception {
    long deadline = System.nanoTime() + limit.toNanos();
    Deque<String> open = new ArrayDeque<>(List.of(tables));
    while (true) {
      // One after the other, since each look takes the daemon's time, and all once more.
      List<String> differences =
          differences(
              server, pipeline, database, open.isEmpty() ? tables : new String[] {open.getFirst()});
      if (differences.isEmpty()) {
        if (open.isEmpty()) {
          return;
        }
        open.removeFirst();
        continue;
      }
      daemon.assertAlive();
      if (System.nanoTime() > deadline) {
        throw new AssertionError(
            "source (first) and lake (second) still differ after "
                + limit.toSeconds()
                + " s:\n"
                + String.join("\n", differences)
                + "\nthe daemon's log:\n"
                + daemon.logTail());
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private static List<String> differences(
      ThrowawayServer server, PipelineFolder pipeline, String database, String... tables)
      throws Exception {
    List<String> lines = new ArrayList<>();
    for (String table : tables) {
      Path folder = pipeline.table(database, table);
      if (!Files.exists(folder.resolve("schema/schema-0"))) {
        lines.add(database + "." + table + ": not in the lake yet");
        continue;
      }
      List<String> differences =
          SourceRows.read(server, database, table)
              .differences(LakeRows.read(pipeline.warehouse(), database, table));
      if (!differences.isEmpty()) {
        lines.add(database + "." + table + ": " + String.join("\n", differences));
      }
    }
    return lines;
  }
}
