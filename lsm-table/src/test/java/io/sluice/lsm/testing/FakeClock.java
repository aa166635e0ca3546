package io.sluice.lsm.testing;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until it is moved. Thread safe. */
public final class FakeClock extends Clock {

  /** Where it stands at first: 2026-01-15T14:00:00Z. */
  public static final Instant START = Instant.parse("2026-01-15T14:00:00Z");

  private final AtomicLong millis;

  public FakeClock() {
    this(START);
  }

  public FakeClock(Instant start) {
    this.millis = new AtomicLong(start.toEpochMilli());
  }

  public void advance(Duration step) {
    millis.addAndGet(step.toMillis());
  }

  public void set(Instant instant) {
    millis.set(instant.toEpochMilli());
  }

  @Override
  public long millis() {
    return millis.get();
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis.get());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    if (!zone.equals(ZoneOffset.UTC)) {
      throw new UnsupportedOperationException("FakeClock tells UTC only");
    }
    return this;
  }
}
