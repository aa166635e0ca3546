package io.sluice.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A registry of message schemas.
 *
 * @param urls tried in turn, at least one
 * @param timeout of one request
 */
public record RegistryConfig(
    List<String> urls,
    Optional<String> user,
    Optional<Secret> password,
    Optional<Secret> token,
    Duration timeout) {

  public RegistryConfig {
    urls = List.copyOf(urls);
  }
}
