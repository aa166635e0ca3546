package io.sluice.replicator.backfill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.values.MySqlFlavor;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A server that shows what was delivered only after a while, by script. */
class VisibilityWaitTest {

  private static final String SNAPSHOT = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY";
  private static final String SHOW = "SHOW STATUS LIKE 'binlog\\_snapshot\\_%'";

  private final AtomicBoolean running = new AtomicBoolean(true);
  private final ChunkSql table =
      new ChunkSql(
          new SourceTableId("d", "t"),
          List.of(
              KeyColumn.of(
                  new SourceColumn("id", "INT", null, null, false, null, List.of(), null))));

  private void open(MySqlFlavor flavor, ScriptedServer server, String delivered)
      throws SQLException, InterruptedException {
    new VisibilityWait(flavor, running).openTransaction(server.connection(), table, delivered);
  }

  /** Each view's file and position; the last one for ever. */
  private static ScriptedServer views(String... filesAndPositions) {
    Deque<String> views = new ArrayDeque<>(List.of(filesAndPositions));
    return new ScriptedServer(
        sql -> {
          if (!sql.equals(SHOW)) {
            return List.of();
          }
          String[] view = (views.size() > 1 ? views.remove() : views.element()).split(":", 2);
          return List.of(
              List.of("Binlog_snapshot_file", view[0]),
              List.of("Binlog_snapshot_gtid_executed", ""),
              List.of("Binlog_snapshot_position", view[1]));
        });
  }

  private static long count(ScriptedServer server, String sql) {
    return server.asked.stream().filter(sql::equals).count();
  }

  @Test
  void opensViewsUntilOneIsAtWhatWasDelivered() throws Exception {
    ScriptedServer server = views("b.000001:400", "b.000001:499", "b.000001:500");
    open(MySqlFlavor.MARIADB, server, "{\"file\":\"b.000001\",\"pos\":500,\"beyond\":false}");
    assertThat(server.asked)
        .containsExactly(SNAPSHOT, SHOW, "ROLLBACK", SNAPSHOT, SHOW, "ROLLBACK", SNAPSHOT, SHOW);
  }

  /** Inside a transaction the mark is where it begins: the view must hold the whole of it. */
  @Test
  void aViewAtTheBeginningOfADeliveredTransactionIsTooEarly() throws Exception {
    ScriptedServer server = views("b.000001:500", "b.000001:500", "b.000001:731");
    open(MySqlFlavor.MARIADB, server, "{\"file\":\"b.000001\",\"pos\":500,\"beyond\":true}");
    assertThat(count(server, SNAPSHOT)).isEqualTo(3);
    assertThat(count(server, "ROLLBACK")).isEqualTo(2);
  }

  @Test
  void filesAreComparedByNumber() throws Exception {
    ScriptedServer server = views("b.999999:9000", "b.1000000:4");
    open(MySqlFlavor.MARIADB, server, "{\"file\":\"b.999999\",\"pos\":9001,\"beyond\":false}");
    assertThat(count(server, SNAPSHOT)).isEqualTo(2);
    ScriptedServer behind = views("b.999999:9000", "b.1000000:900");
    open(MySqlFlavor.MARIADB, behind, "{\"file\":\"b.1000000\",\"pos\":300,\"beyond\":true}");
    assertThat(count(behind, SNAPSHOT)).isEqualTo(2);
  }

  @Test
  void aServerWithoutBinlogIsAnError() {
    ScriptedServer server = views(":0");
    assertThatThrownBy(() -> open(MySqlFlavor.MARIADB, server, "{\"file\":\"b.000001\",\"pos\":4}"))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("binlog is off");
  }

  @Test
  void waitsUntilTheServerHasExecutedWhatWasDelivered() throws Exception {
    Deque<String> answers = new ArrayDeque<>(List.of("1", "1", "0"));
    ScriptedServer server =
        new ScriptedServer(
            sql -> sql.startsWith("SELECT WAIT") ? List.of(List.of(answers.remove())) : List.of());
    String uuid = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
    open(MySqlFlavor.MYSQL, server, "{\"gtids\":\"" + uuid + ":1-9,\\n " + uuid + ":11\"}");
    assertThat(answers).isEmpty();
    assertThat(server.asked)
        .hasSize(4)
        .endsWith("START TRANSACTION READ ONLY")
        .startsWith("SELECT WAIT_FOR_EXECUTED_GTID_SET('" + uuid + ":1-9," + uuid + ":11', 1)");
  }

  @Test
  void aMarkThatIsNoSetOfGtidsNeverReachesTheServer() {
    ScriptedServer server = new ScriptedServer(sql -> List.of());
    assertThatThrownBy(() -> open(MySqlFlavor.MYSQL, server, "{\"gtids\":\"a') OR ('1\"}"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(server.asked).isEmpty();
  }

  @Test
  void withoutGtidsItPassesTheTablesLockAgainAndAgain() throws Exception {
    int[] refusals = {1};
    ScriptedServer server =
        new ScriptedServer(
            sql -> {
              if (sql.startsWith("LOCK") && refusals[0]-- > 0) {
                throw new SQLException("Lock wait timeout exceeded", "HY000", 1205);
              }
              return List.of();
            });
    open(MySqlFlavor.MYSQL, server, "{\"file\":\"b.000001\",\"pos\":4}");
    assertThat(server.asked)
        .containsExactly(
            "SET SESSION lock_wait_timeout = 1",
            "LOCK TABLES `d`.`t` READ",
            "LOCK TABLES `d`.`t` READ",
            "UNLOCK TABLES",
            "SET SESSION lock_wait_timeout = DEFAULT",
            "START TRANSACTION READ ONLY");
  }

  @Test
  void aWaitEndsWithTheBackfill() {
    running.set(false);
    ScriptedServer server = views("b.000001:4");
    assertThatThrownBy(
            () -> open(MySqlFlavor.MARIADB, server, "{\"file\":\"b.000001\",\"pos\":500}"))
        .isInstanceOf(InterruptedException.class);
  }
}
