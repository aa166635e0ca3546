package io.sluice.lsm.expire;

import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.manifest.IndexEntry;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.manifest.ManifestFileMeta;
import io.sluice.lsm.manifest.ManifestStore;
import io.sluice.lsm.manifest.PartitionFilter;
import io.sluice.lsm.manifest.PartitionPaths;
import io.sluice.lsm.snapshot.BranchStore;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotStore;
import io.sluice.lsm.snapshot.Tag;
import io.sluice.lsm.snapshot.TagStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The files, by full path, that snapshots, tags, branches or changelogs lead to: what must not be
 * deleted. Grows as they are added. One thread.
 */
final class ReachableFiles {

  private static final String CHANGELOG_PREFIX = "changelog-";

  private final FileIO fileIO;
  private final TablePaths paths;
  private final ManifestStore manifests;
  private final PartitionPaths folders;
  private final PartitionFilter asked;
  private final Set<String> files = new HashSet<>();

  ReachableFiles(FileIO fileIO, TablePaths paths, ManifestStore manifests, PartitionPaths folders) {
    this(fileIO, paths, manifests, folders, PartitionFilter.ALL);
  }

  /**
   * @param asked the partitions whose live data files are asked for; those of others are left out
   */
  ReachableFiles(
      FileIO fileIO,
      TablePaths paths,
      ManifestStore manifests,
      PartitionPaths folders,
      PartitionFilter asked) {
    this.fileIO = fileIO;
    this.paths = paths;
    this.manifests = manifests;
    this.folders = folders;
    this.asked = asked;
  }

  boolean contains(String path) {
    return files.contains(path);
  }

  Set<String> all() {
    return files;
  }

  /**
   * What a reader of the snapshot's rows needs.
   *
   * @param what names it for the message
   * @throws CorruptTableException if something that it needs cannot be read
   */
  void add(Snapshot snapshot, String what) throws IOException {
    try {
      for (ManifestEntry entry : manifests.liveFiles(snapshot, asked).entries()) {
        files.addAll(files(folders, entry));
      }
    } catch (FileNotFoundException e) {
      throw missing(what, e);
    }
    addMetadata(snapshot, what);
  }

  /** The same without the data files. */
  void addMetadata(Snapshot snapshot, String what) throws IOException {
    try {
      for (ManifestFileMeta manifest : manifests.manifests(snapshot)) {
        files.add(paths.manifest(manifest.fileName()));
      }
      files.addAll(indexFiles(snapshot));
    } catch (FileNotFoundException e) {
      throw missing(what, e);
    }
    files.add(paths.manifest(snapshot.baseManifestList()));
    files.add(paths.manifest(snapshot.deltaManifestList()));
    if (snapshot.statistics() != null) {
      files.add(paths.statistics(snapshot.statistics()));
    }
  }

  private CorruptTableException missing(String what, FileNotFoundException e) {
    return new CorruptTableException(
        what
            + " of table "
            + paths.root()
            + " must stay readable, but refers to a file that is missing, so it can't be told"
            + " which files are no longer needed; nothing was deleted. "
            + e.getMessage(),
        e);
  }

  /** What a reader of the snapshot's changelog needs, in its own right; nothing if it has none. */
  void addChangelog(Snapshot snapshot) throws IOException {
    files.addAll(changelogFiles(snapshot));
  }

  /** What all tags need but one. */
  void addTags(TagStore tags, String but) throws IOException {
    for (Tag tag : tags.list()) {
      if (!tag.name().equals(but)) {
        add(tag.snapshot(), "Tag " + tag.name());
      }
    }
  }

  /** What the snapshots, tags and changelogs of all branches need. */
  void addBranches(BranchStore branches) throws IOException {
    for (String name : branches.names()) {
      SnapshotStore snapshots = branches.snapshots(name);
      for (long id : snapshots.listIds()) {
        Snapshot snapshot = snapshots.readIfThere(id);
        if (snapshot != null) {
          add(snapshot, "Snapshot " + id + " of branch " + name);
          addChangelog(snapshot);
        }
      }
      addTags(branches.tags(name), "");
      addLongLived(paths.branch(name), snapshots);
    }
  }

  /** What the changelogs that outlive their snapshots name, as far as it is there. */
  void addLongLived(TablePaths of, SnapshotStore snapshots) throws IOException {
    for (FileIO.FileStatus file : fileIO.list(of.changelogFolder())) {
      if (file.folder() || !file.name().startsWith(CHANGELOG_PREFIX)) {
        continue;
      }
      Snapshot snapshot = snapshots.readCopy(file.path());
      addChangelog(snapshot);
      addDelta(snapshot.baseManifestList());
      addDelta(snapshot.deltaManifestList());
    }
  }

  /**
   * A manifest list and all that it names, as far as it is there: of a commit that is still to
   * come, say.
   */
  void addDelta(String list) throws IOException {
    files.add(paths.manifest(list));
    List<ManifestFileMeta> named;
    try {
      named = manifests.lists().read(list);
    } catch (FileNotFoundException e) {
      return;
    }
    for (ManifestFileMeta manifest : named) {
      files.add(paths.manifest(manifest.fileName()));
      try {
        for (ManifestEntry entry : manifests.files().read(manifest)) {
          files.addAll(files(folders, entry));
        }
      } catch (FileNotFoundException e) {
        // Gone already, and with it what it named.
        continue;
      }
    }
  }

  /** Data file and side files of an entry; none for a file outside of the table's folder. */
  static List<String> files(PartitionPaths folders, ManifestEntry entry) {
    if (entry.file().externalPath() != null) {
      return List.of();
    }
    List<String> result = new ArrayList<>();
    result.add(folders.file(entry.partition(), entry.bucket(), entry.file().fileName()));
    for (String extra : entry.file().extraFiles()) {
      result.add(folders.file(entry.partition(), entry.bucket(), extra));
    }
    return result;
  }

  /** The index manifest of a snapshot, and the index files that it names. */
  List<String> indexFiles(Snapshot snapshot) throws IOException {
    String indexManifest = snapshot.indexManifest();
    if (indexManifest == null) {
      return List.of();
    }
    List<String> result = new ArrayList<>();
    for (IndexEntry entry : manifests.indexes().read(indexManifest)) {
      if (entry.externalPath() == null) {
        result.add(paths.index(entry.fileName()));
      }
    }
    result.add(paths.manifest(indexManifest));
    return result;
  }

  /** The changelog files that a snapshot added, then their manifests, then the list of these. */
  List<String> changelogFiles(Snapshot snapshot) throws IOException {
    String list = snapshot.changelogManifestList();
    if (list == null) {
      return List.of();
    }
    List<String> result = new ArrayList<>();
    List<ManifestFileMeta> named =
        manifests.lists().read(list, snapshot.changelogManifestListSize());
    for (ManifestFileMeta manifest : named) {
      for (ManifestEntry entry : manifests.files().read(manifest)) {
        result.addAll(files(folders, entry));
      }
    }
    named.forEach(manifest -> result.add(paths.manifest(manifest.fileName())));
    result.add(paths.manifest(list));
    return result;
  }
}
