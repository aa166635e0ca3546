package io.sluice.lsm.schema;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.MultisetType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes {@code schema-N} files (format description section 2.1), byte for byte as Paimon
 * 1.4.2 writes them. Unknown members are ignored.
 */
public final class TableSchemaJson {

  /** The newest layout; older ones are read with the defaults of their time. */
  private static final int VERSION = 3;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final DefaultPrettyPrinter PRINTER =
      new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter("  ", "\n"));

  private TableSchemaJson() {}

  /**
   * @param content a schema file
   * @param file its path, for messages
   * @throws CorruptTableException if it isn't a schema
   * @throws UnsupportedTableException if it has a type or a version that this engine doesn't know
   */
  public static TableSchema read(byte[] content, String file) {
    try {
      return schema(JSON.readTree(content), file);
    } catch (IOException | IllegalArgumentException e) {
      throw new CorruptTableException(
          file + " is not a table schema: " + e.getMessage() + ". Restore the file.", e);
    }
  }

  /** The content of the schema's file. */
  public static byte[] write(TableSchema schema) {
    ObjectNode root = JSON.createObjectNode();
    root.put("version", VERSION);
    root.put("id", schema.id());
    root.set("fields", fieldsNode(schema.rowType().fields()));
    root.put("highestFieldId", schema.highestFieldId());
    strings(root.putArray("partitionKeys"), schema.partitionKeys());
    strings(root.putArray("primaryKeys"), schema.primaryKeys());
    ObjectNode options = root.putObject("options");
    schema.options().forEach(options::put);
    if (schema.comment() != null) {
      root.put("comment", schema.comment());
    }
    root.put("timeMillis", schema.timeMillis());
    try {
      return JSON.writer(PRINTER).writeValueAsString(root).getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A tree of plain values can be written", e);
    }
  }

  private static TableSchema schema(JsonNode root, String file) {
    if (!root.isObject()) {
      throw new IllegalArgumentException("it is not a JSON object");
    }
    int version = root.path("version").asInt(1);
    if (version > VERSION) {
      throw new UnsupportedTableException(
          file + " has version " + version + "; this engine knows up to " + VERSION);
    }
    Map<String, String> options = new LinkedHashMap<>();
    root.path("options").properties().forEach(e -> options.put(e.getKey(), e.getValue().asText()));
    if (version <= 1) {
      options.putIfAbsent("bucket", "1");
    }
    if (version <= 2) {
      options.putIfAbsent("file.format", "orc");
    }
    RowType rowType = new RowType(fields(required(root, "fields"), file));
    List<String> partitionKeys = strings(root.path("partitionKeys"));
    List<String> primaryKeys = strings(root.path("primaryKeys"));
    for (List<String> names : List.of(partitionKeys, primaryKeys)) {
      for (String name : names) {
        if (rowType.position(name) < 0) {
          throw new IllegalArgumentException(
              "its key names the column " + name + ", which it lacks");
        }
      }
    }
    return new TableSchema(
        required(root, "id").asLong(),
        rowType,
        root.path("highestFieldId").asInt(),
        partitionKeys,
        primaryKeys,
        options,
        text(root, "comment"),
        root.path("timeMillis").asLong());
  }

  private static List<DataField> fields(JsonNode array, String file) {
    List<DataField> fields = new ArrayList<>();
    for (JsonNode field : array) {
      String name = required(field, "name").asText();
      DataType type;
      try {
        type = type(required(field, "type"), file);
      } catch (UnsupportedTableException e) {
        throw new UnsupportedTableException(file + ": column " + name + ": " + e.getMessage(), e);
      }
      fields.add(
          new DataField(
              required(field, "id").asInt(),
              name,
              type,
              text(field, "description"),
              text(field, "defaultValue")));
    }
    return fields;
  }

  /** A type as it stands in a schema file: a text for plain types, else an object. */
  public static String writeType(DataType type) {
    return typeNode(type).toString();
  }

  /**
   * Reads what {@link #writeType} gives.
   *
   * @param where for messages
   * @throws CorruptTableException if it is no type
   */
  public static DataType readType(String json, String where) {
    try {
      return type(JSON.readTree(json), where);
    } catch (JsonProcessingException e) {
      throw new CorruptTableException(where + " holds no type: " + json, e);
    }
  }

  private static DataType type(JsonNode node, String file) {
    if (node.isTextual()) {
      return DataTypeText.parse(node.asText());
    }
    String declared = required(node, "type").asText().trim().toUpperCase(Locale.ROOT);
    boolean nullable = !declared.endsWith(" NOT NULL");
    String root = nullable ? declared : declared.substring(0, declared.length() - 9).trim();
    return switch (root) {
      case "ARRAY" -> new ArrayType(type(required(node, "element"), file), nullable);
      case "MULTISET" -> new MultisetType(type(required(node, "element"), file), nullable);
      case "MAP" ->
          new MapType(
              type(required(node, "key"), file), type(required(node, "value"), file), nullable);
      case "ROW" -> new NestedRowType(fields(required(node, "fields"), file), nullable);
      default -> throw new UnsupportedTableException("the type " + root + " is not supported");
    };
  }

  private static ArrayNode fieldsNode(List<DataField> fields) {
    ArrayNode array = JSON.createArrayNode();
    for (DataField field : fields) {
      ObjectNode node = array.addObject();
      node.put("id", field.id());
      node.put("name", field.name());
      node.set("type", typeNode(field.type()));
      if (field.description() != null) {
        node.put("description", field.description());
      }
      if (field.defaultValue() != null) {
        node.put("defaultValue", field.defaultValue());
      }
    }
    return array;
  }

  private static JsonNode typeNode(DataType type) {
    if (type instanceof ArrayType array) {
      return nested("ARRAY", type).set("element", typeNode(array.element()));
    }
    if (type instanceof MultisetType multiset) {
      return nested("MULTISET", type).set("element", typeNode(multiset.element()));
    }
    if (type instanceof MapType map) {
      ObjectNode node = nested("MAP", type);
      node.set("key", typeNode(map.key()));
      node.set("value", typeNode(map.value()));
      return node;
    }
    if (type instanceof NestedRowType row) {
      return nested("ROW", type).set("fields", fieldsNode(row.fields()));
    }
    return JSON.getNodeFactory().textNode(DataTypeText.print(type));
  }

  private static ObjectNode nested(String name, DataType type) {
    return JSON.createObjectNode().put("type", type.nullable() ? name : name + " NOT NULL");
  }

  private static void strings(ArrayNode array, List<String> texts) {
    texts.forEach(array::add);
  }

  private static List<String> strings(JsonNode array) {
    List<String> result = new ArrayList<>();
    array.forEach(node -> result.add(node.asText()));
    return result;
  }

  private static JsonNode required(JsonNode node, String member) {
    JsonNode value = node.get(member);
    if (value == null || value.isNull()) {
      throw new IllegalArgumentException("it lacks the member '" + member + "'");
    }
    return value;
  }

  private static @Nullable String text(JsonNode node, String member) {
    JsonNode value = node.get(member);
    return value == null || value.isNull() ? null : value.asText();
  }
}
