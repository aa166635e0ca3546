package io.sluice.lsm.datafile;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads on which data files are decoded ahead of those who read them; large ORC files, that is,
 * for the other formats they do nothing. They wait for nobody, and nobody waits for one of them to
 * be free: a reader decodes by itself what none of them is at. Thread safe; any number of readers
 * may share them.
 */
public final class DecodingThreads implements AutoCloseable {

  private final int count;
  private final ExecutorService executor;

  /** Starts daemon threads. */
  public DecodingThreads(int count) {
    this.count = count;
    AtomicInteger started = new AtomicInteger();
    this.executor =
        Executors.newFixedThreadPool(
            count,
            task -> {
              Thread thread = new Thread(task, "decoding-" + started.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /** As many as there are processors beside that of the one who reads; one at least. */
  public static DecodingThreads besideTheReader() {
    return new DecodingThreads(Math.max(1, Runtime.getRuntime().availableProcessors() - 1));
  }

  public int count() {
    return count;
  }

  public Executor executor() {
    return executor;
  }

  /** Ends them. Readers that are still open go on by themselves. */
  @Override
  public void close() {
    executor.shutdown();
  }
}
