package io.sluice.it.source;

import io.sluice.replicator.demo.servers.NativeMariaDb;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** MariaDB as it is by default: the log says nothing of the columns' character sets. */
final class MariaDbWithoutMetadataStatementsIT extends StatementsContract {

  private static ThrowawayServer server;

  @BeforeAll
  static void startServer() throws SQLException {
    server = NativeMariaDb.start();
    try (Connection connection = server.connect("")) {
      connection.createStatement().execute("SET GLOBAL binlog_row_metadata = NO_LOG");
      connection.createStatement().execute("CREATE DATABASE first_transaction");
    }
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Override
  ThrowawayServer server() {
    return server;
  }

  @Override
  boolean isTried(Case each) {
    return each.during().stream()
        .anyMatch(sql -> sql.toUpperCase(Locale.ROOT).matches(".*(COLLATE|CHARACTER SET).*"));
  }
}
