package io.sluice.lsm.write;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Accounts for the memory of all memtables of a process. It hands out no bytes itself: a memtable
 * reports what it takes, and a worker that finds {@link #exhausted} flushes its largest memtable.
 * Thread safe.
 */
public final class MemoryPool {

  private final long bytesMax;
  private final AtomicLong bytesUsed = new AtomicLong();

  /**
   * @param bytesMax soft limit; single memtables may pass it by one page
   */
  public MemoryPool(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  public void reserve(long bytes) {
    bytesUsed.addAndGet(bytes);
  }

  public void release(long bytes) {
    bytesUsed.addAndGet(-bytes);
  }

  public boolean exhausted() {
    return bytesUsed.get() > bytesMax;
  }

  public long bytesUsed() {
    return bytesUsed.get();
  }

  public long bytesMax() {
    return bytesMax;
  }
}
