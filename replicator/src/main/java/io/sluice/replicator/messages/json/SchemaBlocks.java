package io.sluice.replicator.messages.json;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.ConnectField;
import io.sluice.replicator.messages.ConnectOrigin;
import io.sluice.replicator.messages.FlattenedRow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Schema blocks of Connect's JsonConverter, read once each: the next message with the same bytes
 * finds what was made of them. Bounded; the block that wasn't asked for longest goes first.
 */
final class SchemaBlocks {

  /** A block and what it says; no fields: it isn't a row's. */
  record Block(byte[] text, @Nullable SchemaFields fields) {}

  private static final int BLOCKS_MAX = 1_000;
  private static final long BYTES_MAX = 64L << 20;
  private static final JsonMapper JSON = new JsonMapper();

  private final LinkedHashMap<ByteBuffer, Block> blocks = new LinkedHashMap<>(16, 0.75f, true);
  private final ConnectOrigin flattened;
  private long bytes;

  /**
   * @param flattened whose columns blocks without an envelope describe
   */
  SchemaBlocks(ConnectOrigin flattened) {
    this.flattened = flattened;
  }

  /** The block whose text lies there. */
  Block block(byte[] json, int from, int to) throws BadMessageException {
    Block known = blocks.get(ByteBuffer.wrap(json, from, to - from));
    if (known != null) {
      return known;
    }
    byte[] text = Arrays.copyOfRange(json, from, to);
    Block made = new Block(text, compile(text, flattened));
    blocks.put(ByteBuffer.wrap(text), made);
    bytes += text.length;
    var oldest = blocks.values().iterator();
    while (blocks.size() > BLOCKS_MAX || bytes > BYTES_MAX && blocks.size() > 1) {
      bytes -= oldest.next().text().length;
      oldest.remove();
    }
    return made;
  }

  /** The fields of a block; null if it isn't a row's. */
  static @Nullable SchemaFields compile(byte[] text, ConnectOrigin flattened)
      throws BadMessageException {
    JsonNode schema;
    try {
      schema = JSON.readTree(text);
    } catch (JacksonException e) {
      throw new BadMessageException(
          Reason.MALFORMED, "The schema block can't be read: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!schema.path("type").asText().equals("struct")) {
      return null;
    }
    ConnectOrigin origin = ConnectOrigin.PLAIN;
    JsonNode row = null;
    boolean envelope = false;
    for (JsonNode field : schema.path("fields")) {
      switch (field.path("field").asText()) {
        case "source" -> origin = ConnectOrigin.ofSourceBlock(field.path("name").asText(null));
        case "op" -> envelope = true;
        case "after" -> row = field;
        case "before" -> row = row == null ? field : row;
        default -> {}
      }
    }
    JsonNode enveloped = envelope ? row : null;
    JsonNode fields = (enveloped != null ? enveloped : schema).path("fields");
    List<ConnectField> result = new ArrayList<>();
    for (JsonNode field : fields) {
      JsonNode name = field.get("field");
      JsonNode type = field.get("type");
      if (name == null || type == null || !type.isTextual()) {
        throw new BadMessageException(
            Reason.MALFORMED, "The schema block has a field without its name or type: " + field);
      }
      Map<String, String> parameters = new LinkedHashMap<>();
      for (Map.Entry<String, JsonNode> each : field.path("parameters").properties()) {
        parameters.put(each.getKey(), each.getValue().asText());
      }
      result.add(
          new ConnectField(
              name.asText().intern(),
              type.asText(),
              field.path("optional").asBoolean(),
              field.path("name").asText(null),
              parameters));
    }
    if (enveloped != null) {
      return new SchemaFields(origin, result);
    }
    return new SchemaFields(
        origin == ConnectOrigin.PLAIN ? flattened : origin,
        result,
        name -> !FlattenedRow.isMark(name));
  }
}
