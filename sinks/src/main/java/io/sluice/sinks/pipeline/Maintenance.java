package io.sluice.sinks.pipeline;

import io.sluice.lsm.compaction.CompactionListener;
import io.sluice.lsm.compaction.CompactionPool;
import io.sluice.lsm.compaction.TableCompactor;
import io.sluice.lsm.expire.ConsumerFiles;
import io.sluice.lsm.expire.PartitionExpiry;
import io.sluice.lsm.expire.Retention;
import io.sluice.lsm.expire.SnapshotExpiry;
import io.sluice.lsm.table.LsmTable;
import io.sluice.sinks.Liveness;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineSettings;
import io.sluice.sinks.epoch.LakeTable;
import io.sluice.sinks.epoch.LakeTables;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps tables in shape beside the commits: tells their compactors of new snapshots, lets old
 * snapshots expire and moves the pipeline's consumer file on. Nothing of it is on the way of an
 * epoch; what fails is tried again after a later epoch. Thread safe.
 */
final class Maintenance implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Maintenance.class);

  /** An epoch of a table counts; so many, or the time, and its expiry runs. */
  private static final int EPOCHS_BETWEEN_EXPIRIES = 50;

  private static final long NANOS_BETWEEN_EXPIRIES = TimeUnit.SECONDS.toNanos(60);

  /** Between two looks whether a table's options want partitions to expire. */
  private static final Duration BETWEEN_LOOKS_FOR_OPTIONS = Duration.ofMinutes(5);

  private static final long NANOS_BETWEEN_COUNTS = TimeUnit.SECONDS.toNanos(5);
  private static final long NANOS_BETWEEN_WARNINGS = TimeUnit.SECONDS.toNanos(60);

  private final PipelineSettings settings;
  private final LakeTables tables;
  private final PipelineListener listener;
  private final Liveness liveness;
  private final Liveness.Stage expiryStage;
  private final CompactionPool pool;
  private final Thread thread;
  private final Map<LakeTable, TableCompactor> compactors = new ConcurrentHashMap<>();
  private final Map<LakeTable, Long> liveFiles = new ConcurrentHashMap<>();

  /** What the thread knows of one table. */
  private static final class Care {
    int epochs;
    long lastExpiry = System.nanoTime();
    long lastCount = System.nanoTime() - NANOS_BETWEEN_COUNTS;
    long lastWarning = System.nanoTime() - NANOS_BETWEEN_WARNINGS;
    long nextPartitions = System.nanoTime();
  }

  private final Map<LakeTable, Care> cares = new ConcurrentHashMap<>();

  /** Whose folders are left alone until they have a new snapshot of ours. */
  private final Set<LakeTable> left = ConcurrentHashMap.newKeySet();

  /** Tables that somebody else compacts. */
  private final Set<LakeTable> elsewhere = ConcurrentHashMap.newKeySet();

  /** Held while a table is cared for. */
  private final Lock caring = new ReentrantLock();

  /** Tables with a new snapshot of ours and its id: guarded by this. */
  private Map<LakeTable, Long> news = new LinkedHashMap<>();

  private boolean closed;

  Maintenance(
      PipelineSettings settings, LakeTables tables, PipelineListener listener, Liveness liveness) {
    this.settings = settings;
    this.tables = tables;
    this.listener = listener;
    this.liveness = liveness;
    this.expiryStage = liveness.stage("expiry");
    AtomicInteger workers = new AtomicInteger();
    this.pool =
        new CompactionPool(
            settings.compactionThreads(),
            task -> {
              int number = workers.getAndIncrement();
              Liveness.Stage stage = liveness.stage("compaction thread " + number);
              Thread worker =
                  new Thread(
                      () -> {
                        stage.enter();
                        task.run();
                      },
                      settings.name() + "-compaction-" + number);
              worker.setDaemon(true);
              return worker;
            },
            this::watched);
    this.thread = new Thread(this::run, settings.name() + "-expiry");
    this.thread.setDaemon(true);
  }

  private Runnable watched(Runnable task) {
    return () -> {
      try (Liveness.Wait ignored = liveness.working()) {
        task.run();
      }
    };
  }

  void start() {
    thread.start();
  }

  /** Another pipeline compacts the table. */
  void compactedElsewhere(LakeTable table) {
    elsewhere.add(table);
  }

  /** An epoch has been finished, with these snapshots. */
  void epochFinished(Map<LakeTable, Long> snapshots) {
    if (snapshots.isEmpty()) {
      return;
    }
    left.removeAll(snapshots.keySet());
    for (LakeTable table : snapshots.keySet()) {
      TableCompactor compactor = compactor(table);
      if (compactor != null) {
        compactor.wake();
      }
    }
    synchronized (this) {
      news.putAll(snapshots);
      notifyAll();
    }
  }

  /** Null for a table that is just being forgotten, or that others compact. */
  private @Nullable TableCompactor compactor(LakeTable table) {
    LsmTable lsm = tables.find(table);
    return lsm == null || elsewhere.contains(table)
        ? null
        : compactors.computeIfAbsent(
            table,
            t ->
                lsm.newCompactor(
                    TableCompactor.Settings.of(Pipeline.compactionUser(settings.name())),
                    pool,
                    CompactionListener.logging(t.name())));
  }

  /** What is known of a table may be outdated; its compaction under way is given up. */
  void forget(LakeTable table) {
    liveFiles.remove(table);
    TableCompactor compactor = compactors.remove(table);
    if (compactor != null) {
      Thread closing = new Thread(compactor::close, settings.name() + "-compaction-end");
      closing.setDaemon(true);
      closing.start();
    }
  }

  /** Nothing here works in the folder of a parked table when this returns. */
  void leave(LakeTable table) {
    left.add(table);
    liveFiles.remove(table);
    TableCompactor compactor = compactors.remove(table);
    if (compactor != null) {
      compactor.close();
    }
    caring.lock();
    caring.unlock();
  }

  /**
   * Waits at most so long while a bucket of the table has more sorted runs than {@code
   * num-sorted-run.stop-trigger} admits.
   *
   * @return false if one still has
   */
  boolean awaitBelowStop(LakeTable table, long millis) throws InterruptedException {
    TableCompactor compactor = compactors.get(table);
    if (compactor == null) {
      return true;
    }
    try {
      compactor.belowStop().get(millis, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException | CancellationException e) {
      // The compactor is closed: who waits finds out why.
      return true;
    }
  }

  int sortedRuns(LakeTable table) {
    TableCompactor compactor = compactors.get(table);
    return compactor == null ? 0 : compactor.worstSortedRuns();
  }

  long compactionPendingBytes() {
    return compactors.values().stream().mapToLong(TableCompactor::pendingBytes).sum();
  }

  /** As last counted; 0 if not yet. */
  long liveFiles(LakeTable table) {
    return liveFiles.getOrDefault(table, 0L);
  }

  private void run() {
    expiryStage.enter();
    try {
      while (true) {
        Map<LakeTable, Long> tablesToCareFor = awaitNews();
        try (Liveness.Wait ignored = liveness.working()) {
          for (Map.Entry<LakeTable, Long> entry : tablesToCareFor.entrySet()) {
            caring.lockInterruptibly();
            try {
              if (!left.contains(entry.getKey())) {
                care(entry.getKey(), entry.getValue());
              }
            } finally {
              caring.unlock();
            }
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized Map<LakeTable, Long> awaitNews() throws InterruptedException {
    while (news.isEmpty()) {
      wait();
    }
    Map<LakeTable, Long> result = news;
    news = new LinkedHashMap<>();
    return result;
  }

  private void care(LakeTable table, long ourSnapshot) throws InterruptedException {
    LsmTable lsm = tables.find(table);
    if (lsm == null) {
      return;
    }
    Care care = cares.computeIfAbsent(table, t -> new Care());
    care.epochs++;
    long now = System.nanoTime();
    boolean expire =
        care.epochs >= EPOCHS_BETWEEN_EXPIRIES || now - care.lastExpiry >= NANOS_BETWEEN_EXPIRIES;
    boolean count = now - care.lastCount >= NANOS_BETWEEN_COUNTS;
    String doing = "expiring snapshots of table " + table;
    try {
      if (expire) {
        care.epochs = 0;
        care.lastExpiry = now;
        expire(table, lsm, ourSnapshot);
      }
      if (expire && now - care.nextPartitions >= 0) {
        doing = "dropping old partitions of table " + table;
        care.nextPartitions = now + BETWEEN_LOOKS_FOR_OPTIONS.toNanos();
        care.nextPartitions = now + expirePartitions(table, lsm).toNanos();
      }
      if (count) {
        care.lastCount = now;
        liveFiles.put(table, lsm.liveFileCount(lsm.snapshots().findLatest()));
        warnIfBehind(table, care, now);
      }
    } catch (IOException | RuntimeException e) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      log.warn("{} failed and is tried again after a later epoch", doing, e);
      listener.storageFailed(doing, e, 1);
    }
  }

  private void warnIfBehind(LakeTable table, Care care, long now) {
    TableCompactor compactor = compactors.get(table);
    if (compactor != null
        && compactor.isBehind()
        && now - care.lastWarning >= NANOS_BETWEEN_WARNINGS) {
      care.lastWarning = now;
      log.warn(
          "Compaction of table {} is behind: a bucket has {} sorted runs. What comes is committed all"
              + " the same, but readers have more to merge. Look for slow storage under its folder,"
              + " for compactions that fail, or give compaction more threads.",
          table,
          compactor.worstSortedRuns());
    }
  }

  /**
   * First the pin, then what lies before it. The pin names our snapshot of the newest epoch
   * finished in this table: the next epoch's base is not below it.
   */
  private void expire(LakeTable table, LsmTable lsm, long ourSnapshot) throws IOException {
    new ConsumerFiles(tables.fileIO(), lsm.paths())
        .advance(Pipeline.consumer(settings.name()), ourSnapshot);
    Retention retention =
        new Retention(
            settings.snapshotTimeRetained(),
            settings.snapshotsMin(),
            settings.snapshotsMax(),
            Retention.DEFAULT.snapshotsPerRunMax());
    SnapshotExpiry.@Nullable Result result;
    do {
      result = lsm.newExpiry().expire(retention);
      log.debug("Expired {} snapshots of {}", result.snapshots(), table);
    } while (result.more() && !Thread.currentThread().isInterrupted());
  }

  /** Returns the time until the next look. */
  private Duration expirePartitions(LakeTable table, LsmTable lsm) throws IOException {
    PartitionExpiry expiry = lsm.newPartitionExpiry();
    Duration interval = expiry.checkInterval();
    if (interval == null) {
      return BETWEEN_LOOKS_FOR_OPTIONS;
    }
    PartitionExpiry.Result result;
    do {
      result = expiry.expire(Pipeline.compactionUser(settings.name()));
      if (!result.dropped().isEmpty()) {
        log.info(
            "Table {}: {} partitions are over and were dropped: {}",
            table,
            result.dropped().size(),
            result.dropped());
      }
    } while (result.more() && !Thread.currentThread().isInterrupted());
    if (!result.unreadable().isEmpty()) {
      log.warn("Table {}: {}", table, result.unreadableText());
    }
    return interval;
  }

  @Override
  public void close() throws InterruptedException {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    thread.interrupt();
    for (TableCompactor compactor : compactors.values()) {
      compactor.close();
    }
    pool.close();
    if (Thread.currentThread() != thread) {
      thread.join(TimeUnit.SECONDS.toMillis(10));
    }
  }
}
