package io.sluice.sinks.epoch;

import io.sluice.lsm.commit.CommitRequest;
import io.sluice.lsm.commit.CommitRequest.AttemptGuard;
import io.sluice.lsm.commit.CommitRequest.Change;
import io.sluice.lsm.commit.SnapshotCommitter;
import io.sluice.lsm.error.CommitUnknownException;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotStore;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.epoch.EpochFile.TableChange;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Puts one epoch into one table, at most once, whatever happened before: kills, lost answers,
 * another daemon that rolls the same epoch forward, commits of others in between.
 *
 * <ol>
 *   <li>Before each attempt, the first one too, it looks for a snapshot of ours with this epoch or
 *       a later one above {@code base}. There: done (others' between base and it may have expired
 *       since). Not there, and every snapshot above base can be read: commit.
 *   <li>One is missing, or the newest is below base: it can't be known; stop.
 *   <li>After {@code snapshot-k} is created, {@code snapshot-(k-1)} must still be there, or k+1 be
 *       built on k: else k may lie in a hole that no reader will ever see.
 * </ol>
 */
final class TableCommit {

  private final EpochFile epoch;
  private final TableChange change;
  private final SnapshotStore snapshots;
  private @Nullable Snapshot found;

  TableCommit(EpochFile epoch, TableChange change, SnapshotStore snapshots) {
    this.epoch = epoch;
    this.change = change;
    this.snapshots = snapshots;
  }

  /**
   * Once; call again after an IOException.
   *
   * @return the table's snapshot that has this epoch
   * @throws PipelineStoppedException PROTECTED if it can't be known whether the epoch is there
   */
  Snapshot commit(SnapshotCommitter committer) throws IOException {
    Change what =
        switch (change.kind()) {
          case APPEND -> new CommitRequest.Append(Objects.requireNonNull(change.delta()));
          case OVERWRITE -> new CommitRequest.DeleteAll(null);
          case SCHEMA -> throw new IllegalArgumentException("A schema alone makes no snapshot");
        };
    CommitRequest request =
        new CommitRequest(
            epoch.pipeline(),
            epoch.number(),
            what,
            EpochProperties.of(epoch, change.table()),
            epoch.watermark());
    Snapshot made;
    try {
      made = committer.commit(request, latest -> beforeAttempt(latest, committer));
    } catch (CommitUnknownException e) {
      made = isThereAllTheSame(committer) ? found : null;
      if (made == null) {
        throw new TableFaultException(
            Reason.PROTECTED,
            "Stopped to protect table " + change.table() + ": " + e.getMessage(),
            e);
      }
    }
    // The committer has seen the predecessor of a snapshot that it made.
    return made != null
        ? made
        : Objects.requireNonNull(found, "the guard alone says that it is there already");
  }

  /**
   * Another daemon may have put the same epoch into the table, and gone on, while this one slept.
   */
  private boolean isThereAllTheSame(SnapshotCommitter committer) throws IOException {
    try {
      return beforeAttempt(snapshots.findLatest(), committer)
          == AttemptGuard.Decision.ALREADY_COMMITTED;
    } catch (PipelineStoppedException e) {
      return false;
    }
  }

  private AttemptGuard.Decision beforeAttempt(
      @Nullable Snapshot latest, SnapshotCommitter committer) throws IOException {
    found = null;
    long newest = latest == null ? 0 : latest.id();
    if (newest < change.base()) {
      throw unknowable(
          "its newest snapshot is "
              + newest
              + " and was "
              + change.base()
              + " when the epoch was cut: it was rolled back");
    }
    // Ours may be there while others between base and it have expired: the pin is on ours by then.
    long missing = 0;
    for (long id = newest; id > change.base(); id--) {
      Snapshot snapshot = latest != null && id == newest ? latest : snapshots.readIfThere(id);
      if (snapshot == null) {
        missing = id;
      } else if (EpochProperties.epochOf(snapshot, epoch.pipeline()) >= epoch.number()) {
        requireInChain(snapshot, committer);
        found = snapshot;
        return AttemptGuard.Decision.ALREADY_COMMITTED;
      }
    }
    if (missing > 0) {
      throw unknowable("snapshot-" + missing + " above " + change.base() + " is missing");
    }
    return AttemptGuard.Decision.PROCEED;
  }

  /** A snapshot counts only if readers that follow the chain come to it. */
  private void requireInChain(Snapshot snapshot, SnapshotCommitter committer) throws IOException {
    if (!committer.isInChain(snapshot)) {
      throw unknowable(
          "snapshot-"
              + snapshot.id()
              + " has this epoch, but snapshot-"
              + (snapshot.id() - 1)
              + " before it is gone and later ones are not built on it, so readers may never come"
              + " to it");
    }
  }

  private TableFaultException unknowable(String why) {
    return new TableFaultException(
        Reason.PROTECTED,
        "Cannot know whether epoch "
            + epoch.number()
            + " of pipeline "
            + epoch.pipeline()
            + " is in table "
            + change.table()
            + ": "
            + why
            + ". Stopped without changing it. Something else deletes this table's snapshots (a"
            + " roll-back, or an expiry that ignores consumer files); compare the table with the"
            + " source, or copy it anew.");
  }

  /** The properties of a snapshot that a pipeline makes, and how to find them again. */
  static final class EpochProperties {

    static final String PIPELINE = "sluice.pipeline";
    static final String EPOCH = "sluice.epoch";
    static final String INCARNATION = "sluice.incarnation";
    static final String POSITION = "sluice.position";
    static final String TIME = "sluice.time";

    private EpochProperties() {}

    static Map<String, String> of(EpochFile epoch, LakeTable table) {
      Map<String, String> properties = new LinkedHashMap<>();
      properties.put(PIPELINE, epoch.pipeline());
      properties.put(EPOCH, Long.toString(epoch.number()));
      properties.put(INCARNATION, epoch.incarnation());
      String position = epoch.positionOf(table);
      if (position != null) {
        properties.put(POSITION, position);
      }
      properties.put(TIME, Long.toString(epoch.sourceTimeMicros()));
      return properties;
    }

    /** The epoch that a snapshot of this pipeline has; -1 for any other snapshot. */
    static long epochOf(Snapshot snapshot, String pipeline) {
      String epoch = snapshot.properties().get(EPOCH);
      return epoch != null && pipeline.equals(snapshot.properties().get(PIPELINE))
          ? Long.parseLong(epoch)
          : -1;
    }
  }
}
