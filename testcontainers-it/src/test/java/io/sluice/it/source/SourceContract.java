package io.sluice.it.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.Seeds;
import io.sluice.it.support.TcpProxy;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import io.sluice.replicator.sources.debezium.SourcePreflight;
import io.sluice.replicator.sources.debezium.SourceSettings;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.RecoveredState;
import io.sluice.sinks.SourcePosition;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What holds for every server: each kind runs all of it. */
abstract class SourceContract extends SourceTest {

  /** Everything that is supported, in one log. */
  private void changeAlmostEverything() throws SQLException {
    sql(
        "INSERT INTO a VALUES (1, 'x', NULL), (2, NULL, 2), (3, 'y', 3)",
        "UPDATE a SET n = 9",
        "UPDATE a SET id = 30 WHERE id = 3",
        "DELETE FROM a WHERE id = 2",
        "INSERT INTO un_c VALUES (1)");
    transaction(
        "INSERT INTO b VALUES (1, 1), (2, 2)",
        "UPDATE a SET v = 'z' WHERE id = 1",
        "INSERT INTO un_c VALUES (2)",
        "DELETE FROM b WHERE id = 1",
        "INSERT INTO b VALUES (1, 10)");
    sql(
        "ALTER TABLE un_c ADD x INT",
        "INSERT INTO a (id) VALUES (4)",
        "ALTER TABLE a ADD c INT FIRST, ADD e INT NOT NULL DEFAULT 7",
        "INSERT INTO a (id, c) VALUES (5, 50)",
        "TRUNCATE TABLE b",
        "INSERT INTO b VALUES (7, 7)",
        "CREATE TABLE d (k VARCHAR(10) PRIMARY KEY)",
        "INSERT INTO d VALUES ('k')",
        "CREATE INDEX ix ON a (n)",
        "DROP TABLE un_c",
        "UPDATE a SET c = 60 WHERE id = 4");
  }

  @Test
  void deliversEachChangeOnceFromEveryCut() throws SQLException {
    makeTables();
    RecordingInput all = newInput();
    try (DebeziumRun run = start(all)) {
      changeAlmostEverything();
      mark(1);
      awaitMark(all, run, 1);
    }
    assertThat(all.events())
        .contains(
            "+I a 1,x,null",
            "+I a 2,null,2",
            "-D a 3,y,9",
            "+I a 30,y,9",
            "-D a 2,null,9",
            "+U a 1,z,9",
            "-D b 1,1",
            "+I b 1,10",
            "+I a 4,d,5",
            "table " + database + ".a [id, v, n, c, e]",
            "+I a 5,d,5,50,7",
            "truncate b",
            "+I b 7,7",
            "+I d k",
            "+U a 4,d,5,60,7")
        .noneMatch(event -> event.contains("un_c"));
    int restarts = assertSameFromEveryCut(all);
    assertThat(restarts).isGreaterThan(12);
  }

  /** A run from each cut brings what the whole run had behind it; returns the number of runs. */
  final int assertSameFromEveryCut(RecordingInput all) throws SQLException {
    int restarts = 0;
    String last = "";
    for (RecordingInput.Cut cut : all.cuts()) {
      if (cut.position().text().equals(last)) {
        continue;
      }
      last = cut.position().text();
      restarts++;
      RecordingInput rest = RecordingInput.after(DebeziumRun.capturing(database), cut);
      try (DebeziumRun run = start(rest, cut.state(), Map.of())) {
        mark(100 + restarts);
        awaitMark(rest, run, 100 + restarts);
      }
      List<String> joined = new ArrayList<>(all.events().subList(0, cut.events()));
      joined.addAll(rest.events());
      joined.removeIf(event -> event.matches("\\+I z_mark 1\\d\\d"));
      assertThat(joined).as("from %s", cut.position().text()).isEqualTo(all.events());
    }
    return restarts;
  }

