package io.sluice.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.Await;
import io.sluice.it.support.DaemonProcess;
import io.sluice.it.support.LakeAssert;
import io.sluice.it.support.LakeRows;
import io.sluice.it.support.LakeState;
import io.sluice.it.support.PipelineFolder;
import io.sluice.it.support.TableRows;
import io.sluice.it.support.TestServers;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables of a database as parts of wide tables. */
class WideTablesIT {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static ThrowawayServer server;

  @TempDir Path folder;

  @BeforeAll
  static void start() {
    server = TestServers.start(ServerKind.MARIADB);
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @BeforeEach
  void tables() throws Exception {
    sql(
        "DROP DATABASE IF EXISTS shop",
        "CREATE DATABASE shop",
        // What a part doesn't take may be of any type.
        "CREATE TABLE shop.orders (id BIGINT PRIMARY KEY, note VARCHAR(20), place POINT)",
        "CREATE TABLE shop.payments (id INT PRIMARY KEY, order_id INT, amount DECIMAL(8,2),"
            + " version INT)",
        "CREATE TABLE shop.remarks (order_id SMALLINT PRIMARY KEY, remark TEXT)",
        "CREATE TABLE shop.other (id INT PRIMARY KEY, v INT)",
        "INSERT INTO shop.orders VALUES (1, 'a', NULL), (2, 'b', POINT(1, 2)), (3, NULL, NULL)",
        "INSERT INTO shop.payments VALUES (1, 1, 5.50, 1), (2, 2, 7.25, 1), (3, NULL, 1, NULL)",
        "INSERT INTO shop.remarks VALUES (1, 'x'), (9, 'early')",
        "INSERT INTO shop.other VALUES (1, 1)");
  }

  private static void sql(String... statements) throws SQLException {
    try (Connection connection = server.connect("");
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private PipelineFolder pipeline() {
    return new PipelineFolder(folder, "wide")
        .source(server)
        .include("shop.*")
        .set("source.backfill { chunk-rows = 2 }")
        .set(
            """
            tables.rules = [
              { into = "dwd.order_wide", primary-key = [order_id], types { order_id = BIGINT }
                from = [
                  { name = orders, match = "shop.orders", on-delete = delete-row
                    columns { order_id = id, note = note } }
                  { name = pays, match = "shop.payments", sequence = [version]
                    columns { order_id = order_id, amount = amount } }
                  { name = remarks, match = "shop.remarks", on-delete = ignore
                    columns { order_id = order_id, remark = remark } } ] }
              { match = "shop.payments", into = "ods.*" } ]
            """);
  }

  @Test
  void fillsOneRowFromSeveralTables() throws Exception {
    PipelineFolder pipeline = pipeline();
    try (DaemonProcess check =
        DaemonProcess.start(
            folder, List.of(), List.of("check", "-c", pipeline.writeConfig().toString()))) {
      assertThat(check.awaitExit()).as(check.log()).isZero();
      assertThat(check.log())
          .contains("wide table dwd.order_wide", "fields._seq_orders.sequence-group = note")
          .contains("fields._seq_pays_version,_seq_pays.sequence-group = amount")
          .contains("part pays is filled by shop.payments", "shop.payments -> ods.payments");
    }
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      awaitRows(
          daemon, pipeline, "1 a 5.50 x", "2 b 7.25 null", "3 null null null", "9 null null early");
      sql(
          "UPDATE shop.orders SET note = NULL WHERE id = 1",
          "UPDATE shop.payments SET order_id = 3, version = 2 WHERE id = 2",
          "UPDATE shop.payments SET order_id = 2, version = 1 WHERE id = 3",
          "DELETE FROM shop.remarks WHERE order_id = 9");
      awaitRows(
          daemon,
          pipeline,
          "1 null 5.50 x",
          "2 b 1.00 null",
          "3 null 7.25 null",
          "9 null null early");
      daemon.kill();
    }
    sql(
        "ALTER TABLE shop.payments ADD COLUMN more INT DEFAULT 3",
        "DELETE FROM shop.payments WHERE id = 1",
        "DELETE FROM shop.orders WHERE id = 2",
        "INSERT INTO shop.orders (id, note) VALUES (4, 'd')",
        "UPDATE shop.payments SET order_id = NULL WHERE id = 2");
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      awaitRows(
          daemon,
          pipeline,
          "1 null null x",
          "3 null null null",
          "4 d null null",
          "9 null null early");
      daemon.await(
          LIMIT,
          "all is copied",
          () ->
              LakeState.consistentSources(pipeline)
                  .containsAll(Set.of("dwd.order_wide", "shop.other", "shop.payments")));
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "shop", "other");
      assertThat(LakeRows.read(pipeline.warehouse(), "ods", "payments").rows()).hasSize(2);
      assertThat(daemon.terminate()).isZero();
    }
  }

