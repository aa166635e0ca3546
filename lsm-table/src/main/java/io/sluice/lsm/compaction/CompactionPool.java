package io.sluice.lsm.compaction;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of all compactions of a process. Fair: a task's place is its time of arrival, later
 * by its size, so that small tasks pass large ones but no task is passed for ever; and of several
 * threads one never takes a large task, so that small ones always get through. Time is counted in
 * tasks, not by a clock.
 */
public final class CompactionPool implements Executor, AutoCloseable {

  /** A task that tells its size; others count as of no size. */
  interface Sized extends Runnable {
    /** Bytes to be read. */
    long bytes();

    /** It will not be run: the pool is closed. */
    void dropped();
  }

  private static final Logger log = LoggerFactory.getLogger(CompactionPool.class);

  /** A task of so many bytes is passed by one later arrival of no size. */
  private static final long BYTES_PER_PLACE = 1 << 20;

  private static final long LARGE_BYTES = 256L << 20;

  private record Entry(Runnable task, long bytes, long place, long arrival) {
    boolean large() {
      return bytes >= LARGE_BYTES;
    }
  }

  private static final Comparator<Entry> ORDER =
      Comparator.comparingLong(Entry::place).thenComparingLong(Entry::arrival);

  private final TreeSet<Entry> small = new TreeSet<>(ORDER);
  private final TreeSet<Entry> large = new TreeSet<>(ORDER);
  private final Thread[] threads;
  private final UnaryOperator<Runnable> around;
  private long arrivals;
  private int largeRunning;
  private boolean closed;

  /**
   * @param threadCount at least 1
   */
  public CompactionPool(int threadCount, ThreadFactory factory) {
    this(threadCount, factory, UnaryOperator.identity());
  }

  /**
   * @param around what each task is run within, by the thread that runs it
   */
  public CompactionPool(int threadCount, ThreadFactory factory, UnaryOperator<Runnable> around) {
    if (threadCount < 1) {
      throw new IllegalArgumentException("A compaction pool has at least one thread");
    }
    this.around = around;
    this.threads = new Thread[threadCount];
    for (int i = 0; i < threadCount; i++) {
      threads[i] = factory.newThread(this::work);
      threads[i].start();
    }
  }

  @Override
  public synchronized void execute(Runnable task) {
    if (closed) {
      throw new RejectedExecutionException("The compaction pool is closed");
    }
    long bytes = task instanceof Sized sized ? sized.bytes() : 0;
    long arrival = arrivals++;
    Entry entry = new Entry(task, bytes, arrival + bytes / BYTES_PER_PLACE, arrival);
    (entry.large() ? large : small).add(entry);
    notifyAll();
  }

  private void work() {
    while (true) {
      Entry entry = take();
      if (entry == null) {
        return;
      }
      try {
        around.apply(entry.task()).run();
      } catch (Throwable e) {
        log.error("A compaction task ended unexpectedly", e);
      } finally {
        finished(entry);
      }
    }
  }

  /** Null once closed. */
  private synchronized @Nullable Entry take() {
    while (!closed) {
      Entry entry = next();
      if (entry != null) {
        return entry;
      }
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return null;
      }
    }
    return null;
  }

  private @Nullable Entry next() {
    boolean mayBeLarge = threads.length == 1 || largeRunning < threads.length - 1;
    boolean takeLarge =
        mayBeLarge
            && !large.isEmpty()
            && (small.isEmpty() || ORDER.compare(large.first(), small.first()) < 0);
    if (takeLarge) {
      largeRunning++;
    }
    return (takeLarge ? large : small).pollFirst();
  }

  private synchronized void finished(Entry entry) {
    largeRunning -= entry.large() ? 1 : 0;
    notifyAll();
  }

  /** Lets running tasks end, drops waiting ones. Close the tables' compactors first. */
  @Override
  public void close() {
    List<Entry> left = new ArrayList<>();
    synchronized (this) {
      closed = true;
      left.addAll(small);
      left.addAll(large);
      small.clear();
      large.clear();
      notifyAll();
    }
    for (Entry entry : left) {
      if (entry.task() instanceof Sized sized) {
        sized.dropped();
      }
    }
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
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
}
