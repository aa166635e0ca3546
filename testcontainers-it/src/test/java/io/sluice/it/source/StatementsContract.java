package io.sluice.it.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.sinks.PipelineStoppedException.Reason;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * What statements do to rows and columns that the log doesn't tell: each is refused by name, with
 * nothing behind it cut, or followed to what the source then has. Which of the two is not left
 * open.
 */
abstract class StatementsContract extends SourceTest {

  /** Where a statement is for one kind of server. */
  enum On {
    BOTH,
    MYSQL,
    MARIADB
  }

  /**
   * @param table whose rows are compared at the end
   * @param before statements before the source starts
   * @param during statements while it runs
   * @param says what the refusal must say; empty: it must be followed
   */
  record Case(
      String name, On on, String table, List<String> before, List<String> during, String says) {}

  private static final String GONE = "was taken away and given anew";
  private static final String CASCADES = "changes rows by cascade";
  private static final String READ_AS = "read as";
  private static final String UNREADABLE = "can't be read by Debezium's parser";
  private static final String ENGINE = "changes rows without a word";

  private static final List<Case> CASES =
      List.of(
          refused("drops and adds the last column", GONE, "ALTER TABLE a DROP n, ADD n INT"),
          refused(
              "drops and adds within a comment that servers run",
              GONE,
              "/*!50000 ALTER TABLE a DROP COLUMN n, ADD COLUMN n INT */"),
          refused(
              "hides it behind texts that look like comments",
              GONE,
              "ALTER TABLE a COMMENT '/*', DROP COLUMN n, ADD COLUMN n INT COMMENT '*/'"),
          refused(
              "swaps names",
              GONE,
              List.of("CREATE TABLE w (id INT PRIMARY KEY, x INT, y INT)"),
              "ALTER TABLE w RENAME COLUMN x TO y, RENAME COLUMN y TO x"),
          refused(
              "swaps names by CHANGE",
              GONE,
              List.of("CREATE TABLE w (id INT PRIMARY KEY, x INT, y INT)"),
              "ALTER TABLE w CHANGE x y INT, CHANGE COLUMN y x INT"),
          refused("renames by CHANGE", "dropped or renamed", "ALTER TABLE a CHANGE n m INT"),
          refused(
              "renames in double quotes",
              "dropped or renamed",
              "SET sql_mode = 'ANSI_QUOTES'",
              "ALTER TABLE \"a\" RENAME COLUMN \"n\" TO \"m\"",
              "SET sql_mode = DEFAULT"),
          refused("widens by CHANGE", "it was INT", "ALTER TABLE a CHANGE n n BIGINT"),
          followed(
              "keeps a column by CHANGE",
              "ALTER TABLE a CHANGE n n INT COMMENT 'x'",
              "INSERT INTO a VALUES (9, 'q', 8)"),
          followed(
              "moves a column",
              "ALTER TABLE a MODIFY n INT DEFAULT 5 AFTER id",
              "INSERT INTO a (id, v, n) VALUES (9, 'q', 8)"),
          refused(
              "converts text to a smaller character set",
              "character set".toUpperCase(java.util.Locale.ROOT),
              List.of("CREATE TABLE h (id INT PRIMARY KEY, v VARCHAR(9)) CHARSET utf8mb4"),
              "ALTER TABLE h CONVERT TO CHARACTER SET latin1"),
          refused(
              "changes the default character set",
              "default character set",
              "ALTER TABLE a CHARACTER SET latin1"),
          followed(
              "h",
              "converts text to a larger character set",
              List.of("CREATE TABLE h (id INT PRIMARY KEY, v VARCHAR(9)) CHARSET latin1"),
              "ALTER TABLE h CONVERT TO CHARACTER SET utf8mb4",
              "INSERT INTO h VALUES (1, 'é')",
              "ALTER TABLE h ADD w VARCHAR(9)",
              "INSERT INTO h VALUES (2, 'éü', 'éü')"),
          followed(
              "h",
              "names a collation only",
              List.of("CREATE TABLE h (id INT PRIMARY KEY)"),
              "ALTER TABLE h ADD w VARCHAR(10) COLLATE latin1_swedish_ci",
              "INSERT INTO h VALUES (2, 'éü')"),
          followed(
              "h",
              "changes the database's character set",
              List.of(),
              "ALTER DATABASE CHARACTER SET latin1",
              "CREATE TABLE h (id INT PRIMARY KEY, v VARCHAR(20))",
              "INSERT INTO h VALUES (2, 'éü')"),
          // The tests' database is in the server's default: utf8mb4 on MySQL, latin1 on MariaDB.
          new Case(
              "makes a table in another character set by its collation",
              On.MYSQL,
              "h",
              List.of(),
              List.of(
                  "CREATE TABLE h (id INT PRIMARY KEY, v VARCHAR(20)) COLLATE latin1_swedish_ci",
                  "INSERT INTO h VALUES (2, 'éü')"),
              READ_AS),
          new Case(
              "makes a table in another character set by its collation",
              On.MARIADB,
              "h",
              List.of(),
              List.of(
                  "CREATE TABLE h (id INT PRIMARY KEY, v VARCHAR(20)) COLLATE utf8mb4_bin",
                  "INSERT INTO h VALUES (2, 'éü')"),
              READ_AS),
          new Case(
              "makes a table in another collation of the character set",
              On.MYSQL,
              "h",
              List.of(),
              List.of(
                  "CREATE TABLE h (id INT PRIMARY KEY, v VARCHAR(20)) COLLATE = utf8mb4_bin",
                  "INSERT INTO h VALUES (2, 'éü')"),
              ""),
          new Case(
              "makes a table in another collation of the character set",
              On.MARIADB,
              "h",
              List.of(),
              List.of(
                  "CREATE TABLE h (id INT PRIMARY KEY, v VARCHAR(20)) COLLATE 'latin1_bin'",
                  "INSERT INTO h VALUES (2, 'éü')"),
              ""),
          followed(
              "h",
              "makes a column in a collation only",
              List.of(),
              "CREATE TABLE h (id INT PRIMARY KEY, v VARCHAR(20) COLLATE latin1_bin,"
                  + " w VARCHAR(20) COLLATE utf8mb4_bin)",
              "INSERT INTO h VALUES (2, 'éü', 'éü')"),
          refused(
              "makes a column in ASCII",
              UNREADABLE,
              "CREATE TABLE h (id INT PRIMARY KEY, v VARCHAR(20) ASCII)"),
          refused(
              "makes a column in UNICODE",
              UNREADABLE,
              "CREATE TABLE h (id INT PRIMARY KEY, v VARCHAR(20) UNICODE)"),
          refused(
              "makes a text of bytes",
              "CHARACTER SET binary is not supported",
              "CREATE TABLE h (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET binary)"),
          followed(
              "h",
              "makes a column of national characters",
              List.of(),
              "CREATE TABLE h (id INT PRIMARY KEY, v NATIONAL VARCHAR(20)) CHARSET latin1",
              "INSERT INTO h VALUES (2, 'éü')"),
          followed(
              "h",
              "takes a column back to the table's character set",
              List.of(
                  "CREATE TABLE h (id INT PRIMARY KEY, v VARCHAR(9) CHARSET latin1)"
                      + " CHARSET utf8mb4"),
              "ALTER TABLE h MODIFY v VARCHAR(9)",
              "INSERT INTO h VALUES (2, 'éü')"),
          new Case(
              "changes the database's collation",
              On.MYSQL,
              "h",
              List.of(),
              List.of(
                  "ALTER DATABASE COLLATE latin1_swedish_ci",
                  "CREATE TABLE h (id INT PRIMARY KEY, v VARCHAR(20))",
                  "INSERT INTO h VALUES (2, 'éü')"),
              READ_AS),
          new Case(
              "changes the database's collation",
              On.MARIADB,
              "h",
              List.of(),
              List.of(
                  "ALTER DATABASE COLLATE utf8mb4_bin",
                  "CREATE TABLE h (id INT PRIMARY KEY, v VARCHAR(20))",
                  "INSERT INTO h VALUES (2, 'éü')"),
              READ_AS),
          followed(
              "h",
              "makes a table like one in another character set",
              List.of("CREATE TABLE un_l (id INT PRIMARY KEY, v VARCHAR(9)) CHARSET latin1"),
              "CREATE TABLE h LIKE un_l",
              "INSERT INTO h VALUES (2, 'éü')"),
          followed(
              "h",
              "makes a table of rows in another character set",
              List.of(
                  "CREATE TABLE un_l (id INT PRIMARY KEY, v VARCHAR(9)) CHARSET latin1",
                  "INSERT INTO un_l VALUES (2, 'éü')"),
              "CREATE TABLE h (PRIMARY KEY (id)) SELECT id, v FROM un_l"),
          followed(
              "h",
              "adds a column to a table in a collation only",
              List.of("CREATE TABLE h (id INT PRIMARY KEY) COLLATE latin1_swedish_ci"),
              "ALTER TABLE h ADD w VARCHAR(9)",
              "INSERT INTO h VALUES (2, 'éü')"),
          again(
              "adds a virtual column",
              "ALTER TABLE a ADD g INT GENERATED ALWAYS AS (n + 1) VIRTUAL"),
          again("adds a stored column", "ALTER TABLE a ADD COLUMN (g INT AS (n + 1) STORED)"),
          again("adds a default that is an expression", "ALTER TABLE a ADD g INT DEFAULT (1 + 1)"),
          again("adds the time", "ALTER TABLE a ADD g DATETIME DEFAULT CURRENT_TIMESTAMP"),
          again("adds a counter", "ALTER TABLE a ADD g INT AUTO_INCREMENT UNIQUE"),
          again("adds NOT NULL", "ALTER TABLE a ADD g INT NOT NULL"),
          refused(
              "redefines a generated column",
              "generated column was redefined",
              List.of("CREATE TABLE g (id INT PRIMARY KEY, n INT, m INT AS (n + 1) STORED)"),
              "ALTER TABLE g MODIFY m INT AS (n + 2) STORED"),
          followed(
              "adds an invisible column",
              "ALTER TABLE a ADD h INT INVISIBLE",
              "INSERT INTO a (id, v, n, h) VALUES (9, 'q', 8, 7)"),
          new Case(
              "adds a column that is not there",
              On.MARIADB,
              "a",
              List.of(),
              List.of(
                  "ALTER TABLE a ADD COLUMN IF NOT EXISTS q INT",
                  "INSERT INTO a VALUES (9, 'q', 8, 7)"),
              ""),
          new Case(
              "adds a cascade",
              On.MARIADB,
              "f",
              List.of("CREATE TABLE f (id INT PRIMARY KEY, p INT)"),
              List.of(
                  "ALTER TABLE f ADD FOREIGN KEY (p) REFERENCES a (id) ON DELETE CASCADE",
                  "DELETE FROM a WHERE id = 1"),
              CASCADES),
          new Case(
              "makes a table with a cascade",
              On.MARIADB,
              "f",
              List.of(),
              List.of(
                  "CREATE TABLE f (id INT PRIMARY KEY, p INT REFERENCES a (id) ON DELETE SET NULL)"),
              CASCADES),
          new Case(
              "cascades where the server logs them",
              On.MYSQL,
              "f",
              List.of("CREATE TABLE f (id INT PRIMARY KEY, p INT)"),
              List.of(
                  "INSERT INTO f VALUES (5, 1), (6, 2)",
                  "ALTER TABLE f ADD FOREIGN KEY (p) REFERENCES a (id)"
                      + " ON DELETE CASCADE ON UPDATE CASCADE",
                  "DELETE FROM a WHERE id = 1",
                  "UPDATE a SET id = 77 WHERE id = 2"),
              ""),
          refused("moves rows to memory", ENGINE, "ALTER TABLE a ENGINE = MEMORY"),
          refused(
              "makes a table in memory",
              ENGINE,
              "CREATE TABLE y (id INT PRIMARY KEY) ENGINE=MEMORY"),
          new Case(
              "drops all rows by an engine",
              On.MYSQL,
              "a",
              List.of(),
              List.of("ALTER TABLE a ENGINE=BLACKHOLE"),
              ENGINE),
          new Case(
              "drops rows by IGNORE",
              On.MARIADB,
              "a",
              List.of(),
              List.of("ALTER IGNORE TABLE a ADD UNIQUE (n)"),
              "takes rows away unseen"),
          refused(
              "exchanges rows with a partition of another table",
              "unseen",
              List.of(
                  "CREATE TABLE un_p (id INT PRIMARY KEY, v VARCHAR(20) DEFAULT 'd',"
                      + " n INT DEFAULT 5) PARTITION BY HASH (id) PARTITIONS 1"),
              "ALTER TABLE un_p EXCHANGE PARTITION p0 WITH TABLE a"),
          followed(
              "partitions",
              "ALTER TABLE a PARTITION BY HASH (id) PARTITIONS 3",
              "INSERT INTO a VALUES (9, 'q', 8)",
              "ALTER TABLE a REMOVE PARTITIONING"),
          refused("renames by ALTER", "was renamed to", "ALTER TABLE a ADD q INT, RENAME TO un_a"),
          refused(
              "renames into a captured name by ALTER",
              "was renamed to",
              "INSERT INTO un_c VALUES (5)",
              "ALTER TABLE un_c RENAME AS nn"),
          refused(
              "swaps a shadow table in, as gh-ost does",
              "was renamed to",
              "CREATE TABLE un_gho LIKE a",
              "ALTER TABLE un_gho ADD q INT",
              "INSERT INTO un_gho SELECT id, v, n, 1 FROM a",
              "RENAME TABLE a TO un_del, un_gho TO a"),
          refused(
              "drops and makes it again with the same columns",
              "was dropped",
              "DROP TABLE a",
              "CREATE TABLE a (id INT PRIMARY KEY, v VARCHAR(20) DEFAULT 'd', n INT DEFAULT 5)"),
          refused("drops one among others", "was dropped", "DROP TABLE un_c, b"),
          followed(
              "has a temporary table of the same name",
              "CREATE TEMPORARY TABLE a (id INT, q INT) ENGINE=MEMORY",
              "INSERT INTO a VALUES (1, 2)",
              "DROP TEMPORARY TABLE a",
              "INSERT INTO a VALUES (9, 'q', 8)"),
          followed(
              "h",
              "makes a captured table like another",
              List.of(),
              "CREATE TABLE h LIKE a",
              "INSERT INTO h VALUES (2, 'éü', 3)"),
          followed(
              "h",
              "makes a captured table with rows",
              List.of(),
              "CREATE TABLE h (PRIMARY KEY (id)) SELECT id, v, n * 2 m FROM a"),
          new Case(
              "makes a table with a key that nobody sees",
              On.MYSQL,
              "(SELECT my_row_id, v FROM h) x",
              List.of(),
              List.of(
                  "SET sql_generate_invisible_primary_key = ON",
                  "CREATE TABLE h (v INT)",
                  "INSERT INTO h (v) VALUES (8)",
                  "SET sql_generate_invisible_primary_key = OFF"),
              ""),
          followed(
              "changes indexes and defaults",
              "ALTER TABLE a ADD INDEX ix (n)",
              "ALTER TABLE a RENAME INDEX ix TO iy",
              "ALTER TABLE a DROP INDEX iy",
              "ALTER TABLE a ALTER n DROP DEFAULT",
              "INSERT INTO a VALUES (9, 'q', 8)"));

