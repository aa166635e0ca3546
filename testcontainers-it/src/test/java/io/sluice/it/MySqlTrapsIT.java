package io.sluice.it;

import io.sluice.replicator.demo.servers.ServerKind;

final class MySqlTrapsIT extends TrapsContract {
  @Override
  ServerKind kind() {
    return ServerKind.MYSQL;
  }
}
