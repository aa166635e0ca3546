package io.sluice.lsm.level;

import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.error.CorruptTableException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The shape of one bucket's LSM tree (format description section 8.1): every level-0 file is a
 * sorted run of its own, newest first; the files of each deeper level form one run. Immutable.
 */
public final class Levels {

  /**
   * Newest first: larger largest sequence number, then smaller smallest one, then earlier creation,
   * then name.
   */
  private static final Comparator<DataFileMeta> NEWEST_FIRST =
      Comparator.comparingLong(DataFileMeta::maxSequenceNumber)
          .reversed()
          .thenComparingLong(DataFileMeta::minSequenceNumber)
          .thenComparingLong(Levels::creationTime)
          .thenComparing(DataFileMeta::fileName);

  private final Comparator<byte[]> keyOrder;
  private final int levelCount;
  private final List<DataFileMeta> files;
  private final List<SortedRun> runs;

  private Levels(Comparator<byte[]> keyOrder, int levelCount, List<DataFileMeta> files) {
    this.keyOrder = keyOrder;
    int deepest = files.stream().mapToInt(DataFileMeta::level).max().orElse(0);
    this.levelCount = Math.max(levelCount, deepest + 1);
    this.files = List.copyOf(files);
    this.runs = runsOf(files, keyOrder);
    assert LevelsChecker.check(this);
  }

  /**
   * @param keyOrder of serialized trimmed primary keys
   * @param levelCount the option {@code num-levels}; a file on a deeper level makes the tree taller
   */
  public static Levels of(
      Comparator<byte[]> keyOrder, int levelCount, Collection<DataFileMeta> files) {
    return new Levels(keyOrder, levelCount, List.copyOf(files));
  }

  private static long creationTime(DataFileMeta file) {
    Long time = file.creationTimeMillis();
    return time == null ? 0 : time;
  }

  private static List<SortedRun> runsOf(List<DataFileMeta> files, Comparator<byte[]> keyOrder) {
    List<SortedRun> runs = new ArrayList<>();
    Map<Integer, List<DataFileMeta>> deeper = new TreeMap<>();
    List<DataFileMeta> levelZero = new ArrayList<>();
    for (DataFileMeta file : files) {
      if (file.level() == 0) {
        levelZero.add(file);
      } else {
        deeper.computeIfAbsent(file.level(), level -> new ArrayList<>()).add(file);
      }
    }
    levelZero.sort(NEWEST_FIRST);
    levelZero.forEach(file -> runs.add(new SortedRun(0, List.of(file))));
    deeper.forEach(
        (level, levelFiles) -> {
          levelFiles.sort(Comparator.comparing(DataFileMeta::minKey, keyOrder));
          runs.add(new SortedRun(level, levelFiles));
        });
    return List.copyOf(runs);
  }

  /** The same tree after files came and went. */
  public Levels with(Collection<DataFileMeta> added, Collection<DataFileMeta> removed) {
    Set<DataFileMeta> gone = new HashSet<>(removed);
    List<DataFileMeta> next = new ArrayList<>(files.size() + added.size());
    int found = 0;
    for (DataFileMeta file : files) {
      if (gone.contains(file)) {
        found++;
      } else {
        next.add(file);
      }
    }
    if (found != gone.size()) {
      files.forEach(gone::remove);
      throw new CorruptTableException(
          "Files are deleted that the bucket does not have: " + gone + "; it has " + files);
    }
    next.addAll(added);
    return new Levels(keyOrder, levelCount, next);
  }

  /** Level-0 runs, newest first, then the non-empty deeper levels downwards. */
  public List<SortedRun> runs() {
    return runs;
  }

  public List<DataFileMeta> files() {
    return files;
  }

  public int levelCount() {
    return levelCount;
  }

  public int deepestLevel() {
    return levelCount - 1;
  }

  /** The deepest level that has files; 0 if there are none or all are in level 0. */
  public int deepestNonEmptyLevel() {
    return runs.isEmpty() ? 0 : runs.get(runs.size() - 1).level();
  }

  public long bytes() {
    long sum = 0;
    for (DataFileMeta file : files) {
      sum += file.fileSize();
    }
    return sum;
  }

  Comparator<byte[]> keyOrder() {
    return keyOrder;
  }

  @Override
  public String toString() {
    return runs.toString();
  }
}
