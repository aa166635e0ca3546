package io.sluice.sinks.shard;

import io.sluice.lsm.commit.CommitMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Collects what all workers hand over for one epoch. Thread safe. */
public final class EpochBarrier {

  private final Map<SinkTable, List<CommitMessage>> handedOver = new HashMap<>();
  private int workersAwaited;
  private boolean broken;

  public EpochBarrier(int workers) {
    this.workersAwaited = workers;
  }

  synchronized void handOver(SinkTable table, CommitMessage files) {
    handedOver.computeIfAbsent(table, t -> new ArrayList<>()).add(files);
  }

  /** One worker has passed. */
  synchronized void passed() {
    workersAwaited--;
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
