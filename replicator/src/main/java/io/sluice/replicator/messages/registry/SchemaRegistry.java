package io.sluice.replicator.messages.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Asks a registry for schemas, over Confluent's interface; for Apicurio's own ids over the
 * interface beside it ({@code /apis/registry/v2}). What it has given is kept, since an id never
 * changes its meaning. One thread.
 */
public final class SchemaRegistry {

  private static final int REFERENCES_MAX = 1_000;
  private static final String GUIDS = "/schemas/guids/";
  private static final String APICURIO_COMPATIBLE = "/apis/ccompat/";

  /** How a registry, and not whatever else is at its address, says that it has no such thing. */
  private static final Set<Integer> ABSENT_CODES = Set.of(40401, 40402, 40403, 40404, 40406);

  private static final Set<String> ABSENT_NAMES =
      Set.of("ContentNotFoundException", "ArtifactNotFoundException", "VersionNotFoundException");

  private final RegistrySettings settings;
  private final RegistryHttp http;
  private final ObjectMapper json = new ObjectMapper();
  private final Map<SchemaId, RegisteredSchema> schemas;
  private int first;

  public SchemaRegistry(RegistrySettings settings) {
    this.settings = settings;
    this.http = new RegistryHttp(settings);
    this.schemas =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<SchemaId, RegisteredSchema> eldest) {
            return size() > settings.schemasMax();
          }
        };
  }

  public RegistrySettings settings() {
    return settings;
  }

  /**
   * @throws BadMessageException MALFORMED: the registry has no schema of this id; INCOMPLETE: it
   *     lacks one that this schema refers to
   * @throws RegistryUnavailableException no URL gave an answer that says either
   */
  public RegisteredSchema schema(SchemaId id) throws BadMessageException {
    RegisteredSchema known = schemas.get(id);
    if (known == null) {
      known = load(id);
      schemas.put(id, known);
    }
    return known;
  }

  private RegisteredSchema load(SchemaId id) throws BadMessageException {
    boolean apicurio = id.kind().name().startsWith("APICURIO");
    String path =
        switch (id.kind()) {
          case NUMBER -> "/schemas/ids/" + id.low();
          case GUID -> GUIDS + new UUID(id.high(), id.low());
          case APICURIO_GLOBAL -> "/ids/globalIds/" + id.low();
          case APICURIO_CONTENT -> "/ids/contentIds/" + id.low();
        };
    JsonNode answer = ask(path, apicurio);
    if (answer == null) {
      throw new BadMessageException(Reason.MALFORMED, "the registry has no schema " + id + ".");
    }
    List<String> references = new ArrayList<>();
    if (apicurio) {
      // Apicurio's own interface gives the schema itself, and its references one by one.
      JsonNode listed = ask(path + "/references", true);
      follow(
          id, listed == null ? json.createArrayNode() : listed, true, references, new HashSet<>());
      return new RegisteredSchema(id, "AVRO", answer.toString(), references);
    }
    follow(id, answer.path("references"), false, references, new HashSet<>());
    String type = answer.path("schemaType").asText("AVRO");
    return new RegisteredSchema(id, type, answer.path("schema").asText(), references);
  }

  private void follow(
      SchemaId id, JsonNode listed, boolean apicurio, List<String> texts, Set<String> met)
      throws BadMessageException {
    for (JsonNode reference : listed) {
      String version = encoded(reference.path("version").asText());
      String path =
          apicurio
              ? "/groups/"
                  + encoded(reference.path("groupId").asText("default"))
                  + "/artifacts/"
                  + encoded(reference.path("artifactId").asText())
                  + "/versions/"
                  + version
              : "/subjects/" + encoded(reference.path("subject").asText()) + "/versions/" + version;
      if (!met.add(path)) {
        continue;
      }
      if (met.size() > REFERENCES_MAX) {
        throw new BadMessageException(
            Reason.INCOMPLETE, "schema " + id + " refers to more than 1,000 others.");
      }
      // One that was deleted softly is still what the data were written by.
      JsonNode answer = ask(apicurio ? path : path + "?deleted=true", apicurio);
      if (answer == null) {
        throw new BadMessageException(
            Reason.INCOMPLETE,
            "schema " + id + " refers to " + path + ", which the registry doesn't have.");
      }
      JsonNode inner = apicurio ? ask(path + "/references", true) : answer.path("references");
      follow(id, inner == null ? json.createArrayNode() : inner, apicurio, texts, met);
      texts.add(apicurio ? answer.toString() : answer.path("schema").asText());
    }
  }

  /** Null if the registry says that there is no such thing. */
  private @Nullable JsonNode ask(String path, boolean apicurio) {
    List<String> faults = new ArrayList<>();
    int urls = settings.urls().size();
    for (int i = 0; i < urls; i++) {
      int url = (first + i) % urls;
      URI uri = uri(settings.urls().get(url), path, apicurio);
      try {
        RegistryHttp.Answer response = http.ask(uri);
        JsonNode answer = response.json();
        if (response.status() == 200 && isSchema(answer, path, apicurio)) {
          first = url;
          return answer;
        }
        if (response.status() == 404 && saysAbsent(answer, path)) {
          first = url;
          return null;
        }
        faults.add(uri + " answered " + response.status() + what(response.status(), answer));
      } catch (IOException e) {
        faults.add(uri + ": " + (e.getMessage() == null ? e.getClass().getName() : e.getMessage()));
      }
    }
    throw new RegistryUnavailableException(
        "The schema registry gave no usable answer: " + String.join("; ", faults) + ".");
  }

  private static boolean isSchema(JsonNode answer, String path, boolean apicurio) {
    if (apicurio) {
      return path.endsWith("/references") ? answer.isArray() : !answer.isMissingNode();
    }
    return answer.path("schema").isTextual();
  }

  private static boolean saysAbsent(JsonNode answer, String path) {
    // An older registry knows no GUIDs at all, and garbage may look like one.
    boolean guid = path.startsWith(GUIDS) && answer.has("error_code");
    return guid
        || ABSENT_CODES.contains(answer.path("error_code").asInt())
        || ABSENT_NAMES.contains(answer.path("name").asText());
  }

  private static String what(int status, JsonNode answer) {
    String message = answer.path("message").asText("");
    String text =
        message.isEmpty() ? "" : " (" + message.substring(0, Math.min(200, message.length())) + ")";
    return text
        + switch (status) {
          case 200 -> " with what is no schema: is it the registry's URL?";
          case 401, 403 -> ": check the registry's user and password or token";
          case 404 -> " and not as a registry does: check the URL's path";
          default -> "";
        };
  }

  private static URI uri(URI base, String path, boolean apicurio) {
    String url = base.toString().replaceAll("/+$", "");
    int compatible = url.indexOf(APICURIO_COMPATIBLE);
    if (apicurio && compatible >= 0) {
      url = url.substring(0, compatible) + "/apis/registry/v2";
    }
    return URI.create(url + path);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
