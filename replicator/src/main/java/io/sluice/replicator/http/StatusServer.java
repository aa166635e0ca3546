package io.sluice.replicator.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.sluice.config.HttpConfig;
import io.sluice.replicator.metrics.DaemonStatus;
import io.sluice.replicator.metrics.PipelineMetrics;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers {@code /}, {@code /metrics}, {@code /healthz}, {@code /readyz} and {@code /api/status}
 * until closed. It only reads.
 */
public final class StatusServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(StatusServer.class);
  private static final String TEXT = "text/plain; charset=utf-8";

  /** What a handler answers. */
  private record Answer(int code, String contentType, byte[] body) {
    static Answer text(int code, String body) {
      return new Answer(code, TEXT, (body + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  private final HttpServer server;
  private final ExecutorService threads;
  private final HttpConfig config;
  private final Supplier<DaemonStatus> status;
  private final Supplier<List<String>> hung;

  private StatusServer(
      HttpServer server,
      ExecutorService threads,
      HttpConfig config,
      Supplier<DaemonStatus> status,
      Supplier<List<String>> hung,
      PipelineMetrics metrics) {
    this.server = server;
    this.threads = threads;
    this.config = config;
    this.status = status;
    this.hung = hung;
    byte[] page = page();
    on("/", () -> new Answer(200, "text/html; charset=utf-8", page));
    on(
        "/metrics",
        () ->
            new Answer(
                200,
                "text/plain; version=0.0.4; charset=utf-8",
                metrics.text().getBytes(StandardCharsets.UTF_8)));
    on("/api/status", () -> new Answer(200, "application/json", StatusJson.write(status.get())));
    on("/healthz", this::health);
    on("/readyz", this::readiness);
  }

  /**
   * Binds and begins to answer.
   *
   * @param config whose {@code enabled} is true
   * @param hung stages that have not moved for long though they have work; for {@code /healthz}
   * @throws IOException if the address can't be bound; the message says what to do
   */
  public static StatusServer start(
      HttpConfig config,
      Supplier<DaemonStatus> status,
      Supplier<List<String>> hung,
      PipelineMetrics metrics)
      throws IOException {
    HttpServer server;
    try {
      server = HttpServer.create(new InetSocketAddress(config.host(), config.port()), 16);
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException(
          "Cannot listen on "
              + config.host()
              + ":"
              + config.port()
              + " ("
              + e.getMessage()
              + "). Set http.listen to a free address and port, or to off.",
          e);
    }
    ExecutorService threads =
        Executors.newFixedThreadPool(
            2,
            task -> {
              Thread thread = new Thread(task, "sluice-http");
              thread.setDaemon(true);
              return thread;
            });
    server.setExecutor(threads);
    StatusServer result = new StatusServer(server, threads, config, status, hung, metrics);
    server.start();
    return result;
  }

  /** Where it listens, with the port that was taken for 0. */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  /** The page's address, e.g. {@code http://127.0.0.1:9300/}. */
  public String url() {
    String host = config.host();
    return "http://"
        + (host.contains(":") ? "[" + host + "]" : host)
        + ":"
        + address().getPort()
        + "/";
  }

  private Answer health() {
    // Before the status, which may hang itself.
    List<String> now = hung.get();
    if (!now.isEmpty()) {
      return Answer.text(503, "hangs: " + String.join(", ", now));
    }
    return status.get().state() == DaemonStatus.State.STOPPED
        ? Answer.text(503, "stopped")
        : Answer.text(200, "alive");
  }

  private Answer readiness() {
    DaemonStatus now = status.get();
    if (now.state() != DaemonStatus.State.RUNNING) {
      String state = now.state().name().toLowerCase(Locale.ROOT);
      return Answer.text(503, now.problem().map(why -> state + ": " + why).orElse(state));
    }
    double freshness = now.freshnessSeconds();
    if (freshness > config.readyFreshness().toNanos() / 1e9) {
      return Answer.text(
          503, String.format(Locale.ROOT, "a change has waited for %.1f s", freshness));
    }
    return Answer.text(200, "ready");
  }

  private void on(String path, Supplier<Answer> handler) {
    HttpHandler guarded = exchange -> answer(exchange, path, handler);
    server.createContext(path, guarded);
  }

  private static void answer(HttpExchange exchange, String path, Supplier<Answer> handler)
      throws IOException {
    try (exchange) {
      Answer answer;
      String method = exchange.getRequestMethod();
      if (!exchange.getRequestURI().getPath().equals(path)) {
        answer = Answer.text(404, "There are /, /metrics, /healthz, /readyz and /api/status.");
      } else if (!method.equals("GET") && !method.equals("HEAD")) {
        exchange.getResponseHeaders().set("Allow", "GET, HEAD");
        answer = Answer.text(405, "Nothing can be changed here.");
      } else {
        answer = guarded(path, handler);
      }
      exchange.getResponseHeaders().set("Content-Type", answer.contentType());
      exchange.getResponseHeaders().set("Cache-Control", "no-store");
      exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
      exchange
          .getResponseHeaders()
          .set(
              "Content-Security-Policy",
              "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline';"
                  + " connect-src 'self'; frame-ancestors 'none'");
      if (method.equals("HEAD")) {
        exchange.sendResponseHeaders(answer.code(), -1);
      } else {
        exchange.sendResponseHeaders(answer.code(), answer.body().length);
        exchange.getResponseBody().write(answer.body());
      }
    }
  }

  private static Answer guarded(String path, Supplier<Answer> handler) {
    try {
      return handler.get();
    } catch (RuntimeException e) {
      LOG.warn("{} can't be answered: {}", path, e.toString(), e);
      return Answer.text(500, "The answer can't be given; the log says why.");
    }
  }

  private static byte[] page() {
    try (InputStream in = StatusServer.class.getResourceAsStream("status.html")) {
      if (in == null) {
        throw new IllegalStateException("status.html is not on the class path");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new IllegalStateException("status.html can't be read", e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
