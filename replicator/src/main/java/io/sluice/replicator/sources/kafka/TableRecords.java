package io.sluice.replicator.sources.kafka;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.TableSchemaJson;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What messages have told of tables so far, as history records of the epochs: one line of JSON for
 * each definition, the newest of a table counts.
 *
 * <pre>
 * {"database":"ods","table":"orders","key":["id"],
 *  "columns":[{"name":"id","type":"\"BIGINT\"","nullable":false},
 *             {"name":"n","nullable":true,"source":{"type":"DECIMAL","length":10,"scale":2}}]}
 * {"database":"ods","table":"customers","gone":true}
 * </pre>
 */
final class TableRecords {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** A record that is of no table: something has begun. */
  static final String BEGUN = "{\"begun\":true}";

  private TableRecords() {}

  /** Of a table of which nothing is known, whatever was told before. */
  static String gone(SourceTableId table) {
    ObjectNode node = JSON.createObjectNode();
    node.put("database", table.database()).put("table", table.table()).put("gone", true);
    return node.toString();
  }

  static String write(SourceTable table) {
    ObjectNode node = JSON.createObjectNode();
    node.put("database", table.id().database()).put("table", table.id().table());
    ArrayNode key = node.putArray("key");
    table.primaryKey().forEach(key::add);
    ArrayNode columns = node.putArray("columns");
    for (SourceColumn column : table.columns()) {
      ObjectNode each = columns.addObject();
      each.put("name", column.name()).put("nullable", column.nullable());
      DataType type = column.lakeType();
      if (type != null) {
        each.put("type", TableSchemaJson.writeType(type));
        continue;
      }
      ObjectNode source = each.putObject("source");
      source.put("type", column.typeName());
      put(source, "length", column.length());
      put(source, "scale", column.scale());
      if (column.charset() != null) {
        source.put("charset", column.charset());
      }
      ArrayNode labels = source.putArray("labels");
      column.labels().forEach(labels::add);
    }
    return node.toString();
  }

  private static void put(ObjectNode node, String name, @Nullable Integer value) {
    if (value != null) {
      node.put(name, value);
    }
  }

  /** The newest definition of each table. */
  static Collection<SourceTable> read(List<String> history) {
    Map<SourceTableId, SourceTable> result = new LinkedHashMap<>();
    for (String record : history) {
      JsonNode node = parse(record);
      if (node.has("table")) {
        SourceTable table = table(node);
        if (node.path("gone").asBoolean()) {
          result.remove(table.id());
        } else {
          result.put(table.id(), table);
        }
      }
    }
    return result.values();
  }

  private static JsonNode parse(String record) {
    try {
      return JSON.readTree(record);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("Not a record of a table: " + record, e);
    }
  }

  private static SourceTable table(JsonNode node) {
    List<String> key = new ArrayList<>();
    node.path("key").forEach(name -> key.add(name.asText()));
    List<SourceColumn> columns = new ArrayList<>();
    node.path("columns").forEach(column -> columns.add(column(column)));
    return new SourceTable(
        new SourceTableId(node.path("database").asText(), node.path("table").asText()),
        columns,
        key);
  }

  private static SourceColumn column(JsonNode node) {
    String name = node.path("name").asText();
    boolean nullable = node.path("nullable").asBoolean();
    JsonNode source = node.path("source");
    if (source.isMissingNode()) {
      return SourceColumn.ofLake(
          name,
          TableSchemaJson.readType(node.path("type").asText(), "a record of a table"),
          nullable);
    }
    List<String> labels = new ArrayList<>();
    source.path("labels").forEach(label -> labels.add(label.asText()));
    return new SourceColumn(
        name,
        source.path("type").asText(),
        source.has("length") ? source.get("length").intValue() : null,
        source.has("scale") ? source.get("scale").intValue() : null,
        nullable,
        source.has("charset") ? source.get("charset").asText() : null,
        labels,
        null);
  }

  /** The same in as few records as recovery needs. */
  static List<String> fold(List<String> history) {
    return read(history).stream().map(TableRecords::write).toList();
  }
}
