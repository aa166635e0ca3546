package io.sluice.sinks.pipeline;

import io.sluice.sinks.Liveness;
import io.sluice.sinks.PipelineSettings;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.epoch.LakeTable;
import io.sluice.sinks.shard.Bucket;
import io.sluice.sinks.shard.EpochBarrier;
import io.sluice.sinks.shard.RowBatch;
import io.sluice.sinks.shard.ShardMessage;
import io.sluice.sinks.shard.ShardMessage.Barrier;
import io.sluice.sinks.shard.ShardPool;
import io.sluice.sinks.shard.ShardWorker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The pipeline's one lock and what it guards: the event counter, the epoch that gathers, the one in
 * commit, and when to cut.
 *
 * <p>An epoch is cut at a cut point that the source has named, while nothing else has been handed
 * over: by the source's own thread at the moment it names one, if a cut is due then, else by the
 * epoch thread when the source is quiet. While one epoch is in commit the next one gathers and none
 * is cut: so the interval stretches.
 */
final class PipelineMonitor {

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition forEpochThread = lock.newCondition();
  private final Condition forOthers = lock.newCondition();
  private final long commitNanos;
  private final long idleNanos;
  private final LongSupplier nanos;
  private final ShardPool shards;
  private final Liveness liveness;
  private final Liveness.Stage committing;
  private final TableRegistry tables;
  private final LinkedHashSet<Bucket> filling = new LinkedHashSet<>();

  private long nextNumber;
  private @Nullable SourcePosition position;
  private long sourceTimeMicros;
  private @Nullable Long watermark;
  private boolean atCutPoint;
  private boolean content;
  private long lastCutEpoch;
  private @Nullable SourcePosition lastCutPosition;
  private boolean positionMoved;
  private boolean cutDemanded;
  private List<String> history = new ArrayList<>();
  private @Nullable CutJob inCommit;
  private long lastCutNanos;
  private long lastFinishNanos;
  private boolean epochThreadWaitsForNews;

  /** An epoch is in commit, or being cleaned up after. */
  private boolean epochThreadBusy;

  private boolean closing;
  private boolean inputClosed;
  private volatile @Nullable PipelineStoppedException stopped;

