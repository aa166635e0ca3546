package io.sluice.lsm.snapshot;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.UnsupportedTableException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The text of a {@code snapshot-N} file: members in Paimon's order and layout, absent ones left
 * out. Unknown members are ignored when read.
 */
public final class SnapshotJson {

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final ObjectWriter PRETTY =
      MAPPER.writer(new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter("  ", "\n")));

  private SnapshotJson() {}

  public static byte[] write(Snapshot snapshot) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("version", snapshot.version());
    json.put("id", snapshot.id());
    json.put("schemaId", snapshot.schemaId());
    json.put("baseManifestList", snapshot.baseManifestList());
    put(json, "baseManifestListSize", snapshot.baseManifestListSize());
    json.put("deltaManifestList", snapshot.deltaManifestList());
    put(json, "deltaManifestListSize", snapshot.deltaManifestListSize());
    put(json, "changelogManifestList", snapshot.changelogManifestList());
    put(json, "changelogManifestListSize", snapshot.changelogManifestListSize());
    put(json, "indexManifest", snapshot.indexManifest());
    json.put("commitUser", snapshot.commitUser());
    json.put("commitIdentifier", snapshot.commitIdentifier());
    json.put("commitKind", snapshot.commitKind().name());
    json.put("timeMillis", snapshot.timeMillis());
    json.put("totalRecordCount", snapshot.totalRecordCount());
    json.put("deltaRecordCount", snapshot.deltaRecordCount());
    put(json, "changelogRecordCount", snapshot.changelogRecordCount());
    put(json, "watermark", snapshot.watermark());
    put(json, "statistics", snapshot.statistics());
    if (!snapshot.properties().isEmpty()) {
      ObjectNode properties = json.putObject("properties");
      snapshot.properties().forEach(properties::put);
    }
    put(json, "nextRowId", snapshot.nextRowId());
    try {
      return PRETTY.writeValueAsBytes(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A tree of numbers and texts is always printable", e);
    }
  }

  /**
   * Reads a snapshot.
   *
   * @param file its path, for messages
   * @throws IncompleteJsonException if the bytes are not whole JSON: perhaps still being written
   * @throws CorruptTableException if the JSON is no snapshot
   */
  static Snapshot parse(byte[] bytes, String file) throws IncompleteJsonException {
    JsonNode json;
    try {
      json = MAPPER.readTree(bytes);
    } catch (java.io.IOException e) {
      throw new IncompleteJsonException(file, e);
    }
    if (json == null || !json.isObject()) {
      throw new IncompleteJsonException(file, null);
    }
    int version = json.path("version").asInt(1);
    if (version > Snapshot.CURRENT_VERSION) {
      throw new UnsupportedTableException(
          "Cannot read "
              + file
              + ": it has snapshot version "
              + version
              + ", this engine knows up to "
              + Snapshot.CURRENT_VERSION
              + ". Use a newer release of Sluice.");
    }
    return new Snapshot(
        version,
        requiredLong(json, "id", file),
        requiredLong(json, "schemaId", file),
        requiredText(json, "baseManifestList", file),
        optionalLong(json, "baseManifestListSize", file),
        requiredText(json, "deltaManifestList", file),
        optionalLong(json, "deltaManifestListSize", file),
        optionalText(json, "changelogManifestList"),
        optionalLong(json, "changelogManifestListSize", file),
        optionalText(json, "indexManifest"),
        requiredText(json, "commitUser", file),
        requiredLong(json, "commitIdentifier", file),
        kind(requiredText(json, "commitKind", file), file),
        requiredLong(json, "timeMillis", file),
        json.path("totalRecordCount").asLong(0),
        json.path("deltaRecordCount").asLong(0),
        optionalLong(json, "changelogRecordCount", file),
        optionalLong(json, "watermark", file),
        optionalText(json, "statistics"),
        properties(json.path("properties")),
        optionalLong(json, "nextRowId", file));
  }

  private static void put(ObjectNode json, String name, @Nullable Long value) {
    if (value != null) {
      json.put(name, value);
    }
  }

  private static void put(ObjectNode json, String name, @Nullable String value) {
    if (value != null) {
      json.put(name, value);
    }
  }

  private static CommitKind kind(String text, String file) {
    for (CommitKind kind : CommitKind.values()) {
      if (kind.name().equals(text)) {
        return kind;
      }
    }
    throw new CorruptTableException(file + " has the unknown commitKind " + text);
  }

  private static Map<String, String> properties(JsonNode json) {
    Map<String, String> result = new LinkedHashMap<>();
    json.properties().forEach(entry -> result.put(entry.getKey(), entry.getValue().asText()));
    return result;
  }

  private static long requiredLong(JsonNode json, String name, String file) {
    Long value = optionalLong(json, name, file);
    if (value == null) {
      throw lacks(name, file);
    }
    return value;
  }

  private static String requiredText(JsonNode json, String name, String file) {
    String value = optionalText(json, name);
    if (value == null) {
      throw lacks(name, file);
    }
    return value;
  }

  private static @Nullable Long optionalLong(JsonNode json, String name, String file) {
    JsonNode value = json.get(name);
    if (value == null || value.isNull()) {
      return null;
    }
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw new CorruptTableException(file + ": " + name + " is no whole number: " + value);
    }
    return value.longValue();
  }

  private static @Nullable String optionalText(JsonNode json, String name) {
    JsonNode value = json.get(name);
    return value == null || value.isNull() ? null : value.asText();
  }

  private static CorruptTableException lacks(String name, String file) {
    return new CorruptTableException(
        file + " is no snapshot: it lacks " + name + ". Keep the file and look who wrote it.");
  }

  /** For messages: the file's first bytes as text. */
  static String excerpt(byte[] bytes) {
    return new String(bytes, 0, Math.min(bytes.length, 80), StandardCharsets.UTF_8);
  }
}
