package io.sluice.replicator.messages.formats;

import io.sluice.replicator.messages.registry.RegistrySettings;
import java.util.Map;
import java.util.Optional;

/**
 * A format by name.
 *
 * @param name such as {@code debezium-json}
 * @param options of that format, in its own words
 * @param registry where schemas are; empty: none is configured
 */
public record FormatSettings(
    String name, Map<String, String> options, Optional<RegistrySettings> registry) {

  public FormatSettings {
    options = Map.copyOf(options);
  }
}
