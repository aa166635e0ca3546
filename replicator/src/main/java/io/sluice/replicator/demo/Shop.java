package io.sluice.replicator.demo;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;
import java.util.function.IntFunction;

/**
 * A small shop: customers, products, orders and their items, and {@code pulse}, a table with one
 * row for each connection of the workload that counts its transactions (by it the demo measures
 * freshness).
 */
public final class Shop {
  /** The database that holds it. */
  public static final String DATABASE = "shop";

  static final String PULSE = "pulse";

  /** Rows of {@link #PULSE}; more connections than these there are not. */
  static final int WORKERS_MAX = 16;

  /**
   * How to read a table as text.
   *
   * @param keyColumns number of leading columns that are the primary key
   */
  record Table(String name, int keyColumns, List<Column> columns) {
    List<String> columnNames() {
      return columns.stream().map(Column::name).toList();
    }
  }

  /**
   * @param expression gives the column's text in SQL; empty for doubles, which Java prints
   */
  record Column(String name, String expression) {}

  static final List<Table> TABLES =
      List.of(
          new Table(
              "customers",
              1,
              List.of(
                  plain("id"),
                  plain("email"),
                  plain("name"),
                  plain("country"),
                  plain("tier"),
                  plain("credit"),
                  plain("registered"),
                  instant("updated_at"))),
          new Table(
              "products",
              1,
              List.of(
                  plain("id"),
                  plain("sku"),
                  plain("title"),
                  plain("price"),
                  plain("stock"),
                  new Column("weight", ""),
                  plain("tags"),
                  plain("active"))),
          new Table(
              "orders",
              1,
              List.of(
                  plain("id"),
                  plain("customer_id"),
                  plain("status"),
                  plain("placed_on"),
                  plain("total"),
                  plain("note"),
                  instant("updated_at"))),
          new Table(
              "order_items",
              2,
              List.of(
                  plain("order_id"),
                  plain("line_no"),
                  plain("product_id"),
                  plain("quantity"),
                  plain("price"))),
          new Table(PULSE, 1, List.of(plain("worker"), plain("beats"), instant("beaten_at"))));

  private static final List<String> DDL =
      List.of(
          """
          CREATE TABLE customers (
            id INT PRIMARY KEY,
            email VARCHAR(80) NOT NULL,
            name VARCHAR(60) NOT NULL,
            country CHAR(2) NOT NULL,
            tier ENUM('basic', 'plus', 'gold') NOT NULL,
            credit DECIMAL(12,2) NOT NULL,
            registered DATETIME(3) NOT NULL,
            updated_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6))""",
          """
          CREATE TABLE products (
            id INT PRIMARY KEY,
            sku VARCHAR(20) NOT NULL,
            title VARCHAR(80) NOT NULL,
            price DECIMAL(10,2) NOT NULL,
            stock INT NOT NULL,
            weight DOUBLE,
            tags JSON,
            active TINYINT(1) NOT NULL)""",
          """
          CREATE TABLE orders (
            id BIGINT PRIMARY KEY,
            customer_id INT NOT NULL,
            status ENUM('new', 'paid', 'shipped', 'returned') NOT NULL,
            placed_on DATE NOT NULL,
            total DECIMAL(12,2) NOT NULL,
            note VARCHAR(200) NULL DEFAULT 'none',
            updated_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6))""",
          """
          CREATE TABLE order_items (
            order_id BIGINT NOT NULL,
            line_no INT NOT NULL,
            product_id INT NOT NULL,
            quantity INT NOT NULL,
            price DECIMAL(10,2) NOT NULL,
            PRIMARY KEY (order_id, line_no))""",
          """
          CREATE TABLE pulse (
            worker INT PRIMARY KEY,
            beats BIGINT NOT NULL,
            beaten_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6))""");

  private static final String[] COUNTRIES = {"DE", "FR", "PL", "IN", "BR", "JP", "US", "KE"};
  private static final int BATCH_ROWS = 500;

  private Shop() {}

  private static Column plain(String name) {
    return new Column(name, "CAST(" + name + " AS CHAR)");
  }

  private static Column instant(String name) {
    return new Column(name, "CONCAT(CAST(" + name + " AS CHAR), 'Z')");
  }

