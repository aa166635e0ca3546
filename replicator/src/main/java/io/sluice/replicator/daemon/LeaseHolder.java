package io.sluice.replicator.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * What a lease says.
 *
 * @param process who holds it
 * @param id of the holding daemon, new at every start
 * @param beat counts the renewals
 */
record LeaseHolder(ProcessIdentity process, String id, long beat) {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Understands whatever stands there; what it doesn't find is empty or -1. */
  static LeaseHolder parse(byte[] content) {
    JsonNode json = JSON.createObjectNode();
    try {
      JsonNode read = JSON.readTree(content);
      if (read != null) {
        json = read;
      }
    } catch (IOException e) {
      // A lease of another make or half a file: somebody of whom nothing is known.
    }
    return new LeaseHolder(
        new ProcessIdentity(
            json.path("host").asText(),
            json.path("boot").asText(),
            json.path("pidNamespace").asText(),
            json.path("uid").asLong(-1),
            json.path("pid").asLong(-1),
            json.path("startTicks").asLong(-1)),
        json.path("id").asText(),
        json.path("beat").asLong(-1));
  }

  byte[] write() {
    ObjectNode json =
        JSON.createObjectNode()
            .put("host", process.host())
            .put("boot", process.boot())
            .put("pidNamespace", process.pidNamespace())
            .put("uid", process.uid())
            .put("pid", process.pid())
            .put("startTicks", process.startTicks())
            .put("id", id)
            .put("beat", beat);
    return json.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** For messages. */
  @Override
  public String toString() {
    return process.pid() < 0
        ? "somebody unknown"
        : "process " + process.pid() + " on host " + process.host();
  }
}
