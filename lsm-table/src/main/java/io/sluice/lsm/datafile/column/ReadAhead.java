package io.sluice.lsm.datafile.column;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Batches that are decoded before they are asked for, as many as there are objects to hold them.
 *
 * <p>The source is read by one thread at a time: by a task of the executor, which ends when all
 * objects are full, so that no thread waits for a reader; or by the reader itself where no task has
 * begun yet, so that no reader waits for a thread.
 */
public final class ReadAhead<B> implements Batches<B> {

  private final BatchSource<B> source;

  /** A ring. */
  private final List<B> batches;

  private final Executor executor;

  /** The oldest full batch; the reader's own, if it has one. */
  private int first;

  private int full;
  private boolean lent;

  /** Whether a task waits for a thread, or has one. */
  private boolean submitted;

  /** Whether somebody reads the source. */
  private boolean reading;

  /** Full batches that the reader waits for. */
  private int awaited;

  private boolean ended;
  private boolean closed;
  private @Nullable Throwable failure;

  /**
   * @param batches two or more
   */
  public ReadAhead(BatchSource<B> source, List<B> batches, Executor executor) {
    this.source = source;
    this.batches = List.copyOf(batches);
    this.executor = executor;
  }

  @Override
  public @Nullable B next(Help help) throws IOException {
    giveBack();
    submit();
    while (!ready()) {
      if (!help() && !help.help()) {
        await();
      }
    }
    return take();
  }

  private synchronized boolean ready() {
    return full > 0 || over();
  }

  @Override
  public boolean help() {
    synchronized (this) {
      if (reading || over() || full == batches.size()) {
        return false;
      }
      reading = true;
    }
    readOne();
    synchronized (this) {
      reading = false;
    }
    return true;
  }

  private synchronized void giveBack() {
    if (lent) {
      first = (first + 1) % batches.size();
      full--;
      lent = false;
    }
  }

  /** Asks for a thread once half of the batches are free: that is few calls and no pause. */
  private synchronized void submit() {
    if (submitted || over() || full > batches.size() / 2) {
      return;
    }
    submitted = true;
    try {
      executor.execute(this::readAll);
    } catch (RejectedExecutionException e) {
      // The threads have been ended: the reader goes on by itself.
      submitted = false;
    }
  }

  /** Waits for the task: for half of the batches at once, so that this thread is woken seldom. */
  private synchronized void await() throws InterruptedIOException {
    awaited = batches.size() / 2;
    try {
      while (reading && full < awaited && !over()) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while a file is decoded");
    } finally {
      awaited = 0;
    }
  }

  private synchronized @Nullable B take() throws IOException {
    if (full > 0) {
      lent = true;
      return batches.get(first);
    }
    Throwable why = failure;
    if (why instanceof IOException e) {
      throw e;
    }
    if (why instanceof RuntimeException e) {
      throw e;
    }
    if (why instanceof Error e) {
      throw e;
    }
    return null;
  }

  private synchronized boolean over() {
    return ended || closed || failure != null;
  }

  /** The task: fills what is free. */
  private void readAll() {
    synchronized (this) {
      if (reading) {
        // The reader was faster; it asks again.
        submitted = false;
        return;
      }
      reading = true;
    }
    while (mayRead()) {
      readOne();
    }
  }

  /** Whether the task goes on; else it is done. */
  private synchronized boolean mayRead() {
    if (!over() && full < batches.size()) {
      return true;
    }
    reading = false;
    submitted = false;
    notifyAll();
    return false;
  }

  /** REQUIRES: this thread has set {@link #reading}, and a batch is free. */
  private void readOne() {
    B free;
    synchronized (this) {
      free = batches.get((first + full) % batches.size());
    }
    boolean more = false;
    Throwable why = null;
    try {
      more = source.read(free);
    } catch (IOException | RuntimeException | Error e) {
      why = e;
    }
    synchronized (this) {
      failure = why;
      ended = !more;
      full += more ? 1 : 0;
      if (full == awaited) {
        notifyAll();
      }
    }
  }

  /** Waits for the batch that is being decoded. */
  @Override
  public void close() throws IOException {
    boolean interrupted = false;
    synchronized (this) {
      closed = true;
      while (reading) {
        try {
          wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    source.close();
  }
}
