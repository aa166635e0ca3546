package io.sluice.lsm.snapshot;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.TablePaths;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The branches of a table: folders {@code branch/branch-<name>}. Thread safe. */
public final class BranchStore {

  private static final String PREFIX = "branch-";

  private final FileIO fileIO;
  private final TablePaths paths;

  public BranchStore(FileIO fileIO, TablePaths paths) {
    this.fileIO = fileIO;
    this.paths = paths;
  }

  /** Names of all branches, in the order of their text; {@code main} is none. */
  public List<String> names() throws IOException {
    List<String> names = new ArrayList<>();
    for (FileIO.FileStatus folder : fileIO.list(paths.branchFolder())) {
      if (folder.folder() && folder.name().startsWith(PREFIX)) {
        names.add(folder.name().substring(PREFIX.length()));
      }
    }
    names.sort(Comparator.naturalOrder());
    return names;
  }

  /** The snapshots of one of them. */
  public SnapshotStore snapshots(String name) {
    return new SnapshotStore(fileIO, paths.branch(name));
  }

  /** The tags of one of them. */
  public TagStore tags(String name) {
    return new TagStore(fileIO, paths.branch(name), snapshots(name));
  }
}
