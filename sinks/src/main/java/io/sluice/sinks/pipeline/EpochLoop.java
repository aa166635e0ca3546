package io.sluice.sinks.pipeline;

import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.sinks.Liveness;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.SourceCallbacks;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.epoch.EpochCommitter;
import io.sluice.sinks.epoch.EpochCommitter.Gathered;
import io.sluice.sinks.epoch.EpochFile;
import io.sluice.sinks.epoch.EpochFile.Kind;
import io.sluice.sinks.epoch.EpochFile.SchemaText;
import io.sluice.sinks.epoch.EpochFile.SourceFacts;
import io.sluice.sinks.epoch.EpochFile.TableChange;
import io.sluice.sinks.epoch.EpochStore;
import io.sluice.sinks.epoch.LakeTable;
import io.sluice.sinks.epoch.SchemaPublisher;
import io.sluice.sinks.epoch.StorageRetry;
import io.sluice.sinks.shard.SinkTable;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The epoch thread: takes one cut after another and makes it an epoch. */
final class EpochLoop implements Runnable {

  private static final int HISTORY_RECORDS_MAX = 500;
  private static final int HISTORY_CHARS_MAX = 128 << 10;
  private static final long LOOK_MILLIS = 200;

  /** Where the pipeline stands. For status: published as a whole. */
  record Standing(
      long epoch, long finishedMillis, @Nullable SourcePosition position, long sourceTimeMicros) {}

  private final PipelineMonitor monitor;
  private final EpochCommitter committer;
  private final EpochStore store;
  private final StorageRetry retry;
  private final SourceCallbacks source;
  private final PipelineListener listener;
  private final Clock clock;
  private final Supplier<String> ids;
  private final Liveness.Stage stage;
  private final TableRegistry tables;
  private final Parking parking;
  private final Consumer<Map<LakeTable, Long>> afterEpoch;
  private final Consumer<Throwable> onFailure;

  private EpochFile last;
  private List<String> foldedHistory;
  private volatile Standing standing;
  private volatile SortedMap<LakeTable, Long> lastEpochsNow;
  private long cleanedUpAfter;

  /** What the loop needs of its surroundings. */
  record Parts(
      EpochCommitter committer,
      EpochStore store,
      StorageRetry retry,
      TableRegistry tables,
      Parking parking,
      SourceCallbacks source,
      PipelineListener listener,
      Clock clock,
      Supplier<String> ids,
      Liveness.Stage stage) {}

  /**
   * @param last the epoch that this process began with
   * @param foldedHistory records of its history file
   * @param afterEpoch hears each epoch's snapshots
   */
  EpochLoop(
      PipelineMonitor monitor,
      Parts parts,
      EpochFile last,
      List<String> foldedHistory,
      Consumer<Map<LakeTable, Long>> afterEpoch,
      Consumer<Throwable> onFailure) {
    this.monitor = monitor;
    this.committer = parts.committer();
    this.store = parts.store();
    this.retry = parts.retry();
    this.source = parts.source();
    this.listener = parts.listener();
    this.clock = parts.clock();
    this.ids = parts.ids();
    this.stage = parts.stage();
    this.last = last;
    this.foldedHistory = foldedHistory;
    this.tables = parts.tables();
    this.parking = parts.parking();
    this.afterEpoch = afterEpoch;
    this.onFailure = onFailure;
    this.cleanedUpAfter = last.number();
    this.lastEpochsNow = last.lastEpochs();
    String position = last.position();
    this.standing =
        new Standing(
            last.number(),
            last.timeMillis(),
            position == null ? null : new SourcePosition(position),
            last.sourceTimeMicros());
  }

  Standing standing() {
    return standing;
  }

  /** Of the newest finished epoch: see {@link EpochFile#lastEpochs}. */
  SortedMap<LakeTable, Long> lastEpochs() {
    return lastEpochsNow;
  }

  /** What a table has that goes on from where it was found, perhaps rolled back. */
  private static void note(SortedMap<LakeTable, Long> lastEpochs, TableState.Cut cut, long epoch) {
    if (epoch < 0) {
      lastEpochs.remove(cut.table().lake());
    } else {
      lastEpochs.put(cut.table().lake(), epoch);
    }
  }

  /** Waits until nothing is looked at any more of the epochs before the newest finished one. */
  synchronized void awaitCleanUp(CompletableFuture<Void> pipelineEnd) throws InterruptedException {
    while (cleanedUpAfter < standing.epoch()) {
      if (pipelineEnd.isDone()) {
        throw new PipelineStoppedException(Reason.CLOSED, "The pipeline has ended");
      }
      wait(LOOK_MILLIS);
    }
  }

