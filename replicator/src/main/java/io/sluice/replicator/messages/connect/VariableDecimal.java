package io.sluice.replicator.messages.connect;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** {@code {"scale":2,"value":"BOI="}}: a number that brings its scale. */
final class VariableDecimal {

  private static final JsonMapper JSON = new JsonMapper();

  private VariableDecimal() {}

  /** Null if it is none. */
  static @Nullable BigDecimal parse(byte[] json, int offset, int length) {
    try {
      JsonNode struct = JSON.readTree(json, offset, length);
      JsonNode scale = struct.path("scale");
      JsonNode value = struct.path("value");
      if (!scale.isInt() || !value.isTextual() || value.textValue().length() > 1_000) {
        return null;
      }
      byte[] unscaled = Base64.getDecoder().decode(value.textValue());
      return unscaled.length == 0
          ? null
          : new BigDecimal(new BigInteger(unscaled), scale.intValue());
    } catch (JacksonException | IllegalArgumentException e) {
      return null;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
