package io.sluice.config;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * How to reach the source.
 *
 * @param port 1 to 65535
 * @param password empty: the user has none
 * @param timeout of one attempt to connect
 * @param readTimeout how long one read may wait for the server's next byte
 * @param properties further properties of the JDBC driver
 */
public record ConnectionConfig(
    String host,
    int port,
    String user,
    Optional<Secret> password,
    Duration timeout,
    Duration readTimeout,
    TlsMode tls,
    Map<String, String> properties) {

  public ConnectionConfig {
    properties = Map.copyOf(properties);
  }

  /** The mode to use: {@link TlsMode#AUTO} is settled by the host. */
  public TlsMode effectiveTls() {
    if (tls != TlsMode.AUTO) {
      return tls;
    }
    return isLoopback(host) ? TlsMode.DISABLED : TlsMode.PREFERRED;
  }

  private static boolean isLoopback(String host) {
    return host.equalsIgnoreCase("localhost")
        || host.equals("::1")
        || host.equals("[::1]")
        || host.matches("127(\\.\\d{1,3}){3}");
  }
}