  @Test
  void deliversOneLargeStatementOnceHoweverItsBatchesFall() throws SQLException {
    makeTables();
    var rows = new StringBuilder("INSERT INTO a (id, n) VALUES (0, 0)");
    for (int i = 1; i < 5000; i++) {
      rows.append(",(").append(i).append(",0)");
    }
    RecordingInput input = newInput();
    RecordingInput.Cut before;
    try (DebeziumRun run = start(input)) {
      sql(rows.toString());
      mark(1);
      awaitMark(input, run, 1);
      before = input.lastCut();
      sql("UPDATE a SET n = n + 1", "INSERT INTO b SELECT id, n FROM a WHERE id < 700");
      transaction(
          "UPDATE a SET id = id + 100000 WHERE id < 300",
          "DELETE FROM b WHERE id < 10",
          "INSERT INTO un_c VALUES (1)");
      mark(2);
      awaitMark(input, run, 2);
    }
    assertThat(input.count("+U a ")).isEqualTo(5000);
    List<String> whole = input.events().subList(before.events(), input.events().size());
    // A batch may end anywhere, also between the two halves of a key change.
    RecordingInput small = RecordingInput.after(DebeziumRun.capturing(database), before);
    RecordingInput.Cut middle;
    AtomicInteger handed = new AtomicInteger();
    try (DebeziumRun run = start(small, before.state(), Map.of("max.batch.size", "2"))) {
      // Stopped within the statement: nothing of it is behind a cut.
      small.beforeRow(
          () -> {
            if (handed.incrementAndGet() == 3000) {
              throw new IllegalStateException("stop here");
            }
          });
      run.awaitEnd();
      assertThat(small.count("+U a ")).isEqualTo(2999);
      assertThat(small.cuts()).allMatch(cut -> cut.events() == 0);
      middle = small.cuts().isEmpty() ? before : small.lastCut();
    }
    RecordingInput again = RecordingInput.after(DebeziumRun.capturing(database), middle);
    try (DebeziumRun run = start(again, middle.state(), Map.of("max.batch.size", "2"))) {
      awaitMark(again, run, 2);
    }
    assertThat(again.events()).isEqualTo(whole);
  }

  @Test
  void followsDdlThatRanWhileItWasDown() throws SQLException {
    makeTables();
    RecordingInput first = newInput();
    try (DebeziumRun run = start(first)) {
      mark(1);
      awaitMark(first, run, 1);
    }
    sql(
        "INSERT INTO a VALUES (1, 'old', 1)",
        "ALTER TABLE a ADD c INT",
        "INSERT INTO a VALUES (2, 'new', 2, 3)",
        "ALTER TABLE un_c ADD x INT",
        "CREATE TABLE later (id INT PRIMARY KEY)",
        "INSERT INTO later VALUES (1)");
    mark(2);
    RecordingInput second = RecordingInput.after(DebeziumRun.capturing(database), first.lastCut());
    try (DebeziumRun run = start(second, first.lastCut().state(), Map.of())) {
      awaitMark(second, run, 2);
    }
    assertThat(second.events())
        .containsExactly(
            "+I a 1,old,1",
            "table " + database + ".a [id, v, n, c]",
            "+I a 2,new,2,3",
            "table " + database + ".later [id]",
            "+I later 1",
            "+I z_mark 2");
  }

  @Test
  void restartsFromAFoldedHistory() throws SQLException {
    makeTables();
    RecordingInput first = newInput();
    DebeziumRun run = start(first);
    sql("ALTER TABLE a ADD c INT", "DROP TABLE un_c");
    mark(1);
    awaitMark(first, run, 1);
    run.close();
    List<String> folded = run.source().foldHistory(first.lastCut().history());
    assertThat(folded).hasSizeLessThan(first.lastCut().history().size());
    assertThat(run.source().foldHistory(folded)).isEqualTo(folded);
    sql("INSERT INTO a VALUES (1, 'x', 1, 2)");
    RecordingInput second = RecordingInput.after(DebeziumRun.capturing(database), first.lastCut());
    var state = new RecoveredState(1, Optional.of(first.lastCut().position()), folded, Map.of());
    try (DebeziumRun again = start(second, state, Map.of())) {
      second.awaitCommitted("+I a 1,x,1,2", again);
    }
  }

