package io.sluice.it.golden;

import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * What happens in the database. Table {@code types} has a column of each type of docs/types.md and
 * three rows (one end of the range, the other, NULLs); {@code odd} has the types that a direct copy
 * refuses; {@code orders} sees every kind of event.
 */
final class GoldenScript {

  static final String DATABASE = "shop";

  /** A column, and its literals in the first row and in the second. */
  private record Column(String definition, String first, String second) {}

  private static final String NINES = "9".repeat(35) + "." + "9".repeat(30);

  private static final List<Column> TYPES =
      List.of(
          new Column("ti TINYINT", "-128", "127"),
          new Column("t1 TINYINT(1)", "127", "-1"),
          new Column("tu TINYINT UNSIGNED", "0", "255"),
          new Column("si SMALLINT", "-32768", "32767"),
          new Column("su SMALLINT UNSIGNED", "0", "65535"),
          new Column("mi MEDIUMINT", "-8388608", "8388607"),
          new Column("mu MEDIUMINT UNSIGNED", "0", "16777215"),
          new Column("i INT", "-2147483648", "2147483647"),
          new Column("iu INT UNSIGNED", "0", "4294967295"),
          new Column("b BIGINT", "-9223372036854775808", "9223372036854775807"),
          new Column("bu BIGINT UNSIGNED", "9223372036854775808", "18446744073709551615"),
          new Column("b1 BIT(1)", "b'0'", "b'1'"),
          new Column("b9 BIT(9)", "b'100000001'", "b'0'"),
          new Column("b64 BIT(64)", "~0", "b'1'"),
          new Column("f FLOAT", "0.1", "-3.4028234663852886e38"),
          new Column("d DOUBLE", "0.1e0+0.2e0", "5e-324"),
          new Column("d1 DECIMAL(10,2)", "-99999999.99", "0.00"),
          new Column(
              "d2 DECIMAL(38,18)",
              "12345678901234567890.123456789012345678",
              "-0.000000000000000001"),
          new Column("d3 DECIMAL(65,30)", NINES, "0"),
          // A YEAR of 0000 that the snapshot meets ends MariaDB's connector.
          new Column("y YEAR", "1901", "'0000'"),
          new Column("da DATE", "'0001-01-01'", "'9999-12-31'"),
          new Column("dz DATE", "'0000-00-00'", "'1582-10-10'"),
          new Column("dt DATETIME", "'0001-01-01 00:00:00'", "'9999-12-31 23:59:59'"),
          new Column("dt3 DATETIME(3)", "'1969-12-31 23:59:59.999'", "'2024-01-31 10:00:00.120'"),
          new Column(
              "dt6 DATETIME(6)", "'1600-01-31 10:00:00.123456'", "'2024-01-31 10:00:00.000001'"),
          new Column("ts TIMESTAMP NULL", "'1970-01-01 00:00:01'", "'2038-01-19 03:14:07'"),
          new Column(
              "ts6 TIMESTAMP(6) NULL", "'2026-01-15 09:00:00.5'", "'2026-11-01 05:30:00.000001'"),
          new Column("tm TIME", "'-00:00:01'", "'838:59:59'"),
          new Column("tm3 TIME(3)", "'23:59:59.999'", "'10:00:00'"),
          new Column("tm6 TIME(6)", "'838:59:58.999999'", "'-00:00:00.000001'"),
          new Column("c CHAR(5)", "'ab   '", "''"),
          new Column("v VARCHAR(20) CHARACTER SET latin1", "'äöü€ ß'", "'trailing  '"),
          new Column("x TEXT", "'ünï 😀 \"\\\\ \\0\\n'", "''"),
          new Column("bi BINARY(4)", "X'1100'", "''"),
          new Column("vb VARBINARY(10)", "X'00FF00'", "X''"),
          new Column("bl BLOB", "X'C3280000'", "'plain'"),
          new Column("e ENUM('a','b,c','d''e','f\\\\g')", "'b,c'", "'f\\\\g'"),
          new Column("s SET('x','y z','ü')", "'ü,x'", "''"),
          new Column("js JSON", "'{\"bb\":1.0,\"a\":[1, \"x\",null,{}]}'", "'\"s\"'"),
          new Column("dv INT DEFAULT 5", "NULL", "6"));

