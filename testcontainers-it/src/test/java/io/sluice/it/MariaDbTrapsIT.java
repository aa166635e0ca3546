package io.sluice.it;

import io.sluice.replicator.demo.servers.ServerKind;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class MariaDbTrapsIT extends TrapsContract {
  @Override
  ServerKind kind() {
    return ServerKind.MARIADB;
  }
}
