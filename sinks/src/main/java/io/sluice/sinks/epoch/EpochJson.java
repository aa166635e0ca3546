package io.sluice.sinks.epoch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.commit.PreparedDelta;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.sinks.Parked;
import io.sluice.sinks.epoch.EpochFile.Kind;
import io.sluice.sinks.epoch.EpochFile.SchemaText;
import io.sluice.sinks.epoch.EpochFile.SourceFacts;
import io.sluice.sinks.epoch.EpochFile.TableChange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of an epoch file:
 *
 * <pre>
 * {"version":1, "epoch":7, "pipeline":"shop", "incarnation":"...", "position":"{...}",
 *  "sourceTimeMicros":..., "timeMillis":..., "nextSequence":..., "watermark":...,
 *  "changes":[{"database":"shop","table":"orders","kind":"APPEND","base":12,
 *              "schemas":[{"id":1,"text":"{...}"}],
 *              "delta":{"list":"manifest-list-...","size":...,"records":...,"files":...}}],
 *  "tables":[{"database":"shop","table":"orders","lastEpoch":7}],
 *  "sources":[{"database":"shop","table":"orders","lakeDatabase":"shop","lakeTable":"orders",
 *              "backfill":"{...}",
 *              "staleBelow":...,
 *              "parked":{"epoch":5,"position":"{...}","reason":"...","sinceMillis":...,
 *                        "catchingUp":true}}],
 *  "historyFile":"history-...", "history":["{...}"]}
 * </pre>
 */
public final class EpochJson {

  private static final int VERSION = 1;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private EpochJson() {}

  public static byte[] write(EpochFile epoch) {
    ObjectNode root = MAPPER.createObjectNode();
    root.put("version", VERSION);
    root.put("epoch", epoch.number());
    root.put("pipeline", epoch.pipeline());
    root.put("incarnation", epoch.incarnation());
    if (epoch.position() != null) {
      root.put("position", epoch.position());
    }
    root.put("sourceTimeMicros", epoch.sourceTimeMicros());
    root.put("timeMillis", epoch.timeMillis());
    root.put("nextSequence", epoch.nextSequence());
    if (epoch.watermark() != null) {
      root.put("watermark", epoch.watermark());
    }
    ArrayNode changes = root.putArray("changes");
    for (TableChange change : epoch.changes()) {
      writeChange(changes.addObject(), change);
    }
    ArrayNode tables = root.putArray("tables");
    epoch
        .lastEpochs()
        .forEach(
            (table, last) ->
                tables
                    .addObject()
                    .put("database", table.database())
                    .put("table", table.table())
                    .put("lastEpoch", last));
    ArrayNode sources = root.putArray("sources");
    for (Map.Entry<SourceTableId, SourceFacts> source : epoch.sources().entrySet()) {
      ObjectNode node = sources.addObject();
      node.put("database", source.getKey().database());
      node.put("table", source.getKey().table());
      node.put("lakeDatabase", source.getValue().lakeTable().database());
      node.put("lakeTable", source.getValue().lakeTable().table());
      if (source.getValue().backfill() != null) {
        node.put("backfill", source.getValue().backfill());
      }
      if (source.getValue().staleBelow() > 0) {
        node.put("staleBelow", source.getValue().staleBelow());
      }
      Parked parked = source.getValue().parked();
      if (parked != null) {
        writeParked(node.putObject("parked"), parked);
      }
    }
    if (epoch.historyFile() != null) {
      root.put("historyFile", epoch.historyFile());
    }
    ArrayNode history = root.putArray("history");
    epoch.history().forEach(history::add);
    return bytes(root);
  }

  private static void writeParked(ObjectNode node, Parked parked) {
    node.put("epoch", parked.epoch());
    if (parked.position() != null) {
      node.put("position", parked.position());
    }
    node.put("reason", parked.reason());
    node.put("sinceMillis", parked.sinceMillis());
    if (parked.catchingUp()) {
      node.put("catchingUp", true);
    }
  }

  private static @Nullable Parked readParked(@Nullable JsonNode node, String file) {
    return node == null
        ? null
        : new Parked(
            number(node, "epoch", file),
            optionalText(node, "position"),
            text(node, "reason", file),
            number(node, "sinceMillis", file),
            node.path("catchingUp").asBoolean());
  }

  private static void writeChange(ObjectNode node, TableChange change) {
    node.put("database", change.table().database());
    node.put("table", change.table().table());
    node.put("kind", change.kind().name());
    node.put("base", change.base());
    ArrayNode schemas = node.putArray("schemas");
    for (SchemaText schema : change.schemas()) {
      schemas.addObject().put("id", schema.id()).put("text", schema.text());
    }
    PreparedDelta delta = change.delta();
    if (delta != null) {
      node.putObject("delta")
          .put("list", delta.manifestList())
          .put("size", delta.manifestListSize())
          .put("records", delta.recordCount())
          .put("files", delta.addedFiles());
    }
  }

