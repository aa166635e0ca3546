package io.sluice.it.support;

import io.sluice.replicator.demo.servers.NativeMariaDb;
import io.sluice.replicator.demo.servers.NativeMySql;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ServerUnavailableException;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import org.junit.jupiter.api.Assumptions;

/**
 * The real servers that tests run against. MySQL: native, fetched by {@code
 * testcontainers-it/servers/prepare.sh} where it is missing; if that cannot be, the image that
 * {@code SLUICE_MYSQL_IMAGE} names (default {@code mysql:8.4}) in a Docker engine. There is no
 * silent way past it: without either the tests fail, unless {@code SLUICE_TEST_MYSQL=none} says
 * that MySQL is left out here.
 */
public final class TestServers {
  private TestServers() {}

  public static ThrowawayServer start(ServerKind kind, String... extraArguments) {
    if (kind == ServerKind.MARIADB) {
      return NativeMariaDb.start(extraArguments);
    }
    Assumptions.assumeFalse(
        "none".equals(System.getenv("SLUICE_TEST_MYSQL")),
        "SLUICE_TEST_MYSQL=none: tests against MySQL are left out");
    try {
      return NativeMySql.start(extraArguments);
    } catch (ServerUnavailableException e) {
      return ContainerMySql.start(e, extraArguments);
    }
  }
}
