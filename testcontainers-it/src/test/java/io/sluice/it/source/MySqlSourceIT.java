package io.sluice.it.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.replicator.demo.servers.NativeMySql;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import io.sluice.replicator.sources.debezium.SourcePreflight;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.RecoveredState;
import io.sluice.sinks.SourcePosition;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
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
  void followsCompressedTransactionsFromEveryCut() throws SQLException {
    makeTables();
    RecordingInput all = newInput();
    try (DebeziumRun run = start(all)) {
      session(
          "SET SESSION binlog_transaction_compression = ON",
          "INSERT INTO a VALUES (1, 'x', NULL), (2, NULL, 2), (3, 'y', 3)",
          "UPDATE a SET n = 9",
          "START TRANSACTION",
          "INSERT INTO b VALUES (1, 1), (2, 2)",
          "INSERT INTO un_c VALUES (1)",
          "UPDATE a SET id = 30 WHERE id = 3",
          "DELETE FROM b WHERE id = 1",
          "COMMIT",
          "INSERT INTO un_c VALUES (2)",
          "ALTER TABLE a ADD c INT",
          "INSERT INTO a (id, c) VALUES (4, 40)");
      mark(1);
      awaitMark(all, run, 1);
    }
    assertThat(all.events())
        .containsSubsequence(
            "+I a 1,x,null",
            "+U a 2,null,9",
            "+I b 2,2",
            "-D a 3,y,9",
            "+I a 30,y,9",
            "-D b 1,1",
            "table " + database + ".a [id, v, n, c]",
            "+I a 4,d,5,40",
            "+I z_mark 1");
    assertThat(eventTypes()).as("the server did compress").contains("Transaction_payload");
    assertThat(assertSameFromEveryCut(all)).isGreaterThan(4);
  }

  /** Of the newest file of the binlog. */
  private List<String> eventTypes() throws SQLException {
    List<String> types = new ArrayList<>();
    try (var statement = connection.createStatement()) {
      String file;
      try (var row = statement.executeQuery("SHOW BINARY LOG STATUS")) {
        row.next();
        file = row.getString(1);
      }
      try (var rows = statement.executeQuery("SHOW BINLOG EVENTS IN '" + file + "'")) {
        while (rows.next()) {
          types.add(rows.getString("Event_type"));
        }
      }
    }
    return types;
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
  void fetchesExactlyWhatAGapInTheGtidsLacks() throws SQLException {
    makeTables();
    RecordingInput all = newInput();
    List<RecordingInput.Cut> behind = new ArrayList<>();
    try (DebeziumRun run = start(all)) {
      for (int i = 1; i <= 40; i++) {
        mark(i);
        awaitMark(all, run, i);
        behind.add(all.lastCut());
      }
    }
    // All but the marks 11 to 20 and 31 to 40, as after a failover between replicas.
    String lacks11To20 = lacking(behind.get(29).position().text(), behind.get(9), behind.get(19));
    RecordingInput rest = RecordingInput.after(DebeziumRun.capturing(database), behind.get(29));
    var state =
        new RecoveredState(
            1, Optional.of(new SourcePosition(lacks11To20)), behind.get(29).history(), Map.of());
    try (DebeziumRun run = start(rest, state, Map.of())) {
      awaitMark(rest, run, 40);
    }
    assertThat(rest.events())
        .containsExactlyElementsOf(
            IntStream.concat(IntStream.rangeClosed(11, 20), IntStream.rangeClosed(31, 40))
                .mapToObj(i -> "+I z_mark " + i)
                .toList());
    assertThat(gtids(rest.lastCut().position().text()))
        .isEqualTo(gtids(behind.get(39).position().text()));
  }

  /** This position without the transactions behind the first cut up to the second. */
  private String lacking(String position, RecordingInput.Cut first, RecordingInput.Cut second)
      throws SQLException {
    try (var statement =
        connection.prepareStatement("SELECT GTID_SUBTRACT(?, GTID_SUBTRACT(?, ?))")) {
      statement.setString(1, gtids(position));
      statement.setString(2, gtids(second.position().text()));
      statement.setString(3, gtids(first.position().text()));
      try (var row = statement.executeQuery()) {
        row.next();
        return position.replace(gtids(position), row.getString(1).replaceAll("\\s", ""));
      }
    }
  }

  private static String gtids(String position) {
    return position.replaceAll(".*\"gtids\":\"([^\"]+)\".*", "$1");
  }

  @Test
  void stopsAtAServerThatNeverExecutedWhatWasReplicated() throws SQLException {
    makeTables();
    RecordingInput input = newInput();
    try (DebeziumRun run = start(input)) {
      mark(1);
      awaitMark(input, run, 1);
    }
    var reset =
        input
            .lastCut()
            .position()
            .text()
            .replaceAll("\"gtids\":\"([0-9a-f-]+):", "\"gtids\":\"$1:900-999:");
    var state =
        new RecoveredState(
            1, Optional.of(new SourcePosition(reset)), input.lastCut().history(), Map.of());
    RecordingInput again = RecordingInput.after(DebeziumRun.capturing(database), input.lastCut());
    assertThatThrownBy(() -> start(again, state, Map.of()))
        .isInstanceOf(PipelineStoppedException.class)
        .hasMessageContaining("\"gap\"")
        .hasMessageContaining("never executed")
        .hasMessageContaining(":900-999");
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
