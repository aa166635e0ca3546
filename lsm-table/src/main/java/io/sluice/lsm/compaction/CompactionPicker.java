package io.sluice.lsm.compaction;

import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.level.Levels;
import io.sluice.lsm.level.SortedRun;
import io.sluice.lsm.schema.MergeEngine;
import io.sluice.lsm.schema.TableOptions;
import java.util.List;
import java.util.Optional;

/**
 * Universal compaction (format description section 9.1), a pure function of a bucket's levels. Runs
 * are level-0 files, newest first, then the deeper levels; T is the compaction trigger.
 *
 * <ol>
 *   <li>Size amplification: T runs, and all but the last are together larger than so many percent
 *       of the last: everything goes to the deepest level.
 *   <li>Size ratio: T runs: the first run and its successors as long as the next is not larger than
 *       what was taken so far (with some tolerance), if that is more than one run.
 *   <li>Count: more than T runs: as many as are too many plus one, then on as by size ratio.
 * </ol>
 *
 * <p>The result stands one level above the next run that is left, or in the deepest level if none
 * is; never in level 0: then more runs are taken, until one of a deeper level is among them.
 *
 * <p>Where level 0 must not stay (first-row: its rows are invisible), all level-0 runs are taken if
 * nothing else is.
 *
 * <p>Where level-0 runs have piled up, only the oldest of them take part, so that a compaction has
 * a bounded number of files open. The newer ones stay above the result, and it keeps its delete
 * records.
 *
 * <p>Source: Paimon 1.4.2, UniversalCompaction, ForceUpLevel0Compaction.
 */
public final class CompactionPicker implements Picker {

  /** What becomes of level-0 runs that are too few to be compacted for their number or size. */
  public enum LevelZero {
    MAY_STAY,
    MUST_GO
  }

  /** Level-0 runs of one compaction: each is a file that is open, with a stripe of it in memory. */
  static final int LEVEL_ZERO_RUNS_MAX = 32;

  /** And their bytes, beyond the first {@code num-sorted-run.compaction-trigger} runs. */
  static final long LEVEL_ZERO_BYTES_MAX = 256L << 20;

  private final TableOptions.Compaction options;
  private final LevelZero levelZero;

  public CompactionPicker(TableOptions.Compaction options, LevelZero levelZero) {
    this.options = options;
    this.levelZero = levelZero;
  }

  /** As the table's merge engine wants it. */
  public static CompactionPicker of(TableOptions options) {
    return new CompactionPicker(
        options.compaction(),
        options.mergeEngine() == MergeEngine.FIRST_ROW ? LevelZero.MUST_GO : LevelZero.MAY_STAY);
  }

  @Override
  public boolean runsAreMerged() {
    return true;
  }

  @Override
  public Optional<CompactionPlan> pick(Levels levels) {
    Levels view = withoutNewest(levels);
    Optional<CompactionPlan> plan = pickUniversal(view);
    if (plan.isEmpty() && levelZero == LevelZero.MUST_GO) {
      plan = pickLevelZero(view);
    }
    return plan.map(picked -> within(picked, view, levels));
  }

  /** The tree without those level-0 runs that are too many for one compaction. */
  private Levels withoutNewest(Levels levels) {
    List<SortedRun> runs = levels.runs();
    int first = 0;
    while (first < runs.size() && runs.get(first).level() == 0) {
      first++;
    }
    int deeper = first;
    long bytes = 0;
    while (first > 0 && deeper - first < LEVEL_ZERO_RUNS_MAX) {
      bytes += runs.get(first - 1).bytes();
      if (deeper - first >= options.trigger() && bytes > LEVEL_ZERO_BYTES_MAX) {
        break;
      }
      first--;
    }
    return first == 0 ? levels : levels.with(List.of(), filesOf(runs.subList(0, first)));
  }

  private static List<DataFileMeta> filesOf(List<SortedRun> runs) {
    return runs.stream().flatMap(run -> run.files().stream()).toList();
  }

  /** A plan for a part of the tree as one for the whole: above it something newer is left. */
  private static CompactionPlan within(CompactionPlan plan, Levels view, Levels levels) {
    return view == levels
        ? plan
        : new CompactionPlan(
            plan.runs(), plan.below(), plan.outputLevel(), CompactionPlan.Deletes.KEPT);
  }

