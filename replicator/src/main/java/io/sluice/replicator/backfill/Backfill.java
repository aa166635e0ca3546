package io.sluice.replicator.backfill;

import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.error.LsmException;
import io.sluice.replicator.backfill.BackfillProgress.State;
import io.sluice.replicator.values.UnencodableValueException;
import io.sluice.replicator.values.ValueEncoders;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.ChunkOutdatedException;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.TableRefusedException;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the existing rows of every table that is {@link #add}ed and not consistent yet, beside the
 * stream.
 *
 * <ol>
 *   <li>A reader cuts a chunk off a table and opens it: the pipeline notes what the stream has
 *       delivered and draws the number of the chunk's rows.
 *   <li>It waits until the server has that visible ({@link VisibilityWait}), checks that the table
 *       is still as the stream knows it, and streams one SELECT into the chunk.
 *   <li>The chunk's end stores the progress with it; whatever fails before leaves the chunk to do.
 *   <li>When a table has no chunk left, the binlog's end is read; once the stream has passed it,
 *       every row that a SELECT may have seen too early has come by the stream as well: the table
 *       is consistent.
 * </ol>
 *
 * Lost connections are tried again for ever, other errors of the server ten times in a row; then,
 * and at a value that has no place in the lake, {@code onFailure} is told, once, and nothing more
 * is read. Thread safe.
 */
public final class Backfill implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Backfill.class);
  private static final long IDLE_MILLIS = 100;
  private static final long AHEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long RETRY_NANOS_MAX = TimeUnit.SECONDS.toNanos(15);
  private static final int FAILURES_MAX = 10;

  private final JdbcSource source;
  private final BackfillSettings settings;
  private final ValueEncoders compiler;
  private final BackfillInput input;
  private final StreamPosition stream;
  private final Function<SourceTableId, Optional<RoutedTable>> routed;
  private final Consumer<Throwable> onFailure;

  private final AtomicBoolean running = new AtomicBoolean(true);
  private final AtomicBoolean failed = new AtomicBoolean();
  private final AtomicLong order = new AtomicLong();
  private final Map<CopiedTable, TableCopy> copies = new ConcurrentHashMap<>();
  private final Map<Long, TableCopy> inOrder = new ConcurrentSkipListMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<ChunkReader> readers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  /**
   * @param routed a table's newest routing ({@code ChangeInput::routed})
   * @param onFailure told at most once, by one of the backfill's threads, when it can't go on
   */
  public Backfill(
      JdbcSource source,
      BackfillSettings settings,
      ValueEncoders compiler,
      BackfillInput input,
      StreamPosition stream,
      Function<SourceTableId, Optional<RoutedTable>> routed,
      Consumer<Throwable> onFailure) {
    this.source = source;
    this.settings = settings;
    this.compiler = compiler;
    this.input = input;
    this.stream = stream;
    this.routed = routed;
    this.onFailure = onFailure;
  }

  /** Starts the readers; call once, after the stream has started. */
  public void start() {
    for (int i = 0; i < settings.readers(); i++) {
      ChunkReader reader = new ChunkReader(source, running);
      readers.add(reader);
      threads.add(new Thread(() -> guarded(() -> readAll(reader)), "backfill-" + (i + 1)));
    }
    threads.add(new Thread(() -> guarded(this::watch), "backfill-watch"));
    for (Thread thread : threads) {
      thread.setDaemon(true);
      thread.start();
    }
  }

  /**
   * A captured table that the pipeline knows; again and again does no harm. Tables are copied in
   * the order they are added.
   */
  public void add(RoutedTable table) {
    add(new WholeTable(table.source().id(), input, routed), CopiedTable.Version.ofCopy(table));
  }

  /**
   * The same for rows that go another way.
   *
   * @param version newest
   */
  public void add(CopiedTable table, CopiedTable.Version version) {
    copies.computeIfAbsent(
        table,
        key -> {
          TableCopy copy =
              new TableCopy(compiler, settings.chunkRows(), key, version, key.progress());
          inOrder.put(order.incrementAndGet(), copy);
          return copy;
        });
    wake();
  }

  /**
   * The progress by which a table is wholly copied.
   *
   * @throws TableRefusedException it is not
   */
  public static String copied(BackfillInput input, SourceTableId table) {
    String text = input.progress().get(table);
    BackfillProgress progress = BackfillProgress.parse(text);
    if (text == null || progress.state() != State.CONSISTENT) {
      throw new TableRefusedException(
          table,
          "Table "
              + table
              + " is "
              + progress.state().text()
              + ": a part of it can be copied again only when it is consistent. Leave out --where to"
              + " copy all of it.");
    }
    return text;
  }

  /** All tables, in the order they were added. */
  public List<BackfillStatus> status() {
    return inOrder.values().stream().map(Backfill::status).toList();
  }

  private static BackfillStatus status(TableCopy copy) {
    BackfillProgress progress = copy.progress();
    return new BackfillStatus(
        copy.into(), progress.state(), progress.rows(), progress.estimate(), copy.trouble());
  }

  /** Ends the reading; chunks under way are abandoned. Returns when no thread is left. */
  @Override
  public void close() {
    running.set(false);
    for (Thread thread : threads) {
      thread.interrupt();
    }
    readers.forEach(ChunkReader::abort);
    wake();
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive() && thread != Thread.currentThread()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private interface Loop {
    void run() throws InterruptedException;
  }

  private void guarded(Loop loop) {
    try {
      loop.run();
    } catch (InterruptedException | PipelineStoppedException e) {
      // Whoever stopped us, or the pipeline, knows; there is nothing to add.
      running.set(false);
    } catch (RuntimeException | Error e) {
      fail(e);
    }
  }

  private void fail(Throwable cause) {
    boolean wanted = running.getAndSet(false);
    if (wanted && failed.compareAndSet(false, true)) {
      onFailure.accept(cause);
    }
    wake();
  }

  // ---- readers

  private void readAll(ChunkReader reader) throws InterruptedException {
    try (reader) {
      while (running.get()) {
        TableCopy copy = next();
        if (copy == null) {
          idle();
        } else {
          readOne(reader, copy);
        }
      }
    }
  }

  private @Nullable TableCopy next() {
    long now = System.nanoTime();
    for (TableCopy copy : inOrder.values()) {
      if (copy.hasWork(now)) {
        return copy;
      }
    }
    return null;
  }

  private void readOne(ChunkReader reader, TableCopy copy) throws InterruptedException {
    TableCopy.@Nullable Work work = null;
    try {
      if (!refresh(copy)) {
        return;
      }
      work = copy.take(reader.connection()).orElse(null);
      if (work == null) {
        return;
      }
      reader.read(work);
      if (copy.state() == State.COPIED) {
        wake();
      }
    } catch (ChunkOutdatedException e) {
      reader.dropConnection();
      outdated(copy, work, e);
    } catch (TableAheadException e) {
      reader.dropConnection();
      giveBack(copy, work);
      rest(copy, "waiting for the stream: " + e.getMessage(), AHEAD_NANOS);
    } catch (UnencodableValueException e) {
      reader.dropConnection();
      giveBack(copy, work);
      parkOrFail(copy, String.valueOf(e.getMessage()), e);
    } catch (SQLException e) {
      reader.dropConnection();
      if (running.get()) {
        sqlFailed(copy, work, e);
      }
    } catch (RuntimeException | InterruptedException e) {
      reader.dropConnection();
      giveBack(copy, work);
      throw e;
    }
  }

  private static void rest(TableCopy copy, String why, long nanos) {
    copy.rest(why, System.nanoTime() + nanos);
  }

  private static void giveBack(TableCopy copy, TableCopy.@Nullable Work work) {
    if (work != null) {
      copy.giveBack(work.segment());
    }
  }

  private void outdated(TableCopy copy, TableCopy.@Nullable Work work, ChunkOutdatedException e)
      throws InterruptedException {
    giveBack(copy, work);
    switch (e.why()) {
      case ALTERED -> {
        if (refresh(copy)) {
          wake();
        }
      }
      case TRUNCATED -> emptied(copy);
      case PARKED -> leaveBehind(copy);
      case DELETES_OUTGREW_MEMORY -> {
        if (copy.shrink()) {
          LOG.info("Backfill of {} reads smaller chunks: {}", copy.copied(), e.getMessage());
        } else {
          rest(
              copy,
              "the stream deletes more than is remembered: " + e.getMessage(),
              RETRY_NANOS_MAX);
        }
      }
    }
  }

  private void sqlFailed(TableCopy copy, TableCopy.@Nullable Work work, SQLException e) {
    giveBack(copy, work);
    int failures = copy.failed();
    long pause = Math.min(RETRY_NANOS_MAX, RETRY_NANOS << Math.min(20, failures - 1));
    rest(copy, describe(e), pause);
    LOG.warn(
        "Backfill of {} from {} failed and will be tried again in {} ms: {}",
        copy.copied(),
        source,
        TimeUnit.NANOSECONDS.toMillis(pause),
        describe(e));
    if (!isConnectionLost(e) && failures > FAILURES_MAX) {
      String why =
          "Cannot copy the rows of "
              + copy.copied()
              + " from "
              + source
              + ": "
              + describe(e)
              + ". The account needs SELECT on the table, and without GTIDs LOCK TABLES.";
      parkOrFail(
          copy, why, new PipelineStoppedException(PipelineStoppedException.Reason.REFUSED, why, e));
    }
  }

  private void parkOrFail(TableCopy copy, String reason, RuntimeException failure) {
    if (copy.copied().park(reason)) {
      leaveBehind(copy);
    } else {
      fail(failure);
    }
  }

  /** The table is parked: nothing of it is read any more. */
  private void leaveBehind(TableCopy copy) {
    // In one step with add: a resync may bring it back at any moment.
    copies.computeIfPresent(
        copy.copied(),
        (copied, known) -> {
          if (known != copy || copied.now().isPresent()) {
            return known;
          }
          inOrder.values().remove(copy);
          return null;
        });
  }

  /** Class 08 is the connection's, 1040 and 1053 are a server that is full or going down. */
  private static boolean isConnectionLost(SQLException e) {
    String state = e.getSQLState();
    return e instanceof java.sql.SQLRecoverableException
        || e instanceof java.sql.SQLTransientException
        || e instanceof java.sql.SQLNonTransientConnectionException
        || (state != null && (state.startsWith("08") || state.startsWith("40")))
        || e.getErrorCode() == 1040
        || e.getErrorCode() == 1053
        || e.getErrorCode() == 1412;
  }

  private static String describe(SQLException e) {
    return e.getMessage() + " (SQL state " + e.getSQLState() + ", error " + e.getErrorCode() + ")";
  }

  // ---- what the pipeline says of a table

  /** Whether the table goes on; one that is parked is left. */
  private boolean refresh(TableCopy copy) {
    Optional<CopiedTable.Version> now = copy.copied().now();
    if (now.isEmpty()) {
      leaveBehind(copy);
      return false;
    }
    if (now.get().generation() != copy.version().generation()) {
      // In this order: an AGAIN that belongs to this generation is there by now.
      copy.refresh(now.get(), copy.copied().progress());
    }
    return true;
  }

  /** All chunks are over; what is in the table now comes by the stream. */
  private void emptied(TableCopy copy) throws InterruptedException {
    while (running.get()) {
      CopiedTable.Version now = copy.copied().now().orElse(null);
      if (now == null) {
        leaveBehind(copy);
        return;
      }
      BackfillProgress saved = copy.copied().progress();
      copy.refresh(now, saved);
      if (saved.state() == State.AGAIN) {
        return;
      }
      if (!copy.emptied(now)) {
        continue;
      }
      if (copy.copied().progress(now, BackfillProgress.of(State.CONSISTENT).text(null))) {
        copy.consistent();
        LOG.info("{} was emptied at the source: nothing of it is left to copy", copy.copied());
        return;
      }
      // Not taken before the truncate's epoch is cut: the warehouse may be away for long.
      idle();
    }
  }

  // ---- settling

  private void watch() throws InterruptedException {
    Connection connection = null;
    try {
      while (running.get()) {
        for (TableCopy copy : inOrder.values()) {
          if (!refresh(copy)) {
            continue;
          }
          try {
            long version = copy.unsettledVersion();
            if (version >= 0) {
              connection = connection == null ? source.connect() : connection;
              copy.settleAt(version, BinlogEnd.read(source.flavor(), connection));
            }
            settle(copy);
          } catch (SQLException e) {
            LOG.warn("Cannot read the end of {}'s binlog, trying again: {}", source, describe(e));
            closeQuietly(connection);
            connection = null;
          }
        }
        idle();
      }
    } finally {
      closeQuietly(connection);
    }
  }

  private void settle(TableCopy copy) throws InterruptedException {
    BinlogEnd end = copy.settleAt().orElse(null);
    if (end == null || !stream.passed(end.file(), end.position())) {
      return;
    }
    CopiedTable.Version table = copy.version();
    BackfillProgress done = copy.progress();
    if (done.state() != State.COPIED || !swept(copy, table)) {
      return;
    }
    BackfillProgress consistent =
        new BackfillProgress(
            State.CONSISTENT, List.of(), List.of(), done.rows(), done.estimate(), null);
    if (copy.copied().progress(table, consistent.text(end))) {
      copy.consistent();
      LOG.info("{} is copied: {} rows, consistent from here on", copy.copied(), done.rows());
    }
  }

  /** Whether no row is left that the source has no more: of a table that was copied over rows. */
  private boolean swept(TableCopy copy, CopiedTable.Version table) throws InterruptedException {
    if (!copy.copied().mustSweep()) {
      return true;
    }
    if (!copy.hasRested(System.nanoTime())) {
      return false;
    }
    try {
      long deleted = copy.copied().sweep(table, copy.within());
      LOG.info("{} had {} rows that the source has no more: deleted", copy.copied(), deleted);
      return true;
    } catch (ChunkOutdatedException e) {
      outdated(copy, null, e);
    } catch (LsmException e) {
      parkOrFail(
          copy, "The lake's rows of " + copy.copied() + " can't be read: " + e.getMessage(), e);
    } catch (IOException e) {
      LOG.warn(
          "The lake's rows of {} can't be read, trying again: {}", copy.copied(), e.toString());
      rest(copy, "the lake can't be read: " + e, RETRY_NANOS_MAX);
    }
    return false;
  }

  private static void closeQuietly(@Nullable Connection connection) {
    if (connection != null) {
      try {
        connection.close();
      } catch (SQLException e) {
        LOG.debug("Closing a connection failed: {}", e.getMessage());
      }
    }
  }

  // ---- waiting

  private void idle() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      if (running.get()) {
        long left = changed.awaitNanos(TimeUnit.MILLISECONDS.toNanos(IDLE_MILLIS));
        assert left <= TimeUnit.MILLISECONDS.toNanos(IDLE_MILLIS);
      }
    } finally {
      lock.unlock();
    }
  }

  private void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
