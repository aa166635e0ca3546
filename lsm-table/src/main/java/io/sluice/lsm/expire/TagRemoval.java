package io.sluice.lsm.expire;

import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.manifest.ManifestStore;
import io.sluice.lsm.manifest.PartitionPaths;
import io.sluice.lsm.snapshot.BranchStore;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotStore;
import io.sluice.lsm.snapshot.Tag;
import io.sluice.lsm.snapshot.TagStore;
import java.io.IOException;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes tags, and the files that only they have kept: those of a tag whose snapshot has expired.
 * The tag goes first, so that nobody finds one half deleted; files that a broken run leaves are
 * orphans. Of a tag that can't be read, since manifests of it are missing, only the tag goes. One
 * thread at a time.
 */
public final class TagRemoval {

  private static final Logger LOG = LoggerFactory.getLogger(TagRemoval.class);

  private final FileIO fileIO;
  private final TablePaths paths;
  private final SnapshotStore snapshots;
  private final TagStore tags;
  private final ManifestStore manifests;
  private final PartitionPaths folders;

  public TagRemoval(
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
   * Deletes a tag.
   *
   * @return how many files went with it, not counting its own
   * @throws java.io.FileNotFoundException if there is no such tag
   * @throws CorruptTableException if it can't be told which of its files others need: then nothing
   *     was deleted
   */
  public int delete(String name) throws IOException {
    Tag tag = tags.read(name);
    List<Long> ids = snapshots.listIds();
    boolean snapshotStays = tag.snapshot().equals(snapshots.readIfThere(tag.snapshot().id()));
    boolean changelogsStay = !fileIO.list(paths.changelogFolder()).isEmpty();
    if (snapshotStays || changelogsStay) {
      tags.delete(name);
      return 0;
    }
    ReachableFiles own = new ReachableFiles(fileIO, paths, manifests, folders);
    try {
      own.add(tag.snapshot(), "Tag " + name);
    } catch (CorruptTableException e) {
      // Nobody can read it any more, and expiry waits for it: away with it, but with it alone.
      tags.delete(name);
      LOG.warn(
          "Tag {} of table {} was deleted, but none of the files that it led to, for some of them"
              + " are missing: {} What is left of them are orphans: see sluice expire --orphans.",
          name,
          paths.root(),
          e.getMessage());
      return 0;
    }
    ReachableFiles others = new ReachableFiles(fileIO, paths, manifests, folders);
    others.addTags(tags, name);
    others.addBranches(new BranchStore(fileIO, paths));
    // All of them: the one with the lowest number may stand in a hole, and lack what came later.
    for (long id : ids) {
      Snapshot snapshot = snapshots.readIfThere(id);
      if (snapshot != null) {
        others.add(snapshot, "Snapshot " + id);
      }
    }
    tags.delete(name);
    int deleted = 0;
    for (String file : own.all()) {
      if (!others.contains(file) && fileIO.delete(file)) {
        deleted++;
      }
    }
    return deleted;
  }

  /**
   * Deletes the tags whose time to live is over.
   *
   * @param now wall clock of this process
   * @return their names
   */
  public List<String> deleteOver(LocalDateTime now) throws IOException {
    List<String> deleted = new ArrayList<>();
    for (Tag tag : tags.list()) {
      if (tag.isOver(now)) {
        delete(tag.name());
        deleted.add(tag.name());
      }
    }
    return deleted;
  }
}
