package io.sluice.replicator.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.config.HttpConfig;
import io.sluice.replicator.metrics.DaemonStatus;
import io.sluice.replicator.metrics.DaemonStatus.State;
import io.sluice.replicator.metrics.PipelineMetrics;
import io.sluice.replicator.metrics.Statuses;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StatusServerTest {

  private static final HttpConfig CONFIG =
      new HttpConfig(true, "127.0.0.1", 0, Duration.ofSeconds(60));

  private volatile DaemonStatus status = Statuses.running(1.5);
  private volatile List<String> hung = List.of();
  private StatusServer server;

  @BeforeEach
  void start() throws IOException {
    PipelineMetrics metrics = new PipelineMetrics("shop", () -> status);
    server = StatusServer.start(CONFIG, () -> status, () -> hung, metrics);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpResponse<String> ask(String method, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.url()).resolve(path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  private String answer(String path) throws Exception {
    HttpResponse<String> response = ask("GET", path);
    return response.statusCode() + " " + response.body().strip();
  }

  @Test
  void pageIsWholeInItself() throws Exception {
    HttpResponse<String> page = ask("GET", "/");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("content-type")).contains("text/html; charset=utf-8");
    assertThat(page.headers().firstValue("content-security-policy"))
        .get()
        .asString()
        .startsWith("default-src 'none'");
    assertThat(page.body()).contains("<title>Sluice</title>").doesNotContain("http://", "https://");
  }

  @Test
  void statusHasTheFactsAsJson() throws Exception {
    JsonNode json = new ObjectMapper().readTree(ask("GET", "/api/status").body());
    assertThat(json.get("pipeline").asText()).isEqualTo("shop");
    assertThat(json.get("state").asText()).isEqualTo("running");
    assertThat(json.get("epoch").asLong()).isEqualTo(42);
    assertThat(json.get("lastCommit").asText()).isEqualTo("2023-11-14T22:13:20.500Z");
    assertThat(json.get("freshnessSeconds").asDouble()).isEqualTo(1.5);
    assertThat(json.get("position").get("file").asText()).isEqualTo("binlog.000003");
    assertThat(json.get("deadLetters").asLong()).isEqualTo(17);
    assertThat(json.get("topics").toString())
        .isEqualTo("[{\"topic\":\"orders\",\"partitions\":4,\"lagMessages\":1200}]");
    JsonNode table = json.get("tables").get(0);
    assertThat(table.get("source").asText()).isEqualTo("shop.orders");
    assertThat(table.get("lakeTable").asText()).isEqualTo("ods.orders");
    assertThat(table.get("freshnessSeconds").asDouble()).isZero();
    assertThat(table.get("backfill").get("state").asText()).isEqualTo("backfilling");
    assertThat(table.get("backfillRowsEstimated").asLong()).isEqualTo(2000);
  }

  @Test
  void metricsAreServedAsText() throws Exception {
    HttpResponse<String> metrics = ask("GET", "/metrics");
    assertThat(metrics.headers().firstValue("content-type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
    assertThat(metrics.body()).contains("sluice_epoch{pipeline=\"shop\",} 42.0");
  }

  @Test
  void readyWhileRunningWithinBounds() throws Exception {
    assertThat(answer("/readyz")).isEqualTo("200 ready");
    status = Statuses.running(60.1);
    assertThat(answer("/readyz")).isEqualTo("503 a change has waited for 60.1 s");
    status = Statuses.of(State.RETRYING, Optional.of("db1:3306 refuses connections"), 0);
    assertThat(answer("/readyz")).isEqualTo("503 retrying: db1:3306 refuses connections");
    status = DaemonStatus.starting("shop", 0);
    assertThat(answer("/readyz")).isEqualTo("503 starting");
  }

  @Test
  void healthyUntilStopped() throws Exception {
    status = DaemonStatus.starting("shop", 0);
    assertThat(answer("/healthz")).isEqualTo("200 alive");
    hung = List.of("committer (for 200 s)");
    assertThat(answer("/healthz")).isEqualTo("503 hangs: committer (for 200 s)");
    hung = List.of();
    status = Statuses.of(State.STOPPED, Optional.empty(), 0);
    assertThat(answer("/healthz")).isEqualTo("503 stopped");
  }

  @Test
  void nothingElseIsThereAndNothingCanBeChanged() throws Exception {
    assertThat(answer("/etc/passwd")).startsWith("404 ");
    assertThat(answer("/metrics/x")).startsWith("404 ");
    assertThat(ask("POST", "/api/status").statusCode()).isEqualTo(405);
    assertThat(ask("HEAD", "/readyz").statusCode()).isEqualTo(200);
  }

  @Test
  void aFaultInTheStatusIsAnAnswerToo() throws Exception {
    status = null;
    assertThat(answer("/api/status")).startsWith("500 ");
    assertThat(answer("/")).startsWith("200 ");
  }

  @Test
  void aTakenPortIsToldWithARemedy() {
    HttpConfig taken =
        new HttpConfig(true, "127.0.0.1", server.address().getPort(), Duration.ofSeconds(1));
    assertThatThrownBy(
            () ->
                StatusServer.start(
                    taken, () -> status, List::of, new PipelineMetrics("x", () -> status)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Cannot listen on 127.0.0.1:")
        .hasMessageContaining("http.listen");
  }
}
