package io.sluice.replicator.messages.golden;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.Shown;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A golden message in JSON of which a test changes one member, to see what the member does. */
final class Edited {

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
          .build();

  private final Message message;
  private final ObjectNode value;
  private byte @Nullable [] key;

  private Edited(Message message) throws IOException {
    this.message = message;
    this.value = (ObjectNode) JSON.readTree(message.value());
    this.key = message.key();
  }

  static Edited of(Message message) throws IOException {
    return new Edited(message);
  }

  /**
   * @param path members' names and elements' numbers, with slashes between
   * @param json what stands there from here on
   */
  Edited set(String path, String json) throws JsonProcessingException {
    int end = path.lastIndexOf('/');
    JsonNode parent = end < 0 ? value : at(path.substring(0, end));
    String last = path.substring(end + 1);
    if (parent instanceof ArrayNode array) {
      array.set(Integer.parseInt(last), JSON.readTree(json));
    } else {
      ((ObjectNode) parent).set(last, JSON.readTree(json));
    }
    return this;
  }

  Edited remove(String path) {
    int end = path.lastIndexOf('/');
    ObjectNode parent = end < 0 ? value : (ObjectNode) at(path.substring(0, end));
    if (parent.remove(path.substring(end + 1)) == null) {
      throw new AssertionError("The message has no " + path + ": " + value);
    }
    return this;
  }

  Edited key(@Nullable String json) {
    key = json == null ? null : json.getBytes(StandardCharsets.UTF_8);
    return this;
  }

  JsonNode at(String path) {
    JsonNode at = value.at("/" + path);
    if (at.isMissingNode()) {
      throw new AssertionError("The message has no " + path + ": " + value);
    }
    return at;
  }

  List<String> read(MessageFormat format) throws BadMessageException, IOException {
    return Shown.changes(
        format,
        new Message(
            message.topic(),
            message.partition(),
            message.offset(),
            message.timestampMillis(),
            key,
            JSON.writeValueAsBytes(value),
            message.headers()));
  }
}