  /**
   * @param nanos a monotonic clock
   * @param lastEpoch newest epoch; the first cut makes the next one
   * @param nextNumber first number that no record has
   * @param position where the source stands: a cut point until something is handed over
   */
  PipelineMonitor(
      PipelineSettings settings,
      LongSupplier nanos,
      ShardPool shards,
      Liveness liveness,
      Liveness.Stage committing,
      TableRegistry tables,
      long lastEpoch,
      long nextNumber,
      @Nullable SourcePosition position,
      long sourceTimeMicros,
      @Nullable Long watermark) {
    this.commitNanos = settings.commitInterval().toNanos();
    this.idleNanos = settings.idleInterval().toNanos();
    this.nanos = nanos;
    this.shards = shards;
    this.liveness = liveness;
    this.committing = committing;
    this.tables = tables;
    this.nextNumber = nextNumber;
    this.position = position;
    this.lastCutEpoch = lastEpoch;
    this.lastCutPosition = position;
    this.sourceTimeMicros = sourceTimeMicros;
    this.watermark = watermark;
    this.atCutPoint = true;
    this.lastFinishNanos = nanos.getAsLong();
    this.lastCutNanos = lastFinishNanos - commitNanos;
  }

  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  <T extends @Nullable Object> T locked(Supplier<T> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  /** Throws if the pipeline takes nothing more. Under the lock. */
  void requireOpen() {
    PipelineStoppedException why = stopped;
    if (why != null) {
      throw again(why);
    }
    if (inputClosed) {
      throw new PipelineStoppedException(Reason.CLOSED, "The pipeline is being closed");
    }
  }

  /** The same for whoever calls now: an exception of its own, for its stack. */
  private static PipelineStoppedException again(PipelineStoppedException why) {
    return new PipelineStoppedException(why.reason(), String.valueOf(why.getMessage()), why);
  }

  /** The next event's number. Under the lock. */
  long nextNumber() {
    return nextNumber++;
  }

  /** The first of so many numbers that nobody else gets. Under the lock. */
  long nextNumbers(int count) {
    long first = nextNumber;
    nextNumber += count;
    return first;
  }

  /** No number below this is given any more. Under the lock. */
  void raiseNumber(long floor) {
    nextNumber = Math.max(nextNumber, floor);
  }

  void addHistory(String record) {
    history.add(record);
  }

  /** Buckets whose batch is being filled by the stream. Under the lock. */
  LinkedHashSet<Bucket> filling() {
    return filling;
  }

  /** The bucket's batch goes to its worker. Under the lock. */
  static void pushFilling(Bucket bucket) {
    RowBatch batch = bucket.filling;
    if (batch != null) {
      bucket.filling = null;
      bucket.worker().push(batch);
    }
  }

  void pushToAll(ShardMessage message) {
    shards.pushToAll(message);
  }

  /** There is something to commit. Under the lock. */
  void contentTaken() {
    if (!content) {
      content = true;
      wakeEpochThread();
    }
  }

  /** An event of the source: only the source knows the next cut point. Under the lock. */
  void eventTaken() {
    atCutPoint = false;
  }

  /** The next cut point must be cut at. Under the lock. */
  void demandCut() {
    cutDemanded = true;
  }

  /**
   * Cuts here if that is possible: what was handed over before a fault of one table is then in an
   * epoch. Waits for the epoch in commit. Under the lock, on the source's thread.
   */
  void cutIfPossible() {
    while (atCutPoint && content && inCommit != null && !closing) {
      awaitOthers();
      requireOpen();
    }
    if (atCutPoint && content && inCommit == null && !inputClosed) {
      cut();
    }
  }

  /** The epoch that everything handed over so far is in. Under the lock. */
  long epochOfAll() {
    return content || !atCutPoint ? lastCutEpoch + 1 : lastCutEpoch;
  }

  /** Waits until an epoch that is cut, or has something to commit, is in all its tables. */
  void awaitFinished(long epoch) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      requireOpen();
      while (lastCutEpoch < epoch || lastCutEpoch == epoch && inCommit != null) {
        forOthers.await();
        requireOpen();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The newest epoch that was cut. Under the lock. */
  long lastCutEpoch() {
    return lastCutEpoch;
  }

  /** Where the source stood then; null before its first position. Under the lock. */
  @Nullable SourcePosition lastCutPosition() {
    return lastCutPosition;
  }

  private void wakeEpochThread() {
    if (epochThreadWaitsForNews) {
      epochThreadWaitsForNews = false;
      forEpochThread.signal();
    }
  }

  void cutPoint(SourcePosition newPosition, long newSourceTimeMicros, @Nullable Long newWatermark) {
    lock.lock();
    try {
      requireOpen();
      if (!newPosition.equals(position)) {
        position = newPosition;
        positionMoved = true;
      }
      if (newSourceTimeMicros > 0) {
        sourceTimeMicros = newSourceTimeMicros;
      }
      if (newWatermark != null && (watermark == null || newWatermark > watermark)) {
        watermark = newWatermark;
      }
      atCutPoint = true;
      while (cutDemanded) {
        if (inCommit == null) {
          cut();
        } else {
          awaitOthers();
          requireOpen();
        }
      }
      if (inCommit == null) {
        if (closing) {
          lastCut();
        } else if (due(nanos.getAsLong())) {
          cut();
        }
      }
      wakeEpochThread();
    } finally {
      lock.unlock();
    }
  }

  /** For a commit to end. Its own stage tells whether that one lives. */
  private void awaitOthers() {
    try (Liveness.Wait wait = liveness.waiting()) {
      forOthers.awaitUninterruptibly();
    }
  }

  private boolean due(long now) {
    return content
        ? now - lastCutNanos >= commitNanos
        : positionMoved && now - lastFinishNanos >= idleNanos;
  }

  /** REQUIRES: under the lock, at a cut point, nothing in commit. */
  private void cut() {
    filling.forEach(PipelineMonitor::pushFilling);
    filling.clear();
    EpochBarrier barrier = new EpochBarrier(shards.workers().size(), committing::hasWork);
    lastCutNanos = nanos.getAsLong();
    lastCutEpoch++;
    lastCutPosition = position;
    inCommit =
        new CutJob(
            barrier,
            position,
            sourceTimeMicros,
            watermark,
            nextNumber,
            tables.cut(),
            tables.facts(),
            List.copyOf(history),
            lastCutNanos);
    history = new ArrayList<>();
    content = false;
    positionMoved = false;
    cutDemanded = false;
    shards.pushToAll(new Barrier(barrier));
    epochThreadWaitsForNews = false;
    committing.hasWork();
    forEpochThread.signal();
  }

  private void lastCut() {
    if (content || positionMoved) {
      cut();
    }
    inputClosed = true;
    forOthers.signalAll();
  }

  /** The next epoch to commit; null when the pipeline has stopped. For the epoch thread. */
  @Nullable CutJob awaitCut() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      epochThreadBusy = false;
      forOthers.signalAll();
      while (stopped == null) {
        if (inCommit != null) {
          epochThreadBusy = true;
          return inCommit;
        }
        long now = nanos.getAsLong();
        boolean open = atCutPoint && !inputClosed;
        if (open && due(now)) {
          cut();
          continue;
        }
        long wait = 0;
        if (open && content) {
          wait = lastCutNanos + commitNanos - now;
        } else if (open && positionMoved) {
          wait = lastFinishNanos + idleNanos - now;
        }
        // In the longer of the two waits content may come: then it is the shorter one.
        epochThreadWaitsForNews = !content || wait == 0;
        if (wait > 0) {
          forEpochThread.awaitNanos(wait);
        } else {
          forEpochThread.await();
        }
      }
      return null;
    } finally {
      epochThreadWaitsForNews = false;
      lock.unlock();
    }
  }

