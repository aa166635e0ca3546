package io.sluice.it.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.evolution.SourceTableId;
import io.sluice.sinks.TableRefusedException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A session of the source has rows of one table lost: a pipeline that parks tables leaves that one
 * behind, the others go on in the same run, and a resync brings it back.
 */
abstract class LossesContract extends SourceTest {

  @BeforeEach
  void fill() throws SQLException {
    makeTables();
    sql("INSERT INTO a VALUES (1, 'x', 1), (2, 'y', 2)", "INSERT INTO b VALUES (1, 1)");
  }

  /**
   * @param table that loses rows
   * @param mustSay of the reason why it is left behind
   * @param lose the statements of one session that lose them
   */
  final void assertLeavesBehind(String table, String mustSay, String... lose) throws Exception {
    RecordingInput input = newInput().parking();
    try (DebeziumRun run = start(input)) {
      session(lose);
      sql("INSERT INTO b VALUES (2, 2)", "UPDATE b SET w = 3 WHERE id = 1");
      mark(1);
      awaitMark(input, run, 1);
      assertThat(input.whyParked(table)).contains(mustSay).contains("binlog.0");
      assertThat(input.events()).contains("+I b 2,2", "+U b 1,3");
      // Whole rows of it, and once more some that are lost: it stays where it is.
      sql("DELETE FROM " + table + " WHERE id = 2");
      session(lose);
      mark(2);
      awaitMark(input, run, 2);
      assertThat(input.events()).noneMatch(event -> event.startsWith("-D " + table));
      run.source().resync(new SourceTableId(database, table), null).get(60, TimeUnit.SECONDS);
      sql("DELETE FROM " + table + " WHERE id = 1");
      mark(3);
      awaitMark(input, run, 3);
      assertThat(input.whyParked(table)).isNull();
      assertThat(input.events())
          .contains("park " + table)
          .anyMatch(event -> event.startsWith("-D " + table + " 1,"));
    }
  }

  @Test
  void leavesATableBehindWhoseRowsLackColumns() throws Exception {
    assertLeavesBehind(
        "a",
        database + ".a (without v, n)",
        "SET SESSION binlog_row_image = 'MINIMAL'",
        "UPDATE a SET n = n + 1");
  }

  /** A copy would read by it, and the rows behind would not fit again. */
  @Test
  void copiesNothingByADefinitionThatIsWrong() throws Exception {
    RecordingInput input = newInput().parking();
    try (DebeziumRun run = start(input)) {
      session(
          "CREATE TABLE c (id INT PRIMARY KEY, v VARCHAR(9)) COLLATE cp1251_general_ci",
          "INSERT INTO c VALUES (1, 'o')");
      mark(1);
      awaitMark(input, run, 1);
      assertThat(input.whyParked("c")).contains("can't be read right").contains("--all");
      var copy = run.source().resync(new SourceTableId(database, "c"), null);
      assertThat(copy)
          .failsWithin(Duration.ofSeconds(60))
          .withThrowableThat()
          .havingRootCause()
          .isInstanceOf(TableRefusedException.class)
          .withMessageContaining("is not known");
      assertThat(input.whyParked("c")).isNotNull();
    }
  }

  /** The other tables' rows of the same transaction count, and so does its end. */
  @Test
  void keepsTheOtherTablesRowsOfTheTransaction() throws Exception {
    assertLeavesBehind(
        "a",
        database + ".a (",
        "SET SESSION binlog_row_image = 'MINIMAL'",
        "START TRANSACTION",
        // Whole, for it has no other columns.
        "INSERT INTO z_mark SELECT 100 + COUNT(*) FROM z_mark",
        "UPDATE a SET n = n + 1",
        "INSERT INTO z_mark SELECT 100 + COUNT(*) FROM z_mark",
        "COMMIT");
  }

  /** Without GTIDs a cut counts the events of its transaction, those without rows too. */
  @Test
  void goesOnFromTheCutBehindALoss() throws Exception {
    RecordingInput input = newInput().parking();
    try (DebeziumRun run = start(input)) {
      session(
          "SET SESSION binlog_row_image = 'MINIMAL'",
          "START TRANSACTION",
          "INSERT INTO b SELECT id + 10, id FROM a",
          "UPDATE a SET n = n + 1",
          "INSERT INTO z_mark VALUES (1)",
          "COMMIT");
      awaitMark(input, run, 1);
    }
    RecordingInput again =
        RecordingInput.after(DebeziumRun.capturing(database), input.lastCut()).parking();
    try (DebeziumRun run = start(again, input.lastCut().state(), Map.of())) {
      sql("INSERT INTO b VALUES (20, 20)", "INSERT INTO a VALUES (20, 'z', 20)");
      mark(2);
      awaitMark(again, run, 2);
      assertThat(again.events()).containsExactly("+I b 20,20", "+I a 20,z,20", "+I z_mark 2");
      assertThat(again.whyParked("a")).isNull();
    }
  }

  @Test
  void leavesATableBehindThatHasADateThatNoCalendarHas() throws Exception {
    sql(
        "CREATE TABLE dated (id INT PRIMARY KEY, d DATE, dt DATETIME(3))",
        "INSERT INTO dated VALUES (1, NULL, NULL), (2, NULL, NULL)");
    assertLeavesBehind(
        "dated",
        "in column dt that no calendar has",
        "SET SESSION sql_mode = 'ALLOW_INVALID_DATES'",
        "REPLACE INTO dated VALUES (3, '2023-02-28', '2023-02-31 10:00:00.5'), (4, NULL, NULL)");
  }

  @Test
  void takesTextInEveryByteOfLatin1() throws Exception {
    sql("CREATE TABLE l (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET latin1)");
    RecordingInput input = newInput();
    try (DebeziumRun run = start(input)) {
      sql("INSERT INTO l VALUES (1, _latin1 0x80818D8F909DE4)");
      mark(1);
      awaitMark(input, run, 1);
      String text = "€\u0081\u008d\u008f\u0090\u009dä";
      assertThat(input.events()).contains("+I l 1," + text);
      try (var rows =
          connection
              .createStatement()
              .executeQuery("SELECT HEX(CONVERT(v USING utf8mb4)) FROM l")) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getString(1))
            .as("as the server takes it")
            .isEqualToIgnoringCase(HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8)));
      }
    }
  }
}
