package io.sluice.it;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The lake's disk fills up under a running workload, until compactions fail and then commits, too;
 * when there is room again the same daemon goes on by itself, and nothing is lost. The disk is a
 * small file system in memory: mounting it takes root, else the test is left out.
 */
class DiskFullIT {
  private static final Duration LIMIT = Duration.ofSeconds(120);
  private static final long LEFT_FREE_BYTES = 160 * 1024;

  @TempDir Path folder;

  private Path disk;

  @AfterEach
  void unmount() throws Exception {
    if (disk != null) {
      assertThat(command("umount", disk.toString())).isZero();
    }
  }

  @Test
  void goesOnByItselfWhenThereIsRoomAgain() throws Exception {
    Path mounted = Files.createDirectories(folder.resolve("disk"));
    Assumptions.assumeTrue(
        command("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", mounted.toString()) == 0,
        "a small file system can't be mounted here: that takes root");
    disk = mounted;
    long seed = Seeds.of("DiskFullIT");
    try (ThrowawayServer server = TestServers.start(ServerKind.MARIADB)) {
      Workload.createTables(server, 8_000);
      PipelineFolder pipeline =
          new PipelineFolder(folder, disk.resolve("warehouse"), "full")
              .source(server)
              .include(Workload.DATABASE + ".*")
              .set("retention { time = 5s }")
              .set(
                  "tables.defaults { bucket = 1, options { \"num-sorted-run.compaction-trigger\" = 3 } }");
      try (Workload workload = Workload.start(server, seed);
          DaemonProcess daemon = DaemonProcess.run(pipeline)) {
        daemon.awaitFollowing(LIMIT);
        daemon.await(
            LIMIT, "all is copied", () -> LakeState.consistentSources(pipeline).size() == 3);
        Path ballast = disk.resolve("ballast");
        fill(ballast);
        daemon.await(
            LIMIT,
            "a compaction fails for want of room",
            () -> {
              String log = daemon.ownLog();
              if (isRefused(log)) {
                // Without commits there would never be a run more to compact.
                makeRoom(ballast);
              } else {
                fill(ballast);
              }
              return log.matches("(?s).*compaction of bucket \\S+ failed[^\\n]*disk is full.*");
            });
        daemon.await(
            LIMIT,
            "a commit fails for want of room",
            () -> {
              fill(ballast);
              return isRefused(daemon.ownLog());
            });
        long epoch = LakeState.highestEpoch(pipeline);
        long seen = workload.transactions();
        daemon.await(LIMIT, "the source goes on", () -> workload.transactions() > seen + 200);

        Files.delete(ballast);
        daemon.await(LIMIT, "epochs go on", () -> LakeState.highestEpoch(pipeline) > epoch + 3);
        workload.stop();
        LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, Workload.DATABASE, Workload.TABLES);
        assertThat(daemon.ownLog()).contains("Storage answers again");
        assertThat(daemon.terminate())
            .as("exit code after SIGTERM; log:\n%s", daemon.logTail())
            .isZero();
      }
    }
  }

  /** Whether commits are tried again and again. */
  private static boolean isRefused(String log) {
    return log.lastIndexOf("Storage fails, ") > log.lastIndexOf("Storage answers again");
  }

  /** Takes the disk's room but for a little: a small epoch still fits, a compaction doesn't. */
  private void fill(Path ballast) throws IOException {
    FileStore store = Files.getFileStore(disk);
    byte[] block = new byte[16 * 1024];
    try (OutputStream out =
        Files.newOutputStream(ballast, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      while (store.getUsableSpace() > LEFT_FREE_BYTES) {
        out.write(block);
      }
    } catch (IOException e) {
      // The daemon was faster: then it is full.
      if (!String.valueOf(e.getMessage()).contains("No space")) {
        throw e;
      }
    }
  }

  /** Lets the commit that was refused through; the next compaction needs more than that. */
  private void makeRoom(Path ballast) throws IOException {
    FileStore store = Files.getFileStore(disk);
    if (store.getUsableSpace() < LEFT_FREE_BYTES) {
      try (FileChannel file = FileChannel.open(ballast, StandardOpenOption.WRITE)) {
        file.truncate(Math.max(0, file.size() - LEFT_FREE_BYTES));
      }
    }
  }

  private static int command(String... words) throws Exception {
    Process process =
        new ProcessBuilder(words)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      return -1;
    }
    return process.exitValue();
  }
}
