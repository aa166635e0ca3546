package io.sluice.config;

import java.time.Duration;

/**
 * The status page, metrics and health.
 *
 * @param enabled false for {@code listen = off}
 * @param host address to bind to
 * @param port 0 to 65535; 0 takes a free one
 * @param readyFreshness {@code /readyz} says no while a change waits longer to become visible
 */
public record HttpConfig(boolean enabled, String host, int port, Duration readyFreshness) {}