  @Test
  void leavesTheWideTableBehindAlone() throws Exception {
    PipelineFolder pipeline = pipeline().set("on-table-error = park");
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      awaitRows(
          daemon, pipeline, "1 a 5.50 x", "2 b 7.25 null", "3 null null null", "9 null null early");
      sql("TRUNCATE TABLE shop.remarks", "INSERT INTO shop.other VALUES (2, 2)");
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "shop", "other");
      daemon.await(
          LIMIT,
          "the wide table is parked",
          () -> daemon.log().contains("Table dwd.order_wide of pipeline wide is parked"));
      assertThat(daemon.log()).contains("A TRUNCATE of shop.remarks").contains("Delete the rows");
      sql("INSERT INTO shop.payments VALUES (8, 4, 1, 1)");
      daemon.await(
          LIMIT,
          "the table's own copy goes on",
          () -> LakeRows.read(pipeline.warehouse(), "ods", "payments").rows().size() == 4);
      assertThat(daemon.terminate()).isZero();
    }
    sql("INSERT INTO shop.remarks VALUES (2, 'z')");
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      sql("INSERT INTO shop.other VALUES (3, 3)");
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "shop", "other");
      Path table = pipeline.table("dwd", "order_wide");
      assertThat(resync(pipeline)).contains("Move the folder").contains(table.toString());
      Files.move(table, folder.resolve("before"));
      assertThat(resync(pipeline)).isEmpty();
      awaitRows(
          daemon, pipeline, "1 a 5.50 null", "2 b 7.25 z", "3 null null null", "4 null 1.00 null");
      sql("INSERT INTO shop.remarks VALUES (3, 'w')");
      awaitRows(
          daemon, pipeline, "1 a 5.50 null", "2 b 7.25 z", "3 null null w", "4 null 1.00 null");
      assertThat(daemon.terminate()).isZero();
    }
  }

  @Test
  void aRowThatNoPartCanTakeIsStillInTheTablesOwnCopy() throws Exception {
    PipelineFolder pipeline = pipeline().set("on-table-error = park");
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      awaitRows(
          daemon, pipeline, "1 a 5.50 x", "2 b 7.25 null", "3 null null null", "9 null null early");
      sql("INSERT INTO shop.payments VALUES (8, 4, 1, NULL), (9, 4, 2, 1)");
      daemon.await(
          LIMIT,
          "the wide table is parked",
          () -> daemon.log().contains("Table dwd.order_wide of pipeline wide is parked"));
      assertThat(daemon.log()).contains("has NULL in version");
      daemon.await(
          LIMIT,
          "the table's own copy has both",
          () -> LakeRows.read(pipeline.warehouse(), "ods", "payments").rows().size() == 5);
      sql("INSERT INTO shop.payments VALUES (10, 4, 1, 1)", "INSERT INTO shop.other VALUES (2, 2)");
      LakeAssert.awaitSame(daemon, server, pipeline, LIMIT, "shop", "other");
      daemon.await(
          LIMIT,
          "the own copy goes on",
          () -> LakeRows.read(pipeline.warehouse(), "ods", "payments").rows().size() == 6);
      assertThat(daemon.log()).doesNotContain("Table ods.payments of pipeline wide is parked");
      assertThat(daemon.terminate()).isZero();
    }
  }

  /** What the command says when it fails; nothing if it doesn't. */
  private String resync(PipelineFolder pipeline) throws Exception {
    try (DaemonProcess command =
        DaemonProcess.start(
            folder,
            List.of(),
            List.of("resync", "-c", pipeline.writeConfig().toString(), "dwd.order_wide"))) {
      return command.awaitExit() == 0 ? "" : command.log();
    }
  }

  @Test
  void stopsWhereARowHasNoOrder() throws Exception {
    PipelineFolder pipeline = pipeline().set("on-table-error = stop");
    try (DaemonProcess daemon = DaemonProcess.run(pipeline)) {
      awaitRows(
          daemon, pipeline, "1 a 5.50 x", "2 b 7.25 null", "3 null null null", "9 null null early");
      sql("UPDATE shop.payments SET version = NULL WHERE id = 1");
      assertThat(daemon.awaitExit()).as(daemon.logTail()).isEqualTo(1);
      assertThat(daemon.log())
          .contains("A row of shop.payments (part pays of dwd.order_wide) has NULL in version");
    }
  }

  @Test
  void saysAtOnceWhatCannotBe() throws Exception {
    sql("ALTER TABLE shop.orders DROP COLUMN note");
    try (DaemonProcess daemon = DaemonProcess.run(pipeline())) {
      assertThat(daemon.awaitExit()).isEqualTo(2);
      assertThat(daemon.log())
          .contains("column note is filled by column note of shop.orders (part orders)");
    }
  }

  private void awaitRows(DaemonProcess daemon, PipelineFolder pipeline, String... wanted)
      throws Exception {
    AtomicReference<Set<String>> seen = new AtomicReference<>(Set.of());
    Await.until(
        LIMIT,
        () ->
            "the wide table has "
                + Set.of(wanted)
                + " but has "
                + seen.get()
                + "; the daemon's log:\n"
                + daemon.logTail(),
        () -> {
          daemon.assertAlive();
          if (Files.exists(pipeline.table("dwd", "order_wide").resolve("snapshot"))) {
            seen.set(rows(pipeline));
          }
          return seen.get().equals(Set.of(wanted));
        });
  }

  private static Set<String> rows(PipelineFolder pipeline) {
    TableRows all = LakeRows.read(pipeline.warehouse(), "dwd", "order_wide");
    Set<String> result = new TreeSet<>();
    for (List<String> row : all.rows()) {
      List<String> texts = new ArrayList<>();
      for (String column : List.of("order_id", "note", "amount", "remark")) {
        texts.add(String.valueOf(row.get(all.columns().indexOf(column))));
      }
      result.add(String.join(" ", texts));
    }
    return result;
  }
}
