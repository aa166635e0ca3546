package io.sluice.lsm.io;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;

/** How long to wait before trying again; a test waits not at all. */
@FunctionalInterface
public interface Backoff {

  /**
   * Waits before a further try.
   *
   * @param failures how many tries have failed, from 1
   * @throws InterruptedIOException if the thread is interrupted meanwhile
   */
  void pause(int failures) throws IOException;

  /** Does not wait. */
  Backoff NONE = failures -> {};

  /** Waits {@code first}, twice that, and so on up to {@code most}. */
  static Backoff exponential(Duration first, Duration most) {
    return failures -> {
      long millis = first.toMillis() << Math.min(failures - 1, 20);
      try {
        Thread.sleep(Math.min(millis, most.toMillis()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("Interrupted while waiting to try again");
      }
    };
  }
}
