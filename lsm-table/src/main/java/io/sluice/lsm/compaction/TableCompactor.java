package io.sluice.lsm.compaction;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.commit.SnapshotCommitter;
import io.sluice.lsm.compaction.CompactedBucket.Phase;
import io.sluice.lsm.error.CommitConflictException;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.level.BucketId;
import io.sluice.lsm.level.Levels;
import io.sluice.lsm.manifest.ManifestStore;
import io.sluice.lsm.manifest.PartitionPaths;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.SchemaStore;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the trees of one table in shape, in the background.
 *
 * <ol>
 *   <li>{@link #wake} says that there is a new snapshot. A task moves the known levels on to the
 *       newest one and plans every bucket that changed.
 *   <li>A bucket with a plan gets a task of the shared executor, one at a time. From planning until
 *       the result is part of the known levels, or given up, the bucket isn't planned again.
 *   <li>Results that wait together become one COMPACT snapshot. If another writer took an input
 *       away, the outputs of that bucket are deleted and it starts over; inputs are never touched.
 *   <li>Without an answer from storage the same commit is tried again until its fate is known;
 *       where it can't be known nothing is deleted.
 *   <li>A failure is reported, and tried again after a pause that doubles.
 * </ol>
 *
 * <p>Writers are slowed by {@link #belowStop} only. Thread safe.
 */
public final class TableCompactor implements AutoCloseable {

  /**
   * How a compactor behaves.
   *
   * @param commitUser of COMPACT snapshots; never the pipeline's own
   * @param retryMin first pause after a failure
   * @param retryMax longest pause
   */
  public record Settings(String commitUser, Duration retryMin, Duration retryMax) {
    public static Settings of(String commitUser) {
      return new Settings(commitUser, Duration.ofSeconds(1), Duration.ofMinutes(1));
    }
  }

  /** What a compactor works with. */
  public record Parts(
      FileIO fileIO,
      SnapshotStore snapshots,
      SchemaStore schemas,
      ManifestStore manifests,
      PartitionPaths paths,
      SnapshotCommitter committer,
      Compactor compactor) {}

  /** What the commits of results need of this compactor. */
  private final class Owner implements CompactionCommits.Owner {
    @Override
    public Object lock() {
      return lock;
    }

    @Override
    public boolean isClosed() {
      return closed;
    }

    @Override
    public @Nullable Snapshot known() {
      return known;
    }

    @Override
    public void settled(List<CompactedBucket> buckets) {
      buckets.forEach(bucket -> release(bucket, Phase.STALE));
      refreshTask();
    }

    @Override
    public void failed(CompactedBucket bucket, Throwable why) {
      bucketFailed(bucket, why);
    }

    @Override
    public Duration pause(int failures) {
      return TableCompactor.this.pause(failures);
    }

    @Override
    public void submitLater(Duration delay, Runnable task) {
      TableCompactor.this.submitLater(delay, task);
    }
  }

  private final Settings settings;
  private final Parts parts;
  private final Executor executor;
  private final CompactionListener listener;
  private final Picker picker;
  private final TableOptions.Compaction options;
  private final boolean writeOnly;
  private final Comparator<byte[]> keyOrder;

  /** Held while levels are moved on, which reads storage; before {@link #lock}. */
  private final ReentrantLock refreshing = new ReentrantLock();

  private final LiveBuckets live;

  private final CompactionCommits commits;

  /** Buckets whose levels have moved on in {@link #live} and not yet here. */
  private final Set<BucketId> moved = new HashSet<>();

  /** Guards all below. */
  private final Object lock = new Object();

  private final Map<BucketId, CompactedBucket> states = new HashMap<>();

  /** Those in phase STALE, and those whose writers wait: few of the many. */
  private final Set<CompactedBucket> stale = new HashSet<>();

  private final Set<CompactedBucket> awaited = new HashSet<>();
  private @Nullable TableSchema schema;

  /** The snapshot that the levels of all states are of. */
  private @Nullable Snapshot known;

  /** Whether the newest snapshot has index files, which compaction can't rewrite. */
  private boolean indexed;

  private long refreshesBegun;
  private boolean refreshQueued;
  private int refreshFailures;
  private int unseenCommits;
  private int activeTasks;
  private volatile boolean closed;

  /**
   * @param options of the table
   * @param picker tells what is compacted
   * @param executor runs refreshes and compactions; a {@link CompactionPool}, or anything bounded
   */
  public TableCompactor(
      Settings settings,
      Parts parts,
      TableOptions options,
      Picker picker,
      Comparator<byte[]> keyOrder,
      Executor executor,
      CompactionListener listener) {
    this.settings = settings;
    this.parts = parts;
    this.executor = executor;
    this.listener = listener;
    this.options = options.compaction();
    this.writeOnly = options.writeOnly();
    this.keyOrder = keyOrder;
    this.picker = picker;
    this.commits =
        new CompactionCommits(
            settings.commitUser(), parts.committer(), parts.fileIO(), listener, new Owner());
    this.live =
        new LiveBuckets(
            parts.snapshots(), parts.manifests(), keyOrder, options.compaction().levels());
  }

  /** There is, or may be, a new snapshot: call it after every commit. Returns at once. */
  public void wake() {
    synchronized (lock) {
      unseenCommits++;
      if (closed || refreshQueued) {
        return;
      }
      refreshQueued = true;
    }
    submit(0, this::refreshTask);
  }

  /** Sorted runs of a bucket in the newest known snapshot. */
  public int sortedRuns(BinaryRow partition, int bucket) {
    synchronized (lock) {
      CompactedBucket state = states.get(new BucketId(partition, bucket));
      return state == null ? 0 : state.levels.runs().size();
    }
  }

  /**
   * Whether a bucket has more sorted runs than {@code num-sorted-run.stop-trigger} admits, and this
   * table is not compacted by others.
   */
  public boolean isBehind() {
    return !writeOnly && worstSortedRuns() > options.stopTrigger();
  }

  /** Sorted runs of the worst bucket. */
  public int worstSortedRuns() {
    synchronized (lock) {
      return picker.runsAreMerged()
          ? states.values().stream().mapToInt(s -> s.levels.runs().size()).max().orElse(0)
          : 0;
    }
  }

  /** Bytes that the compactions now due or running read. */
  public long pendingBytes() {
    synchronized (lock) {
      return states.values().stream()
          .mapToLong(s -> s.plan.map(CompactionPlan::bytes).orElse(0L))
          .sum();
    }
  }

  /**
   * Waits until the snapshots told by {@link #wake} so far have been looked at and no compaction is
   * due, running, or waiting for its snapshot. A bucket that pauses after a failure is not waited
   * for.
   */
  public void awaitIdle() throws InterruptedException {
    synchronized (lock) {
      while (activeTasks > 0 && !closed) {
        lock.wait();
      }
    }
  }

  /**
   * Done once the bucket has no more sorted runs than the option {@code
   * num-sorted-run.stop-trigger} admits; at once if so, and for a table that others compact ({@code
   * write-only}). Fails when the compactor is closed.
   */
  public CompletableFuture<Void> belowStop(BinaryRow partition, int bucket) {
    synchronized (lock) {
      BucketId id = new BucketId(partition, bucket);
      CompactedBucket known = states.get(id);
      int runs = (known == null ? 0 : known.levels.runs().size()) + unseenCommits;
      if (writeOnly || !picker.runsAreMerged() || runs <= options.stopTrigger()) {
        return CompletableFuture.completedFuture(null);
      }
      if (closed) {
        return CompletableFuture.failedFuture(closedFailure());
      }
      CompactedBucket state =
          known == null
              ? state(new BucketId(partition.size() == 0 ? partition : partition.copy(), bucket))
              : known;
      CompletableFuture<Void> waiting = state.belowStop;
      if (waiting == null) {
        waiting = new CompletableFuture<>();
        state.belowStop = waiting;
        awaited.add(state);
      }
      return waiting;
    }
  }

  /**
   * Done once some bucket that now has more sorted runs than {@code num-sorted-run.stop-trigger}
   * admits has them no more; at once if there is no such bucket, and for a table that others
   * compact. Fails when the compactor is closed.
   */
  public CompletableFuture<Void> belowStop() {
    BucketId worst = null;
    synchronized (lock) {
      int most = writeOnly ? Integer.MAX_VALUE : options.stopTrigger() - unseenCommits;
      for (CompactedBucket state : states.values()) {
        if (state.levels.runs().size() > most) {
          most = state.levels.runs().size();
          worst = state.id;
        }
      }
    }
    return worst == null
        ? CompletableFuture.completedFuture(null)
        : belowStop(worst.partition(), worst.bucket());
  }

  /**
   * Waits for {@link #belowStop}, and first looks at new snapshots in this very thread: those of
   * the executor may be busy for long, and what looks like too many runs need not be. Throws
   * CancellationException when the compactor is closed.
   */
  public void awaitBelowStop(BinaryRow partition, int bucket) throws InterruptedException {
    try {
      CompletableFuture<Void> waiting = belowStop(partition, bucket);
      if (!waiting.isDone()) {
        refreshNow();
      }
      waiting.get();
    } catch (ExecutionException e) {
      throw closedFailure();
    }
  }

  private static CancellationException closedFailure() {
    return new CancellationException("The table's compactor is closed");
  }

  // ---------------------------------------------------------------- tasks

  private void submit(long bytes, Runnable task) {
    synchronized (lock) {
      activeTasks++;
    }
    try {
      executor.execute(new Task(bytes, task));
    } catch (RejectedExecutionException e) {
      ended();
      if (!closed) {
        listener.failed("handing a task to the compaction threads", e, settings.retryMax());
      }
    }
  }

  private void submitLater(Duration delay, Runnable task) {
    // Not counted as active: if the compactor is closed by then, nothing happens.
    CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS, Runnable::run)
        .execute(
            () -> {
              if (!closed) {
                submit(0, task);
              }
            });
  }

  private void ended() {
    synchronized (lock) {
      activeTasks--;
      lock.notifyAll();
    }
  }

  private final class Task implements CompactionPool.Sized {
    private final long bytes;
    private final Runnable work;

    Task(long bytes, Runnable work) {
      this.bytes = bytes;
      this.work = work;
    }

    @Override
    public long bytes() {
      return bytes;
    }

    @Override
    public void dropped() {
      ended();
    }

    @Override
    public void run() {
      try {
        if (!closed) {
          work.run();
        }
      } finally {
        ended();
      }
    }
  }

  private Duration pause(int failures) {
    long millis = settings.retryMin().toMillis() << Math.min(20, Math.max(0, failures - 1));
    return Duration.ofMillis(Math.min(millis, settings.retryMax().toMillis()));
  }

  // ---------------------------------------------------------------- following the snapshots

  private void refreshTask() {
    synchronized (lock) {
      refreshQueued = false;
    }
    refreshNow();
  }

  private void refreshNow() {
    try {
      refresh();
    } catch (IOException | RuntimeException e) {
      refreshFailed(e);
    }
  }

  private void refreshFailed(Exception e) {
    Duration delay;
    synchronized (lock) {
      refreshFailures++;
      delay = pause(refreshFailures);
    }
    listener.failed("reading the newest snapshot for compaction", e, delay);
    submitLater(delay, this::refreshTask);
  }

  /** Moves the known levels on, lets writers go on, plans what changed. */
  private void refresh() throws IOException {
    List<CompactedBucket> due = new ArrayList<>();
    List<CompletableFuture<Void>> goOn = new ArrayList<>();
    refreshing.lock();
    try {
      long generation;
      int commits;
      synchronized (lock) {
        generation = ++refreshesBegun;
        commits = unseenCommits;
      }
      moved.addAll(live.refresh());
      Snapshot latest = live.known();
      TableSchema newest = latest == null ? null : parts.schemas().read(latest.schemaId());
      boolean newlyIndexed;
      synchronized (lock) {
        refreshFailures = 0;
        schema = newest;
        known = latest;
        newlyIndexed = !indexed && latest != null && latest.indexManifest() != null;
        indexed = latest != null && latest.indexManifest() != null;
        unseenCommits -= commits;
        moved.forEach(this::update);
        Set<CompactedBucket> toPlan = new LinkedHashSet<>();
        moved.forEach(id -> toPlan.add(state(id)));
        moved.clear();
        awaited.removeIf(state -> released(state, goOn));
        for (CompactedBucket state : List.copyOf(stale)) {
          if (state.staleSince < generation) {
            enter(state, Phase.IDLE);
            toPlan.add(state);
          }
        }
        for (CompactedBucket state : toPlan) {
          if (plan(state)) {
            due.add(state);
          }
          forgetIfEmpty(state);
        }
      }
      if (newlyIndexed && !writeOnly) {
        listener.failed("looking for what to compact", indexRefused(), settings.retryMax());
      }
    } finally {
      refreshing.unlock();
    }
    // Outside the locks: what waits may go on, and an executor run a task, in this very thread.
    goOn.forEach(waiting -> waiting.complete(null));
    for (CompactedBucket state : due) {
      submit(state.plan.map(CompactionPlan::bytes).orElse(0L), () -> compact(state));
    }
  }

  /** Under lock. */
  private void update(BucketId id) {
    LiveBuckets.Bucket bucket = live.buckets().get(id);
    CompactedBucket state = state(id);
    state.levels =
        bucket == null ? Levels.of(keyOrder, options.levels(), List.of()) : bucket.levels();
    state.totalBuckets = bucket == null ? state.totalBuckets : bucket.totalBuckets();
  }

  /** Under lock. Whether nobody waits for the bucket any more. */
  private boolean released(CompactedBucket state, List<CompletableFuture<Void>> into) {
    CompletableFuture<Void> waiting = state.belowStop;
    if (waiting != null && state.levels.runs().size() <= options.stopTrigger()) {
      state.belowStop = null;
      into.add(waiting);
    }
    return state.belowStop == null;
  }

  /** Under lock. */
  private void enter(CompactedBucket state, Phase phase) {
    state.phase = phase;
    if (phase == Phase.STALE) {
      stale.add(state);
    } else {
      stale.remove(state);
    }
  }

  /** Under lock. A bucket of a partition that was dropped costs nothing. */
  private void forgetIfEmpty(CompactedBucket state) {
    if (state.phase == Phase.IDLE && state.levels.files().isEmpty() && state.belowStop == null) {
      states.remove(state.id);
    }
  }

  private CompactedBucket state(BucketId id) {
    return states.computeIfAbsent(
        id, key -> new CompactedBucket(key, Levels.of(keyOrder, options.levels(), List.of())));
  }

  /** Under lock. Whether the bucket has a plan now and waits for its task. */
  private boolean plan(CompactedBucket state) {
    if (state.phase != Phase.IDLE || writeOnly || indexed || closed) {
      return false;
    }
    state.plan = picker.pick(state.levels);
    if (state.plan.isPresent()) {
      enter(state, Phase.BUSY);
    }
    return state.plan.isPresent();
  }

  private UnsupportedTableException indexRefused() {
    return new UnsupportedTableException(
        "Table "
            + parts.paths().table().root()
            + " has index files (deletion vectors or dynamic buckets), which this engine does not"
            + " rewrite: it is not compacted, whatever its options say now. Let Paimon compact it"
            + " fully.");
  }

  // ---------------------------------------------------------------- one bucket

  private void compact(CompactedBucket state) {
    // It has waited for a thread: what came meanwhile is better merged now than once more soon.
    refreshNow();
    CompactionResult result;
    try {
      result = run(state, picker::pick);
    } catch (CancellationException e) {
      release(state, Phase.IDLE);
      return;
    } catch (Throwable e) {
      bucketFailed(state, e);
      return;
    }
    if (result == null || result.isEmpty()) {
      release(state, Phase.IDLE);
      return;
    }
    synchronized (lock) {
      state.failures = 0;
    }
    commits.commit(state, result);
  }

  /** Null if there is nothing to do by now. */
  private @Nullable CompactionResult run(
      CompactedBucket state, Function<Levels, Optional<CompactionPlan>> pick) throws IOException {
    Levels levels;
    CompactionPlan plan;
    TableSchema writeSchema;
    synchronized (lock) {
      levels = state.levels;
      writeSchema = schema;
      state.plan = pick.apply(levels);
      if (state.plan.isEmpty() || writeSchema == null) {
        return null;
      }
      plan = state.plan.get();
    }
    listener.begun(state.id, plan);
    return parts
        .compactor()
        .run(
            plan,
            parts.paths().bucketFolder(state.id.partition(), state.id.bucket()),
            writeSchema,
            levels.deepestLevel(),
            () -> closed);
  }

  private void release(CompactedBucket state, Phase phase) {
    synchronized (lock) {
      enter(state, phase);
      state.plan = Optional.empty();
      state.staleSince = refreshesBegun;
      lock.notifyAll();
    }
  }

  /** The bucket pauses; then everything is read anew, for an input may be gone. */
  private void bucketFailed(CompactedBucket state, Throwable e) {
    Duration delay;
    synchronized (lock) {
      state.failures++;
      enter(state, Phase.PAUSED);
      delay = pause(state.failures);
    }
    listener.failed(
        "compaction of bucket "
            + parts.paths().bucketFolder(state.id.partition(), state.id.bucket()),
        e,
        delay);
    submitLater(
        delay,
        () -> {
          synchronized (lock) {
            if (state.phase == Phase.PAUSED) {
              release(state, Phase.STALE);
            }
          }
          startOver();
        });
  }

  private void startOver() {
    refreshing.lock();
    try {
      live.forget();
    } finally {
      refreshing.unlock();
    }
    refreshTask();
  }

  /**
   * Compacts every bucket into its deepest level, in the calling thread, and commits; for
   * maintenance by hand. Buckets that are being compacted in the background are waited for.
   *
   * @return how many buckets changed
   * @throws CommitConflictException if another writer was faster; what is committed by then stays
   * @throws UnsupportedTableException if the table has index files
   */
  public int compactFully() throws IOException, InterruptedException {
    refresh();
    int changed = 0;
    Set<BucketId> left;
    synchronized (lock) {
      if (indexed) {
        throw indexRefused();
      }
      left = new HashSet<>(states.keySet());
    }
    for (BucketId id : left) {
      Step step = compactFully(id);
      changed += step == Step.NOTHING ? 0 : 1;
      while (step == Step.MORE) {
        step = compactFully(id);
      }
    }
    refresh();
    return changed;
  }

  private enum Step {
    NOTHING,
    /** Level-0 runs that were too many for one compaction are left. */
    MORE,
    LAST
  }

  private Step compactFully(BucketId id) throws IOException, InterruptedException {
    CompactedBucket state = occupy(id);
    Step step = Step.NOTHING;
    try {
      // What was waited for has changed the bucket, and may not have been looked at yet.
      refresh();
      CompactionResult result = run(state, picker::pickFull);
      if (result != null && !result.isEmpty()) {
        boolean all;
        synchronized (lock) {
          all = state.plan.stream().allMatch(plan -> plan.isOf(state.levels));
        }
        commits.commitByHand(state, result);
        step = all || !picker.runsAreMerged() ? Step.LAST : Step.MORE;
      }
    } finally {
      release(state, Phase.STALE);
    }
    return step;
  }

  /** Waits until nothing works on the bucket, and keeps others from it. */
  private CompactedBucket occupy(BucketId id) throws InterruptedException {
    synchronized (lock) {
      CompactedBucket state = state(id);
      while (state.phase == Phase.BUSY) {
        if (closed) {
          throw closedFailure();
        }
        lock.wait();
      }
      enter(state, Phase.BUSY);
      return state;
    }
  }

  /**
   * Ends background work: running compactions stop and delete their outputs, a commit in progress
   * is waited for, waiting writers are told.
   */
  @Override
  public void close() {
    List<CompletableFuture<Void>> waiting = new ArrayList<>();
    synchronized (lock) {
      closed = true;
      for (CompactedBucket state : states.values()) {
        if (state.belowStop != null) {
          waiting.add(state.belowStop);
          state.belowStop = null;
        }
      }
      awaited.clear();
    }
    waiting.forEach(writer -> writer.completeExceptionally(closedFailure()));
    synchronized (lock) {
      boolean interrupted = false;
      while (activeTasks > 0) {
        try {
          lock.wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      commits.drop();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
