package io.sluice.replicator.messages.rows;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.config.TopicRule.MessageFact;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Message;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Facts about a message as values of columns. */
public final class MessageFacts {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int TIME_PRECISION = 3;

  private MessageFacts() {}

  /** The type of a fact's column. */
  public static DataType type(MessageFact fact) {
    return switch (fact) {
      case TOPIC, HEADERS -> DataTypes.STRING;
      case PARTITION -> DataTypes.INT;
      case OFFSET -> DataTypes.BIGINT;
      case TIMESTAMP -> DataTypes.timestampLtz(TIME_PRECISION);
      case KEY -> DataTypes.BYTES;
    };
  }

  /**
   * Headers as JSON: {@code [{"name":"a","text":"b"},{"name":"c","base64":"/w=="}]}; what is no
   * UTF-8 is base64, a null value is left out. Null if there are none.
   */
  public static @Nullable String headers(List<Message.Header> headers) {
    if (headers.isEmpty()) {
      return null;
    }
    ArrayNode all = JSON.createArrayNode();
    for (Message.Header header : headers) {
      ObjectNode node = all.addObject().put("name", header.name());
      byte[] value = header.value();
      if (value != null) {
        try {
          node.put(
              "text",
              StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString());
        } catch (CharacterCodingException e) {
          node.put("base64", Base64.getEncoder().encodeToString(value));
        }
      }
    }
    return all.toString();
  }

  /**
   * Reads what {@link #headers} gives.
   *
   * @throws BadMessageException it is something else
   */
  public static List<Message.Header> headers(@Nullable String text) throws BadMessageException {
    if (text == null) {
      return List.of();
    }
    try {
      List<Message.Header> result = new java.util.ArrayList<>();
      for (var node : JSON.readTree(text)) {
        byte[] value =
            node.has("text")
                ? node.get("text").asText().getBytes(StandardCharsets.UTF_8)
                : node.has("base64")
                    ? Base64.getDecoder().decode(node.get("base64").asText())
                    : null;
        result.add(new Message.Header(node.path("name").asText(), value));
      }
      return result;
    } catch (com.fasterxml.jackson.core.JsonProcessingException | IllegalArgumentException e) {
      throw new BadMessageException(Reason.MALFORMED, "Not headers: " + text, e);
    }
  }
}