  private Optional<CompactionPlan> pickLevelZero(Levels levels) {
    int count = 0;
    for (SortedRun run : levels.runs()) {
      if (run.level() == 0) {
        count++;
      }
    }
    return count == 0 ? Optional.empty() : Optional.of(planOf(levels, countBySize(levels, count)));
  }

  private Optional<CompactionPlan> pickUniversal(Levels levels) {
    List<SortedRun> runs = levels.runs();
    if (runs.size() < options.trigger()) {
      return Optional.empty();
    }
    Optional<CompactionPlan> plan = pickForSizeAmplification(levels);
    if (plan.isEmpty()) {
      plan = pickForSizeRatio(levels, 1);
    }
    if (plan.isEmpty() && runs.size() > options.trigger()) {
      plan = pickForSizeRatio(levels, runs.size() - options.trigger() + 1);
    }
    return plan.filter(CompactionPicker::changesSomething);
  }

  /**
   * Everything to the deepest level; nothing if it is there already. Of too many level-0 runs the
   * oldest: then ask again.
   */
  @Override
  public Optional<CompactionPlan> pickFull(Levels levels) {
    Levels view = withoutNewest(levels);
    return pickAll(view).map(picked -> within(picked, view, levels));
  }

  private static Optional<CompactionPlan> pickAll(Levels levels) {
    List<SortedRun> runs = levels.runs();
    if (runs.isEmpty() || runs.size() == 1 && runs.get(0).level() == levels.deepestLevel()) {
      return Optional.empty();
    }
    return Optional.of(plan(levels, runs.size(), levels.deepestLevel()));
  }

  private Optional<CompactionPlan> pickForSizeAmplification(Levels levels) {
    List<SortedRun> runs = levels.runs();
    long candidates = 0;
    for (SortedRun run : runs.subList(0, runs.size() - 1)) {
      candidates += run.bytes();
    }
    long last = runs.get(runs.size() - 1).bytes();
    return candidates * 100 > options.sizeAmplificationPercentMax() * last
        ? Optional.of(plan(levels, runs.size(), levels.deepestLevel()))
        : Optional.empty();
  }

  private Optional<CompactionPlan> pickForSizeRatio(Levels levels, int atLeast) {
    int count = countBySize(levels, atLeast);
    return count > 1 ? Optional.of(planOf(levels, count)) : Optional.empty();
  }

  private int countBySize(Levels levels, int atLeast) {
    List<SortedRun> runs = levels.runs();
    long candidates = 0;
    for (SortedRun run : runs.subList(0, atLeast)) {
      candidates += run.bytes();
    }
    int count = atLeast;
    while (count < runs.size()) {
      long next = runs.get(count).bytes();
      if (candidates * (100.0 + options.sizeRatioPercent()) / 100.0 < next) {
        break;
      }
      candidates += next;
      count++;
    }
    return count;
  }

  /** Finds the output level for the first {@code count} runs, and takes more where it must. */
  private CompactionPlan planOf(Levels levels, int count) {
    List<SortedRun> runs = levels.runs();
    int taken = count;
    int outputLevel =
        taken == runs.size() ? levels.deepestLevel() : Math.max(0, runs.get(taken).level() - 1);
    if (outputLevel == 0) {
      while (taken < runs.size() && outputLevel == 0) {
        outputLevel = runs.get(taken).level();
        taken++;
      }
    }
    return plan(levels, taken, taken == runs.size() ? levels.deepestLevel() : outputLevel);
  }

  private static CompactionPlan plan(Levels levels, int count, int outputLevel) {
    boolean nothingBelow = outputLevel > 0 && outputLevel >= levels.deepestNonEmptyLevel();
    return new CompactionPlan(
        levels.runs().subList(0, count),
        levels.runs().subList(count, levels.runs().size()),
        outputLevel,
        nothingBelow ? CompactionPlan.Deletes.DROPPED : CompactionPlan.Deletes.KEPT);
  }

  private static boolean changesSomething(CompactionPlan plan) {
    return plan.files().size() > 1 || plan.files().get(0).level() != plan.outputLevel();
  }
}
