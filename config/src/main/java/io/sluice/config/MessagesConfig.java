package io.sluice.config;

import java.util.Map;

/**
 * How messages are to be read.
 *
 * @param format a name, such as {@code debezium-json}
 * @param options of that format, in its own words
 */
public record MessagesConfig(String format, Map<String, String> options) {

  public MessagesConfig {
    options = Map.copyOf(options);
  }
}