  private static final List<Column> ODD_OF_MYSQL =
      List.of(
          new Column("p POINT", "ST_GeomFromText('POINT(1 2)')", "NULL"),
          new Column("ve VECTOR(3)", "STRING_TO_VECTOR('[1,2.5,-3]')", "NULL"));

  /** Not INET4 and INET6: Debezium 3.5's parser of MariaDB's DDL ends the connector for them. */
  private static final List<Column> ODD_OF_MARIADB =
      List.of(
          new Column("p POINT", "ST_GeomFromText('POINT(1 2)')", "NULL"),
          new Column("u UUID", "'123e4567-e89b-12d3-a456-426655440000'", "NULL"));

  private GoldenScript() {}

  /** Before the connector starts: what its snapshot reads. */
  static void prepare(ThrowawayServer server) throws SQLException {
    List<Column> odd = server.kind() == ServerKind.MYSQL ? ODD_OF_MYSQL : ODD_OF_MARIADB;
    execute(
        server,
        "CREATE DATABASE shop",
        "CREATE TABLE shop.orders (id BIGINT UNSIGNED NOT NULL PRIMARY KEY,"
            + " state ENUM('new','paid','sent,late') NOT NULL, amount DECIMAL(10,2),"
            + " note VARCHAR(40) DEFAULT 'none', changed TIMESTAMP(3) NULL)"
            + " CHARACTER SET utf8mb4",
        table("types", TYPES),
        table("odd", odd),
        "CREATE TABLE shop.done (id INT PRIMARY KEY)",
        "INSERT INTO shop.orders VALUES (1, 'new', 12.50, NULL, '2026-01-31 10:00:00.123')",
        insert("types", 1, TYPES, TYPES.stream().map(Column::first).toList()),
        insert("odd", 1, odd, odd.stream().map(Column::first).toList()));
  }

  /** While the connector streams; the last is a row of table {@code done}. */
  static void change(ThrowawayServer server) throws SQLException {
    execute(
        server,
        "INSERT INTO shop.orders VALUES (2, 'sent,late', -0.01, 'ünï 😀', NULL)",
        "UPDATE shop.orders SET state = 'paid', amount = NULL WHERE id = 1",
        "UPDATE shop.orders SET id = 18446744073709551615 WHERE id = 2",
        "DELETE FROM shop.orders WHERE id = 1",
        "ALTER TABLE shop.orders ADD COLUMN extra JSON AFTER state",
        "INSERT INTO shop.orders VALUES (3, 'new', '{\"b\":1.0,\"a\":[1,2]}', 7, 'x', NULL)",
        "TRUNCATE TABLE shop.orders",
        insert("types", 2, TYPES, TYPES.stream().map(Column::second).toList()),
        "INSERT INTO shop.types (id, dv) VALUES (3, NULL)",
        "INSERT INTO shop.done VALUES (1)");
  }

  private static String table(String name, List<Column> columns) {
    List<String> definitions = new ArrayList<>();
    definitions.add("id INT PRIMARY KEY");
    columns.forEach(column -> definitions.add(column.definition()));
    return "CREATE TABLE shop."
        + name
        + " ("
        + String.join(", ", definitions)
        + ") CHARACTER SET utf8mb4";
  }

  private static String insert(String table, int id, List<Column> columns, List<String> values) {
    assert columns.size() == values.size();
    return "INSERT INTO shop." + table + " VALUES (" + id + ", " + String.join(", ", values) + ")";
  }

  private static void execute(ThrowawayServer server, String... statements) throws SQLException {
    try (Connection root = server.connect("");
        Statement statement = root.createStatement()) {
      statement.execute("SET NAMES utf8mb4");
      statement.execute("SET time_zone = '+00:00', sql_mode = 'NO_ENGINE_SUBSTITUTION'");
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
