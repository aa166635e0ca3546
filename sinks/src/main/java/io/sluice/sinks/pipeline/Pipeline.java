package io.sluice.sinks.pipeline;

import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.io.Backoff;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.write.MemoryPool;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.DeadLetterTable;
import io.sluice.sinks.Liveness;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineSettings;
import io.sluice.sinks.PipelineStatus;
import io.sluice.sinks.PipelineStatus.TableStatus;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.RecoveredState;
import io.sluice.sinks.SourceCallbacks;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.Succession;
import io.sluice.sinks.TableRefusedException;
import io.sluice.sinks.epoch.EpochCommitter;
import io.sluice.sinks.epoch.EpochFile.SourceFacts;
import io.sluice.sinks.epoch.EpochStore;
import io.sluice.sinks.epoch.LakeTable;
import io.sluice.sinks.epoch.LakeTables;
import io.sluice.sinks.epoch.StorageRetry;
import io.sluice.sinks.epoch.WatchedFileIO;
import io.sluice.sinks.shard.ShardPool;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One pipeline from a source's changes to tables in a lake. It holds no static state: many may run
 * in one process. Thread safe.
 */
public final class Pipeline implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Pipeline.class);

  /** How long {@link #close} waits for the end of a transaction. */
  private static final Duration TRANSACTION_WAIT = Duration.ofSeconds(10);

  /** And how long for the last epoch, when storage is slow or away. */
  private static final Duration COMMIT_WAIT = Duration.ofSeconds(60);

  private static final long THREAD_END_MILLIS = 10_000;

  /** They wait for storage most of the time; an epoch of many tables is as long as they are few. */
  private static final int COMMIT_THREADS = 16;

  /** At a start storage should be there: about 15 seconds of tries. */
  private static final int START_TRIES = 8;

  private final PipelineSettings settings;
  private final Clock clock;
  private final RecoveredState recovered;
  private final MemoryPool memory;
  private final ShardPool shards;
  private final TableRegistry tables;
  private final PipelineMonitor monitor;
  private final Router router;
  private final Chunks chunks;
  private final Parking parking;
  private final Maintenance maintenance;
  private final EpochLoop loop;
  private final Thread epochThread;
  private final ExecutorService commitPool;
  private final CompletableFuture<Void> terminated = new CompletableFuture<>();

  /** The id of the consumer file that a pipeline has in each of its tables. */
  public static String consumer(String pipeline) {
    return "sluice-" + pipeline;
  }

  /** The user of COMPACT snapshots: never the pipeline itself. */
  static String compactionUser(String pipeline) {
    return pipeline + "-compaction";
  }

  /** Storage and how it is tried again; tests make their own. */
  record Storage(FileIO fileIO, StorageRetry whileRunning, StorageRetry atStart) {}

  /**
   * Finds out from the lake alone where the pipeline stood: puts the highest epoch into the tables
   * that lack it, writes an empty epoch of its own (from then on an older daemon of this pipeline
   * cannot commit any more) and starts.
   *
   * @param ids gives a fresh, never repeated text at each call
   * @throws PipelineStoppedException UNREACHABLE if storage fails, PROTECTED if going on could lose
   *     or double rows, MISCONFIGURED if settings and lake contradict each other
   */
  public static Pipeline recover(
      PipelineSettings settings,
      FileIO fileIO,
      Clock clock,
      Supplier<String> ids,
      SourceCallbacks source,
      PipelineListener listener) {
    return recover(
        settings, fileIO, clock, ids, source, listener, Succession.ofAnybody(), new Liveness());
  }

  /**
   * The same for a daemon that may have rivals.
   *
   * @param succession whom it may follow; PROTECTED if the pipeline has another owner by now
   * @param liveness gets the signs of life of the stages, and of a start on the calling thread
   */
  public static Pipeline recover(
      PipelineSettings settings,
      FileIO fileIO,
      Clock clock,
      Supplier<String> ids,
      SourceCallbacks source,
      PipelineListener listener,
      Succession succession,
      Liveness liveness) {
    StorageRetry atStart =
        new StorageRetry(
            Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(5)),
            START_TRIES,
            listener);
    return recover(
        settings,
        new Storage(fileIO, StorageRetry.forLong(listener), atStart),
        clock,
        ids,
        source,
        listener,
        succession,
        liveness);
  }

  static Pipeline recover(
      PipelineSettings settings,
      Storage storage,
      Clock clock,
      Supplier<String> ids,
      SourceCallbacks ofTheSource,
      PipelineListener listener,
      Succession succession,
      Liveness liveness) {
    SourceCallbacks source = DeadLetterTable.within(ofTheSource);
    Storage watched =
        new Storage(
            new WatchedFileIO(storage.fileIO(), liveness),
            storage.whileRunning().signsOfLife(liveness),
            storage.atStart().signsOfLife(liveness));
    Liveness.Stage committing = liveness.stage("committer");
    AtomicInteger threads = new AtomicInteger();
    ExecutorService commitPool =
        Executors.newFixedThreadPool(
            COMMIT_THREADS,
            task -> {
              Thread thread =
                  new Thread(
                      () -> {
                        committing.enter();
                        task.run();
                      },
                      settings.name() + "-commit-" + threads.getAndIncrement());
              thread.setDaemon(true);
              return thread;
            });
    boolean started = false;
    try {
      LakeTables lake = new LakeTables(watched.fileIO(), settings.warehouse(), clock, ids);
      EpochStore store = new EpochStore(watched.fileIO(), settings.warehouse(), settings.name());
      Recovery.Result start;
      committing.enter();
      committing.works();
      try {
        start =
            new Recovery(
                    settings.name(),
                    lake,
                    store,
                    committer(settings, store, lake, watched.atStart(), commitPool),
                    watched.atStart(),
                    clock)
                .recover(ids.get(), succession, source);
      } finally {
        committing.rests();
        committing.leave();
      }
      Pipeline pipeline =
          new Pipeline(
              settings,
              watched,
              lake,
              store,
              clock,
              ids,
              source,
              listener,
              commitPool,
              start,
              liveness,
              committing);
      pipeline.start();
      started = true;
      return pipeline;
    } finally {
      if (!started) {
        commitPool.shutdownNow();
      }
    }
  }

  private static EpochCommitter committer(
      PipelineSettings settings,
      EpochStore store,
      LakeTables lake,
      StorageRetry retry,
      ExecutorService commitPool) {
    return new EpochCommitter(
        store, lake, consumer(settings.name()), retry, commitPool, settings.parksTables());
  }

  private Pipeline(
      PipelineSettings settings,
      Storage storage,
      LakeTables lake,
      EpochStore store,
      Clock clock,
      Supplier<String> ids,
      SourceCallbacks source,
      PipelineListener listener,
      ExecutorService commitPool,
      Recovery.Result start,
      Liveness liveness,
      Liveness.Stage committing) {
    this.settings = settings;
    this.clock = clock;
    this.commitPool = commitPool;
    this.recovered = start.state();
    this.memory = new MemoryPool(settings.memtableBytesMax());
    StorageRetry retry = storage.whileRunning();
    StorageRetry tableRetry = settings.parksTables() ? retry.ofOneFolder(store::answers) : retry;
    this.shards =
        new ShardPool(
            settings.name(),
            settings.workers(),
            settings.queueBytesMax(),
            settings.rememberedDeletesMax(),
            memory,
            tableRetry,
            liveness,
            this::fail);
    this.maintenance = new Maintenance(settings, lake, listener, liveness);
    this.tables = new TableRegistry(lake, shards.workers(), start.epoch().sources());
    this.monitor =
        new PipelineMonitor(
            settings,
            System::nanoTime,
            shards,
            liveness,
            committing,
            tables,
            start.epoch().number(),
            start.epoch().nextSequence(),
            recovered.position().orElse(null),
            start.epoch().sourceTimeMicros(),
            start.epoch().watermark());
    this.parking =
        new Parking(
            settings.name(), settings.parksTables(), monitor, source, tables, listener, clock);
    EpochCommitter committer = committer(settings, store, lake, retry, commitPool);
    Consumer<LakeTable> forget =
        table -> {
          lake.forget(table);
          committer.forget(table);
          maintenance.forget(table);
        };
    SchemaGate hurriedGate =
        new SchemaGate(settings.name(), start.epoch().lastEpochs(), lake, storage.atStart(), clock);
    this.router =
        new Router(
            monitor,
            source,
            new SchemaGate(settings.name(), start.epoch().lastEpochs(), lake, tableRetry, clock),
            hurriedGate,
            tables,
            listener,
            parking,
            new CatchUps(
                settings.name(), monitor, source, hurriedGate, tables, forget, this::lastEpochs),
            forget,
            maintenance::compactedElsewhere,
            settings.name(),
            clock);
    this.chunks = new Chunks(monitor, source, tables, parking, maintenance::awaitBelowStop);
    this.loop =
        new EpochLoop(
            monitor,
            new EpochLoop.Parts(
                committer, store, retry, tables, parking, source, listener, clock, ids, committing),
            start.epoch(),
            start.foldedHistory(),
            maintenance::epochFinished,
            this::fail);
    this.epochThread = new Thread(loop, settings.name() + "-epoch");
    this.epochThread.setDaemon(true);
  }

  private Map<LakeTable, Long> lastEpochs() {
    return loop.lastEpochs();
  }

  private void start() {
    shards.start();
    maintenance.start();
    epochThread.start();
  }

  /** What {@link #recover} found. */
  public RecoveredState recovered() {
    return recovered;
  }

  public ChangeInput changes() {
    return router;
  }

  public BackfillInput backfill() {
    return chunks;
  }

  /**
   * Waits until everything handed over so far is in all its tables; what belongs to a transaction
   * that is under way comes with its end.
   *
   * @throws PipelineStoppedException if the pipeline ends before
   */
  public void awaitCommitted() throws InterruptedException {
    monitor.awaitFinished(monitor.locked(monitor::epochOfAll));
  }

  /**
   * Leaves a table behind because an operator asks for it. When this returns, the newest epoch says
   * so and nothing of this process works in the table's folder, until a resync is asked for.
   *
   * @return false if this pipeline parks no tables; nothing has changed
   */
  public boolean leaveBehind(SourceTableId table, String reason) throws InterruptedException {
    if (monitor.locked(() -> tables.recovered(table)) == null) {
      throw new TableRefusedException(table, "Table " + table + " is not of this pipeline.");
    }
    return leaveBehind(List.of(table), reason);
  }

  private boolean leaveBehind(List<SourceTableId> all, String reason) throws InterruptedException {
    for (SourceTableId table : all) {
      if (!parking.park(table, reason, Parking.By.OTHERS)) {
        return false;
      }
    }
    awaitCommitted();
    // The epoch before it is still looked at, in these tables' folders, too.
    loop.awaitCleanUp(terminated);
    for (SourceTableId table : all) {
      maintenance.leave(
          monitor.locked(() -> Objects.requireNonNull(tables.recovered(table)).lakeTable()));
    }
    return true;
  }

  /** Tables of the source that the newest epoch knows and that are still captured, parked too. */
  public List<SourceTableId> tables() {
    return monitor.locked(tables::facts).keySet().stream()
        .filter(table -> !table.equals(DeadLetterTable.ID))
        .toList();
  }

  /**
   * Leaves all tables behind, for the source begins anew where it is now: changes in between are
   * lost to its log. When this returns, the newest epoch says so. Each table comes back by a
   * resync.
   *
   * @return what the source is to be started with: no position, and the history that holds no more;
   *     empty if this pipeline parks no tables, and then nothing has changed
   */
  public Optional<RecoveredState> leaveAllBehind(String reason) throws InterruptedException {
    if (!leaveBehind(tables(), reason)) {
      return Optional.empty();
    }
    return Optional.of(
        new RecoveredState(
            loop.standing().epoch(), Optional.empty(), recovered.history(), Map.of()));
  }

  /** Where the source stands by the newest epoch that is in all its tables. */
  public Optional<SourcePosition> finishedPosition() {
    return Optional.ofNullable(loop.standing().position());
  }

  /** The facts of this moment. */
  public PipelineStatus status() {
    EpochLoop.Standing standing = loop.standing();
    long nowMicros = clock.millis() * 1000;
    return monitor.locked(
        () -> {
          List<TableStatus> list = new ArrayList<>();
          double worst = 0;
          var progress = tables.progress();
          for (TableState table : tables.all()) {
            double freshness = table.freshnessSeconds(nowMicros);
            worst = Math.max(worst, freshness);
            list.add(
                new TableStatus(
                    table.source(),
                    table.routed().lakeTable(),
                    table.snapshotId(),
                    table.inserts(),
                    table.updates(),
                    table.deletes(),
                    table.backfillRows(),
                    freshness,
                    maintenance.sortedRuns(table.lake()),
                    maintenance.liveFiles(table.lake()),
                    progress.get(table.source()),
                    tables.parked(table.source())));
          }
          tables.parkedUnmet().forEach((table, facts) -> list.add(parked(table, facts)));
          return new PipelineStatus(
              settings.name(),
              standing.epoch(),
              standing.finishedMillis(),
              Optional.ofNullable(standing.position()),
              standing.sourceTimeMicros(),
              worst,
              memory.bytesUsed(),
              maintenance.compactionPendingBytes(),
              list);
        });
  }

  /** A table that was parked before this process met it. */
  private TableStatus parked(SourceTableId table, SourceFacts facts) {
    LakeTable lake = facts.lakeTable();
    long none = 0;
    return new TableStatus(
        table,
        lake.name(),
        none,
        none,
        none,
        none,
        none,
        0,
        maintenance.sortedRuns(lake),
        maintenance.liveFiles(lake),
        facts.backfill(),
        facts.parked());
  }

  /** Ends, always exceptionally, with a {@link PipelineStoppedException}; CLOSED after close. */
  public CompletableFuture<Void> terminated() {
    return terminated;
  }

  /**
   * Ends well: waits a while for the transaction under way, commits a last epoch, stops. The source
   * must go on delivering (or be stopped already) meanwhile.
   */
  @Override
  public void close() {
    try {
      if (!monitor.drain(TRANSACTION_WAIT, COMMIT_WAIT)) {
        log.warn(
            "Pipeline {} ends without its last epoch: the warehouse didn't take it within {} s."
                + " Nothing is lost; it comes again after the next start.",
            settings.name(),
            COMMIT_WAIT.toSeconds());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    end(new PipelineStoppedException(Reason.CLOSED, "The pipeline was closed"));
  }

  /** Ends at once; what came since the last epoch is dropped and will come again. */
  public void abort() {
    end(new PipelineStoppedException(Reason.CLOSED, "The pipeline was aborted"));
  }

  private void fail(Throwable failure) {
    PipelineStoppedException why =
        failure instanceof PipelineStoppedException stopped
            ? stopped
            : new PipelineStoppedException(
                Reason.PROTECTED,
                "Pipeline " + settings.name() + " stopped to protect data: " + failure,
                failure);
    if (monitor.stop(why)) {
      if (why == failure) {
        log.error("Pipeline {} stops: {}", settings.name(), why.getMessage());
      } else {
        log.error("Pipeline {} stops", settings.name(), failure);
      }
      shutDown();
      // Not on the failing thread: it is one of those that are waited for.
      Thread ending = new Thread(() -> joinAll(why), settings.name() + "-end");
      ending.setDaemon(true);
      ending.start();
    }
  }

  private void end(PipelineStoppedException why) {
    if (monitor.stop(why)) {
      shutDown();
      joinAll(why);
    } else {
      // Somebody else ends it: wait for that.
      terminated.handle((nothing, failure) -> null).join();
    }
  }

  private void shutDown() {
    shards.close();
    epochThread.interrupt();
    commitPool.shutdownNow();
  }

  private void joinAll(PipelineStoppedException why) {
    try {
      epochThread.join(THREAD_END_MILLIS);
      shards.join(THREAD_END_MILLIS);
      maintenance.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      terminated.completeExceptionally(why);
    }
  }
}
