package io.sluice.lsm.commit;

import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.manifest.LiveFiles;
import io.sluice.lsm.manifest.ManifestFileMeta;
import io.sluice.lsm.manifest.ManifestStore;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the committer remembers of the newest snapshot, so that a small commit reads only what
 * others have added: the snapshot, and the live files once a compaction has asked for them. Not
 * thread safe; the committer's lock guards it.
 */
final class TableState {

  private final TablePaths paths;
  private final SnapshotStore snapshots;
  private final ManifestStore manifests;

  private @Nullable Snapshot latest;
  private @Nullable LiveFiles liveFiles;
  private @Nullable Snapshot liveFilesOf;

  TableState(TablePaths paths, SnapshotStore snapshots, ManifestStore manifests) {
    this.paths = paths;
    this.snapshots = snapshots;
    this.manifests = manifests;
  }

  /** Looks for the newest snapshot now. */
  @Nullable Snapshot refresh() throws IOException {
    latest = snapshots.findLatest(latest);
    return latest;
  }

  /** The newest snapshot is known to be this one. */
  void advance(Snapshot snapshot) {
    latest = snapshot;
  }

  void forget() {
    latest = null;
    liveFiles = null;
    liveFilesOf = null;
  }

  List<ManifestFileMeta> manifestsOf(@Nullable Snapshot snapshot) throws IOException {
    if (snapshot == null) {
      return List.of();
    }
    try {
      return manifests.manifests(snapshot.baseManifestList(), snapshot.deltaManifestList());
    } catch (FileNotFoundException e) {
      throw explained(snapshot, e);
    }
  }

  /** A snapshot that is there must be whole; one that has gone meanwhile need not. */
  private IOException explained(Snapshot snapshot, FileNotFoundException e) throws IOException {
    if (snapshot.equals(snapshots.readIfThere(snapshot.id()))) {
      throw new CorruptTableException(
          paths.snapshot(snapshot.id())
              + " refers to a file that is missing. "
              + e.getMessage()
              + ". Restore it from a copy, or roll the table back to an older snapshot.",
          e);
    }
    return e;
  }

  /** Live files of a snapshot; the caller does not change them. */
  LiveFiles liveFilesOf(@Nullable Snapshot snapshot) throws IOException {
    if (snapshot == null) {
      return new LiveFiles();
    }
    LiveFiles result = liveFiles;
    if (result == null || !snapshot.equals(liveFilesOf)) {
      liveFiles = null;
      result = follow(result, liveFilesOf, snapshot);
      liveFiles = result;
      liveFilesOf = snapshot;
    }
    return result;
  }

  /** Applies the deltas since a known snapshot, or reads all when there is no unbroken way. */
  private LiveFiles follow(@Nullable LiveFiles known, @Nullable Snapshot from, Snapshot to)
      throws IOException {
    int stepsMax = 64;
    if (known == null || from == null || to.id() < from.id() || to.id() - from.id() > stepsMax) {
      return read(to);
    }
    if (!from.equals(snapshots.readIfThere(from.id()))) {
      return read(to);
    }
    for (long id = from.id() + 1; id <= to.id(); id++) {
      Snapshot step = id == to.id() ? to : snapshots.readIfThere(id);
      if (step == null) {
        return read(to);
      }
      known.apply(
          manifests.entries(step.deltaManifestList()), "The delta of snapshot " + step.id());
    }
    return known;
  }

  private LiveFiles read(Snapshot snapshot) throws IOException {
    try {
      return manifests.liveFiles(snapshot.baseManifestList(), snapshot.deltaManifestList());
    } catch (FileNotFoundException e) {
      throw explained(snapshot, e);
    }
  }
}
