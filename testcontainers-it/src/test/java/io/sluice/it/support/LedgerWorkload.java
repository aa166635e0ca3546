package io.sluice.it.support;

import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A random workload over twenty tables of database {@code ledger}, from a seed, in two sessions.
 * One changes {@code debit} and {@code credit}: every transaction leaves the sum of {@code v} and
 * the number of rows equal in both. The other changes the eighteen others: rows, keys, columns
 * added ({@code t01} to {@code t06}), tables emptied ({@code t07} to {@code t10}). It runs until it
 * is stopped, and no further than it was let ({@link #grant}): else a daemon that is killed again
 * and again falls behind by more and more.
 */
public final class LedgerWorkload implements AutoCloseable {
  public static final String DATABASE = "ledger";

  /** Their sums are equal after each transaction. */
  public static final List<String> PAIR = List.of("debit", "credit");

  public static final List<String> OTHERS =
      Stream.iterate(1, i -> i <= 18, i -> i + 1).map("t%02d"::formatted).toList();

  private static final int ROWS = 300;
  private static final int ADDED_COLUMNS_MAX = 8;
  private static final long PAUSE_NANOS = 4_000_000;
  private static final long LOOK_MILLIS = 50;

  private final ThrowawayServer server;
  private final List<Thread> threads;
  private final AtomicBoolean stop = new AtomicBoolean();
  private final Semaphore granted = new Semaphore(0);
  private final AtomicLong transactions = new AtomicLong();
  private final AtomicLong addedColumns = new AtomicLong();
  private final AtomicLong truncates = new AtomicLong();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  private interface Work {
    void run(Connection connection) throws SQLException;
  }

  private LedgerWorkload(ThrowawayServer server, long seed) {
    this.server = server;
    var pairs = new Pairs(new Random(seed));
    var others = new Others(new Random(seed + 1));
    threads =
        List.of(
            new Thread(() -> repeat(pairs::transaction), "pair-workload"),
            new Thread(() -> repeat(others::transaction), "table-workload"));
  }

  /** Makes the tables, each with a few hundred rows. */
  public static void createTables(ThrowawayServer server) throws SQLException {
    try (Connection connection = server.connect("");
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + DATABASE);
      statement.execute("USE " + DATABASE);
      for (String table : Stream.concat(PAIR.stream(), OTHERS.stream()).toList()) {
        statement.execute(
            "CREATE TABLE " + table + " (id INT PRIMARY KEY, v BIGINT NOT NULL, note VARCHAR(40))");
        var values = new ArrayList<String>();
        for (int i = 1; i <= ROWS; i++) {
          values.add("(" + i + "," + i * 7L % 100 + ",'first')");
        }
        statement.execute("INSERT INTO " + table + " VALUES " + String.join(",", values));
      }
    }
  }

  public static LedgerWorkload start(ThrowawayServer server, long seed) {
    LedgerWorkload workload = new LedgerWorkload(server, seed);
    workload.threads.forEach(Thread::start);
    return workload;
  }

  private void repeat(Work work) {
    try (Connection connection = server.connect(DATABASE)) {
      connection.setAutoCommit(false);
      while (!stop.get()) {
        if (!granted.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
          continue;
        }
        work.run(connection);
        transactions.incrementAndGet();
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (SQLException | RuntimeException | InterruptedException e) {
      failure.compareAndSet(null, e);
    }
  }

  /** So many more transactions, of both sessions together. */
  public void grant(int more) {
    granted.release(more);
  }

  /** Its rows are the same in both tables, but for the notes. */
  private static final class Pairs {
    private final Random random;
    private int nextId = 10_000;

    Pairs(Random random) {
      this.random = random;
    }

    void transaction(Connection connection) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
          String change = change();
          for (String table : PAIR) {
            statement.execute(change.formatted(table));
          }
        }
      }
      if (random.nextInt(15) == 0) {
        connection.rollback();
      } else {
        connection.commit();
      }
    }

    private String change() {
      int id = 1 + random.nextInt(ROWS);
      return switch (random.nextInt(6)) {
        case 0 -> "INSERT INTO %s VALUES (" + nextId++ + "," + random.nextInt(1000) + ",NULL)";
        case 1 -> "DELETE FROM %s WHERE id = " + id;
        case 2 -> "UPDATE %s SET id = " + nextId++ + " WHERE id = " + id;
        case 3 ->
            "INSERT INTO %s VALUES ("
                + id
                + ",5,'again') ON DUPLICATE KEY UPDATE v = v + 1, note = 'more'";
        case 4 -> "UPDATE %s SET v = v + 3 WHERE id BETWEEN " + id + " AND " + (id + 20);
        default -> "UPDATE %s SET v = v - " + random.nextInt(50) + " WHERE id = " + id;
      };
    }
  }

  private final class Others {
    private final Random random;
    private final int[] added = new int[OTHERS.size()];
    private int nextId = 10_000;

    Others(Random random) {
      this.random = random;
    }

    void transaction(Connection connection) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        int kind = random.nextInt(400);
        if (kind < 3) {
          addColumn(statement);
        } else if (kind < 6) {
          statement.execute("TRUNCATE TABLE " + OTHERS.get(6 + random.nextInt(4)));
          truncates.incrementAndGet();
        } else {
          for (int i = 1 + random.nextInt(8); i > 0; i--) {
            statement.execute(change());
          }
          connection.commit();
        }
      }
    }

    private void addColumn(Statement statement) throws SQLException {
      int table = random.nextInt(6);
      if (added[table] < ADDED_COLUMNS_MAX) {
        added[table]++;
        // Some with a default: then rows that are there have it, and the table is copied again.
        statement.execute(
            "ALTER TABLE "
                + OTHERS.get(table)
                + " ADD c"
                + added[table]
                + (random.nextInt(4) == 0 ? " INT DEFAULT 7" : " VARCHAR(20)"));
        addedColumns.incrementAndGet();
      }
    }

    private String change() {
      int index = random.nextInt(OTHERS.size());
      String table = OTHERS.get(index);
      int id = 1 + random.nextInt(ROWS);
      return switch (random.nextInt(6)) {
        case 0 -> "INSERT INTO " + table + " (id, v, note) VALUES (" + nextId++ + ", 1, 'né') ";
        case 1 -> "DELETE FROM " + table + " WHERE id = " + id;
        case 2 -> "UPDATE " + table + " SET id = " + nextId++ + " WHERE id = " + id;
        case 3 ->
            index < 6 && added[index] > 0
                ? "UPDATE " + table + " SET c" + added[index] + " = 9 WHERE id < " + id / 8
                : "UPDATE " + table + " SET note = NULL WHERE id = " + id;
        case 4 ->
            "INSERT INTO "
                + table
                + " (id, v, note) VALUES ("
                + id
                + ", 0, 'back') ON DUPLICATE KEY UPDATE v = v * 2 % 1000003";
        default -> "UPDATE " + table + " SET v = v + 1 WHERE id BETWEEN " + id + " AND " + (id + 9);
      };
    }
  }

  public long transactions() {
    return transactions.get();
  }

  public long addedColumns() {
    return addedColumns.get();
  }

  public long truncates() {
    return truncates.get();
  }

  public void assertWell() {
    if (failure.get() != null) {
      throw new AssertionError("the workload failed", failure.get());
    }
  }

  /** Ends the workload and waits for its last transactions; fails if it failed. */
  public void stop() {
    close();
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    assertWell();
  }

  @Override
  public void close() {
    stop.set(true);
  }
}
