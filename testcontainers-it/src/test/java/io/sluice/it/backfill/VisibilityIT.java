package io.sluice.it.backfill;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventHeaderV4;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.GtidEventData;
import io.sluice.it.support.Await;
import io.sluice.it.support.TestServers;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.replicator.backfill.Backfill;
import io.sluice.replicator.backfill.BackfillProgress;
import io.sluice.replicator.backfill.BackfillSettings;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import io.sluice.replicator.values.ValueEncoders;
import io.sluice.replicator.values.ZeroDates;
import io.sluice.sinks.RoutedTable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A chunk holds each row whose event had been delivered when it was opened, although events come
 * before their rows are visible. MySQL is set so that half of them come 20 ms too early; MariaDB
 * holds every commit between log and engine until it is let go, as it does for a replica's answer.
 */
class VisibilityIT {

  private static final int ROUNDS = 25;

  /** Questions of the test itself, to be taken off. */
  private static final AtomicLong OWN_LOOKS = new AtomicLong();

  /** What the binlog client has been given so far. */
  private static final class Delivered {
    private String gtid = "";
    private String file = "";
    private long position;
    private int rows;
    private int target = Integer.MAX_VALUE;

    synchronized void take(Event event, BinaryLogClient client) {
      if (event.getData() instanceof GtidEventData data) {
        gtid = data.getMySqlGtid().toString();
      }
      EventType type = event.getHeader().getEventType();
      // MariaDB's events inside a transaction tell no position.
      if (type == EventType.MARIADB_GTID) {
        file = client.getBinlogFilename();
        position = ((EventHeaderV4) event.getHeader()).getPosition();
      }
      if (EventType.isWrite(type) || EventType.isUpdate(type)) {
        rows++;
        notifyAll();
      }
    }

    synchronized String mark(boolean gtids) {
      return "{"
          + (gtids && !gtid.isEmpty() ? "\"gtids\":\"" + gtid + "\"," : "")
          + "\"file\":\""
          + file
          + "\",\"pos\":"
          + position
          + ",\"beyond\":true}";
    }

    synchronized int rows() {
      return rows;
    }

