package io.sluice.replicator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.config.HttpConfig;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.replicator.http.StatusServer;
import io.sluice.replicator.metrics.DaemonStatus;
import io.sluice.replicator.metrics.DaemonStatus.State;
import io.sluice.replicator.metrics.PipelineMetrics;
import io.sluice.replicator.metrics.Statuses;
import io.sluice.sinks.Parked;
import io.sluice.sinks.epoch.EpochFile;
import io.sluice.sinks.epoch.EpochFile.SourceFacts;
import io.sluice.sinks.epoch.EpochJson;
import io.sluice.sinks.epoch.EpochStore;
import io.sluice.sinks.epoch.LakeTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatusCommandTest {

  @TempDir Path folder;

  private String config(String pipeline, String listen) throws IOException {
    Path file = folder.resolve(pipeline + ".conf");
    Files.writeString(
        file,
        """
        sluice {
          pipeline = %s
          warehouse = "%s"
          source { type = mysql, host = localhost, user = cdc, include = ["shop.*"] }
          http { listen = "%s" }
        }
        """
            .formatted(pipeline, folder.resolve("warehouse"), listen));
    return file.toString();
  }

  private void epoch(@Nullable Parked parked) throws IOException {
    LakeTable orders = new LakeTable("ods", "orders");
    LakeTable items = new LakeTable("ods", "items");
    Map<SourceTableId, SourceFacts> sources = new LinkedHashMap<>();
    sources.put(
        new SourceTableId("shop", "orders"),
        new SourceFacts(orders, "{\"state\":\"copying\",\"rows\":500,\"estimate\":900}"));
    sources.put(new SourceTableId("shop", "items"), new SourceFacts(items, null, parked, 0));
    EpochFile epoch =
        new EpochFile(
            7,
            "shop",
            "an-incarnation",
            "{\"file\":\"binlog.000003\"}",
            1_700_000_000_000_000L,
            1_700_000_000_500L,
            100,
            List.of(),
            new TreeMap<>(Map.of(orders, 6L)),
            sources,
            null,
            List.of());
    FileIO fileIO = FileIOs.forUri(folder.resolve("warehouse").toString(), () -> "test");
    new EpochStore(fileIO, folder.resolve("warehouse").toString(), "shop")
        .create(epoch, EpochJson.write(epoch));
  }

  private static StatusServer daemon(DaemonStatus status) throws IOException {
    return StatusServer.start(
        new HttpConfig(true, "127.0.0.1", 0, Duration.ofSeconds(60)),
        () -> status,
        List::of,
        new PipelineMetrics("shop", () -> status));
  }

  @Test
  void tellsWhatTheLakeKnowsWhereNoDaemonAnswers() throws Exception {
    CommandLineRun never = CommandLineRun.of("status", "-c", config("shop", "off"));
    assertThat(never.exitCode()).isEqualTo(2);
    assertThat(never.err()).contains("has never run");
    epoch(new Parked(5, "{\"file\":\"binlog.000002\"}", "It was dropped.", 1_700_000_000_000L));
    CommandLineRun run = CommandLineRun.of("status", "-c", config("shop", "off"));
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).as("a table is parked").isEqualTo(1);
    assertThat(run.out())
        .contains("Pipeline shop: no daemon answers")
        .contains("epoch-00000000000000000007")
        .contains("epoch 7, committed ")
        .containsPattern("shop.orders +\\S* *ods.orders +\\S* *copying")
        .contains("500", "900")
        .contains("shop.items is parked since 2023-11-14T22:13:20Z at epoch 5, position")
        .contains("binlog.000002", "It was dropped.", "sluice resync -c ");
    JsonNode json =
        new ObjectMapper()
            .readTree(
                CommandLineRun.of("status", "-c", config("shop", "off"), "--format", "json").out());
    assertThat(json.path("epoch").asLong()).isEqualTo(7);
    assertThat(json.path("state").isNull()).isTrue();
    assertThat(json.at("/tables/0/lastEpoch").asLong()).isEqualTo(6);
    assertThat(json.at("/tables/1/state").asText()).isEqualTo("parked");
    assertThat(json.at("/tables/1/parked/epoch").asLong()).isEqualTo(5);
  }

  @Test
  void asksTheDaemonThatRuns() throws Exception {
    epoch(null);
    try (StatusServer server = daemon(Statuses.running(1.5))) {
      String listen = "127.0.0.1:" + server.address().getPort();
      CommandLineRun run = CommandLineRun.of("status", "-c", config("shop", listen));
      assertThat(run.err()).isEmpty();
      assertThat(run.exitCode()).isZero();
      assertThat(run.out())
          .contains("Pipeline shop: running (http://" + listen + "/)")
          .contains("epoch 42", "freshness 1.5 s, source lag 0.5 s")
          .contains("backfilling", "2000");
      JsonNode json =
          new ObjectMapper()
              .readTree(
                  CommandLineRun.of("status", "-c", config("shop", listen), "--format", "json")
                      .out());
      assertThat(json.path("epoch").asLong()).isEqualTo(42);
    }
  }

  @Test
  void tellsTheDaemonsProblem() throws Exception {
    epoch(null);
    DaemonStatus retrying = Statuses.of(State.RETRYING, Optional.of("The source is away"), 0);
    try (StatusServer server = daemon(retrying)) {
      String config = config("shop", "127.0.0.1:" + server.address().getPort());
      CommandLineRun run = CommandLineRun.of("status", "-c", config);
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.out()).contains("retrying", "Problem: The source is away");
    }
  }

  @Test
  void doesNotTakeAnotherPipelinesDaemonForItsOwn() throws Exception {
    try (StatusServer server = daemon(Statuses.running(0))) {
      String config = config("crm", "127.0.0.1:" + server.address().getPort());
      assertThat(CommandLineRun.of("status", "-c", config).err())
          .contains("Pipeline crm has never run");
    }
  }

  @Test
  void looksIntoTheLakeWhenNobodyListens() throws Exception {
    epoch(null);
    int port;
    try (var socket = new java.net.ServerSocket(0)) {
      port = socket.getLocalPort();
    }
    CommandLineRun run = CommandLineRun.of("status", "-c", config("shop", "127.0.0.1:" + port));
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).contains("no daemon answers");
  }
}