  @Test
  void commitsTheLastStatementOfAQuietServer() throws SQLException {
    makeTables();
    RecordingInput input = newInput();
    try (DebeziumRun run = start(input)) {
      sql("ALTER TABLE a ADD c INT");
      input.awaitCommitted("table " + database + ".a [id, v, n, c]", run);
      sql("TRUNCATE TABLE b");
      input.awaitCommitted("truncate b", run);
      sql("INSERT INTO b VALUES (1, 1)");
      input.awaitCommitted("+I b 1,1", run);
    }
  }

  @Test
  void knowsWhenTheStreamHasPassedThePlaceWhereTheServerStands() throws SQLException {
    makeTables();
    RecordingInput input = newInput();
    try (DebeziumRun run = start(input)) {
      sql("INSERT INTO a (id) VALUES (1)", "CREATE VIEW un_v AS SELECT id FROM a");
      String status = isMariaDb() ? "SHOW MASTER STATUS" : "SHOW BINARY LOG STATUS";
      String file;
      long position;
      try (Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery(status)) {
        rows.next();
        file = rows.getString(1);
        position = rows.getLong(2);
      }
      input.await(
          run, () -> run.source().progress().passed(file, position), "the end of the binlog");
      assertThat(run.source().progress().passed(file, position + 1)).isFalse();
      assertThat(run.source().deliveredMark()).contains("\"file\":\"" + file + "\"");
    }
  }

  @Test
  void refusesToDropACapturedTable() throws SQLException {
    makeTables();
    assertRefused("the table was dropped", "DROP TABLE un_c, a");
  }

  @Test
  void refusesToRenameACapturedTable() throws SQLException {
    makeTables();
    assertRefused("was renamed to", "RENAME TABLE a TO un_a");
  }

  @Test
  void refusesToRenameATableIntoACapturedName() throws SQLException {
    makeTables();
    assertRefused("was renamed to", "RENAME TABLE un_c TO c");
  }

  @Test
  void refusesADroppedColumn() throws SQLException {
    makeTables();
    assertRefused(database + ".a", "ALTER TABLE a DROP COLUMN v");
  }

  @Test
  void refusesATruncatedPartition() throws SQLException {
    makeTables();
    sql(
        "CREATE TABLE p (id INT PRIMARY KEY) PARTITION BY RANGE (id)"
            + " (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE)");
    assertRefused("unseen", "ALTER TABLE p TRUNCATE PARTITION p0");
  }

  @Test
  void refusesAChangeLoggedAsStatement() throws SQLException {
    makeTables();
    RecordingInput input = newInput();
    try (DebeziumRun run = start(input)) {
      mark(1);
      awaitMark(input, run, 1);
      int events = input.lastCut().events();
      session("SET SESSION binlog_format = 'STATEMENT'", "INSERT INTO a (id) VALUES (1)");
      mark(2);
      PipelineStoppedException why = run.awaitEnd();
      assertThat(why).hasMessageContaining("as a statement");
      assertThat(why.reason()).isEqualTo(Reason.REFUSED);
      assertThat(input.lastCut().events()).isEqualTo(events);
    }
  }

  @Test
  void namesTableAndSettingWhenASessionLeavesColumnsOut() throws SQLException {
    makeTables();
    sql(
        "CREATE TABLE t (id INT PRIMARY KEY, n INT, x TEXT)",
        "INSERT INTO a VALUES (1, 'x', 1)",
        "INSERT INTO t VALUES (1, 1, 'x')",
        "INSERT INTO un_c VALUES (1)",
        "ALTER TABLE un_c ADD n INT");
    RecordingInput before = newInput();
    try (DebeziumRun run = start(before)) {
      // Tables that are not captured may be logged as anyone likes.
      session("SET SESSION binlog_row_image = 'MINIMAL'", "UPDATE un_c SET n = 2");
      mark(1);
      awaitMark(before, run, 1);
    }
    assertStops(
        database + ".a (without v, n)",
        "SET SESSION binlog_row_image = 'MINIMAL'",
        "UPDATE a SET n = 2 WHERE id = 1");
    assertStops(
        database + ".a (without v, n)",
        "SET SESSION binlog_row_image = 'MINIMAL'",
        "DELETE FROM a WHERE id = 1");
    assertStops(
        database + ".a (without v, n)",
        "SET SESSION binlog_row_image = 'MINIMAL'",
        "INSERT INTO a (id) VALUES (7)");
    assertStops(
        database + ".t (without x)",
        "SET SESSION binlog_row_image = 'NOBLOB'",
        "UPDATE t SET n = 2 WHERE id = 1");
  }