  /**
   * @param file its path, for messages
   * @throws CorruptTableException if it is no whole epoch file
   */
  public static EpochFile read(byte[] bytes, String file) {
    JsonNode root;
    try {
      root = MAPPER.readTree(bytes);
    } catch (IOException e) {
      throw corrupt(file, "it is not JSON: " + e.getMessage());
    }
    if (root == null || !root.isObject()) {
      throw corrupt(file, "it is not a JSON object");
    }
    long version = number(root, "version", file);
    if (version != VERSION) {
      throw corrupt(file, "its version is " + version + " and this Sluice knows " + VERSION);
    }
    List<TableChange> changes = new ArrayList<>();
    for (JsonNode node : array(root, "changes", file)) {
      changes.add(readChange(node, file));
    }
    SortedMap<LakeTable, Long> lastEpochs = new TreeMap<>();
    for (JsonNode node : array(root, "tables", file)) {
      lastEpochs.put(table(node, "database", "table", file), number(node, "lastEpoch", file));
    }
    Map<SourceTableId, SourceFacts> sources = new LinkedHashMap<>();
    for (JsonNode node : array(root, "sources", file)) {
      sources.put(
          new SourceTableId(text(node, "database", file), text(node, "table", file)),
          new SourceFacts(
              table(node, "lakeDatabase", "lakeTable", file),
              optionalText(node, "backfill"),
              readParked(node.get("parked"), file),
              node.has("staleBelow") ? number(node, "staleBelow", file) : 0));
    }
    List<String> history = new ArrayList<>();
    array(root, "history", file).forEach(node -> history.add(node.asText()));
    return new EpochFile(
        number(root, "epoch", file),
        text(root, "pipeline", file),
        text(root, "incarnation", file),
        optionalText(root, "position"),
        number(root, "sourceTimeMicros", file),
        number(root, "timeMillis", file),
        number(root, "nextSequence", file),
        changes,
        lastEpochs,
        sources,
        optionalText(root, "historyFile"),
        history,
        root.has("watermark") ? number(root, "watermark", file) : null);
  }

  private static TableChange readChange(JsonNode node, String file) {
    List<SchemaText> schemas = new ArrayList<>();
    for (JsonNode schema : array(node, "schemas", file)) {
      schemas.add(new SchemaText(number(schema, "id", file), text(schema, "text", file)));
    }
    PreparedDelta delta = null;
    JsonNode deltaNode = node.get("delta");
    if (deltaNode != null) {
      delta =
          new PreparedDelta(
              text(deltaNode, "list", file),
              number(deltaNode, "size", file),
              number(deltaNode, "records", file),
              number(deltaNode, "files", file));
    }
    return new TableChange(
        table(node, "database", "table", file),
        Kind.valueOf(text(node, "kind", file)),
        schemas,
        delta,
        number(node, "base", file));
  }

  /** History records, one JSON array of texts. */
  static byte[] writeHistory(List<String> records) {
    ArrayNode node = MAPPER.createArrayNode();
    records.forEach(node::add);
    return bytes(node);
  }

  static List<String> readHistory(byte[] bytes, String file) {
    try {
      JsonNode root = MAPPER.readTree(bytes);
      if (root == null || !root.isArray()) {
        throw corrupt(file, "it is not a JSON array");
      }
      List<String> records = new ArrayList<>();
      root.forEach(node -> records.add(node.asText()));
      return records;
    } catch (IOException e) {
      throw corrupt(file, "it is not JSON: " + e.getMessage());
    }
  }

  private static byte[] bytes(JsonNode node) {
    try {
      return MAPPER.writeValueAsString(node).getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A tree of texts and numbers can always be written", e);
    }
  }

  private static LakeTable table(JsonNode node, String database, String table, String file) {
    return new LakeTable(text(node, database, file), text(node, table, file));
  }

  private static String text(JsonNode node, String member, String file) {
    String value = optionalText(node, member);
    if (value == null) {
      throw corrupt(file, "it lacks the text \"" + member + "\"");
    }
    return value;
  }

  private static @Nullable String optionalText(JsonNode node, String member) {
    JsonNode value = node.get(member);
    return value == null || !value.isTextual() ? null : value.asText();
  }

  private static long number(JsonNode node, String member, String file) {
    JsonNode value = node.get(member);
    if (value == null || !value.isIntegralNumber()) {
      throw corrupt(file, "it lacks the number \"" + member + "\"");
    }
    return value.asLong();
  }

  private static JsonNode array(JsonNode node, String member, String file) {
    JsonNode value = node.get(member);
    if (value == null || !value.isArray()) {
      throw corrupt(file, "it lacks the array \"" + member + "\"");
    }
    return value;
  }

  private static CorruptTableException corrupt(String file, String why) {
    return new CorruptTableException(
        "Cannot read the epoch file "
            + file
            + ": "
            + why
            + ". Nothing is changed; restore the file from a copy, or let a person look.");
  }
}
