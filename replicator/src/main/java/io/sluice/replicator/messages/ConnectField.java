package io.sluice.replicator.messages;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A field as a schema of Kafka Connect declares it, in a JSON schema block or inside an Avro
 * schema.
 *
 * @param type {@code boolean, int8, int16, int32, int64, float32 (or float), float64 (or double),
 *     string, bytes, struct, array, map}
 * @param schemaName what the value means, e.g. {@code io.debezium.time.Date}; null for nothing more
 *     than its type
 * @param parameters of the schema, e.g. {@code scale}, {@code __debezium.source.column.type}
 */
public record ConnectField(
    String name,
    String type,
    boolean optional,
    @Nullable String schemaName,
    Map<String, String> parameters) {

  public ConnectField {
    parameters = Map.copyOf(parameters);
  }
}
