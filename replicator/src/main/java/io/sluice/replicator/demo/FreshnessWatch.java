package io.sluice.replicator.demo;

import io.sluice.lsm.snapshot.Snapshot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the lake as a reader does, and tells the {@link FreshnessMeter} what can be read. A
 * transaction counts as readable when the snapshot of {@code pulse} that holds its beat has been
 * scanned, and the epoch of that snapshot is in every other table of the shop too. A table that an
 * epoch leaves alone makes this too strict for a while, never too lax.
 */
public final class FreshnessWatch implements AutoCloseable {
  private static final String EPOCH = "sluice.epoch";
  private static final long LOOK_NANOS = 4_000_000;

  private record Seen(long epoch, Map<Integer, Long> beats) {}

  private final Lake lake;
  private final FreshnessMeter meter;
  private final Thread thread;
  private final Map<String, Snapshot> newest = new HashMap<>();
  private final Map<String, Long> epochs = new HashMap<>();
  private final Deque<Seen> seen = new ArrayDeque<>();
  private final AtomicReference<IOException> failure = new AtomicReference<>();
  private volatile boolean stopped;
  private volatile boolean allThere;

  public FreshnessWatch(Path warehouse, FreshnessMeter meter) {
    this.lake = new Lake(warehouse);
    this.meter = meter;
    this.thread = new Thread(this::watch, "freshness-watch");
    thread.setDaemon(true);
    thread.start();
  }

  /** Whether every table has a snapshot. */
  public boolean allTablesThere() {
    return allThere;
  }

  /** Why it ended by itself; null while it is well. */
  public @Nullable IOException failure() {
    return failure.get();
  }

  private void watch() {
    try {
      while (!stopped) {
        look();
        LockSupport.parkNanos(LOOK_NANOS);
      }
    } catch (IOException | RuntimeException e) {
      failure.set(
          e instanceof IOException io
              ? io
              : new IOException("the lake cannot be read: " + e.getMessage(), e));
    }
  }

  private void look() throws IOException {
    for (Shop.Table table : Shop.TABLES) {
      Snapshot before = newest.get(table.name());
      Snapshot now = lake.newestSnapshot(table.name(), before);
      if (now == null || (before != null && before.id() == now.id())) {
        continue;
      }
      newest.put(table.name(), now);
      long epoch = epochOf(now, before, table.name());
      epochs.put(table.name(), epoch);
      if (table.name().equals(Shop.PULSE)) {
        seen.add(new Seen(epoch, lake.pulse(now)));
      }
    }
    allThere = epochs.size() == Shop.TABLES.size();
    if (!allThere) {
      return;
    }
    long everywhere = epochs.values().stream().mapToLong(Long::longValue).min().orElse(0);
    long nanos = System.nanoTime();
    while (!seen.isEmpty() && seen.peekFirst().epoch() <= everywhere) {
      seen.removeFirst().beats().forEach((worker, beat) -> meter.readable(worker, beat, nanos));
    }
  }

  /** A compaction's snapshot carries no epoch: it holds what the one before it held. */
  private long epochOf(Snapshot snapshot, @Nullable Snapshot before, String table)
      throws IOException {
    String epoch = snapshot.properties().get(EPOCH);
    if (epoch != null) {
      return Long.parseLong(epoch);
    }
    long known = epochs.getOrDefault(table, 0L);
    return lake.newestEpochBelow(table, snapshot.id(), before == null ? 0 : before.id(), known);
  }

  @Override
  public void close() {
    stopped = true;
    LockSupport.unpark(thread);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
