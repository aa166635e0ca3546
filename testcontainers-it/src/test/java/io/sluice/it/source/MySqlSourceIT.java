package io.sluice.it.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.replicator.demo.servers.NativeMySql;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class MySqlSourceIT extends SourceContract {

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
  void refusesAPartialJsonUpdate() throws SQLException {
    makeTables();
    sql(
        "CREATE TABLE j (id INT PRIMARY KEY, d JSON)",
        "INSERT INTO j VALUES (1, '{\"a\": 1, \"b\": \"0123456789012345678901234567890123456789\"}')");
    RecordingInput input = newInput();
    try (DebeziumRun run = start(input)) {
      mark(1);
      awaitMark(input, run, 1);
      int events = input.lastCut().events();
      session(
          "SET SESSION binlog_row_value_options = 'PARTIAL_JSON'",
          "UPDATE j SET d = JSON_SET(d, '$.a', 2)");
      mark(2);
      PipelineStoppedException why = run.awaitEnd();
      assertThat(why).hasMessageContaining("PARTIAL_JSON");
      assertThat(why.reason()).isEqualTo(Reason.REFUSED);
      assertThat(input.lastCut().events()).isEqualTo(events);
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
    int table = input.events().indexOf("table " + database() + ".s [id, w]");
    assertThat(table).isNotNegative();
    assertThat(input.cuts()).noneMatch(cut -> cut.events() > table && cut.events() < table + 3);
  }
}
