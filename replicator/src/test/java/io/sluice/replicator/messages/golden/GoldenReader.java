package io.sluice.replicator.messages.golden;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.ConnectOrigin;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageColumns;
import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.Shown;
import io.sluice.replicator.messages.avro.AvroFormat;
import io.sluice.replicator.messages.avro.DebeziumAvroFormat;
import io.sluice.replicator.messages.avro.KeyUse;
import io.sluice.replicator.messages.canal.CanalJsonFormat;
import io.sluice.replicator.messages.canal.CanalOptions;
import io.sluice.replicator.messages.json.DebeziumJsonFormat;
import io.sluice.replicator.messages.json.JsonFormat;
import io.sluice.replicator.messages.json.Tombstones;
import io.sluice.replicator.messages.maxwell.MaxwellJsonFormat;
import io.sluice.replicator.messages.ogg.OggJsonFormat;
import io.sluice.replicator.messages.registry.RegistrySettings;
import io.sluice.replicator.messages.registry.RegistrySettings.IdLayout;
import io.sluice.replicator.messages.registry.SchemaRegistry;
import io.sluice.replicator.messages.registry.StagedRegistry;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads a file's messages by the format and the options that its name stands for. */
final class GoldenReader implements AutoCloseable {

  private final GoldenFile file;
  private final StagedRegistry server = new StagedRegistry();
  private final MessageFormat format;

  GoldenReader(GoldenFile file) {
    this.file = file;
    file.schemas()
        .forEach(
            (id, text) -> {
              server.schema(id, text);
              server.stage("/ids/globalIds/" + id, 200, text);
              server.stage("/ids/globalIds/" + id + "/references", 200, "[]");
            });
    this.format = format();
  }

  MessageFormat reader() {
    return format;
  }

  private MessageFormat format() {
    String producer = file.name().substring(0, file.name().indexOf('/'));
    ZoneId shanghai = ZoneId.of("Asia/Shanghai");
    return switch (producer) {
      case "canal" -> new CanalJsonFormat(new CanalOptions(shanghai, CanalOptions.ZeroDates.FAIL));
      case "maxwell" -> new MaxwellJsonFormat();
      case "ogg" -> new OggJsonFormat(ZoneId.of("UTC"));
      default -> debezium();
    };
  }

  private MessageFormat debezium() {
    ConnectOrigin origin =
        file.name().contains("/mariadb/") ? ConnectOrigin.MARIADB : ConnectOrigin.MYSQL;
    return switch (file.kind()) {
      case "json", "json-with-schema" ->
          new DebeziumJsonFormat(Tombstones.SKIP, ConnectOrigin.PLAIN);
      case "flat-json", "flat-json-with-schema" -> new DebeziumJsonFormat(Tombstones.SKIP, origin);
      case "rows-json" -> new JsonFormat(Tombstones.DELETE);
      case "rows-json-with-schema" -> new DebeziumJsonFormat(Tombstones.DELETE, origin);
      case "avro", "avro-apicurio-headers" ->
          new DebeziumAvroFormat(registry(IdLayout.CONFLUENT), KeyUse.AVRO);
      case "avro-apicurio-ids" ->
          new DebeziumAvroFormat(registry(IdLayout.APICURIO_GLOBAL), KeyUse.AVRO);
      case "flat-avro" ->
          new AvroFormat(registry(IdLayout.CONFLUENT), KeyUse.AVRO, Tombstones.SKIP, origin);
      case "rows-avro" ->
          new AvroFormat(registry(IdLayout.CONFLUENT), KeyUse.AVRO, Tombstones.DELETE, origin);
      default -> throw new AssertionError("No format for " + file.name());
    };
  }

  private SchemaRegistry registry(IdLayout layout) {
    return new SchemaRegistry(RegistrySettings.of(List.of(server.url())).withIdLayout(layout));
  }

  /**
   * What is read, message by message: {@code N CHANGE} for each change, {@code N -} where there is
   * none, {@code N BAD REASON: why}; before the first change of other columns than before {@code N
   * columns NAME TYPE, ...}.
   */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    Map<String, MessageColumns> told = new HashMap<>();
    for (Message message : file.messages()) {
      int before = lines.size();
      String number = message.offset() + " ";
      try {
        format.read(message, change -> show(message, change, told, lines));
      } catch (BadMessageException e) {
        lines.add(number + "BAD " + e.reason() + ": " + e.getMessage());
      }
      if (lines.size() == before) {
        lines.add(number + "-");
      }
    }
    return lines;
  }

  private static void show(
      Message message, Change change, Map<String, MessageColumns> told, List<String> lines) {
    MessageColumns columns = change.columns();
    if (columns != null && !columns.equals(told.put(message.topic(), columns))) {
      lines.add(
          message.offset()
              + " columns "
              + columns.columns().stream()
                  .map(c -> c.name() + " " + c.type() + (c.nullable() ? "" : " NOT NULL"))
                  .collect(Collectors.joining(", ")));
    }
    // One line a change, whatever its texts hold.
    String text = JsonNodeFactory.instance.textNode(Shown.change(change)).toString();
    lines.add(
        message.offset()
            + " "
            + text.substring(1, text.length() - 1).replace("\\\"", "\"").replace("\\\\", "\\"));
  }

  @Override
  public void close() {
    server.close();
  }
}
