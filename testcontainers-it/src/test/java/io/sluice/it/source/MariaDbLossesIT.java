package io.sluice.it.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.demo.servers.NativeMariaDb;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class MariaDbLossesIT extends LossesContract {

  private static ThrowawayServer server;

  @BeforeAll
  static void startServer() throws SQLException {
    server = NativeMariaDb.start();
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
  void leavesATableBehindWhoseRowsAreCompressed() throws Exception {
    sql("SET GLOBAL log_bin_compress_min_len = 10");
    try {
      RecordingInput input = newInput().parking();
      try (DebeziumRun run = start(input)) {
        sql("SET GLOBAL log_bin_compress = ON");
        // Several events a statement.
        session("INSERT INTO a SELECT seq, REPEAT('x', 20), 1 FROM seq_100_to_2000");
        sql("SET GLOBAL log_bin_compress = OFF");
        sql("INSERT INTO b VALUES (2, 2)");
        mark(1);
        awaitMark(input, run, 1);
        assertThat(input.whyParked("a"))
            .contains("log_bin_compress")
            .contains("in a change of " + database + ".a");
        assertThat(input.events())
            .contains("+I b 2,2")
            .noneMatch(event -> event.startsWith("+I a "));
      }
    } finally {
      sql("SET GLOBAL log_bin_compress = OFF", "SET GLOBAL log_bin_compress_min_len = DEFAULT");
    }
  }

  @Test
  void leavesATableBehindThatIsReplacedAndKnowsItsNewColumns() throws Exception {
    RecordingInput input = newInput().parking();
    try (DebeziumRun run = start(input)) {
      sql(
          "CREATE OR REPLACE TABLE a (id INT PRIMARY KEY, z INT, y INT, x INT)",
          "INSERT INTO a VALUES (7, 8, 9, 10)",
          "CREATE OR REPLACE TABLE n (id INT PRIMARY KEY)",
          "INSERT INTO n VALUES (1)",
          "INSERT INTO b VALUES (2, 2)");
      mark(1);
      awaitMark(input, run, 1);
      assertThat(input.whyParked("a")).contains("CREATE OR REPLACE TABLE a");
      assertThat(input.events())
          .as("a table that is new is no loss")
          .contains("+I b 2,2", "+I n 1")
          .noneMatch(event -> event.startsWith("+I a "));
      run.source().resync(new SourceTableId(database, "a"), null).get(60, TimeUnit.SECONDS);
      sql("INSERT INTO a VALUES (70, 80, 90, 100)");
      mark(2);
      awaitMark(input, run, 2);
      assertThat(input.events()).contains("resync a [id, z, y, x]", "+I a 70,80,90,100");
    }
  }
}
