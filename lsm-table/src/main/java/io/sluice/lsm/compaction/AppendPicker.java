package io.sluice.lsm.compaction;

import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.level.Levels;
import io.sluice.lsm.level.SortedRun;
import io.sluice.lsm.schema.TableOptions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Joins small files of a table without a key (format description section 9). Small is below 70 % of
 * {@code target-file-size}: what compaction has written is not read again for the few bytes that it
 * lacks.
 *
 * <ol>
 *   <li>A bucket of its own number ({@code bucket} above 0) keeps the order of its rows: only small
 *       files that follow one another, with no larger one between, are joined, as soon as there are
 *       {@code compaction.min.file-num} of them; of more than twice the target size the first ones
 *       are left.
 *   <li>In the one bucket of all other tables the order of files means nothing: small ones are
 *       taken from the smallest on until they are twice the target size (each counts {@code
 *       source.split.open-file-cost} on top), or all if there are {@code compaction.min.file-num}.
 * </ol>
 *
 * <p>One file at least must not come from a compaction. By hand two files of any kind are enough. A
 * plan's runs are the groups of files, each in the order in which its rows come; the result stands
 * in level 0.
 *
 * <p>Source: Paimon 1.4.2, BucketedAppendCompactManager, AppendCompactCoordinator. Other than these
 * it takes no large file along, and does not join files that are too few only since they are old.
 */
final class AppendPicker implements Picker {

  private static final int SMALL_PERCENT = 70;

  private static final Comparator<DataFileMeta> IN_ORDER =
      Comparator.comparingLong(DataFileMeta::minSequenceNumber)
          .thenComparing(DataFileMeta::fileName);

  private static final Comparator<DataFileMeta> SMALLEST_FIRST =
      Comparator.comparingLong(DataFileMeta::fileSize).thenComparing(DataFileMeta::fileName);

  private final boolean ordered;
  private final long targetBytes;
  private final long smallBytes;
  private final TableOptions.AppendCompaction options;

  AppendPicker(TableOptions options) {
    this.ordered = options.bucket() > 0;
    this.targetBytes = options.dataFiles().targetSizeBytes();
    this.smallBytes = targetBytes / 100 * SMALL_PERCENT;
    this.options = options.appendCompaction();
  }

  @Override
  public boolean runsAreMerged() {
    return false;
  }

  private boolean isSmall(DataFileMeta file) {
    return file.fileSize() < smallBytes;
  }

  /**
   * Whether one of the files was not written by a compaction. Rows may shrink so much in a file
   * that compaction makes small ones: without a new one it would go round in circles.
   */
  private static boolean holdsNewFile(List<DataFileMeta> files) {
    return files.stream()
        .anyMatch(
            file -> !Integer.valueOf(DataFileMeta.SOURCE_COMPACTION).equals(file.fileSource()));
  }

  @Override
  public Optional<CompactionPlan> pick(Levels levels) {
    return plan(ordered ? pickInOrder(levels) : pickSmallest(levels));
  }

  private List<DataFileMeta> pickInOrder(Levels levels) {
    for (List<DataFileMeta> neighbours : smallNeighbours(levels)) {
      List<DataFileMeta> picked = new ArrayList<>();
      long bytes = 0;
      for (DataFileMeta file : neighbours) {
        picked.add(file);
        bytes += file.fileSize();
        if (picked.size() >= options.filesMin() && holdsNewFile(picked)) {
          return picked;
        }
        if (picked.size() >= options.filesMin() || bytes >= 2 * targetBytes) {
          bytes -= picked.remove(0).fileSize();
        }
      }
    }
    return List.of();
  }

  private List<DataFileMeta> pickSmallest(Levels levels) {
    List<DataFileMeta> picked = new ArrayList<>();
    long bytes = 0;
    for (DataFileMeta file :
        levels.files().stream().filter(this::isSmall).sorted(SMALLEST_FIRST).toList()) {
      picked.add(file);
      bytes += file.fileSize() + options.openFileBytes();
      if (picked.size() > 1 && bytes >= 2 * targetBytes) {
        return holdsNewFile(picked) ? inOrder(picked) : List.of();
      }
    }
    return picked.size() >= options.filesMin() && holdsNewFile(picked)
        ? inOrder(picked)
        : List.of();
  }

  private static List<DataFileMeta> inOrder(List<DataFileMeta> files) {
    return files.stream().sorted(IN_ORDER).toList();
  }

  @Override
  public Optional<CompactionPlan> pickFull(Levels levels) {
    List<List<DataFileMeta>> groups =
        ordered
            ? smallNeighbours(levels)
            : List.of(inOrder(levels.files().stream().filter(this::isSmall).toList()));
    List<SortedRun> runs = new ArrayList<>();
    for (List<DataFileMeta> group : groups) {
      if (group.size() > 1) {
        runs.add(new SortedRun(0, group));
      }
    }
    return planOf(runs);
  }

  /** Small files between which there is no other one, in their order. */
  private List<List<DataFileMeta>> smallNeighbours(Levels levels) {
    List<List<DataFileMeta>> result = new ArrayList<>();
    List<DataFileMeta> group = new ArrayList<>();
    for (DataFileMeta file : inOrder(levels.files())) {
      if (isSmall(file)) {
        group.add(file);
      } else {
        result.add(group);
        group = new ArrayList<>();
      }
    }
    result.add(group);
    return result;
  }

  private static Optional<CompactionPlan> plan(List<DataFileMeta> files) {
    return files.size() < 2 ? Optional.empty() : planOf(List.of(new SortedRun(0, files)));
  }

  private static Optional<CompactionPlan> planOf(List<SortedRun> groups) {
    return groups.isEmpty()
        ? Optional.empty()
        : Optional.of(new CompactionPlan(groups, List.of(), 0, CompactionPlan.Deletes.KEPT));
  }
}
