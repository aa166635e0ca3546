package io.sluice.sinks.shard;

import io.sluice.lsm.commit.CommitMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects what all workers hand over for one epoch. Thread safe. */
public final class EpochBarrier {

  private final Map<SinkTable, List<CommitMessage>> handedOver = new HashMap<>();
  private final Map<SinkTable, String> leftOut = new LinkedHashMap<>();
  private final Runnable complete;
  private int workersAwaited;
  private boolean broken;

  public EpochBarrier(int workers) {
    this(workers, () -> {});
  }

  /**
   * @param complete called by the last worker that passes
   */
  public EpochBarrier(int workers, Runnable complete) {
    this.workersAwaited = workers;
    this.complete = complete;
  }

  synchronized void handOver(SinkTable table, CommitMessage files) {
    handedOver.computeIfAbsent(table, t -> new ArrayList<>()).add(files);
  }

  /** A table of which files are missing: nothing of it may be in the epoch. */
  synchronized void leaveOut(SinkTable table, String reason) {
    leftOut.put(table, reason);
  }

  /** After {@link #await}: tables of which nothing may be in the epoch, and why. */
  public synchronized Map<SinkTable, String> leftOut() {
    return Map.copyOf(leftOut);
  }

  /** One worker has passed. */
  synchronized void passed() {
    workersAwaited--;
    if (workersAwaited == 0) {
      complete.run();
    }
    notifyAll();
  }

  /** Wakes who waits: not all workers will come. */
  public synchronized void fail() {
    broken = true;
    notifyAll();
  }

  /**
   * Waits until all workers have passed.
   *
   * @return files by table, or an empty answer if the pipeline has failed meanwhile
   */
  public synchronized java.util.Optional<Map<SinkTable, List<CommitMessage>>> await()
      throws InterruptedException {
    while (workersAwaited > 0 && !broken) {
      wait();
    }
    return broken ? java.util.Optional.empty() : java.util.Optional.of(Map.copyOf(handedOver));
  }
}
