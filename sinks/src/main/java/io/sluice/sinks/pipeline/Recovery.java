package io.sluice.sinks.pipeline;

import static java.util.stream.Collectors.toSet;

import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.expire.ConsumerFiles;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIO.FileStatus;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.sinks.Parked;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.RecoveredState;
import io.sluice.sinks.SourceCallbacks;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.Succession;
import io.sluice.sinks.TableTarget;
import io.sluice.sinks.epoch.EpochCommitter;
import io.sluice.sinks.epoch.EpochFile;
import io.sluice.sinks.epoch.EpochFile.SourceFacts;
import io.sluice.sinks.epoch.EpochStore;
import io.sluice.sinks.epoch.LakeTable;
import io.sluice.sinks.epoch.LakeTables;
import io.sluice.sinks.epoch.StorageRetry;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A start, from the lake alone:
 *
 * <ol>
 *   <li>the highest epoch file is put into the tables that lack it;
 *   <li>an empty epoch with a new incarnation is written: from then on an older daemon, however
 *       long it slept, loses its next creation.
 * </ol>
 *
 * <p>An older daemon may win a number until then: the start begins again with what it has won.
 */
final class Recovery {

  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

  /** How often a live daemon that is taken over from may win the next number. */
  private static final int ATTEMPTS_MAX = 100;

  private final String pipeline;
  private final LakeTables tables;
  private final EpochStore store;
  private final EpochCommitter committer;
  private final StorageRetry retry;
  private final Clock clock;

  Recovery(
      String pipeline,
      LakeTables tables,
      EpochStore store,
      EpochCommitter committer,
      StorageRetry retry,
      Clock clock) {
    this.pipeline = pipeline;
    this.tables = tables;
    this.store = store;
    this.committer = committer;
    this.retry = retry;
    this.clock = clock;
  }

  /**
   * @param epoch the empty epoch that was written
   * @param foldedHistory records of the history file
   */
  record Result(EpochFile epoch, List<String> foldedHistory, RecoveredState state) {}

  /**
   * @param incarnation of the process that starts
   * @param succession whom it may follow
   * @throws PipelineStoppedException if going on could lose or double rows, if the pipeline has
   *     another owner, or storage fails
   */
  Result recover(String incarnation, Succession succession, SourceCallbacks source) {
    succession.add(incarnation);
    for (int attempt = 1; ; attempt++) {
      EpochFile highest = readHighest();
      if (highest != null && !succession.admits(Optional.of(highest.incarnation()))) {
        throw store.fenced(
            highest.number(), "it is of incarnation " + highest.incarnation() + ", begun later");
      }
      try {
        return follow(highest, incarnation, source);
      } catch (PipelineStoppedException e) {
        if (attempt == ATTEMPTS_MAX || !outrun(highest, attempt, succession, e)) {
          throw e;
        }
        LOG.info("Pipeline {}: the one to take over from goes on; trying again", pipeline);
      }
    }
  }

  private @Nullable EpochFile readHighest() {
    return retry
        .<Optional<EpochFile>>run(
            "reading " + store.folder(), () -> Optional.ofNullable(committer.readHighest()))
        .orElse(null);
  }

  /**
   * Whether the stop came of an epoch won by one that this start may outrun. A request of a dead
   * predecessor may land as late as it likes, but it had one on its way at most: one that is outrun
   * twice meets a live one. Until a start has an epoch of its own, it knows nothing that could be
   * wrong; it begins again with what it finds.
   */
  private boolean outrun(
      @Nullable EpochFile followed,
      int times,
      Succession succession,
      PipelineStoppedException why) {
    if (why.reason() != Reason.PROTECTED) {
      return false;
    }
    EpochFile now = readHighest();
    if (now == null || followed != null && now.number() <= followed.number()) {
      return false;
    }
    return succession.insistsAgainst(now.incarnation())
        || times == 1 && succession.admits(Optional.of(now.incarnation()));
  }

  private Result follow(@Nullable EpochFile highest, String incarnation, SourceCallbacks source) {
    committer.beginAgain();
    List<String> folded = List.of();
    Map<LakeTable, String> faults = Map.of();
    if (highest == null) {
      refuseOrphans();
    } else {
      if (!highest.pipeline().equals(pipeline)) {
        throw new PipelineStoppedException(
            Reason.MISCONFIGURED,
            store.path(highest.number()) + " is of pipeline " + highest.pipeline());
      }
      // Finished with the epoch that follows: only then older files are deleted.
      committer.finish(highest, committer.rollForward(highest));
      faults = committer.takeFaults();
      String file = highest.historyFile();
      if (file != null) {
        folded = retry.run("reading history " + file, () -> store.readHistory(file));
      }
    }
    EpochFile first = firstOwn(highest, incarnation, source, faults);
    committer.finish(first, committer.publish(first));
    committer
        .takeFaults()
        .forEach(
            (table, reason) -> {
              throw new PipelineStoppedException(Reason.PROTECTED, reason);
            });
    List<String> history = new ArrayList<>(folded);
    history.addAll(first.history());
    Map<SourceTableId, String> progress = new LinkedHashMap<>();
    first
        .sources()
        .forEach(
            (table, facts) -> {
              String text = facts.backfill();
              if (text != null) {
                progress.put(table, text);
              }
            });
    String position = first.position();
    return new Result(
        first,
        folded,
        new RecoveredState(
            first.number(),
            position == null ? Optional.empty() : Optional.of(new SourcePosition(position)),
            history,
            progress));
  }

