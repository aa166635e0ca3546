package io.sluice.lsm.commit;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.commit.CommitRequest.Seen;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.level.BucketId;
import io.sluice.lsm.manifest.LiveFiles;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.manifest.ManifestFileMeta;
import io.sluice.lsm.manifest.ManifestStore;
import io.sluice.lsm.manifest.PartitionFilter;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The table as the committer needs it: it remembers the newest snapshot, so that a commit reads
 * only what others have added, and no files, of which a table has any number. Not thread safe; the
 * committer's lock guards it.
 */
final class TableState {

  /** Above so many new snapshots one look at the whole is cheaper. */
  private static final int STEPS_MAX = 64;

  private final TablePaths paths;
  private final SnapshotStore snapshots;
  private final ManifestStore manifests;

  private @Nullable Snapshot latest;

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

  List<ManifestFileMeta> manifestsOf(@Nullable Snapshot snapshot) throws IOException {
    if (snapshot == null) {
      return List.of();
    }
    try {
      return manifests.manifests(snapshot);
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

  /**
   * Live files of a snapshot.
   *
   * @param partition null for all
   */
  LiveFiles liveFilesOf(@Nullable Snapshot snapshot, @Nullable BinaryRow partition)
      throws IOException {
    return read(
        snapshot, partition == null ? PartitionFilter.ALL : manifests.only(Set.of(partition)));
  }

  /**
   * At least all live files of the buckets that a delta changes.
   *
   * @param seen from where on the changes are followed, if that is a way to the snapshot
   */
  LiveFiles bucketsOf(@Nullable Snapshot snapshot, List<ManifestEntry> delta, @Nullable Seen seen)
      throws IOException {
    Set<BucketId> buckets = new HashSet<>();
    Set<BinaryRow> partitions = new HashSet<>();
    for (ManifestEntry entry : delta) {
      buckets.add(new BucketId(entry.partition(), entry.bucket()));
      partitions.add(entry.partition());
    }
    LiveFiles followed =
        snapshot == null || seen == null ? null : follow(seen, snapshot, buckets, partitions);
    return followed != null ? followed : read(snapshot, manifests.only(partitions));
  }

  /** Null when there is no unbroken way. */
  private @Nullable LiveFiles follow(
      Seen seen, Snapshot to, Set<BucketId> buckets, Set<BinaryRow> partitions) throws IOException {
    Snapshot from = seen.snapshot();
    if (to.id() < from.id()
        || to.id() - from.id() > STEPS_MAX
        || !from.equals(from.id() == to.id() ? to : snapshots.readIfThere(from.id()))) {
      return null;
    }
    PartitionFilter filter = manifests.only(partitions);
    try {
      LiveFiles result = new LiveFiles();
      result.apply(seen.files(), "What was known of snapshot " + from.id());
      for (long id = from.id() + 1; id <= to.id(); id++) {
        Snapshot step = id == to.id() ? to : snapshots.readIfThere(id);
        if (step == null) {
          return null;
        }
        List<ManifestEntry> changes =
            manifests.delta(step, filter).stream()
                .filter(entry -> buckets.contains(new BucketId(entry.partition(), entry.bucket())))
                .toList();
        result.apply(changes, "The delta of snapshot " + id);
      }
      return result;
    } catch (FileNotFoundException | CorruptTableException e) {
      // The chain was cut while it was followed; the whole tells, or throws again.
      return null;
    }
  }

  private LiveFiles read(@Nullable Snapshot snapshot, PartitionFilter filter) throws IOException {
    if (snapshot == null) {
      return new LiveFiles();
    }
    try {
      return manifests.liveFiles(snapshot, filter);
    } catch (FileNotFoundException e) {
      throw explained(snapshot, e);
    }
  }
}
