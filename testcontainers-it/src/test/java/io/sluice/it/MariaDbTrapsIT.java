package io.sluice.it;

import io.sluice.replicator.demo.servers.ServerKind;

final class MariaDbTrapsIT extends TrapsContract {
  @Override
  ServerKind kind() {
    return ServerKind.MARIADB;
  }
}
