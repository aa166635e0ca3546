package io.sluice.it.backfill;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.event.EventHeaderV4;
import com.github.shyiko.mysql.binlog.event.EventType;
import com.github.shyiko.mysql.binlog.event.GtidEventData;
import io.sluice.it.support.Await;
import io.sluice.it.support.TestServers;
import io.sluice.replicator.backfill.Backfill;
import io.sluice.replicator.backfill.BackfillProgress;
import io.sluice.replicator.backfill.BackfillSettings;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import io.sluice.replicator.values.ValueEncoders;
import io.sluice.replicator.values.ZeroDates;
import io.sluice.sinks.RoutedTable;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A chunk holds each row whose event had been delivered when it was opened, although events come
 * before their rows are visible. The server is set so that half of them come 20 ms too early.
 */
class VisibilityIT {

  private static final int ROUNDS = 25;

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
      if (EventType.isWrite(type)) {
        rows++;
        file = client.getBinlogFilename();
        position = ((EventHeaderV4) event.getHeader()).getPosition();
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
  @CsvSource({"MYSQL, ON", "MYSQL, OFF", "MARIADB, ON"})
  void aChunkHoldsWhatWasDelivered(ServerKind kind, String gtidMode) throws Exception {
    boolean mysql = kind == ServerKind.MYSQL;
    String[] arguments =
        mysql
            ? new String[] {
              "--gtid-mode=" + gtidMode,
              "--enforce-gtid-consistency=" + gtidMode,
              "--sync-binlog=0",
              "--binlog-group-commit-sync-delay=20000"
            }
            : new String[] {"--sync-binlog=1"};
    try (ThrowawayServer server = TestServers.start(kind, arguments);
        Connection root = server.connect("");
        Statement sql = root.createStatement()) {
      sql.execute("CREATE DATABASE fill");
      sql.execute("CREATE TABLE fill.t (id INT PRIMARY KEY AUTO_INCREMENT, v INT)");
      RoutedTable table = SourceTables.routed(server, "fill", "t", 1);
      Delivered delivered = new Delivered();
      BinaryLogClient client = new BinaryLogClient(server.host(), server.port(), "root", "");
      client.setServerId(815);
      client.registerEventListener(event -> delivered.take(event, client));
      client.connect(10_000);
      Thread[] writers = {writer(server), writer(server)};
      try {
        for (int round = 0; round < ROUNDS; round++) {
          delivered.await(delivered.rows() + 1);
          check(server, table, delivered, mysql && gtidMode.equals("ON"));
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

  private static void check(
      ThrowawayServer server, RoutedTable table, Delivered delivered, boolean gtids)
      throws Exception {
    AtomicInteger atOpening = new AtomicInteger();
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
    assertThat(input.rows(table.source().id()).size()).isGreaterThanOrEqualTo(atOpening.get());
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