    /** Returns in the instant after the n-th row's event came. */
    synchronized void await(int n) throws InterruptedException {
      target = n;
      while (rows < target) {
        wait(10_000);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ON", "OFF"})
  void aChunkHoldsWhatMySqlHasDelivered(String gtidMode) throws Exception {
    String[] arguments = {
      "--gtid-mode=" + gtidMode,
      "--enforce-gtid-consistency=" + gtidMode,
      "--sync-binlog=0",
      "--binlog-group-commit-sync-delay=20000"
    };
    try (ThrowawayServer server = TestServers.start(ServerKind.MYSQL, arguments)) {
      Delivered delivered = new Delivered();
      RoutedTable table = makeTable(server);
      BinaryLogClient client = follow(server, delivered);
      Thread[] writers = {writer(server), writer(server)};
      try {
        for (int round = 0; round < ROUNDS; round++) {
          delivered.await(delivered.rows() + 1);
          AtomicInteger atOpening = new AtomicInteger();
          List<BinaryRow> rows = copy(server, table, delivered, gtidMode.equals("ON"), atOpening);
          assertThat(rows.size()).isGreaterThanOrEqualTo(atOpening.get());
        }
      } finally {
        for (Thread writer : writers) {
          writer.interrupt();
        }
        for (Thread writer : writers) {
          writer.join();
        }
        client.disconnect();
      }
    }
  }

  @Test
  void aChunkHoldsWhatMariaDbHasDelivered() throws Exception {
    // A commit waits for a replica's answer, and there is none, between its log and its engine.
    String[] arguments = {
      "--rpl-semi-sync-master-timeout=600000",
      "--rpl-semi-sync-master-wait-point=AFTER_SYNC",
      "--rpl-semi-sync-master-wait-no-slave=ON"
    };
    try (ThrowawayServer server = TestServers.start(ServerKind.MARIADB, arguments);
        Connection root = server.connect("");
        Statement sql = root.createStatement()) {
      Delivered delivered = new Delivered();
      RoutedTable table = makeTable(server);
      BinaryLogClient client = follow(server, delivered);
      try {
        execute(server, "INSERT INTO t VALUES (1, 0)");
        delivered.await(1);
        for (int v = 1; v <= 5; v++) {
          sql.execute("SET GLOBAL rpl_semi_sync_master_enabled = ON");
          String update = "UPDATE t SET v = " + v;
          Thread writer = new Thread(() -> execute(server, update));
          writer.start();
          delivered.await(v + 1);
          assertThat(valueSeen(sql)).as("the update is logged and not visible").isEqualTo(v - 1);
          long looks = looks(sql);
          // Lets the commit go on once the chunk has been seen to wait for it, or is over.
          var over = new CompletableFuture<Void>();
          Thread release =
              new Thread(
                  () -> {
                    try {
                      Await.until(
                          Duration.ofSeconds(60),
                          () -> "the chunk waits or is over",
                          () -> over.isDone() || looks(sql) > looks + 3);
                      sql.execute("SET GLOBAL rpl_semi_sync_master_enabled = OFF");
                    } catch (Exception e) {
                      throw new AssertionError(e);
                    }
                  });
          release.start();
          try {
            List<BinaryRow> rows = copy(server, table, delivered, false, new AtomicInteger());
            assertThat(rows).singleElement().extracting(row -> row.getInt(1)).isEqualTo(v);
          } finally {
            over.complete(null);
            release.join();
            writer.join();
          }
        }
      } finally {
        client.disconnect();
      }
    }
  }

  /** How often the server was asked for its status, as the wait asks for its position. */
  private static long looks(Statement sql) throws SQLException {
    try (ResultSet row = sql.executeQuery("SHOW GLOBAL STATUS LIKE 'Com_show_status'")) {
      row.next();
      return row.getLong(2) - OWN_LOOKS.getAndIncrement();
    }
  }

  private static int valueSeen(Statement sql) throws SQLException {
    try (ResultSet row = sql.executeQuery("SELECT v FROM fill.t")) {
      row.next();
      return row.getInt(1);
    }
  }

  private static void execute(ThrowawayServer server, String change) {
    try (Connection connection = server.connect("fill");
        Statement statement = connection.createStatement()) {
      statement.execute(change);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static RoutedTable makeTable(ThrowawayServer server) throws Exception {
    try (Connection root = server.connect("");
        Statement sql = root.createStatement()) {
      sql.execute("CREATE DATABASE fill");
      sql.execute("CREATE TABLE fill.t (id INT PRIMARY KEY AUTO_INCREMENT, v INT)");
    }
    return SourceTables.routed(server, "fill", "t", 1);
  }

  private static BinaryLogClient follow(ThrowawayServer server, Delivered delivered)
      throws Exception {
    BinaryLogClient client = new BinaryLogClient(server.host(), server.port(), "root", "");
    client.setServerId(815);
    client.registerEventListener(event -> delivered.take(event, client));
    client.connect(10_000);
    return client;
  }

  /**
   * @param atOpening is set to the rows whose events had been delivered when the chunk was opened
   * @return what the chunk holds
   */
  private static List<BinaryRow> copy(
      ThrowawayServer server,
      RoutedTable table,
      Delivered delivered,
      boolean gtids,
      AtomicInteger atOpening)
      throws Exception {
    RememberingInput input =
        new RememberingInput(
            () -> {
              synchronized (delivered) {
                atOpening.set(delivered.rows());
                return delivered.mark(gtids);
              }
            });
    input.route(table);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    try (Backfill backfill =
        new Backfill(
            SourceTables.jdbc(server),
            new BackfillSettings(1, 1_000_000),
            new ValueEncoders(
                SourceTables.flavor(server.kind()), ZeroDates.NULL, (id, column) -> {}),
            input,
            (file, position) -> true,
            input::routed,
            failure::set)) {
      backfill.add(table);
      backfill.start();
      Await.until(
          Duration.ofSeconds(30),
          () -> backfill.status() + " " + failure.get(),
          () -> backfill.status().get(0).state() == BackfillProgress.State.CONSISTENT);
    }
    return input.rows(table.source().id());
  }

  private static Thread writer(ThrowawayServer server) {
    Thread thread =
        new Thread(
            () -> {
              try (Connection connection = server.connect("fill");
                  Statement statement = connection.createStatement()) {
                while (!Thread.currentThread().isInterrupted()) {
                  statement.execute("INSERT INTO t (v) VALUES (1)");
                }
              } catch (java.sql.SQLException e) {
                if (!Thread.currentThread().isInterrupted()) {
                  throw new AssertionError(e);
                }
              }
            });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
