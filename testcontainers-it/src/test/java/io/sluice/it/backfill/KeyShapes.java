package io.sluice.it.backfill;

import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Tables whose keys have gone wrong for others. */
final class KeyShapes {

  private final Statement statement;
  private final List<String> names = new ArrayList<>();

  private KeyShapes(Statement statement) {
    this.statement = statement;
  }

  static List<String> create(ThrowawayServer server, String database) throws SQLException {
    try (Connection root = server.connect(database);
        Statement statement = root.createStatement()) {
      statement.execute("SET NAMES utf8mb4");
      statement.execute("SET sql_mode = 'NO_ENGINE_SUBSTITUTION', time_zone = '+00:00'");
      KeyShapes shapes = new KeyShapes(statement);
      shapes.integers();
      shapes.texts();
      shapes.others();
      shapes.composites();
      return shapes.names;
    }
  }

  private void table(String name, String columns, String... rows) throws SQLException {
    String quoted = "`" + name.replace("`", "``") + "`";
    statement.execute("CREATE TABLE " + quoted + " (" + columns + ") CHARACTER SET utf8mb4");
    if (rows.length > 0) {
      statement.execute("INSERT INTO " + quoted + " VALUES (" + String.join("),(", rows) + ")");
    }
    statement.execute("ANALYZE TABLE " + quoted);
    names.add(name);
  }

  private static String[] numbered(int count, java.util.function.IntFunction<String> row) {
    String[] rows = new String[count];
    for (int i = 0; i < count; i++) {
      rows[i] = row.apply(i);
    }
    return rows;
  }

  private void integers() throws SQLException {
    table("empty", "id INT PRIMARY KEY, v INT");
    table("one", "id INT PRIMARY KEY, v INT", "7, 1");
    table("dense", "id INT PRIMARY KEY, v INT", numbered(200, i -> (i - 100) + "," + i));
    table("sparse", "id BIGINT PRIMARY KEY", numbered(50, i -> Long.toString(i * 97_003L * i)));
    table(
        "extremes",
        "id BIGINT PRIMARY KEY",
        "-9223372036854775808",
        "-1",
        "0",
        "9223372036854775807");
    table(
        "unsigned",
        "id BIGINT UNSIGNED PRIMARY KEY, v INT",
        "1, 1",
        "9223372036854775808, 2",
        "18446744073709551615, 3");
    table("zerofill", "id INT(8) ZEROFILL PRIMARY KEY", "1", "20", "300");
    table("key-last", "v INT, id INT PRIMARY KEY, INDEX (v)", numbered(30, i -> -i + "," + i));
  }

  private void texts() throws SQLException {
    table(
        "general_ci",
        "id CHAR(4) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci PRIMARY KEY",
        "'0000'",
        "'1111'",
        "'aaaa'",
        "'bbbb'",
        "'ZZZZ'",
        "'Cccc'");
    table(
        "latin1",
        "id VARCHAR(20) CHARACTER SET latin1 PRIMARY KEY",
        "'ä'",
        "'Z'",
        "'a b'",
        "'€'",
        "''",
        "'o''clock\\\\'");
    table("sjis", "id VARCHAR(20) CHARACTER SET sjis PRIMARY KEY", "'あ'", "'ア亜'", "'a'", "'表'");
    table(
        "utf16",
        "id VARCHAR(20) CHARACTER SET utf16 COLLATE utf16_bin PRIMARY KEY",
        "'a'",
        "'😀'",
        "'～'",
        "'B'");
    table("blobs", "id VARBINARY(8) PRIMARY KEY", "''", "X'00'", "X'0000'", "X'80'", "X'FF'");
    table(
        "binary16",
        "id BINARY(16) PRIMARY KEY",
        "X'11111111111111111111111111111100'",
        "X'11111111111111111111111111111101'",
        "X'FF'",
        "X'00'");
    table("prefix", "id VARCHAR(50), PRIMARY KEY (id(3))", "'abcd'", "'abdd'", "'b'", "'Ba'");
  }

  private void others() throws SQLException {
    table("decimals", "id DECIMAL(30,10) PRIMARY KEY", "-1.5", "0", "0.0000000001", "1e19");
    table(
        "moments",
        "id DATETIME(6) PRIMARY KEY",
        "'2024-01-01 00:00:00.000001'",
        "'2024-01-01 00:00:00.000002'",
        "'0001-01-01 00:00:00'",
        "'9999-12-31 23:59:59.999999'");
    table(
        "instants",
        "id TIMESTAMP(3) NOT NULL PRIMARY KEY",
        "'2026-11-01 05:30:00'",
        "'2026-11-01 06:30:00'",
        "'1970-01-01 00:00:01'");
    table("days", "id DATE PRIMARY KEY", "'2024-02-29'", "'0001-01-01'", "'9999-12-31'");
    table("spans", "id TIME(1) PRIMARY KEY", "'-838:59:59'", "'-00:00:01.5'", "'838:59:59'");
    table("kinds", "id ENUM('z','a','m') PRIMARY KEY, v INT", "'z', 1", "'a', 2", "'m', 3");
    table("odd`name.x", "`a b` INT PRIMARY KEY, `select` INT", numbered(9, i -> i + "," + i));
    table("表", "番号 INT PRIMARY KEY", "1", "2", "3");
  }

  private void composites() throws SQLException {
    table(
        "order-items",
        "a INT, b INT, v INT, PRIMARY KEY (a, b)",
        numbered(60, i -> (i / 20) + "," + i + "," + i));
    table(
        "key-order",
        "a INT, b VARCHAR(5), c DATE, v INT, PRIMARY KEY (c, b, a)",
        numbered(
            60, i -> i + ",'" + (char) ('a' + i % 3) + "','2024-01-0" + (1 + i % 2) + "'," + i));
    table(
        "kind-second",
        "a INT, k ENUM('z','a','m'), b INT, PRIMARY KEY (a, k, b)",
        numbered(60, i -> (i / 30) + "," + (1 + i % 3) + "," + i));
  }
}
