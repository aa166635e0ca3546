package io.sluice.replicator.messages.registry;

import java.util.List;

/**
 * A schema as the registry has it.
 *
 * @param type {@code AVRO}, {@code JSON}, {@code PROTOBUF}
 * @param text in its own language
 * @param references texts that it needs to be understood, each after those that it needs itself
 */
public record RegisteredSchema(SchemaId id, String type, String text, List<String> references) {
  public RegisteredSchema {
    references = List.copyOf(references);
  }
}
