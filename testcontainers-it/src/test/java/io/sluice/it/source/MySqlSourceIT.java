package io.sluice.it.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.replicator.demo.servers.NativeMySql;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import io.sluice.replicator.sources.debezium.SourcePreflight;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
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
  void refusesAPartialJsonUpdateOfACapturedTableAlone() throws SQLException {
    makeTables();
    String json = "'{\"a\": 1, \"b\": \"0123456789012345678901234567890123456789\"}'";
    sql(
        "CREATE TABLE j (id INT PRIMARY KEY, d JSON)",
        "INSERT INTO j VALUES (1, " + json + ")",
        "CREATE TABLE un_j LIKE j",
        "INSERT INTO un_j SELECT * FROM j");
    RecordingInput input = newInput();
    try (DebeziumRun run = start(input)) {
      session(
          "SET SESSION binlog_row_value_options = 'PARTIAL_JSON'",
          "UPDATE un_j SET d = JSON_SET(d, '$.a', 2)");
      mark(1);
      awaitMark(input, run, 1);
      int events = input.lastCut().events();
      session(
          "SET SESSION binlog_row_value_options = 'PARTIAL_JSON', binlog_rows_query_log_events = 1",
          "UPDATE j SET d = JSON_SET(d, '$.a', 2)");
      mark(2);
      PipelineStoppedException why = run.awaitEnd();
      assertThat(why)
          .hasMessageContaining("PARTIAL_JSON")
          .hasMessageContaining("of " + database + ".j (at binlog.0")
          .hasMessageContaining("statement \"UPDATE j SET d = JSON_SET(d, '$.a', 2)\"");
      assertThat(why.reason()).isEqualTo(Reason.REFUSED);
      assertThat(input.lastCut().events()).isEqualTo(events);
    }
  }

  @Test
  void refusesTaggedGtidsAndWaitsForTheFirstOne() throws SQLException {
    makeTables();
    var settings = DebeziumRun.settings(server(), database, ThrowawayServer.CDC, Map.of());
    RecordingInput input = newInput();
    try (DebeziumRun run = start(input)) {
      mark(1);
      awaitMark(input, run, 1);
      int events = input.lastCut().events();
      session("SET gtid_next = 'AUTOMATIC:nightly'", "INSERT INTO a (id) VALUES (1)");
      mark(2);
      PipelineStoppedException why = run.awaitEnd();
      assertThat(why).hasMessageContaining("tagged");
      assertThat(why.reason()).isEqualTo(Reason.REFUSED);
      assertThat(input.lastCut().events()).isEqualTo(events);
      assertThat(SourcePreflight.check(settings).stream().filter(SourcePreflight.Finding::stops))
          .singleElement()
          .asString()
          .contains("tagged GTIDs", ":nightly:1");
    }
    sql("RESET BINARY LOGS AND GTIDS");
    assertThat(SourcePreflight.check(settings).stream().filter(SourcePreflight.Finding::stops))
        .isEmpty();
    assertThat(SourcePreflight.notYet(settings))
        .hasValueSatisfying(text -> assertThat(text).contains("No transaction"));
    mark(3);
    assertThat(SourcePreflight.notYet(settings)).isEmpty();
    RecordingInput again = newInput();
    try (DebeziumRun run = start(again)) {
      mark(4);
      awaitMark(again, run, 4);
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
