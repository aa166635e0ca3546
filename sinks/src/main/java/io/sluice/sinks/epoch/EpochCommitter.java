package io.sluice.sinks.epoch;

import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.commit.PreparedDelta;
import io.sluice.lsm.expire.ConsumerFiles;
import io.sluice.lsm.io.NotDurableException;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.epoch.EpochFile.Kind;
import io.sluice.sinks.epoch.EpochFile.SchemaText;
import io.sluice.sinks.epoch.EpochFile.TableChange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Publishes epochs: the file first, then every table's snapshot. The steps and their order are the
 * rules of docs/architecture.md; a recovery uses {@link #rollForward} alone. One thread at a time.
 *
 * <ol>
 *   <li>{@link #prepare} writes each changed table's manifests and looks up its base.
 *   <li>{@link #publish} creates the epoch file, or reads back whose it is.
 *   <li>A higher epoch in the folder: another owner, stop. The one before is gone: the pipeline was
 *       ended, stop.
 *   <li>{@link #rollForward}: schemas, then one snapshot a table.
 *   <li>The epoch before this one is looked at once more; then its file is deleted. The highest
 *       file is never deleted.
 * </ol>
 */
public final class EpochCommitter {

  private final EpochStore store;
  private final LakeTables tables;
  private final StorageRetry retry;

  /** For what is done in one table's folder. */
  private final StorageRetry tableRetry;

  private final Executor pool;
  private final String consumer;
  private final Map<LakeTable, Snapshot> newest = new ConcurrentHashMap<>();
  private final Set<LakeTable> pinned = ConcurrentHashMap.newKeySet();
  private final boolean parksTables;

  /** Why tables could not be committed to, of a pipeline that parks them; until they are taken. */
  private final Map<LakeTable, String> faults = new ConcurrentHashMap<>();

  /** Snapshots of the newest finished epoch of this process, until they are looked at again. */
  private final Map<LakeTable, Snapshot> lastMade = new HashMap<>();

  private final IdlePins idlePins;
  private List<Long> lowerEpochs = List.of();
  private @Nullable String historyFileKept;

  /**
   * @param consumer id of the pipeline's consumer file in each table
   * @param pool commits several tables at once; may run them on the calling thread
   */
  public EpochCommitter(
      EpochStore store, LakeTables tables, String consumer, StorageRetry retry, Executor pool) {
    this(store, tables, consumer, retry, pool, false);
  }

  /**
   * @param parksTables a table that can't be committed to is left out, and told by {@link
   *     #takeFaults}; else it ends the commit
   */
  public EpochCommitter(
      EpochStore store,
      LakeTables tables,
      String consumer,
      StorageRetry retry,
      Executor pool,
      boolean parksTables) {
    this.store = store;
    this.tables = tables;
    this.retry = retry;
    this.tableRetry = parksTables ? retry.ofOneFolder(store::answers) : retry;
    this.pool = pool;
    this.consumer = consumer;
    this.parksTables = parksTables;
    this.idlePins = new IdlePins(tables, consumer, System::nanoTime);
  }

  /** Tables that were left out since the last call, and why. */
  public Map<LakeTable, String> takeFaults() {
    Map<LakeTable, String> taken = new TreeMap<>(faults);
    taken.keySet().forEach(faults::remove);
    return taken;
  }

  private void leaveOut(LakeTable table, TableFaultException fault) {
    if (!parksTables) {
      throw fault;
    }
    faults.put(table, String.valueOf(fault.getMessage()));
  }

  /** What an epoch has gathered for one table, before anything of it is written. */
  public record Gathered(
      LakeTable table, Kind kind, List<SchemaText> schemas, List<CommitMessage> messages) {
    public Gathered {
      schemas = List.copyOf(schemas);
      messages = List.copyOf(messages);
    }
  }

  /** What is known of a table may be outdated. */
  public void forget(LakeTable table) {
    newest.remove(table);
    pinned.remove(table);
  }

  /** Writes the manifests of all changed tables; nothing is visible yet. */
  public List<TableChange> prepare(List<Gathered> gathered) {
    return onAll(gathered, this::prepareOrLeaveOut).stream().flatMap(Optional::stream).toList();
  }

  private Optional<TableChange> prepareOrLeaveOut(Gathered gathered) {
    try {
      return Optional.of(prepareOne(gathered));
    } catch (TableFaultException e) {
      leaveOut(gathered.table(), e);
      return Optional.empty();
    }
  }

  private TableChange prepareOne(Gathered gathered) {
    LakeTable table = gathered.table();
    String doing = "preparing the commit of table " + table;
    PreparedDelta delta = null;
    if (gathered.kind() == Kind.APPEND) {
      LsmTable lsm = tableRetry.run(doing, () -> tables.open(table));
      delta = tableRetry.run(doing, () -> prepare(table, lsm, gathered.messages()));
    }
    boolean isNew = !gathered.schemas().isEmpty() && gathered.schemas().get(0).id() == 0;
    if (!isNew && !pinned.contains(table)) {
      // Before the base is looked up: what lies above the base must be held from then on.
      tableRetry.run(
          doing, () -> makePin(table, Math.max(newestSnapshot(table), Snapshot.FIRST_ID)));
    }
    Snapshot known = newest.get(table);
    long base = tableRetry.run(doing, () -> newestSnapshot(table));
    if (known != null) {
      tableRetry.run(doing, () -> refuseRolledBack(table, known));
    }
    return new TableChange(table, gathered.kind(), gathered.schemas(), delta, base);
  }

  /** Files that can't be made durable never will be, and their rows are in no memory any more. */
  private static PreparedDelta prepare(LakeTable table, LsmTable lsm, List<CommitMessage> messages)
      throws IOException {
    try {
      return lsm.committer().prepare(messages);
    } catch (NotDurableException e) {
      throw new PipelineStoppedException(
          Reason.UNREACHABLE,
          "Rows of table "
              + table
              + " can't be kept: "
              + e.getMessage()
              + ". Nothing is lost: going on from the last epoch reads them again.",
          e);
    }
  }

  /**
   * The file {@code consumer/consumer-sluice-<pipeline>}: nobody's expiry deletes the snapshot that
   * it names or a later one. Without it the look for our snapshot above base could meet a hole and
   * would have to stop. Expiry moves it on.
   */
  private void makePin(LakeTable table, long snapshot) throws IOException {
    if (pinned.contains(table)) {
      return;
    }
    ConsumerFiles consumers = new ConsumerFiles(tables.fileIO(), table.paths(tables.warehouse()));
    OptionalLong present = consumers.read(consumer);
    if (present.isPresent() && present.getAsLong() > snapshot) {
      // The table was rolled back while it was parked: it pins nothing that is there.
      consumers.delete(consumer);
      present = OptionalLong.empty();
    }
    if (present.isEmpty()) {
      consumers.advance(consumer, snapshot);
    }
    pinned.add(table);
  }

  /**
   * @param known was the newest snapshot before the present one was looked up
   */
  private void refuseRolledBack(LakeTable table, Snapshot known) throws IOException {
    Snapshot latest = newest.get(table);
    boolean gone = latest == null || latest.id() < known.id();
    Snapshot there = known;
    if (!gone && latest != null && !latest.equals(known)) {
      there = latest.id() == known.id() ? latest : tables.snapshots(table).readIfThere(known.id());
    }
    // One below the newest may have expired.
    if (gone || there != null && !there.equals(known)) {
      throw new TableFaultException(
          Reason.PROTECTED,
          "Snapshot "
              + known.id()
              + " of table "
              + table
              + " was the newest one and "
              + (gone ? "is gone" : "is another one now")
              + ": the table was rolled back, or its rows were replaced. Compare it with the"
              + " source, or copy it anew.");
    }
  }

  /** Id of a table's newest snapshot, 0 if none. */
  private long newestSnapshot(LakeTable table) throws IOException {
    Snapshot latest = tables.snapshots(table).findLatest(newest.get(table));
    if (latest == null) {
      newest.remove(table);
      return 0;
    }
    newest.put(table, latest);
    return latest.id();
  }

  /**
   * Makes an epoch visible; {@link #finish} follows before the next one.
   *
   * @return the snapshot that each table has it in
   * @throws PipelineStoppedException PROTECTED if fenced or if an outcome can't be known,
   *     UNREACHABLE if storage stays away
   */
  public Map<LakeTable, Snapshot> publish(EpochFile epoch) {
    byte[] content = EpochJson.write(epoch);
    String doing = "writing " + store.path(epoch.number());
    retry.run(doing, () -> store.create(epoch, content));
    lowerEpochs = retry.run(doing, () -> store.refuseUnlessNewest(epoch.number()));
    return rollForward(epoch);
  }

  /** Puts an epoch that has its file into the tables that lack it. */
  public Map<LakeTable, Snapshot> rollForward(EpochFile epoch) {
    Map<LakeTable, Snapshot> made = new ConcurrentHashMap<>();
    onAll(
        epoch.changes(),
        change -> {
          try {
            Snapshot snapshot = rollForward(epoch, change);
            if (snapshot != null) {
              made.put(change.table(), snapshot);
            }
          } catch (TableFaultException e) {
            leaveOut(change.table(), e);
          }
          return change;
        });
    return made;
  }

  private @Nullable Snapshot rollForward(EpochFile epoch, TableChange change) {
    LakeTable table = change.table();
    String doing = "committing epoch " + epoch.number() + " to table " + table;
    for (SchemaText schema : change.schemas()) {
      if (schema.id() == 0) {
        // Before others can see the table, let alone commit to it.
        tableRetry.run(doing, () -> makePin(table, Snapshot.FIRST_ID));
      }
      tableRetry.run(doing, () -> SchemaPublisher.publish(table, tables.schemas(table), schema));
    }
    if (change.kind() == Kind.SCHEMA) {
      return null;
    }
    LsmTable lsm = tableRetry.run(doing, () -> tables.open(table));
    TableCommit commit = new TableCommit(epoch, change, tables.snapshots(table));
    Snapshot snapshot = tableRetry.run(doing, () -> commit.commit(lsm.committer()));
    newest.put(table, snapshot);
    return snapshot;
  }

  /**
   * The epoch is in all its tables: the ones before it are no longer needed. Expiry may hear of the
   * epoch only after this, for the snapshots of the one before are looked at here.
   */
  public void finish(EpochFile epoch, Map<LakeTable, Snapshot> made) {
    lookOnceMore(epoch.number());
    lastMade.clear();
    lastMade.putAll(made);
    String doing = "deleting epochs before " + epoch.number();
    retry.run(
        doing,
        () -> {
          for (long number : lowerEpochs) {
            store.delete(number);
          }
        });
    String historyFile = epoch.historyFile();
    if (historyFile != null && !historyFile.equals(historyFileKept)) {
      retry.run(doing, () -> store.deleteHistoryBefore(historyFile));
      historyFileKept = historyFile;
    }
    idlePins.afterEpoch(epoch.lastEpochs().keySet(), made.keySet());
  }

  /** A start begins again: what was made before is another's by now. */
  public void beginAgain() {
    lastMade.clear();
    idlePins.forget();
  }

  /**
   * Exclusive creation binds only those who use it: a writer of another program may have replaced a
   * snapshot of ours.
   */
  private void lookOnceMore(long number) {
    onAll(
        List.copyOf(lastMade.entrySet()),
        made -> {
          try {
            lookOnceMore(number, made.getKey(), made.getValue());
          } catch (TableFaultException e) {
            leaveOut(made.getKey(), e);
          }
          return made;
        });
  }

  private void lookOnceMore(long number, LakeTable table, Snapshot ours) {
    Snapshot there =
        tableRetry
            .<Optional<Snapshot>>run(
                "looking at table " + table,
                () -> Optional.ofNullable(tables.snapshots(table).readIfThere(ours.id())))
            .orElse(null);
    if (there == null
        || !there.commitUser().equals(ours.commitUser())
        || !there.deltaManifestList().equals(ours.deltaManifestList())) {
      // A later owner's expiry may have removed it: then there is nothing wrong but this process.
      retry.run("looking for a later owner", () -> store.refuseHigherThan(number));
      String what =
          "Snapshot "
              + ours.id()
              + " of table "
              + table
              + ", which had epoch "
              + ours.commitIdentifier()
              + " of this pipeline, "
              + (there == null ? "is gone" : "has been replaced by " + there.commitUser())
              + ". Another program writes this table without exclusive creation, or deleted it."
              + " Stop that program and copy the table anew.";
      throw new TableFaultException(Reason.PROTECTED, what);
    }
  }

  private interface Work<A, B> {
    B apply(A item);
  }

  /**
   * Does the work for all, in order of the list or several at once; the first failure is thrown.
   */
  private <A, B> List<B> onAll(List<A> items, Work<A, B> work) {
    List<FutureTask<B>> tasks = new ArrayList<>();
    for (A item : items) {
      FutureTask<B> task = new FutureTask<>(() -> work.apply(item));
      tasks.add(task);
      if (items.size() == 1) {
        task.run();
      } else {
        pool.execute(task);
      }
    }
    List<B> results = new ArrayList<>();
    Throwable failure = null;
    for (FutureTask<B> task : tasks) {
      try {
        results.add(task.get());
      } catch (ExecutionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        if (failure == null) {
          failure = cause;
        } else {
          failure.addSuppressed(cause);
        }
      } catch (InterruptedException e) {
        tasks.forEach(t -> t.cancel(true));
        Thread.currentThread().interrupt();
        throw new PipelineStoppedException(Reason.CLOSED, "Interrupted in a commit", e);
      }
    }
    if (failure instanceof RuntimeException runtime) {
      throw runtime;
    }
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure != null) {
      throw new IllegalStateException("Unexpected in a commit", failure);
    }
    return results;
  }

  /** Reads the highest epoch file; null if there is none. */
  public @Nullable EpochFile readHighest() throws IOException {
    return store.readHighest();
  }
}
