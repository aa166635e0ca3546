package io.sluice.it.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.replicator.demo.servers.NativeMariaDb;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class MariaDbSourceIT extends SourceContract {

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
  void refusesAReplacedTable() throws SQLException {
    makeTables();
    assertRefused("CREATE OR REPLACE", "CREATE OR REPLACE TABLE a (id INT PRIMARY KEY, z INT)");
  }

  @Test
  void passesAReplacedTableThatIsNotCaptured() throws SQLException {
    makeTables();
    RecordingInput input = newInput();
    try (DebeziumRun run = start(input)) {
      sql("CREATE OR REPLACE TABLE un_c (id INT PRIMARY KEY, z INT)");
      mark(1);
      awaitMark(input, run, 1);
    }
  }

  @Test
  void refusesRowsThatWereCompressedWhileItRan() throws SQLException {
    makeTables();
    RecordingInput input = newInput();
    sql("SET GLOBAL log_bin_compress_min_len = 10");
    try (DebeziumRun run = start(input)) {
      mark(1);
      awaitMark(input, run, 1);
      int events = input.lastCut().events();
      sql("SET GLOBAL log_bin_compress = ON");
      session("INSERT INTO a VALUES (1, REPEAT('x', 20), 1), (2, REPEAT('x', 20), 1)");
      PipelineStoppedException why = run.awaitEnd();
      assertThat(why)
          .hasMessageContaining("log_bin_compress")
          .hasMessageContaining("in a change of " + database + ".a");
      assertThat(why.reason()).isEqualTo(Reason.REFUSED);
      assertThat(input.lastCut().events()).isEqualTo(events);
    } finally {
      sql("SET GLOBAL log_bin_compress = OFF", "SET GLOBAL log_bin_compress_min_len = DEFAULT");
    }
  }

  @Test
  void takesATableMadeFromASelectWithItsRows() throws SQLException {
    makeTables();
    sql("INSERT INTO b VALUES (1, 1), (2, 2)");
    RecordingInput input = newInput();
    try (DebeziumRun run = start(input)) {
      sql("CREATE TABLE s (PRIMARY KEY (id)) AS SELECT id, w FROM b");
      mark(1);
      awaitMark(input, run, 1);
    }
    assertThat(input.events()).contains("+I s 1,1", "+I s 2,2");
  }
}
