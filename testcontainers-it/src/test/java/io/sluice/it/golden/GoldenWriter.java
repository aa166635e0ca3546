package io.sluice.it.golden;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.Converter;
import org.jspecify.annotations.Nullable;

/**
 * Writes one file of messages, as text:
 *
 * <pre>
 * # what it is
 * let 3 TEXT                a text that occurs often, written «3» from here on
 * schema 5 TEXT             what the registry has
 * message TOPIC             then what it has of these:
 * key TEXT, key64 BASE64
 * value TEXT, value64 BASE64
 * header NAME BASE64
 * </pre>
 */
final class GoldenWriter {

  private static final int SHARED_BYTES_MIN = 200;

  private final Converter keys;
  private final Converter values;
  private final boolean text;
  private final Map<String, Integer> shared = new LinkedHashMap<>();
  private final List<String> lines = new ArrayList<>();

  GoldenWriter(Converter keys, Converter values, boolean text, String... about) {
    this.keys = keys;
    this.values = values;
    this.text = text;
    for (String line : about) {
      lines.add("# " + line);
    }
  }

  void add(SourceRecord record) {
    RecordHeaders headers = new RecordHeaders();
    byte @Nullable [] key =
        keys.fromConnectData(record.topic(), headers, record.keySchema(), record.key());
    byte @Nullable [] value =
        values.fromConnectData(record.topic(), headers, record.valueSchema(), record.value());
    String keyLine = line("key", key);
    String valueLine = line("value", value);
    lines.add("message " + record.topic());
    lines.add(keyLine);
    lines.add(valueLine);
    headers.forEach(
        header ->
            lines.add(
                "header "
                    + header.key()
                    + " "
                    + Base64.getEncoder().encodeToString(header.value())));
  }

  private String line(String name, byte @Nullable [] bytes) {
    if (bytes == null) {
      return "# no " + name;
    }
    if (!text) {
      return name + "64 " + Base64.getEncoder().encodeToString(bytes);
    }
    String json = new String(bytes, StandardCharsets.UTF_8);
    int payload = json.indexOf(",\"payload\":");
    if (json.startsWith("{\"schema\":") && payload > SHARED_BYTES_MIN) {
      String schema = json.substring("{\"schema\":".length(), payload);
      Integer number = shared.get(schema);
      if (number == null) {
        number = shared.size() + 1;
        shared.put(schema, number);
        lines.add("let " + number + " " + schema);
      }
      json = "{\"schema\":«" + number + "»" + json.substring(payload);
    }
    return name + " " + json;
  }

  /** Schemas that the registry has, whose ids are their places and 1. */
  void schemas(List<String> texts) {
    for (int i = 0; i < texts.size(); i++) {
      lines.add("schema " + (i + 1) + " " + texts.get(i));
    }
  }

  void write(Path file) throws IOException {
    Files.createDirectories(file.getParent());
    Files.write(file, lines, StandardCharsets.UTF_8);
  }
}
