package io.sluice.lsm.level;

import io.sluice.lsm.datafile.DataFileMeta;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Asserts what must hold of every {@link Levels}: names are unique; a file's smallest key and
 * number are not above its largest; key ranges of one deeper level do not touch. Runs inside {@code
 * assert}, so in tests and wherever assertions are on.
 */
final class LevelsChecker {

  private LevelsChecker() {}

  /** Always true; throws AssertionError that says which file breaks which rule. */
  static boolean check(Levels levels) {
    Set<String> names = new HashSet<>();
    for (DataFileMeta file : levels.files()) {
      require(names.add(file.fileName()), "stands twice in the tree", file, levels);
      require(
          levels.keyOrder().compare(file.minKey(), file.maxKey()) <= 0,
          "has a smallest key above its largest",
          file,
          levels);
      require(
          file.minSequenceNumber() <= file.maxSequenceNumber(),
          "has a smallest sequence number above its largest",
          file,
          levels);
      require(file.level() >= 0 && file.level() < levels.levelCount(), "is too deep", file, levels);
    }
    for (SortedRun run : levels.runs()) {
      List<DataFileMeta> files = run.files();
      for (int i = 1; i < files.size(); i++) {
        require(
            levels.keyOrder().compare(files.get(i - 1).maxKey(), files.get(i).minKey()) < 0,
            "overlaps its left neighbour " + files.get(i - 1),
            files.get(i),
            levels);
      }
    }
    return true;
  }

  private static void require(boolean holds, String fault, DataFileMeta file, Levels levels) {
    if (!holds) {
      throw new AssertionError("File " + file + " " + fault + " in " + levels);
    }
  }
}
