package io.sluice.lsm.expire;

import io.sluice.lsm.error.CommitConflictException;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.manifest.ManifestEntry.Kind;
import io.sluice.lsm.manifest.ManifestFileMeta;
import io.sluice.lsm.manifest.ManifestStore;
import io.sluice.lsm.manifest.PartitionPaths;
import io.sluice.lsm.snapshot.BranchStore;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotStore;
import io.sluice.lsm.snapshot.Tag;
import io.sluice.lsm.snapshot.TagStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Takes a table back to an older snapshot, or to a tag whose snapshot has expired: the later
 * snapshots go, newest first, then the files that only they have brought. A run that breaks off
 * leaves a whole history and, at worst, orphans. The numbers of the snapshots that went are used
 * again.
 *
 * <p>REQUIRES: no writer works on the table meanwhile. One that does is mostly found: then no data
 * file is deleted.
 */
public final class Rollback {

  private final FileIO fileIO;
  private final TablePaths paths;
  private final SnapshotStore snapshots;
  private final TagStore tags;
  private final ManifestStore manifests;
  private final PartitionPaths folders;

  public Rollback(
      FileIO fileIO,
      TablePaths paths,
      SnapshotStore snapshots,
      TagStore tags,
      ManifestStore manifests,
      PartitionPaths folders) {
    this.fileIO = fileIO;
    this.paths = paths;
    this.snapshots = snapshots;
    this.tags = tags;
    this.manifests = manifests;
    this.folders = folders;
  }

  /**
   * What a run did.
   *
   * @param snapshots that went
   * @param files that went with them
   */
  public record Result(int snapshots, int files) {}

  /**
   * Back to a snapshot that is there, or to the one that a tag keeps.
   *
   * @throws UnsupportedTableException if a later tag would be left behind, whose number other
   *     snapshots are going to have, changelogs that outlive their snapshots, or another snapshot
   *     that has the target's number; nothing was changed
   * @throws CommitConflictException if another writer commits meanwhile; no data file was deleted
   */
  public Result to(Snapshot target) throws IOException {
    for (Tag tag : tags.list()) {
      if (tag.snapshot().id() > target.id()) {
        throw new UnsupportedTableException(
            "Tag "
                + tag.name()
                + " of table "
                + paths.root()
                + " keeps snapshot "
                + tag.snapshot().id()
                + ", which is newer than "
                + target.id()
                + ". Delete the tag first, or make a branch of it.");
      }
    }
    if (!fileIO.list(paths.changelogFolder()).isEmpty()) {
      throw new UnsupportedTableException(
          "Table "
              + paths.root()
              + " keeps changelogs longer than snapshots. Let Paimon roll it back.");
    }
    Snapshot present = snapshots.readIfThere(target.id());
    if (present != null && !present.equals(target)) {
      throw differs(target);
    }
    List<Snapshot> later = new ArrayList<>();
    for (long id : snapshots.listIds()) {
      if (id > target.id()) {
        later.add(snapshots.read(id));
      }
    }
    ReachableFiles kept = new ReachableFiles(fileIO, paths, manifests, folders);
    kept.add(target, "Snapshot " + target.id());
    kept.addTags(tags, "");
    kept.addBranches(new BranchStore(fileIO, paths));
    Set<String> brought = new LinkedHashSet<>();
    for (Snapshot snapshot : later) {
      broughtBy(snapshot, kept, brought);
    }
    brought.removeAll(kept.all());
    // From here on whatever instant is the last leaves the newest snapshot whole. Paimon believes a
    // hint that is too high, and lists where there is none.
    if (present == null
        && snapshots.tryCreate(target, List.of()) == SnapshotStore.Creation.EXISTS
        && !target.equals(snapshots.readIfThere(target.id()))) {
      throw differs(target);
    }
    fileIO.delete(paths.latestHint());
    for (int i = later.size() - 1; i >= 0; i--) {
      fileIO.delete(paths.snapshot(later.get(i).id()));
    }
    if (present == null) {
      snapshots.writeEarliestHint(target.id());
    }
    snapshots.writeLatestHint(target.id());
    requireNewest(target);
    int deleted = 0;
    for (String file : brought) {
      deleted += fileIO.delete(file) ? 1 : 0;
    }
    return new Result(later.size(), deleted);
  }

  private UnsupportedTableException differs(Snapshot target) {
    return new UnsupportedTableException(
        "Another snapshot stands under the number "
            + target.id()
            + " in table "
            + paths.root()
            + ": the wanted one was rolled back itself, and its number given out again. Its tag can"
            + " still be read.");
  }

  /** Who commits meanwhile builds on snapshots that go, and may need their files. */
  private void requireNewest(Snapshot target) throws IOException {
    List<Long> ids = snapshots.listIds();
    long newest = ids.isEmpty() ? -1 : ids.get(ids.size() - 1);
    if (newest == target.id()) {
      return;
    }
    fileIO.delete(paths.latestHint());
    throw new CommitConflictException(
        "Table "
            + paths.root()
            + " was being rolled back to snapshot "
            + target.id()
            + ", but its newest one is "
            + newest
            + ": another writer works on it. Data files were not deleted. Stop that writer, look at"
            + " the table with 'sluice fsck', and roll back again.");
  }

  private void broughtBy(Snapshot snapshot, ReachableFiles reachable, Set<String> files)
      throws IOException {
    try {
      for (ManifestEntry entry : manifests.delta(snapshot)) {
        if (entry.kind() == Kind.ADD) {
          files.addAll(ReachableFiles.files(folders, entry));
        }
      }
      files.addAll(reachable.changelogFiles(snapshot));
      files.addAll(reachable.indexFiles(snapshot));
      for (ManifestFileMeta manifest : manifests.manifests(snapshot)) {
        files.add(paths.manifest(manifest.fileName()));
      }
    } catch (FileNotFoundException e) {
      // What can't be named stays as an orphan; the snapshot is broken and goes.
    }
    files.add(paths.manifest(snapshot.baseManifestList()));
    files.add(paths.manifest(snapshot.deltaManifestList()));
  }
}