  /** How many rows each table begins with, of so many in all. */
  public record Size(int customers, int products, int orders, int orderItems) {
    public static Size of(int rows) {
      int customers = Math.max(1, rows / 10);
      int products = Math.max(1, rows / 50);
      int orders = Math.max(1, rows * 28 / 100);
      return new Size(
          customers, products, orders, Math.max(0, rows - customers - products - orders));
    }
  }

  /** Makes the database, which must not exist, and fills it. */
  public static void create(Connector connector, Size size) throws SQLException {
    try (Connection connection = connector.connect("");
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + DATABASE + " DEFAULT CHARACTER SET utf8mb4");
      statement.execute("USE " + DATABASE);
      for (String ddl : DDL) {
        statement.execute(ddl);
      }
      connection.setAutoCommit(false);
      Random random = new Random(42);
      fill(connection, "customers", size.customers(), id -> customer(id, random));
      fill(connection, "products", size.products(), id -> product(id, random));
      fill(connection, "orders", size.orders(), id -> order(id, size.customers(), random));
      fill(connection, "order_items", size.orderItems(), row -> firstItem(row, size, random));
      fill(connection, PULSE, WORKERS_MAX, row -> "(" + (row - 1) + ", 0, NOW(6))");
    }
  }

  /** Drops what {@link #create} made. */
  public static void drop(Connector connector) throws SQLException {
    try (Connection connection = connector.connect("");
        Statement statement = connection.createStatement()) {
      statement.execute("DROP DATABASE IF EXISTS " + DATABASE);
    }
  }

  private static void fill(Connection connection, String table, int count, IntFunction<String> row)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (int done = 0; done < count; ) {
        int now = Math.min(BATCH_ROWS, count - done);
        StringJoiner values = new StringJoiner(", ", "INSERT INTO " + table + " VALUES ", "");
        for (int i = 1; i <= now; i++) {
          values.add(row.apply(done + i));
        }
        statement.executeUpdate(values.toString());
        connection.commit();
        done += now;
      }
    }
  }

  static String customer(int id, Random random) {
    return "("
        + id
        + ", 'customer"
        + id
        + "@example.org', 'Customer N\u00ba "
        + id
        + "', '"
        + COUNTRIES[random.nextInt(COUNTRIES.length)]
        + "', '"
        + (id % 50 == 0 ? "gold" : id % 7 == 0 ? "plus" : "basic")
        + "', "
        + BigDecimal.valueOf(random.nextInt(1_000_000), 2)
        + ", '2025-0"
        + (1 + id % 9)
        + "-1"
        + id % 10
        + " 08:15:30."
        + (100 + id % 900)
        + "', NOW(6))";
  }

  private static String product(int id, Random random) {
    return "("
        + id
        + ", 'SKU-"
        + id
        + "', 'Product "
        + id
        + "', "
        + BigDecimal.valueOf(99 + random.nextInt(50_000), 2)
        + ", 100000, "
        + random.nextInt(10_000) / 1_000.0
        + ", '{\"color\": \"red\", \"size\": "
        + id % 12
        + "}', "
        + (id % 20 == 0 ? 0 : 1)
        + ")";
  }

  static String order(long id, int customers, Random random) {
    return "("
        + id
        + ", "
        + (1 + random.nextInt(customers))
        + ", 'new', '2026-0"
        + (1 + random.nextInt(9))
        + "-"
        + (10 + random.nextInt(19))
        + "', "
        + BigDecimal.valueOf(random.nextInt(100_000), 2)
        + ", "
        + (id % 4 == 0 ? "NULL" : "'leave it at the door'")
        + ", NOW(6))";
  }

  private static String firstItem(int row, Size size, Random random) {
    return item(
        1 + (row - 1) % size.orders(), 1 + (row - 1) / size.orders(), size.products(), random);
  }

  static String item(long order, int line, int products, Random random) {
    return "("
        + order
        + ", "
        + line
        + ", "
        + (1 + random.nextInt(products))
        + ", "
        + (1 + random.nextInt(5))
        + ", "
        + BigDecimal.valueOf(99 + random.nextInt(50_000), 2)
        + ")";
  }
}
