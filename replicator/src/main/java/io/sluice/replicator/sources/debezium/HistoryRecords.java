package io.sluice.replicator.sources.debezium;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.values.EnumLabels;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Debezium's schema history records as JSON: source, position, ddl, databaseName and tableChanges
 * (each with type, id, previousId and the whole table after the change). Pure.
 */
final class HistoryRecords {

  private static final ObjectMapper JSON = new ObjectMapper();

  private HistoryRecords() {}

  enum ChangeType {
    CREATE,
    ALTER,
    DROP
  }

  /**
   * @param definition the table after the change; null for DROP
   * @param previousId its name before; null unless it was renamed
   * @param characterSet default of its text columns; null if it isn't known
   */
  record TableChange(
      ChangeType type,
      SourceTableId id,
      @Nullable SourceTable definition,
      @Nullable SourceTableId previousId,
      @Nullable String characterSet) {}

  static JsonNode parse(String record) {
    try {
      return JSON.readTree(record);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("Not a history record: " + record, e);
    }
  }

  static String ddl(JsonNode record) {
    return record.path("ddl").asText("");
  }

  static List<TableChange> changes(JsonNode record) {
    var result = new ArrayList<TableChange>();
    for (JsonNode change : record.path("tableChanges")) {
      SourceTableId id = tableId(change.path("id").asText());
      ChangeType type = ChangeType.valueOf(change.path("type").asText().toUpperCase(Locale.ROOT));
      JsonNode previous = change.path("previousId");
      result.add(
          new TableChange(
              type,
              id,
              type == ChangeType.DROP ? null : table(id, change.path("table")),
              previous.isTextual() ? tableId(previous.asText()) : null,
              text(change.path("table").path("defaultCharsetName"))));
    }
    return result;
  }

  private static SourceTable table(SourceTableId id, JsonNode table) {
    var columns = new ArrayList<SourceColumn>();
    for (JsonNode column : table.path("columns")) {
      columns.add(
          new SourceColumn(
              column.path("name").asText(),
              column.path("typeName").asText().toUpperCase(Locale.ROOT),
              integer(column.path("length")),
              integer(column.path("scale")),
              column.path("optional").asBoolean(),
              text(column.path("charsetName")),
              labels(column.path("enumValues")),
              text(column.path("defaultValueExpression"))));
    }
    var key = new ArrayList<String>();
    table.path("primaryKeyColumnNames").forEach(name -> key.add(name.asText()));
    return new SourceTable(id, columns, key);
  }

  private static @Nullable Integer integer(JsonNode node) {
    return node.isIntegralNumber() ? node.intValue() : null;
  }

  private static @Nullable String text(JsonNode node) {
    return node.isTextual() ? node.asText() : null;
  }

  /** Debezium keeps quotes and escapes of the definition: {@code 'it''s'}. */
  private static List<String> labels(JsonNode values) {
    var result = new ArrayList<String>();
    for (JsonNode value : values) {
      result.add(EnumLabels.unquote(value.asText()));
    }
    return result;
  }

  /** {@code "db"."table"}, quotes in names doubled. */
  static SourceTableId tableId(String quoted) {
    var parts = new ArrayList<String>();
    int at = 0;
    while (at < quoted.length()) {
      var part = new StringBuilder();
      if (quoted.charAt(at) == '"') {
        at++;
        while (at < quoted.length()) {
          if (quoted.charAt(at) == '"') {
            if (at + 1 < quoted.length() && quoted.charAt(at + 1) == '"') {
              at++;
            } else {
              break;
            }
          }
          part.append(quoted.charAt(at++));
        }
        at++;
      } else {
        while (at < quoted.length() && quoted.charAt(at) != '.') {
          part.append(quoted.charAt(at++));
        }
      }
      parts.add(part.toString());
      at++;
    }
    if (parts.size() != 2) {
      throw new IllegalArgumentException("Not the name of a table in a database: " + quoted);
    }
    return new SourceTableId(parts.get(0), parts.get(1));
  }

  /** The tables that exist after all these records, in order of their last change. */
  static Map<SourceTableId, SourceTable> tables(List<String> history) {
    var result = new LinkedHashMap<SourceTableId, SourceTable>();
    for (String text : history) {
      JsonNode record = parse(text);
      String dropped = StatementRules.droppedDatabase(ddl(record));
      if (dropped != null) {
        result.keySet().removeIf(id -> id.database().equals(dropped));
      }
      for (TableChange change : changes(record)) {
        if (change.previousId() != null) {
          result.remove(change.previousId());
        }
        result.remove(change.id());
        if (change.definition() != null) {
          result.put(change.id(), change.definition());
        }
      }
    }
    return result;
  }

  /** The databases whose statements these records tell of, but for dropped ones. */
  static Set<String> databases(List<String> history) {
    var result = new TreeSet<String>();
    for (String text : history) {
      JsonNode record = parse(text);
      String dropped = StatementRules.droppedDatabase(ddl(record));
      String database = record.path("databaseName").asText("");
      if (dropped != null) {
        result.remove(dropped);
      } else if (!database.isEmpty()) {
        result.add(database);
      }
    }
    return result;
  }

  /**
   * A record of our own: nothing more is known of the database, since its statements are followed
   * no longer. {@link #fold} takes it and all before it out, so Debezium never sees it.
   */
  static String forgotten(String database) {
    return JSON.createObjectNode()
        .put("databaseName", database)
        .put("ddl", "DROP DATABASE `" + database.replace("`", "``") + "`")
        .toString();
  }

  /**
   * The same state in few records: what concerns no table (variables, databases) as it was, then
   * one CREATE for each table that is there.
   */
  static List<String> fold(List<String> history) {
    var others = new ArrayList<String>();
    var tables = new LinkedHashMap<SourceTableId, String>();
    for (String text : history) {
      JsonNode record = parse(text);
      String dropped = StatementRules.droppedDatabase(ddl(record));
      if (dropped != null) {
        tables.keySet().removeIf(id -> id.database().equals(dropped));
        others.removeIf(other -> parse(other).path("databaseName").asText("").equals(dropped));
        continue;
      }
      JsonNode changes = record.path("tableChanges");
      if (changes.isEmpty()) {
        others.remove(text);
        others.add(text);
        continue;
      }
      for (JsonNode change : changes) {
        JsonNode previous = change.path("previousId");
        if (previous.isTextual()) {
          tables.remove(tableId(previous.asText()));
        }
        SourceTableId id = tableId(change.path("id").asText());
        tables.remove(id);
        if (!change.path("type").asText().equalsIgnoreCase("DROP")) {
          tables.put(id, creation(record, change));
        }
      }
    }
    others.addAll(tables.values());
    return others;
  }

  /** The record with this one change in it, as a creation; its ddl would speak of more. */
  private static String creation(JsonNode record, JsonNode change) {
    ObjectNode alone = ((ObjectNode) record).deepCopy();
    ObjectNode only = change.deepCopy();
    only.put("type", "CREATE");
    only.remove("previousId");
    alone.remove("ddl");
    alone.set("tableChanges", JSON.createArrayNode().add(only));
    return alone.toString();
  }
}