  /** The source stops at what a session of its own does, and says this. */
  private void assertStops(String mustSay, String... inSession) throws SQLException {
    RecordingInput input = newInput();
    try (DebeziumRun run = start(input)) {
      int events = input.lastCut().events();
      session(inSession);
      PipelineStoppedException why = run.awaitEnd();
      assertThat(why).hasMessageContaining(mustSay).hasMessageContaining("binlog.0");
      if (inSession[0].contains("row_image")) {
        assertThat(why).hasMessageContaining("binlog_row_image=FULL");
      }
      assertThat(why.reason()).isEqualTo(Reason.REFUSED);
      assertThat(input.lastCut().events()).as("nothing of it is cut").isEqualTo(events);
    }
  }

  @Test
  void refusesXaTransactionsOnCapturedTablesAlone() throws SQLException {
    makeTables();
    for (String end : List.of("XA ROLLBACK 'x'", "XA COMMIT 'x'")) {
      RecordingInput input = newInput();
      try (DebeziumRun run = start(input)) {
        session(
            "XA START 'u'",
            "INSERT INTO un_c VALUES (" + end.length() + ")",
            "XA END 'u'",
            "XA PREPARE 'u'",
            end.replace("'x'", "'u'"));
        mark(end.length());
        awaitMark(input, run, end.length());
        int events = input.lastCut().events();
        session("XA START 'x'", "INSERT INTO a (id) VALUES (1)", "XA END 'x'", "XA PREPARE 'x'");
        session(end);
        mark(100 + end.length());
        PipelineStoppedException why = run.awaitEnd();
        assertThat(why).hasMessageContaining("XA");
        assertThat(why.reason()).isEqualTo(Reason.REFUSED);
        assertThat(input.lastCut().events()).isEqualTo(events);
      }
    }
  }

  @Test
  void losesNothingOfAnXaTransactionCommittedInOnePhase() throws SQLException {
    makeTables();
    RecordingInput input = newInput();
    try (DebeziumRun run = start(input)) {
      int events = input.lastCut().events();
      session(
          "XA START 'x'", "INSERT INTO a (id) VALUES (1)", "XA END 'x'", "XA COMMIT 'x' ONE PHASE");
      mark(1);
      // It is a plain transaction in MariaDB's log; where it is not, it is refused.
      if (isMariaDb()) {
        awaitMark(input, run, 1);
        assertThat(input.events()).contains("+I a 1,d,5");
      } else {
        assertThat(run.awaitEnd()).hasMessageContaining("XA");
        assertThat(input.lastCut().events()).isEqualTo(events);
      }
    }
  }

  @Test
  void namesEachGlobalSettingThatLosesChanges() throws SQLException {
    sql("SET GLOBAL binlog_format = 'ROW', GLOBAL binlog_row_image = 'FULL'");
    assertThat(stops()).isEmpty();
    for (String format : List.of("STATEMENT", "MIXED")) {
      assertStopsWith("binlog_format=" + format, "GLOBAL binlog_format", format);
    }
    for (String image : List.of("MINIMAL", "NOBLOB")) {
      assertStopsWith("binlog_row_image=" + image, "GLOBAL binlog_row_image", image);
    }
    if (isMariaDb()) {
      assertStopsWith("log_bin_compress=ON", "GLOBAL log_bin_compress", "ON");
      return;
    }
    assertStopsWith(
        "binlog_row_value_options=PARTIAL_JSON", "GLOBAL binlog_row_value_options", "PARTIAL_JSON");
    sql("SET GLOBAL binlog_transaction_compression = ON");
    try {
      assertThat(SourcePreflight.check(settings()).stream().map(Object::toString))
          .anyMatch(text -> text.startsWith("binlog_transaction_compression=ON"));
      assertThat(stops()).isEmpty();
    } finally {
      sql("SET GLOBAL binlog_transaction_compression = OFF");
    }
  }