  @Override
  public void run() {
    stage.enter();
    try {
      while (true) {
        stage.rests();
        CutJob job = monitor.awaitCut();
        if (job == null) {
          return;
        }
        // The workers' turn.
        stage.rests();
        Optional<Map<SinkTable, List<CommitMessage>>> files = job.barrier().await();
        if (files.isEmpty()) {
          return;
        }
        stage.works();
        commit(job, files.get());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      onFailure.accept(e);
    } finally {
      stage.rests();
    }
  }

  private void commit(CutJob job, Map<SinkTable, List<CommitMessage>> files) {
    long number = last.number() + 1;
    Set<LakeTable> leftOut = new TreeSet<>();
    job.barrier()
        .leftOut()
        .forEach(
            (sink, reason) -> {
              leftOut.add(sink.name());
              park(sink.name(), reason, last);
            });
    List<Gathered> gathered =
        gather(job, files).stream().filter(each -> !leftOut.contains(each.table())).toList();
    List<TableChange> changes = committer.prepare(gathered);
    leftOut.addAll(parkFaults(last));
    SortedMap<LakeTable, Long> lastEpochs = new TreeMap<>(last.lastEpochs());
    // Whatever was in a table before it was brought back, it was copied over.
    job.tables().stream()
        .filter(TableState.Cut::broughtBack)
        .forEach(cut -> lastEpochs.remove(cut.table().lake()));
    job.tables().forEach(cut -> cut.standsAt().ifPresent(at -> note(lastEpochs, cut, at)));
    for (TableChange change : changes) {
      if (change.kind() != Kind.SCHEMA) {
        lastEpochs.put(change.table(), number);
      }
    }
    String historyFile = last.historyFile();
    List<String> history = new ArrayList<>(last.history());
    history.addAll(job.history());
    if (tooLong(history)) {
      List<String> all = new ArrayList<>(foldedHistory);
      all.addAll(history);
      foldedHistory = List.copyOf(source.foldHistory(all));
      String fresh = ids.get();
      historyFile =
          retry.run(
              "writing the history of pipeline " + last.pipeline(),
              () -> store.writeHistory(number, fresh, foldedHistory));
      history = List.of();
    }
    SourcePosition position = job.position();
    EpochFile epoch =
        new EpochFile(
            number,
            last.pipeline(),
            last.incarnation(),
            position == null ? null : position.text(),
            job.sourceTimeMicros(),
            clock.millis(),
            job.nextSequence(),
            changes,
            lastEpochs,
            withParked(job.sources(), leftOut),
            historyFile,
            history,
            job.watermark());
    Map<LakeTable, Snapshot> made = committer.publish(epoch);
    // Of these the next epoch's file tells; a start before it finds the same faults.
    parkFaults(last);
    double seconds = monitor.secondsSince(job.cutNanos());
    SortedMap<LakeTable, Long> snapshots = new TreeMap<>();
    made.forEach((table, snapshot) -> snapshots.put(table, snapshot.id()));
    last = epoch;
    lastEpochsNow = epoch.lastEpochs();
    standing = new Standing(number, clock.millis(), position, job.sourceTimeMicros());
    // From here on workers may flush for the next epoch while this one is cleaned up after.
    monitor.finished(job, snapshots);
    committer.finish(epoch, made);
    // What the epoch before had made is gone: what is in the table is known of no epoch.
    parkFaults(null);
    afterEpoch.accept(snapshots);
    synchronized (this) {
      cleanedUpAfter = number;
      notifyAll();
    }
    Map<String, Long> named = new LinkedHashMap<>();
    snapshots.forEach((table, id) -> named.put(table.name(), id));
    listener.epochFinished(number, seconds, named);
  }

  /** Leaves the tables behind that the committer left out. */
  private Set<LakeTable> parkFaults(@Nullable EpochFile at) {
    Map<LakeTable, String> faults = committer.takeFaults();
    faults.forEach((table, reason) -> park(table, reason, at));
    return faults.keySet();
  }

  /**
   * @param at the newest epoch that is in the table; null: none is known to be
   */
  private void park(LakeTable table, String reason, @Nullable EpochFile at) {
    parking.parkAt(table, reason, at);
  }

  /** The file of an epoch that lacks what it should have of a table must say so itself. */
  private Map<SourceTableId, SourceFacts> withParked(
      Map<SourceTableId, SourceFacts> sources, Set<LakeTable> leftOut) {
    if (leftOut.isEmpty()) {
      return sources;
    }
    Map<SourceTableId, SourceFacts> now = monitor.locked(tables::facts);
    Map<SourceTableId, SourceFacts> result = new LinkedHashMap<>(sources);
    result.replaceAll(
        (source, facts) ->
            leftOut.contains(facts.lakeTable()) ? Objects.requireNonNull(now.get(source)) : facts);
    return result;
  }

  private static boolean tooLong(List<String> history) {
    return history.size() > HISTORY_RECORDS_MAX
        || history.stream().mapToLong(String::length).sum() > HISTORY_CHARS_MAX;
  }

  private static List<Gathered> gather(CutJob job, Map<SinkTable, List<CommitMessage>> files) {
    Map<LakeTable, TableState.Cut> cuts = new LinkedHashMap<>();
    job.tables().forEach(cut -> cuts.put(cut.table().lake(), cut));
    SortedMap<LakeTable, Gathered> result = new TreeMap<>();
    for (TableState.Cut cut : job.tables()) {
      if (cut.hasChange()) {
        Kind kind = cut.truncated() ? Kind.OVERWRITE : Kind.SCHEMA;
        LakeTable table = cut.table().lake();
        result.put(table, new Gathered(table, kind, texts(cut.schemas()), List.of()));
      }
    }
    files.forEach(
        (sink, messages) -> {
          TableState.Cut cut = cuts.get(sink.name());
          if (cut != null && cut.truncated()) {
            throw new IllegalStateException(
                "Table " + sink + " was truncated, and yet has rows in the same epoch");
          }
          List<SchemaText> schemas = cut == null ? List.of() : texts(cut.schemas());
          result.put(sink.name(), new Gathered(sink.name(), Kind.APPEND, schemas, messages));
        });
    return List.copyOf(result.values());
  }

  private static List<SchemaText> texts(List<TableSchema> schemas) {
    return schemas.stream().map(SchemaPublisher::text).toList();
  }
}
