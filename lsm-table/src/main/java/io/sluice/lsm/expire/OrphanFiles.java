package io.sluice.lsm.expire;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.manifest.ManifestStore;
import io.sluice.lsm.manifest.PartitionPaths;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.BranchStore;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotStore;
import io.sluice.lsm.snapshot.TagStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds and deletes files that nothing leads to: what killed writers, broken compactions and lost
 * races have left.
 *
 * <ol>
 *   <li>List what is old enough: in the folders of manifests, indexes and statistics, in the
 *       buckets, and unpublished temporary files beside the snapshots.
 *   <li>Only then read what leads to files: all snapshots, tags, branches and changelogs, and the
 *       manifest lists that somebody may still commit. What is committed meanwhile is seen.
 *   <li>Delete the rest. If anything could not be read, nothing is deleted.
 * </ol>
 *
 * <p>A file that a writer has finished and not yet committed looks like an orphan: only its age
 * tells. So the age must exceed the time that a writer may take from a file to its commit. One
 * thread at a time.
 */
public final class OrphanFiles {

  /** Manifest lists of commits to come. Asked after files were listed. */
  @FunctionalInterface
  public interface Pending {
    Collection<String> deltaManifestLists() throws IOException;
  }

  /** An orphan. */
  public record Orphan(String path, long bytes) {}

  private final FileIO fileIO;
  private final TablePaths paths;
  private final TableSchema schema;
  private final SnapshotStore snapshots;
  private final TagStore tags;
  private final ManifestStore manifests;
  private final PartitionPaths folders;

  /**
   * @param schema any schema of the table
   */
  public OrphanFiles(
      FileIO fileIO,
      TablePaths paths,
      TableSchema schema,
      SnapshotStore snapshots,
      TagStore tags,
      ManifestStore manifests,
      PartitionPaths folders) {
    this.fileIO = fileIO;
    this.paths = paths;
    this.schema = schema;
    this.snapshots = snapshots;
    this.tags = tags;
    this.manifests = manifests;
    this.folders = folders;
  }

  /** Why orphans of this table can't be told; null if they can. */
  public @Nullable String unsupported() {
    for (String option : List.of("data-file.path-directory", "data-file.external-paths")) {
      if (schema.options().containsKey(option)) {
        return "the table sets " + option;
      }
    }
    return Boolean.parseBoolean(schema.options().get("index-file-in-data-file-dir"))
        ? "the table sets index-file-in-data-file-dir"
        : null;
  }

  /**
   * All orphans last changed before a time, by path; nothing is deleted.
   *
   * @param beforeMillis epoch milliseconds
   * @throws io.sluice.lsm.error.CorruptTableException if something that leads to files can't be
   *     read
   */
  public List<Orphan> find(long beforeMillis, Pending pending) throws IOException {
    List<Orphan> old = new ArrayList<>();
    for (String folder :
        List.of(paths.manifestFolder(), paths.indexFolder(), paths.statisticsFolder())) {
      addFiles(folder, beforeMillis, old);
    }
    addBuckets(paths.root(), 0, beforeMillis, old);
    List<Orphan> temporary = new ArrayList<>();
    for (String folder : List.of(paths.snapshotFolder(), paths.changelogFolder())) {
      addFiles(folder, beforeMillis, temporary);
    }
    temporary.removeIf(file -> !isTemporary(file.path()));
    if (old.isEmpty()) {
      return temporary;
    }
    ReachableFiles reachable = new ReachableFiles(fileIO, paths, manifests, folders);
    for (String list : pending.deltaManifestLists()) {
      reachable.addDelta(list);
    }
    addSnapshots(reachable);
    reachable.addTags(tags, "");
    reachable.addBranches(new BranchStore(fileIO, paths));
    reachable.addLongLived(paths, snapshots);
    old.removeIf(file -> reachable.contains(file.path()));
    old.addAll(temporary);
    old.sort(Comparator.comparing(Orphan::path));
    return old;
  }

  /** Deletes orphans that {@link #find} has found; how many were still there. */
  public int delete(Collection<Orphan> orphans) throws IOException {
    int deleted = 0;
    for (Orphan orphan : orphans) {
      deleted += fileIO.delete(orphan.path()) ? 1 : 0;
    }
    return deleted;
  }

  private void addSnapshots(ReachableFiles reachable) throws IOException {
    for (long id : snapshots.listIds()) {
      Snapshot snapshot = snapshots.readIfThere(id);
      if (snapshot == null) {
        continue;
      }
      try {
        reachable.add(snapshot, "Snapshot " + id);
        reachable.addChangelog(snapshot);
      } catch (IOException | io.sluice.lsm.error.CorruptTableException e) {
        // One that expires meanwhile leads to nothing any more.
        if (snapshot.equals(snapshots.readIfThere(id))) {
          throw e;
        }
      }
    }
  }

  /** Buckets and, above them, one folder for each partition column; other folders are others'. */
  private void addBuckets(String folder, int depth, long beforeMillis, List<Orphan> into)
      throws IOException {
    boolean buckets = depth == schema.partitionKeys().size();
    for (FileIO.FileStatus child : fileIO.list(folder)) {
      if (!child.folder()) {
        continue;
      }
      if (buckets && child.name().startsWith("bucket-")) {
        addFiles(child.path(), beforeMillis, into);
      } else if (!buckets && child.name().indexOf('=') > 0) {
        addBuckets(child.path(), depth + 1, beforeMillis, into);
      }
    }
  }

  private void addFiles(String folder, long beforeMillis, List<Orphan> into) throws IOException {
    for (FileIO.FileStatus file : fileIO.list(folder)) {
      if (!file.folder() && file.modifiedMillis() < beforeMillis) {
        into.add(new Orphan(folder + "/" + file.name(), file.length()));
      }
    }
  }

  private static boolean isTemporary(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    return name.startsWith(".") && name.endsWith(".tmp");
  }
}
