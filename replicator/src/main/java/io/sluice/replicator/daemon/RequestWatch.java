package io.sluice.replicator.daemon;

import io.sluice.sinks.PipelineStoppedException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks for requests again and again, on a thread of its own, as long as a run lasts. */
final class RequestWatch implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(RequestWatch.class);
  private static final Duration LOOK = Duration.ofSeconds(2);

  /** Finds what is asked for, and answers it. */
  @FunctionalInterface
  interface Look {
    /**
     * @throws IOException requests can't be read or answered now: they are looked for again
     * @throws PipelineStoppedException the run has ended; the next one finds them
     */
    void look() throws IOException, InterruptedException;
  }

  private final String what;
  private final Look look;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private final Thread thread;

  /**
   * @param name of the thread
   * @param what is asked for, in the plural, for the log
   */
  RequestWatch(String name, String what, Look look) {
    this.what = what;
    this.look = look;
    this.thread = new Thread(this::loop, name);
    this.thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void loop() {
    try {
      while (!Lease.await(closed, LOOK)) {
        lookOnce();
      }
    } catch (InterruptedException | PipelineStoppedException e) {
      LOG.debug("The run has ended; a request that waits is found by the next one", e);
    }
  }

  private void lookOnce() throws InterruptedException {
    try {
      look.look();
    } catch (IOException e) {
      LOG.warn("{} can't be read or answered, trying again: {}", what, e.toString());
    }
  }

  @Override
  public void close() {
    closed.complete(null);
    thread.interrupt();
  }
}
