package io.sluice.lsm.expire;

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
 * <p>REQUIRES: no writer works on the table meanwhile.
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
   *     snapshots are going to have, or changelogs that outlive their snapshots; nothing was
   *     changed
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
    // Readers believe a hint that is too high, so it is lowered first.
    snapshots.writeLatestHint(target.id());
    if (snapshots.readIfThere(target.id()) == null) {
      snapshots.tryCreate(target);
      snapshots.writeEarliestHint(target.id());
    }
    for (int i = later.size() - 1; i >= 0; i--) {
      fileIO.delete(paths.snapshot(later.get(i).id()));
    }
    int deleted = 0;
    for (String file : brought) {
      deleted += fileIO.delete(file) ? 1 : 0;
    }
    return new Result(later.size(), deleted);
  }

  private void broughtBy(Snapshot snapshot, ReachableFiles reachable, Set<String> files)
      throws IOException {
    String delta = snapshot.deltaManifestList();
    try {
      for (ManifestEntry entry : manifests.entries(delta)) {
        if (entry.kind() == Kind.ADD) {
          files.addAll(ReachableFiles.files(folders, entry));
        }
      }
      files.addAll(reachable.changelogFiles(snapshot));
      files.addAll(reachable.indexFiles(snapshot));
      for (String list : List.of(snapshot.baseManifestList(), delta)) {
        for (ManifestFileMeta manifest : manifests.lists().read(list)) {
          files.add(paths.manifest(manifest.fileName()));
        }
      }
    } catch (FileNotFoundException e) {
      // What can't be named stays as an orphan; the snapshot is broken and goes.
    }
    files.add(paths.manifest(snapshot.baseManifestList()));
    files.add(paths.manifest(delta));
  }
}
