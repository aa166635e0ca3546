package io.sluice.replicator.demo;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What customers of the {@link Shop} do: orders with their items and stock, changes of status,
 * edits, cancellations, items that move to another line (a key change), each a transaction, most
 * over several tables. It keeps to a rate of changed rows per second, as far as the server follows.
 * Two connections; thread safe.
 */
public final class ShopWorkload implements AutoCloseable {
  private static final int WORKERS = 2;
  private static final int STATUS_ROWS = 10;

  /**
   * From this rate on, transactions grow with it: a server on the same machine has only so many
   * commits in a second.
   */
  private static final int RATE_OF_SMALL_TRANSACTIONS = 2_500;

  private final Connector connector;
  private final Shop.Size size;
  private final double rowsPerSecond;
  private final FreshnessMeter meter;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong nextOrder;
  private final AtomicLong nextCustomer;
  private final AtomicLong rows = new AtomicLong();
  private final AtomicLong transactions = new AtomicLong();
  private final AtomicReference<SQLException> failure = new AtomicReference<>();
  private volatile boolean stopped;

  private ShopWorkload(
      Connector connector, Shop.Size size, int rowsPerSecond, FreshnessMeter meter) {
    this.connector = connector;
    this.size = size;
    this.rowsPerSecond = rowsPerSecond;
    this.meter = meter;
    this.nextOrder = new AtomicLong(size.orders() + 1L);
    this.nextCustomer = new AtomicLong(size.customers() + 1L);
  }

  /** Starts over a shop that was just made. */
  public static ShopWorkload start(
      Connector connector, Shop.Size size, int rowsPerSecond, FreshnessMeter meter) {
    ShopWorkload workload = new ShopWorkload(connector, size, rowsPerSecond, meter);
    for (int worker = 0; worker < WORKERS; worker++) {
      int number = worker;
      Thread thread = new Thread(() -> workload.work(number), "shop-workload-" + worker);
      thread.setDaemon(true);
      workload.threads.add(thread);
    }
    workload.threads.forEach(Thread::start);
    return workload;
  }

  /** Rows changed by committed transactions so far. */
  public long rows() {
    return rows.get();
  }

  public long transactions() {
    return transactions.get();
  }

  /** Why the workload ended by itself; null while it is well. */
  public @Nullable SQLException failure() {
    return failure.get();
  }

  private void work(int worker) {
    Random random = new Random(worker);
    double perWorker = rowsPerSecond / WORKERS;
    int scale = (int) Math.max(1, Math.ceil(rowsPerSecond / RATE_OF_SMALL_TRANSACTIONS));
    long beats = 0;
    try (Connection connection = connector.connect(Shop.DATABASE);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      long start = System.nanoTime();
      double due = 0;
      while (!stopped) {
        long wait = start + (long) (due / perWorker * 1e9) - System.nanoTime();
        if (wait > 0) {
          LockSupport.parkNanos(wait);
          continue;
        }
        int changed = transaction(statement, random, worker, beats + 1, scale);
        if (changed == 0) {
          connection.rollback();
          continue;
        }
        long committing = System.nanoTime();
        connection.commit();
        beats++;
        meter.committed(worker, beats, committing);
        rows.addAndGet(changed);
        transactions.incrementAndGet();
        due += changed;
        // A server that was slow for a while is not made to catch up in one rush.
        double possible = (System.nanoTime() - start) / 1e9 * perWorker;
        due = Math.max(due, possible - perWorker);
      }
    } catch (SQLException e) {
      if (!stopped) {
        failure.compareAndSet(null, e);
      }
    }
  }

  /** One transaction, not committed yet; 0 rows when the server chose it to end a deadlock. */
  private int transaction(Statement statement, Random random, int worker, long beat, int scale)
      throws SQLException {
    try {
      int changed = 0;
      for (int i = 0; i < scale; i++) {
        changed += step(statement, random);
      }
      changed +=
          statement.executeUpdate("UPDATE pulse SET beats = " + beat + " WHERE worker = " + worker);
      return changed;
    } catch (SQLException e) {
      boolean deadlock =
          "40001".equals(e.getSQLState()) || e.getErrorCode() == 1213 || e.getErrorCode() == 1205;
      if (deadlock) {
        return 0;
      }
      throw e;
    }
  }

  private int step(Statement statement, Random random) throws SQLException {
    int choice = random.nextInt(100);
    if (choice < 45) {
      return placeOrder(statement, random);
    }
    if (choice < 70) {
      long first = someOrder(random);
      return statement.executeUpdate(
          "UPDATE orders SET status = ELT(1 + (id + "
              + random.nextInt(4)
              + ") % 4, 'new', 'paid', 'shipped', 'returned') WHERE id BETWEEN "
              + first
              + " AND "
              + (first + STATUS_ROWS - 1));
    }
    if (choice < 80) {
      return statement.executeUpdate(
          "UPDATE customers SET credit = credit + 1.25, tier = 'plus' WHERE id = "
              + (1 + random.nextInt(size.customers())));
    }
    if (choice < 88) {
      long order = someOrder(random);
      return statement.executeUpdate("DELETE FROM order_items WHERE order_id = " + order)
          + statement.executeUpdate("DELETE FROM orders WHERE id = " + order);
    }
    if (choice < 95) {
      // The key changes: each row moves.
      return statement.executeUpdate(
          "UPDATE order_items SET line_no = line_no + 100 WHERE order_id = "
              + someOrder(random)
              + " AND line_no < 1000000 ORDER BY line_no DESC");
    }
    return statement.executeUpdate(
        "INSERT INTO customers VALUES "
            + Shop.customer((int) nextCustomer.getAndIncrement(), random));
  }

  private int placeOrder(Statement statement, Random random) throws SQLException {
    long order = nextOrder.getAndIncrement();
    int lines = 3 + random.nextInt(4);
    StringJoiner items = new StringJoiner(", ", "INSERT INTO order_items VALUES ", "");
    for (int line = 1; line <= lines; line++) {
      items.add(Shop.item(order, line, size.products(), random));
    }
    int firstProduct = 1 + random.nextInt(Math.max(1, size.products() - 3));
    return statement.executeUpdate(
            "INSERT INTO orders VALUES " + Shop.order(order, size.customers(), random))
        + statement.executeUpdate(items.toString())
        + statement.executeUpdate(
            "UPDATE products SET stock = stock - 1 WHERE id BETWEEN "
                + firstProduct
                + " AND "
                + (firstProduct + 2));
  }

  private long someOrder(Random random) {
    return 1 + (long) (random.nextDouble() * (nextOrder.get() - 1));
  }

  /** Ends it after the transactions under way. */
  public void stop() {
    stopped = true;
    for (Thread thread : threads) {
      LockSupport.unpark(thread);
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  @Override
  public void close() {
    stop();
  }
}