  private static Case refused(String name, String says, String... during) {
    return refused(name, says, List.of(), during);
  }

  private static Case refused(String name, String says, List<String> before, String... during) {
    return new Case(name, On.BOTH, "a", before, List.of(during), says);
  }

  private static Case followed(String name, String... during) {
    return followed("a", name, List.of(), during);
  }

  private static Case followed(String table, String name, List<String> before, String... during) {
    return new Case(name, On.BOTH, table, before, List.of(during), "");
  }

  /** Existing rows have values in the new column: the table must be copied again. */
  private static Case again(String name, String during) {
    return new Case(name, On.BOTH, "again", List.of(), List.of(during), "");
  }

  @TestFactory
  Stream<DynamicTest> aStatementIsRefusedOrFollowed() {
    On here = isMariaDb() ? On.MARIADB : On.MYSQL;
    return CASES.stream()
        .filter(each -> each.on() == On.BOTH || each.on() == here)
        .filter(this::isTried)
        .map(each -> DynamicTest.dynamicTest(each.name(), () -> run(each)));
  }

  boolean isTried(Case each) {
    return true;
  }

  private void run(Case each) throws SQLException {
    dropDatabase();
    makeDatabase();
    makeTables();
    sql(each.before().toArray(String[]::new));
    String[] during = each.during().toArray(String[]::new);
    RecordingInput input = newInput();
    try (DebeziumRun run = start(input)) {
      // After the start, so that what is delivered is all there is.
      sql("INSERT INTO a VALUES (1, 'x', 1), (2, 'y', 3)");
      mark(1);
      awaitMark(input, run, 1);
      if (each.says().isEmpty()) {
        sql(during);
        mark(2);
        awaitMark(input, run, 2);
        if (each.table().equals("again")) {
          assertThat(input.events()).contains("again a");
        } else {
          assertThat(input.rowsOf(tableIn(each))).isEqualTo(rowsAtSource(each.table()));
        }
      } else {
        int cut = input.lastCut().events();
        sql(during);
        mark(2);
        var why = run.awaitEnd();
        assertThat(why.getMessage()).contains(each.says());
        assertThat(why.reason()).isEqualTo(Reason.REFUSED);
        assertThat(input.events().subList(cut, input.lastCut().events()))
            .as("no row of a captured table behind the statement is cut")
            .noneMatch(event -> event.contains("z_mark"));
      }
    }
  }

  private static String tableIn(Case each) {
    return each.table().startsWith("(") ? "h" : each.table();
  }

  private Map<String, String> rowsAtSource(String table) throws SQLException {
    var result = new TreeMap<String, String>();
    String columns = String.join(",", columnsInTheLakesOrder(table));
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT " + columns + " FROM " + table)) {
      int count = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        var values = new ArrayList<String>();
        for (int i = 1; i <= count; i++) {
          values.add(String.valueOf(rows.getString(i)));
        }
        result.put(values.get(0), String.join(",", values));
      }
    }
    return result;
  }

  /** The key first, then the others by age: only table a has its columns moved. */
  private List<String> columnsInTheLakesOrder(String table) throws SQLException {
    if (table.startsWith("(")) {
      return List.of("*");
    }
    var names = new ArrayList<String>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SHOW COLUMNS FROM " + table)) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
    }
    if (table.equals("a")) {
      names.removeAll(List.of("id", "v", "n"));
      names.addAll(0, List.of("id", "v", "n"));
    }
    return names;
  }
}
