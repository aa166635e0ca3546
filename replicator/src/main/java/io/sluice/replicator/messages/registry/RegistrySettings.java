package io.sluice.replicator.messages.registry;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Where schemas are.
 *
 * @param urls of one registry, tried in turn; Apicurio's end in {@code /apis/ccompat/v7}
 * @param idLayout where producers put the schema's id
 * @param connectTimeout of one connection
 * @param answerTimeout from the request to the last byte of its answer
 * @param schemasMax that are kept, at least 1; the one not used for longest goes first
 * @param tls null for the JVM's own ({@code javax.net.ssl.*})
 */
public record RegistrySettings(
    List<URI> urls,
    RegistryLogin login,
    IdLayout idLayout,
    Duration connectTimeout,
    Duration answerTimeout,
    int schemasMax,
    @Nullable SSLContext tls) {

  /** What stands at the front of a message whose headers name no schema. */
  public enum IdLayout {
    /** A zero byte and 4 bytes of an id, big-endian. */
    CONFLUENT,
    /** A zero byte and 8 bytes of Apicurio's global id, big-endian. */
    APICURIO_GLOBAL,
    /** A zero byte and 8 bytes of Apicurio's content id, big-endian. */
    APICURIO_CONTENT
  }

  public RegistrySettings {
    urls = List.copyOf(urls);
    if (urls.isEmpty()) {
      throw new IllegalArgumentException("A schema registry needs at least one URL.");
    }
    for (URI url : urls) {
      if (url.getRawUserInfo() != null) {
        throw new IllegalArgumentException(
            "The schema registry's URL for "
                + url.getHost()
                + " holds a login: give user and password by their own options.");
      }
      boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      if (!http || url.getHost() == null || url.getRawQuery() != null) {
        throw new IllegalArgumentException(
            "The schema registry's URL "
                + url
                + " is not http(s)://host[:port][/path], for Apicurio with /apis/ccompat/v7.");
      }
    }
    if (schemasMax < 1) {
      throw new IllegalArgumentException("schemasMax must be at least 1, not " + schemasMax);
    }
  }

  /** One registry with 5 s to connect, 10 s to answer, 1,000 schemas and the JVM's TLS. */
  public static RegistrySettings of(List<URI> urls) {
    return new RegistrySettings(
        urls,
        new RegistryLogin.Anonymous(),
        IdLayout.CONFLUENT,
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        1_000,
        null);
  }

  public RegistrySettings withLogin(RegistryLogin other) {
    return new RegistrySettings(
        urls, other, idLayout, connectTimeout, answerTimeout, schemasMax, tls);
  }

  public RegistrySettings withIdLayout(IdLayout other) {
    return new RegistrySettings(urls, login, other, connectTimeout, answerTimeout, schemasMax, tls);
  }
}
