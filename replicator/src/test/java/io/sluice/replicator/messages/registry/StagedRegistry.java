package io.sluice.replicator.messages.registry;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** A real HTTP server that answers as a test stages it; what isn't staged is no such schema. */
public final class StagedRegistry implements AutoCloseable {

  static {
    // Else each answer waits 40 ms for the client's acknowledgement of its head.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private static final String ABSENT = "{\"error_code\":40403,\"message\":\"Schema not found\"}";

  private record Answer(int status, byte[] body, boolean hangsBeforeItsEnd) {}

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<String> logins = new CopyOnWriteArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile @Nullable Answer always;

  public StagedRegistry() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  public URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Stages an Avro schema. */
  public StagedRegistry schema(int id, String text) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode().put("schema", text);
    return stage("/schemas/ids/" + id, 200, answer.toString());
  }

  /** Stages an answer for a path with its query. */
  public StagedRegistry stage(String path, int status, String body) {
    answers.put(path, new Answer(status, body.getBytes(StandardCharsets.UTF_8), false));
    return this;
  }

  /** Sends the head and half of the body, then nothing more. */
  StagedRegistry stageEndless(String path, String body) {
    answers.put(path, new Answer(200, body.getBytes(StandardCharsets.UTF_8), true));
    return this;
  }

  /** Answers everything so from here on; null: as staged again. */
  public void always(int status, @Nullable String body) {
    always = body == null ? null : new Answer(status, body.getBytes(StandardCharsets.UTF_8), false);
  }

  /** Paths with queries, in order. */
  public List<String> requests() {
    return requests;
  }

  List<String> logins() {
    return logins;
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().toString();
    requests.add(path);
    logins.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
    Answer answer = always;
    if (answer == null) {
      answer =
          answers.getOrDefault(
              path, new Answer(404, ABSENT.getBytes(StandardCharsets.UTF_8), false));
    }
    exchange.sendResponseHeaders(answer.status(), answer.body().length);
    OutputStream out = exchange.getResponseBody();
    if (answer.hangsBeforeItsEnd()) {
      out.write(answer.body(), 0, answer.body().length / 2);
      out.flush();
      try {
        closed.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    } else {
      out.write(answer.body());
    }
    exchange.close();
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
