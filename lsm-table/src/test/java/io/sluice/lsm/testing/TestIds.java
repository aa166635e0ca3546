package io.sluice.lsm.testing;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Ids in order: {@code a-000001}, {@code a-000002}. Unique per prefix. Thread safe. */
public final class TestIds implements Supplier<String> {

  private final String prefix;
  private final AtomicLong next = new AtomicLong();

  public TestIds() {
    this("id");
  }

  public TestIds(String prefix) {
    this.prefix = prefix;
  }

  @Override
  public String get() {
    return String.format("%s-%06d", prefix, next.incrementAndGet());
  }
}
