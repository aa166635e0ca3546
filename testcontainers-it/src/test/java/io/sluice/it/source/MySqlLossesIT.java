package io.sluice.it.source;

import io.sluice.replicator.demo.servers.NativeMySql;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class MySqlLossesIT extends LossesContract {

  private static ThrowawayServer server;

  @BeforeAll
  static void startServer() throws SQLException {
    server = NativeMySql.start();
    try (Connection connection = server.connect("")) {
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

  @Test
  void leavesATableBehindThatIsUpdatedInPart() throws Exception {
    String json = "'{\"a\": 1, \"b\": \"0123456789012345678901234567890123456789\"}'";
    sql(
        "CREATE TABLE j (id INT PRIMARY KEY, d JSON)",
        "INSERT INTO j VALUES (1, " + json + "), (2, " + json + ")");
    assertLeavesBehind(
        "j",
        "partial JSON update of " + database + ".j",
        "SET SESSION binlog_row_value_options = 'PARTIAL_JSON'",
        "UPDATE j SET d = JSON_SET(d, '$.a', RAND())");
  }

  @Test
  void leavesATableBehindWhoseRowsLackColumnsInACompressedTransaction() throws Exception {
    assertLeavesBehind(
        "a",
        database + ".a (without v, n)",
        "SET SESSION binlog_row_image = 'MINIMAL', binlog_transaction_compression = 1",
        "UPDATE a SET n = n + 1");
  }
}