  private EpochFile firstOwn(
      @Nullable EpochFile highest,
      String incarnation,
      SourceCallbacks source,
      Map<LakeTable, String> faults) {
    if (highest == null) {
      return new EpochFile(
          1,
          pipeline,
          incarnation,
          null,
          0,
          clock.millis(),
          0,
          List.of(),
          new TreeMap<>(),
          Map.of(),
          null,
          List.of());
    }
    Map<SourceTableId, SourceFacts> sources = stillCaptured(highest.sources(), source);
    SortedMap<LakeTable, Long> lastEpochs = new TreeMap<>(highest.lastEpochs());
    lastEpochs
        .keySet()
        .retainAll(sources.values().stream().map(SourceFacts::lakeTable).collect(toSet()));
    return new EpochFile(
        highest.number() + 1,
        pipeline,
        incarnation,
        highest.position(),
        highest.sourceTimeMicros(),
        clock.millis(),
        highest.nextSequence(),
        List.of(),
        lastEpochs,
        parked(highest, sources, faults),
        highest.historyFile(),
        highest.history(),
        highest.watermark());
  }

  /**
   * A table that is not captured any more is forgotten: its rows stand still from here on, so it
   * must not be taken for up to date when it is captured again.
   */
  private static Map<SourceTableId, SourceFacts> stillCaptured(
      Map<SourceTableId, SourceFacts> sources, SourceCallbacks source) {
    Map<SourceTableId, SourceFacts> result = new LinkedHashMap<>();
    sources.forEach(
        (table, facts) -> {
          Optional<TableTarget> target = source.target(table);
          if (target.isPresent()) {
            result.put(table, facts);
          }
        });
    return result;
  }

  /** Tables that the highest epoch can't be put into stand at the one before. */
  private Map<SourceTableId, SourceFacts> parked(
      EpochFile highest, Map<SourceTableId, SourceFacts> sources, Map<LakeTable, String> faults) {
    Map<SourceTableId, SourceFacts> result = new LinkedHashMap<>(sources);
    result.replaceAll(
        (source, facts) -> {
          String reason = faults.get(facts.lakeTable());
          if (reason == null) {
            return facts;
          }
          LOG.error(
              "Table {} of pipeline {} is parked at epoch {}: {} To bring it back: sluice resync -c"
                  + " FILE {}",
              source,
              pipeline,
              highest.number() - 1,
              reason,
              source);
          return new SourceFacts(
              facts.lakeTable(),
              null,
              new Parked(highest.number() - 1, null, reason, clock.millis()),
              0);
        });
    return result;
  }

  /** A pipeline without a folder must not have tables: their position is lost. */
  private void refuseOrphans() {
    LakeTable orphan =
        retry
            .<Optional<LakeTable>>run(
                "looking for tables of pipeline " + pipeline,
                () -> Optional.ofNullable(findTableOfOurs()))
            .orElse(null);
    if (orphan != null) {
      throw new PipelineStoppedException(
          Reason.PROTECTED,
          "There is no epoch file in "
              + store.folder()
              + ", but table "
              + orphan.root(tables.warehouse())
              + " has been written by pipeline "
              + pipeline
              + ": its position is lost, and starting anew would leave rows that were deleted"
              + " meanwhile. Put the folder back from a copy; or move the tables away and let them"
              + " be copied anew; or give the pipeline another name and its tables another"
              + " database.");
    }
  }

  private @Nullable LakeTable findTableOfOurs() throws IOException {
    FileIO fileIO = tables.fileIO();
    for (FileStatus database : fileIO.list(tables.warehouse())) {
      if (!database.folder() || !database.name().endsWith(".db")) {
        continue;
      }
      String databaseName = database.name().substring(0, database.name().length() - 3);
      for (FileStatus folder : fileIO.list(tables.warehouse() + "/" + database.name())) {
        LakeTable table = new LakeTable(databaseName, folder.name());
        if (folder.folder() && isOurs(table)) {
          return table;
        }
      }
    }
    return null;
  }

  private boolean isOurs(LakeTable table) throws IOException {
    ConsumerFiles consumers = new ConsumerFiles(tables.fileIO(), table.paths(tables.warehouse()));
    if (consumers.read(Pipeline.consumer(pipeline)).isPresent()) {
      return true;
    }
    Snapshot latest = tables.snapshots(table).findLatest();
    return latest != null
        && (latest.commitUser().equals(pipeline)
            || latest.commitUser().equals(Pipeline.compactionUser(pipeline)));
  }
}
