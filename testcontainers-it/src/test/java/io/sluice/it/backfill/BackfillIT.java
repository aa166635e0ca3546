package io.sluice.it.backfill;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.evolution.SourceTableId;
import io.sluice.it.support.Await;
import io.sluice.it.support.TestServers;
import io.sluice.replicator.backfill.Backfill;
import io.sluice.replicator.backfill.BackfillProgress;
import io.sluice.replicator.backfill.BackfillSettings;
import io.sluice.replicator.backfill.BackfillStatus;
import io.sluice.replicator.backfill.StreamPosition;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import io.sluice.replicator.values.ValueEncoders;
import io.sluice.replicator.values.ZeroDates;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.ChunkOutdatedException;
import io.sluice.sinks.RoutedTable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BackfillIT {

  private static final String DB = "fill";
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final @Nullable ThrowawayServer[] servers =
      new ThrowawayServer[ServerKind.values().length];
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final AtomicBoolean passed = new AtomicBoolean(true);
  private final StreamPosition stream = (file, position) -> passed.get();

  private ThrowawayServer server(ServerKind kind) throws SQLException {
    ThrowawayServer running = servers[kind.ordinal()];
    if (running == null) {
      running = TestServers.start(kind);
      servers[kind.ordinal()] = running;
    }
    sql(running, "DROP DATABASE IF EXISTS " + DB, "CREATE DATABASE " + DB);
    return running;
  }

  @BeforeEach
  void reset() {
    failure.set(null);
    passed.set(true);
  }

  @AfterAll
  void stopServers() {
    for (ThrowawayServer server : servers) {
      if (server != null) {
        server.close();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void copiesEachRowOnceWhateverTheKey(ServerKind kind) throws Exception {
    ThrowawayServer server = server(kind);
    List<String> tables = KeyShapes.create(server, DB);
    for (int chunkRows : new int[] {1, 2, 7, 100_000}) {
      RememberingInput input = new RememberingInput(() -> SourceTables.mark(server));
      List<RoutedTable> routed = new ArrayList<>();
      for (String table : tables) {
        routed.add(SourceTables.routed(server, DB, table, 1));
      }
      copy(server, input, new BackfillSettings(3, chunkRows), routed);
      for (RoutedTable table : routed) {
        SourceTableId id = table.source().id();
        long count = count(server, id);
        assertThat(input.rows(id)).as(id + " by " + chunkRows).hasSize((int) count);
        assertThat(input.distinct(id)).as(id + " by " + chunkRows).hasSize((int) count);
      }
    }
  }

  /** A server-wide sql_select_limit cuts results off without a word. */
  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void copiesAllRowsOfAServerThatLimitsItsSessions(ServerKind kind) throws Exception {
    ThrowawayServer server = server(kind);
    numbers(server, "t", 300);
    RoutedTable table = SourceTables.routed(server, DB, "t", 1);
    RememberingInput input = new RememberingInput(() -> SourceTables.mark(server));
    sql(server, "SET GLOBAL sql_select_limit = 7");
    try {
      copy(server, input, new BackfillSettings(2, 100), List.of(table));
    } finally {
      sql(server, "SET GLOBAL sql_select_limit = 18446744073709551615");
    }
    assertThat(input.distinct(table.source().id())).hasSize(300);
  }

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void goesOnWithWhatWasNotDone(ServerKind kind) throws Exception {
    ThrowawayServer server = server(kind);
    numbers(server, "t", 1000);
    RoutedTable table = SourceTables.routed(server, DB, "t", 1);
    SourceTableId id = table.source().id();
    RememberingInput first = new RememberingInput(() -> SourceTables.mark(server));
    CountDownLatch enough = new CountDownLatch(1);
    first.interference =
        (t, chunk, row) -> {
          if (chunk > 6 && row > 10) {
            enough.countDown();
            new CountDownLatch(1).await();
          }
        };
    try (Backfill backfill = backfill(server, first, new BackfillSettings(2, 100))) {
      first.route(table);
      backfill.start();
      backfill.add(table);
      enough.await();
    }
    String progress = first.progress().get(id);
    assertThat(first.rows(id)).isNotEmpty().hasSizeLessThan(1000);
    RememberingInput second = new RememberingInput(() -> SourceTables.mark(server));
    second.setProgress(id, progress);
    copy(server, second, new BackfillSettings(2, 64), List.of(table));
    assertThat(first.rows(id).size() + second.rows(id).size()).isEqualTo(1000);
    assertThat(second.distinct(id)).doesNotContainAnyElementsOf(first.rows(id));
  }

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void readsAgainWhatALostConnectionCutOff(ServerKind kind) throws Exception {
    ThrowawayServer server = server(kind);
    numbers(server, "t", 2000);
    RoutedTable table = SourceTables.routed(server, DB, "t", 1);
    RememberingInput input = new RememberingInput(() -> SourceTables.mark(server));
    AtomicInteger kills = new AtomicInteger();
    input.interference =
        (t, chunk, row) -> {
          if (chunk % 5 == 2 && row == 1 && kills.incrementAndGet() < 4) {
            killReaders(server);
          }
        };
    copy(server, input, new BackfillSettings(2, 64), List.of(table));
    assertThat(kills.get()).isPositive();
    assertThat(input.distinct(table.source().id())).hasSize(2000);
  }

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void isConsistentOnlyWhenTheStreamHasPassed(ServerKind kind) throws Exception {
    ThrowawayServer server = server(kind);
    numbers(server, "t", 10);
    RoutedTable table = SourceTables.routed(server, DB, "t", 1);
    RememberingInput input = new RememberingInput(() -> SourceTables.mark(server));
    input.route(table);
    passed.set(false);
    try (Backfill backfill = backfill(server, input, new BackfillSettings(1, 100))) {
      backfill.start();
      backfill.add(table);
      awaitState(backfill, BackfillProgress.State.COPIED);
      assertThat(input.progress().get(table.source().id())).contains("\"copied\"");
      passed.set(true);
      awaitState(backfill, BackfillProgress.State.CONSISTENT);
      assertThat(input.progress().get(table.source().id())).contains("\"consistent\"");
    }
  }

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void followsTruncateAlterAndDeletes(ServerKind kind) throws Exception {
    ThrowawayServer server = server(kind);
    numbers(server, "truncated", 500);
    numbers(server, "altered", 500);
    numbers(server, "deleted", 500);
    RememberingInput input = new RememberingInput(() -> SourceTables.mark(server));
    RoutedTable truncated = SourceTables.routed(server, DB, "truncated", 1);
    RoutedTable altered = SourceTables.routed(server, DB, "altered", 1);
    RoutedTable deleted = SourceTables.routed(server, DB, "deleted", 1);
    RoutedTable truncatedLater = SourceTables.routed(server, DB, "truncated", 2);
    RoutedTable alteredLater = SourceTables.routed(server, DB, "altered", 2);
    AtomicBoolean once = new AtomicBoolean();
    input.interference =
        (t, chunk, row) -> {
          String name = t.source().id().table();
          if (name.equals("truncated") && row == 5) {
            input.route(truncatedLater);
            throw new ChunkOutdatedException(ChunkOutdatedException.Cause.TRUNCATED, "truncated");
          }
          if (name.equals("altered") && t.generation() == 1 && row == 5) {
            input.route(alteredLater);
            input.setProgress(t.source().id(), BackfillInput.AGAIN);
            throw new ChunkOutdatedException(ChunkOutdatedException.Cause.ALTERED, "altered");
          }
          if (name.equals("deleted") && row == 5 && once.compareAndSet(false, true)) {
            throw new ChunkOutdatedException(
                ChunkOutdatedException.Cause.DELETES_OUTGREW_MEMORY, "deleted");
          }
        };
    copy(server, input, new BackfillSettings(1, 200), List.of(truncated, altered, deleted));
    assertThat(input.rows(truncated.source().id())).isEmpty();
    assertThat(input.distinct(altered.source().id())).hasSize(500);
    assertThat(input.distinct(deleted.source().id())).hasSize(500);
  }

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void copiesAgainWhenThePipelineDemandsIt(ServerKind kind) throws Exception {
    ThrowawayServer server = server(kind);
    numbers(server, "t", 300);
    RoutedTable table = SourceTables.routed(server, DB, "t", 1);
    SourceTableId id = table.source().id();
    RememberingInput input = new RememberingInput(() -> SourceTables.mark(server));
    input.route(table);
    try (Backfill backfill = backfill(server, input, new BackfillSettings(1, 100))) {
      backfill.start();
      backfill.add(table);
      awaitState(backfill, BackfillProgress.State.CONSISTENT);
      sql(server, "ALTER TABLE fill.t ADD COLUMN d INT NOT NULL DEFAULT 5");
      RoutedTable later = SourceTables.routed(server, DB, "t", 2);
      input.setProgress(id, BackfillInput.AGAIN);
      input.route(later);
      Await.until(
          LIMIT, () -> input.progress() + " " + failure, () -> input.rows(id).size() == 600);
      awaitState(backfill, BackfillProgress.State.CONSISTENT);
    }
  }

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void waitsForADdlThatTheStreamHasNotSeen(ServerKind kind) throws Exception {
    ThrowawayServer server = server(kind);
    numbers(server, "t", 300);
    RoutedTable table = SourceTables.routed(server, DB, "t", 1);
    sql(server, "ALTER TABLE fill.t MODIFY v BIGINT");
    RememberingInput input = new RememberingInput(() -> SourceTables.mark(server));
    input.route(table);
    try (Backfill backfill = backfill(server, input, new BackfillSettings(2, 100))) {
      backfill.start();
      backfill.add(table);
      Await.until(
          LIMIT,
          () -> backfill.status().toString(),
          () -> backfill.status().get(0).trouble().isPresent());
      assertThat(backfill.status().get(0).trouble().orElseThrow()).contains("column v");
      assertThat(input.rows(table.source().id())).isEmpty();
      input.route(SourceTables.routed(server, DB, "t", 2));
      awaitState(backfill, BackfillProgress.State.CONSISTENT);
      assertThat(input.rows(table.source().id())).hasSize(300);
    }
  }

  // ---- helpers

  private Backfill backfill(
      ThrowawayServer server, RememberingInput input, BackfillSettings settings) {
    return new Backfill(
        SourceTables.jdbc(server),
        settings,
        new ValueEncoders(
            SourceTables.flavor(server.kind()), ZeroDates.NULL, (table, column) -> {}),
        input,
        stream,
        input::routed,
        failure::set);
  }

  private void copy(
      ThrowawayServer server,
      RememberingInput input,
      BackfillSettings settings,
      List<RoutedTable> tables)
      throws Exception {
    try (Backfill backfill = backfill(server, input, settings)) {
      for (RoutedTable table : tables) {
        input.route(table);
        backfill.add(table);
      }
      backfill.start();
      awaitState(backfill, BackfillProgress.State.CONSISTENT);
    }
  }

  private void awaitState(Backfill backfill, BackfillProgress.State state) throws Exception {
    Await.until(
        LIMIT,
        () -> backfill.status() + " " + failure.get(),
        () -> {
          if (failure.get() != null) {
            throw new AssertionError("the backfill failed", failure.get());
          }
          List<BackfillStatus> all = backfill.status();
          return !all.isEmpty() && all.stream().allMatch(s -> s.state() == state);
        });
  }

  private static void numbers(ThrowawayServer server, String table, int count) throws SQLException {
    StringBuilder insert = new StringBuilder("INSERT INTO fill." + table + " VALUES ");
    for (int i = 0; i < count; i++) {
      insert.append(i == 0 ? "" : ",").append('(').append(i).append(',').append(i * 2).append(')');
    }
    sql(
        server,
        "CREATE TABLE fill." + table + " (id INT PRIMARY KEY, v INT)",
        insert.toString(),
        "ANALYZE TABLE fill." + table);
  }

  private static void killReaders(ThrowawayServer server) {
    try (Connection root = server.connect("");
        Statement statement = root.createStatement()) {
      List<Long> ids = new ArrayList<>();
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'cdc'")) {
        while (rows.next()) {
          ids.add(rows.getLong(1));
        }
      }
      for (long id : ids) {
        statement.execute("KILL " + id);
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static long count(ThrowawayServer server, SourceTableId id) throws SQLException {
    try (Connection root = server.connect("");
        Statement statement = root.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT COUNT(*) FROM " + DB + "." + ValueEncoders.quote(id.table()))) {
      row.next();
      return row.getLong(1);
    }
  }

  private static void sql(ThrowawayServer server, String... statements) throws SQLException {
    try (Connection root = server.connect("");
        Statement statement = root.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
