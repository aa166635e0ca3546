package io.sluice.it.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.RecoveredState;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A database of its own on a real server for each test, and a session on it. */
abstract class SourceTest {

  private static final AtomicInteger DATABASES = new AtomicInteger();

  String database = "";
  Connection connection;

  abstract ThrowawayServer server();

  @BeforeEach
  void makeDatabase() throws SQLException {
    database = "db" + DATABASES.incrementAndGet();
    connection = server().connect("");
    sql("CREATE DATABASE " + database, "USE " + database);
  }

  @AfterEach
  void dropDatabase() throws SQLException {
    connection.setAutoCommit(true);
    sql("DROP DATABASE " + database);
    connection.close();
  }

  final String database() {
    return database;
  }

  final boolean isMariaDb() {
    return server().kind() == ServerKind.MARIADB;
  }

  final void sql(String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  final void transaction(String... statements) throws SQLException {
    connection.setAutoCommit(false);
    sql(statements);
    connection.commit();
    connection.setAutoCommit(true);
  }

  /** In a session of its own. */
  final void session(String... statements) throws SQLException {
    try (Connection own = server().connect(database);
        Statement statement = own.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  final RecordingInput newInput() {
    return new RecordingInput(DebeziumRun.capturing(database));
  }

  final DebeziumRun start(RecordingInput input, RecoveredState state, Map<String, String> engine) {
    return DebeziumRun.start(
        DebeziumRun.settings(server(), database, ThrowawayServer.CDC, engine), input, state);
  }

  final DebeziumRun start(RecordingInput input) {
    DebeziumRun run = start(input, DebeziumRun.NEW, Map.of());
    input.await(run, () -> !input.cuts().isEmpty(), "the first cut");
    return run;
  }

  /** A row that shows, once committed, that everything before it has come. */
  final void mark(int number) throws SQLException {
    sql("INSERT INTO z_mark VALUES (" + number + ")");
  }

  final void awaitMark(RecordingInput input, DebeziumRun run, int number) {
    input.awaitCommitted("+I z_mark " + number, run);
  }

  final void makeTables() throws SQLException {
    sql(
        "CREATE TABLE a (id INT PRIMARY KEY, v VARCHAR(20) DEFAULT 'd', n INT DEFAULT 5)",
        "CREATE TABLE b (id INT PRIMARY KEY, w INT)",
        "CREATE TABLE un_c (id INT PRIMARY KEY)",
        "CREATE TABLE z_mark (id INT PRIMARY KEY)");
  }

  final void assertRefused(String mustSay, String... statements) throws SQLException {
    RecordingInput input = newInput();
    try (DebeziumRun run = start(input)) {
      mark(1);
      awaitMark(input, run, 1);
      int events = input.lastCut().events();
      sql(statements);
      mark(2);
      PipelineStoppedException why = run.awaitEnd();
      assertThat(why).hasMessageContaining(mustSay);
      assertThat(why.reason()).isEqualTo(Reason.REFUSED);
      assertThat(input.lastCut().events()).as("nothing behind it is cut").isEqualTo(events);
    }
  }
}
