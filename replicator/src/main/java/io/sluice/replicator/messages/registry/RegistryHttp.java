package io.sluice.replicator.messages.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscribers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One GET at a time, of bounded length and time. Redirects are not followed: they would carry the
 * login elsewhere.
 */
final class RegistryHttp {

  private static final int ANSWER_BYTES_MAX = 16 << 20;

  /**
   * @param json missing if the body is none
   */
  record Answer(int status, JsonNode json) {}

  private final RegistrySettings settings;
  private final HttpClient client;
  private final ObjectMapper json = new ObjectMapper();

  RegistryHttp(RegistrySettings settings) {
    this.settings = settings;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(settings.connectTimeout());
    if (settings.tls() != null) {
      builder.sslContext(settings.tls());
    }
    this.client = builder.build();
  }

  /**
   * @throws IOException no whole answer
   * @throws RegistryUnavailableException the thread was interrupted, and is again
   */
  Answer ask(URI uri) throws IOException {
    HttpResponse<byte[]> response = send(uri);
    return new Answer(response.statusCode(), read(response));
  }

  private HttpResponse<byte[]> send(URI uri) throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri)
            .timeout(settings.answerTimeout())
            .header(
                "Accept", "application/vnd.schemaregistry.v1+json, application/json, */*;q=0.5");
    String login = settings.login().header();
    if (login != null) {
      request.header("Authorization", login);
    }
    CompletableFuture<HttpResponse<byte[]>> answer =
        client.sendAsync(request.build(), response -> bounded());
    try {
      // The request's own timeout ends with the answer's head.
      return answer.get(settings.answerTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw new IOException("no whole answer in " + settings.answerTimeout(), e);
    } catch (ExecutionException e) {
      throw new IOException(String.valueOf(e.getCause()), e);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new RegistryUnavailableException("Interrupted while asking " + uri + ".");
    }
  }

  /** At most one byte more than an answer may have. */
  private static HttpResponse.BodySubscriber<byte[]> bounded() {
    var bytes = new ByteArrayOutputStream();
    return BodySubscribers.mapping(
        BodySubscribers.ofByteArrayConsumer(
            part ->
                part.ifPresent(
                    each ->
                        bytes.write(
                            each, 0, Math.min(each.length, ANSWER_BYTES_MAX + 1 - bytes.size())))),
        nothing -> bytes.toByteArray());
  }

  private JsonNode read(HttpResponse<byte[]> response) throws IOException {
    if (response.body().length > ANSWER_BYTES_MAX) {
      throw new IOException("an answer of more than " + ANSWER_BYTES_MAX + " bytes");
    }
    try {
      JsonNode answer = json.readTree(response.body());
      return answer == null ? json.missingNode() : answer;
    } catch (IOException e) {
      return json.missingNode();
    }
  }
}