  /** The epoch is in all its tables. */
  void finished(CutJob job, Map<LakeTable, Long> snapshots) {
    lock.lock();
    try {
      for (TableState.Cut cut : job.tables()) {
        cut.table().visible();
      }
      if (!snapshots.isEmpty()) {
        for (TableState state : tables.all()) {
          Long id = snapshots.get(state.lake());
          if (id != null) {
            state.snapshot(id);
          }
        }
      }
      inCommit = null;
      lastFinishNanos = nanos.getAsLong();
      forOthers.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The calling thread's stage waits for another one until this is closed. */
  Liveness.Wait waiting() {
    return liveness.waiting();
  }

  /** Outside the lock: waits while a worker is behind. */
  void awaitRoom(ShardWorker worker) {
    try (Liveness.Wait wait = liveness.waiting()) {
      worker.awaitRoom();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PipelineStoppedException(
          Reason.CLOSED, "Interrupted while the pipeline was behind", e);
    }
    PipelineStoppedException why = stopped;
    if (why != null) {
      throw again(why);
    }
  }

  /**
   * Commits what can be committed and closes the entrance: waits for the transaction under way,
   * then for the last epoch, for each at most so long.
   *
   * @return false if the last epoch didn't come to an end: storage may be away; nothing is lost, it
   *     comes again after the next start
   */
  boolean drain(Duration transactionWait, Duration commitWait) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      closing = true;
      long deadline = nanos.getAsLong() + transactionWait.toNanos();
      while (stopped == null && !inputClosed) {
        if (inCommit == null && atCutPoint) {
          lastCut();
          break;
        }
        long left = deadline - nanos.getAsLong();
        if (left <= 0) {
          inputClosed = true;
          break;
        }
        forOthers.awaitNanos(left);
      }
      deadline = nanos.getAsLong() + commitWait.toNanos();
      while (stopped == null && (inCommit != null || epochThreadBusy)) {
        long left = deadline - nanos.getAsLong();
        if (left <= 0) {
          return false;
        }
        forOthers.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends everything.
   *
   * @return whether this was the first call: its reason stands
   */
  boolean stop(PipelineStoppedException why) {
    lock.lock();
    try {
      if (stopped != null) {
        return false;
      }
      stopped = why;
      CutJob job = inCommit;
      if (job != null) {
        job.barrier().fail();
      }
      forOthers.signalAll();
      forEpochThread.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  double secondsSince(long earlierNanos) {
    return (nanos.getAsLong() - earlierNanos) / 1e9;
  }
}
