package io.sluice.it.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.config.ConfigLoader;
import io.sluice.config.SluiceConfig;
import io.sluice.it.support.Await;
import io.sluice.it.support.LakeAssert;
import io.sluice.it.support.PipelineFolder;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.TestServers;
import io.sluice.it.support.Workload;
import io.sluice.replicator.daemon.Daemon;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import io.sluice.replicator.metrics.DaemonStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One daemon, stopped, dropped and started again in one JVM, and a server that goes away. */
class DaemonIT {

  private static final Duration LIMIT = Duration.ofSeconds(120);

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void replicatesThroughStopsDropsAndALostServer(ServerKind kind) throws Exception {
    long seed = Seeds.of("DaemonIT on " + kind);
    try (ThrowawayServer server = TestServers.start(kind)) {
      Workload.createTables(server, 5_000);
      PipelineFolder pipeline =
          new PipelineFolder(folder, "inside")
              .source(server)
              .include(Workload.DATABASE + ".*")
              .set("source.backfill { readers = 2, chunk-rows = 400 }");
      SluiceConfig config = ConfigLoader.load(pipeline.writeConfig(), Map.of());
      try (Workload workload = Workload.start(server, seed)) {
        for (int i = 0; i < 4; i++) {
          Daemon daemon = Daemon.start(config);
          try {
            awaitEpochs(daemon, 3);
          } finally {
            if (i % 2 == 0) {
              daemon.kill();
            } else {
              daemon.close();
            }
          }
          assertThat(daemon.awaitExit()).isZero();
        }
        try (Daemon daemon = Daemon.start(config)) {
          awaitEpochs(daemon, 3);
          workload.stop();
          server.kill();
          Await.until(
              LIMIT,
              () -> "the daemon notices; " + daemon.status(),
              () -> daemon.status().state() == DaemonStatus.State.RETRYING);
          server.start();
          awaitSame(daemon, server, pipeline);
          Await.until(
              LIMIT,
              () -> "the copies end; " + daemon.status(),
              () ->
                  daemon.status().pipeline().stream()
                      .flatMap(status -> status.tables().stream())
                      .allMatch(
                          table ->
                              String.valueOf(table.backfillProgress()).contains("consistent")));
          assertThat(daemon.url()).isPresent();
        }
      }
      LakeAssert.same(server, pipeline, Workload.DATABASE, Workload.TABLES);
    }
  }

  private static void awaitEpochs(Daemon daemon, int more) throws Exception {
    long[] first = {-1};
    Await.until(
        LIMIT,
        () -> more + " epochs; " + daemon.status(),
        () -> {
          if (!daemon.isRunning()) {
            throw new AssertionError("the daemon ended: " + daemon.status());
          }
          var status = daemon.status().pipeline();
          if (status.isEmpty()) {
            return false;
          }
          if (first[0] < 0) {
            first[0] = status.get().epoch();
          }
          return status.get().epoch() >= first[0] + more;
        });
  }

  private static void awaitSame(Daemon daemon, ThrowawayServer server, PipelineFolder pipeline)
      throws Exception {
    Await.until(
        LIMIT,
        () -> "source and lake are the same; " + daemon.status(),
        () -> {
          try {
            LakeAssert.same(server, pipeline, Workload.DATABASE, Workload.TABLES);
            return true;
          } catch (AssertionError e) {
            return false;
          }
        });
  }

  @Test
  void saysWithItsExitCodeWhatIsWrong() throws Exception {
    PipelineFolder pipeline =
        new PipelineFolder(folder, "unreachable").address("127.0.0.1", 1).include("a.*");
    SluiceConfig config = ConfigLoader.load(pipeline.writeConfig(), Map.of());
    try (Daemon daemon = Daemon.start(config)) {
      assertThat(daemon.awaitExit()).isEqualTo(3);
      assertThat(daemon.status().problem().orElse("")).contains("127.0.0.1:1");
    }
  }
}