  private void assertStopsWith(String mustSay, String variable, String value) throws SQLException {
    String before;
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@" + variable.replace(' ', '.'))) {
      row.next();
      before = row.getString(1);
    }
    sql("SET " + variable + " = '" + value + "'");
    try {
      assertThat(stops()).singleElement().asString().startsWith(mustSay).contains("SET GLOBAL ");
    } finally {
      sql("SET " + variable + " = " + (before.matches("[01]") ? before : "'" + before + "'"));
    }
    assertThat(stops()).isEmpty();
  }

  private List<String> stops() {
    return SourcePreflight.check(settings()).stream()
        .filter(SourcePreflight.Finding::stops)
        .map(SourcePreflight.Finding::toString)
        .toList();
  }

  private SourceSettings settings() {
    return DebeziumRun.settings(server(), database, ThrowawayServer.CDC, Map.of());
  }

  @Test
  void twoEnginesOfOneServerIdHoldUpEachOtherAndLoseNothing() throws SQLException {
    makeTables();
    RecordingInput first = newInput();
    RecordingInput second = newInput();
    try (DebeziumRun older = start(first);
        DebeziumRun newer = start(second)) {
      PipelineStoppedException why = older.awaitEnd();
      assertThat(why).hasMessageContaining("server id");
      assertThat(why.reason()).isEqualTo(Reason.UNREACHABLE);
      mark(1);
      awaitMark(second, newer, 1);
    }
    RecordingInput again = RecordingInput.after(DebeziumRun.capturing(database), first.lastCut());
    try (DebeziumRun run = start(again, first.lastCut().state(), Map.of())) {
      awaitMark(again, run, 1);
    }
  }

  /** Wherever the network is cut, also within an event: each change once, from the last cut on. */
  @Test
  void deliversEachChangeOnceWhereverTheNetworkIsCut() throws SQLException {
    long seed = Seeds.of("cuts of the network, " + database);
    Random random = new Random(seed);
    makeTables();
    String many =
        IntStream.range(0, 3_000)
            .mapToObj(i -> "(" + (10_000 + i) + ",'row " + i + "',0)")
            .collect(Collectors.joining(",", "INSERT INTO a (id, v, n) VALUES ", ""));
    RecordingInput all = newInput();
    RecordingInput.Cut start;
    try (DebeziumRun run = start(all)) {
      mark(1);
      awaitMark(all, run, 1);
      start = all.lastCut();
      changeAlmostEverything();
      transaction(
          many,
          "UPDATE a SET n = n + 1 WHERE id >= 10000",
          "INSERT INTO b VALUES (500, 1)",
          "INSERT INTO a (id, v) VALUES (600, 'within rows')");
      sql(
          "ALTER TABLE b ADD cut_within_ddl INT",
          "INSERT INTO b VALUES (501, 1, 2)",
          "ALTER TABLE a ADD y INT DEFAULT 8",
          "INSERT INTO a (id, v) VALUES (601, 'row behind ddl')");
      mark(2);
      awaitMark(all, run, 2);
    }
    List<String> expected = all.events().subList(start.events(), all.events().size());
    try (TcpProxy proxy = TcpProxy.before(server().host(), server().port())) {
      for (String marker :
          List.of("within rows", "cut_within_ddl", "row behind ddl", "'row 2000'")) {
        byte[] bytes = marker.replace("'", "").getBytes(StandardCharsets.UTF_8);
        comesThrough(proxy, start, expected, marker, () -> proxy.cutBinlogAt(bytes), 1);
      }
      int tries = Integer.getInteger("test.network.cuts", 2);
      for (int i = 0; i < tries; i++) {
        // Mostly among the small transactions at the beginning: they are a few KB.
        long bytes = random.nextInt(i % 2 == 0 ? 12_000 : 150_000);
        comesThrough(proxy, start, expected, "byte " + bytes, () -> proxy.cutBinlogAfter(bytes), 2);
      }
    }
  }

  /** From the start, cut so many times, each time going on from the last cut, to the end. */
  private void comesThrough(
      TcpProxy proxy,
      RecordingInput.Cut start,
      List<String> expected,
      String where,
      Runnable cut,
      int times) {
    List<String> joined = new ArrayList<>();
    RecordingInput.Cut from = start;
    for (int i = 0; i < times; i++) {
      RecordingInput input = RecordingInput.after(DebeziumRun.capturing(database), from);
      int before = proxy.cuts();
      cut.run();
      try (DebeziumRun run = through(proxy, input, from)) {
        int wanted = expected.size() - joined.size();
        input.awaitEither(run, wanted);
        if (proxy.cuts() > before) {
          assertThat(run.awaitEnd().reason()).as(where).isEqualTo(Reason.UNREACHABLE);
        }
      }
      if (!input.cuts().isEmpty()) {
        joined.addAll(input.events().subList(0, input.lastCut().events()));
        from = input.lastCut();
      }
      if (i == 0 && times == 1) {
        assertThat(proxy.cuts()).as("%s: it was cut", where).isEqualTo(before + 1);
      }
    }
    proxy.cutBinlogAfter(Long.MAX_VALUE);
    RecordingInput rest = RecordingInput.after(DebeziumRun.capturing(database), from);
    try (DebeziumRun run = through(proxy, rest, from)) {
      rest.awaitEither(run, expected.size() - joined.size());
      assertThat(run.endedWith()).as("goes on after %s", where).isNull();
    }
    joined.addAll(rest.events());
    assertThat(joined).as("cut at %s", where).isEqualTo(expected);
  }

  private DebeziumRun through(TcpProxy proxy, RecordingInput input, RecordingInput.Cut from) {
    return DebeziumRun.start(through(proxy, Duration.ofMinutes(1)), input, from.state());
  }

  private SourceSettings through(TcpProxy proxy, Duration readTimeout) {
    return DebeziumRun.at(settings(), proxy.host(), proxy.port(), readTimeout);
  }

  @Test
  void noticesASilentConnectionWithinBoundedTime() throws SQLException {
    makeTables();
    try (TcpProxy proxy = TcpProxy.before(server().host(), server().port())) {
      SourceSettings settings = through(proxy, Duration.ofSeconds(5));
      RecordingInput input = newInput();
      try (DebeziumRun run = DebeziumRun.start(settings, input, DebeziumRun.NEW)) {
        input.await(run, () -> !input.cuts().isEmpty(), "the first cut");
        mark(1);
        awaitMark(input, run, 1);
        proxy.fallSilent();
        mark(2);
        PipelineStoppedException why = run.awaitEnd();
        assertThat(why).hasMessageContaining("sent nothing for");
        assertThat(why.reason()).isEqualTo(Reason.UNREACHABLE);
      }
      // Also before the binlog is followed: every question has its time.
      RecordingInput early = RecordingInput.after(DebeziumRun.capturing(database), input.lastCut());
      assertThat(whyItCannotGoOn(settings, early, input.lastCut().state()).reason())
          .isEqualTo(Reason.UNREACHABLE);
      proxy.speakAgain();
      RecordingInput again = RecordingInput.after(DebeziumRun.capturing(database), input.lastCut());
      try (DebeziumRun run = DebeziumRun.start(settings, again, input.lastCut().state())) {
        awaitMark(again, run, 2);
      }
      assertThat(again.events()).containsExactly("+I z_mark 2");
    }
  }

  @Test
  void endsSoonWhenTheServerClosesTheConnection() throws SQLException {
    makeTables();
    RecordingInput input = newInput();
    try (DebeziumRun run = start(input)) {
      mark(1);
      awaitMark(input, run, 1);
      List<Long> ids = new ArrayList<>();
      try (Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("SHOW PROCESSLIST")) {
        while (rows.next()) {
          if (rows.getString("Command").startsWith("Binlog Dump")) {
            ids.add(rows.getLong("Id"));
          }
        }
      }
      assertThat(ids).isNotEmpty();
      for (long id : ids) {
        sql("KILL " + id);
      }
      assertThat(run.awaitEnd().reason()).isEqualTo(Reason.UNREACHABLE);
    }
  }

  @Test
  void saysThatThePasswordIsWrong() throws SQLException {
    var settings =
        DebeziumRun.settings(
            server(),
            database,
            new io.sluice.replicator.demo.servers.Account("cdc", "nonsense"),
            Map.of());
    try (DebeziumRun run = DebeziumRun.start(settings, newInput(), DebeziumRun.NEW)) {
      PipelineStoppedException why = run.awaitEnd();
      assertThat(why.reason()).isEqualTo(Reason.UNREACHABLE);
      assertThat(why).hasMessageContaining("refuses user 'cdc'");
      assertThat(why.getMessage()).doesNotContain("nonsense");
    }
  }

  @Test
  void saysThatItsPositionIsGone() throws SQLException {
    makeTables();
    RecordingInput first = newInput();
    try (DebeziumRun run = start(first)) {
      mark(1);
      awaitMark(first, run, 1);
    }
    RecordingInput.Cut cut = first.lastCut();
    mark(2);
    if (isMariaDb()) {
      sql("SET GLOBAL slave_connections_needed_for_purge = 0");
    }
    purgeBinlogs();
    RecordingInput second = RecordingInput.after(DebeziumRun.capturing(database), cut);
    PipelineStoppedException why = whyItCannotGoOn(settings(), second, cut.state());
    assertThat(why).hasMessageContaining("\"gap\"");
    if (isMariaDb()) {
      assertThat(why).hasMessageContaining("purged");
    } else if (cut.position().text().contains("gtids")) {
      assertThat(why).hasMessageContaining("and lacks ").hasMessageContaining("were purged");
    } else {
      assertThat(why).hasMessageContaining("stands at").hasMessageContaining("the oldest file is");
    }
    assertThat(why.reason()).isEqualTo(Reason.PROTECTED);
    assertThat(second.events()).isEmpty();
  }

  private PipelineStoppedException whyItCannotGoOn(
      SourceSettings settings, RecordingInput input, RecoveredState state) {
    try (DebeziumRun run = DebeziumRun.start(settings, input, state)) {
      return run.awaitEnd();
    } catch (PipelineStoppedException refusedAtOnce) {
      return refusedAtOnce;
    }
  }

  /** A server keeps a file as long as it believes that a reader, even one just gone, is in it. */
  private void purgeBinlogs() throws SQLException {
    long deadline = System.nanoTime() + 60_000_000_000L;
    List<String> files;
    do {
      assertThat(System.nanoTime()).as("time for the purge").isLessThan(deadline);
      mark((int) (System.nanoTime() >>> 20));
      sql("FLUSH BINARY LOGS");
      files = new ArrayList<>();
      try (Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("SHOW BINARY LOGS")) {
        while (rows.next()) {
          files.add(rows.getString(1));
        }
      }
      sql("PURGE BINARY LOGS TO '" + files.get(files.size() - 1) + "'");
    } while (files.get(0).endsWith("00001"));
  }

  @Test
  void refusesAPositionOfAnotherKindOfSource() {
    RecordingInput input = newInput();
    var state =
        new RecoveredState(
            1, Optional.of(new SourcePosition("{\"topic-0\":17}")), List.of(), Map.of());
    org.assertj.core.api.Assertions.assertThatThrownBy(() -> start(input, state, Map.of()))
        .isInstanceOf(PipelineStoppedException.class)
        .hasMessageContaining("no position of a");
  }
}
