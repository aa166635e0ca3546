package io.sluice.it.support;

import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * A random workload over three tables of database {@code crash}, from a seed: transactions of
 * inserts, updates, deletes and key changes across tables, rolled-back ones, several changes of one
 * key, and now and then one statement that touches 5,000 rows. It runs in its own thread until it
 * is stopped.
 */
public final class Workload implements AutoCloseable {
  public static final String DATABASE = "crash";
  public static final String[] TABLES = {"accounts", "orders", "blobs"};

  /** Rows of one large statement. */
  public static final int LARGE_STATEMENT_ROWS = 5_000;

  private static final long PAUSE_NANOS = 8_000_000;

  private final ThrowawayServer server;
  private final Random random;
  private final Thread thread;
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicLong transactions = new AtomicLong();
  private final AtomicLong largeStatements = new AtomicLong();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private long nextId = 1_000_000;

  private Workload(ThrowawayServer server, long seed) {
    this.server = server;
    this.random = new Random(seed);
    this.thread = new Thread(this::work, "workload");
  }

  /** Makes the tables and fills them with so many rows each. */
  public static void createTables(ThrowawayServer server, int rows) throws SQLException {
    try (Connection connection = server.connect("");
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + DATABASE);
      statement.execute("USE " + DATABASE);
      statement.execute(
          "CREATE TABLE accounts (id INT PRIMARY KEY, balance BIGINT NOT NULL, owner VARCHAR(60) NULL DEFAULT 'nobody', touched INT NOT NULL)");
      statement.execute(
          "CREATE TABLE orders (region CHAR(4) CHARACTER SET utf8mb4 NOT NULL, id BIGINT NOT NULL, amount DECIMAL(12,2), placed_at TIMESTAMP(6) NULL,"
              + " note VARCHAR(100), PRIMARY KEY (region, id))");
      statement.execute(
          "CREATE TABLE blobs (id BIGINT UNSIGNED PRIMARY KEY, payload VARBINARY(300), ratio DOUBLE, made DATETIME(3))");
      connection.setAutoCommit(false);
      Random random = new Random(7);
      try (PreparedStatement accounts =
              connection.prepareStatement("INSERT INTO accounts VALUES (?, ?, ?, 0)");
          PreparedStatement orders =
              connection.prepareStatement(
                  "INSERT INTO orders VALUES (?, ?, ?, '2026-03-04 05:06:07.890123', ?)");
          PreparedStatement blobs =
              connection.prepareStatement(
                  "INSERT INTO blobs VALUES (?, ?, ?, '2026-01-02 03:04:05.678')")) {
        for (int i = 1; i <= rows; i++) {
          accounts.setInt(1, i);
          accounts.setLong(2, random.nextInt(10_000));
          accounts.setString(3, i % 7 == 0 ? null : "owner " + i);
          accounts.addBatch();
          orders.setString(1, region(i));
          orders.setLong(2, i);
          orders.setBigDecimal(3, java.math.BigDecimal.valueOf(random.nextInt(100_000), 2));
          orders.setString(4, "first");
          orders.addBatch();
          blobs.setLong(1, i);
          blobs.setBytes(2, payload(random));
          blobs.setDouble(3, random.nextDouble());
          blobs.addBatch();
          if (i % 1_000 == 0 || i == rows) {
            accounts.executeBatch();
            orders.executeBatch();
            blobs.executeBatch();
            connection.commit();
          }
        }
      }
    }
  }

  private static String region(long id) {
    return switch ((int) (id % 5)) {
      case 0 -> "aa";
      case 1 -> "ZZ";
      case 2 -> "b1";
      case 3 -> "Ää";
      default -> "0";
    };
  }

  private static byte[] payload(Random random) {
    byte[] bytes = new byte[random.nextInt(200)];
    random.nextBytes(bytes);
    return bytes;
  }

  public static Workload start(ThrowawayServer server, long seed) {
    Workload workload = new Workload(server, seed);
    workload.thread.start();
    return workload;
  }

  public long transactions() {
    return transactions.get();
  }

  public long largeStatements() {
    return largeStatements.get();
  }

  private void work() {
    try (Connection connection = server.connect(DATABASE)) {
      connection.setAutoCommit(false);
      while (!stop.get()) {
        if (random.nextInt(150) == 0) {
          largeStatement(connection);
        } else {
          smallTransaction(connection);
        }
        transactions.incrementAndGet();
        // Else it fills the binlog while nobody reads, and the end of the test is one long catching
        // up.
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (SQLException | RuntimeException e) {
      failure.set(e);
    }
  }

  private void largeStatement(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      switch (random.nextInt(3)) {
        case 0 ->
            statement.execute(
                "UPDATE accounts SET touched = touched + 1 ORDER BY id LIMIT "
                    + LARGE_STATEMENT_ROWS);
        case 1 ->
            statement.execute(
                "UPDATE orders SET note = CONCAT('t', "
                    + random.nextInt(1000)
                    + ") ORDER BY region, id LIMIT "
                    + LARGE_STATEMENT_ROWS);
        default -> {
          long base = nextId;
          nextId += LARGE_STATEMENT_ROWS;
          statement.execute(
              "INSERT INTO blobs SELECT id + "
                  + base
                  + ", payload, ratio + 1, made FROM blobs WHERE id <= 8000 ORDER BY id LIMIT "
                  + LARGE_STATEMENT_ROWS);
          statement.execute("DELETE FROM blobs WHERE id > " + (base + LARGE_STATEMENT_ROWS / 2));
        }
      }
    }
    connection.commit();
    largeStatements.incrementAndGet();
  }

  private void smallTransaction(Connection connection) throws SQLException {
    int changes = 1 + random.nextInt(20);
    try (Statement statement = connection.createStatement()) {
      for (int i = 0; i < changes; i++) {
        statement.execute(change());
      }
    }
    if (random.nextInt(20) == 0) {
      connection.rollback();
    } else {
      connection.commit();
    }
  }

  private String change() {
    int known = 1 + random.nextInt(8_000);
    return switch (random.nextInt(10)) {
      case 0 ->
          "INSERT INTO accounts VALUES (" + nextId++ + ", " + random.nextInt(1000) + ", NULL, 1)";
      case 1, 2 ->
          "UPDATE accounts SET balance = balance + " + random.nextInt(100) + " WHERE id = " + known;
      case 3 -> "DELETE FROM accounts WHERE id = " + known;
      case 4 ->
          "INSERT INTO accounts VALUES ("
              + known
              + ", 0, 'back', 2) ON DUPLICATE KEY UPDATE owner = NULL, balance = balance - 1";
      case 5 ->
          "INSERT INTO orders VALUES ('"
              + region(nextId)
              + "', "
              + nextId++
              + ", 9.99, '2026-11-01 05:30:00.000001', 'né')";
      case 6 ->
          "UPDATE orders SET amount = amount + 0.01, placed_at = NOW(6) WHERE region = '"
              + region(known)
              + "' AND id = "
              + known;
      // The key changes: the row moves.
      case 7 ->
          "UPDATE IGNORE orders SET region = 'mv', id = id + "
              + nextId++
              + " WHERE region = '"
              + region(known)
              + "' AND id = "
              + known;
      case 8 -> "DELETE FROM blobs WHERE id = " + known;
      default ->
          "INSERT INTO blobs VALUES ("
              + known
              + ", x'"
              + hex("p" + random.nextInt())
              + "00', "
              + random.nextInt(1000) / 8.0
              + ", NOW(3))"
              + " ON DUPLICATE KEY UPDATE payload = VALUES(payload), ratio = ratio / 3";
    };
  }

  private static String hex(String text) {
    return java.util.HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Ends the workload and waits for its last transaction; fails if it failed. */
  public void stop() {
    stop.set(true);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (failure.get() != null) {
      throw new AssertionError("the workload failed", failure.get());
    }
  }

  public void assertWell() {
    if (failure.get() != null) {
      throw new AssertionError("the workload failed", failure.get());
    }
  }

  /** Rows of a table at the source. */
  public static long count(ThrowawayServer server, String table) throws SQLException {
    try (Connection connection = server.connect(DATABASE);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
      result.next();
      return result.getLong(1);
    }
  }

  @Override
  public void close() {
    stop.set(true);
  }
}
