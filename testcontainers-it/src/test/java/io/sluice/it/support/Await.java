package io.sluice.it.support;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits for what other processes do, by looking. */
public final class Await {
  private static final long LOOK_NANOS = Duration.ofMillis(50).toNanos();

  private Await() {}

  /** Looks until the condition holds; fails with the description after the limit. */
  public static void until(
      Duration limit, Supplier<String> description, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.call()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("not within " + limit.toSeconds() + " s: " + description.get());
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }
}
