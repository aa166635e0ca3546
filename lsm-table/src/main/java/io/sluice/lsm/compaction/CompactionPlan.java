package io.sluice.lsm.compaction;

import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.level.Levels;
import io.sluice.lsm.level.SortedRun;
import java.util.List;

/**
 * Which sorted runs of one bucket become one; of a table without a key, which groups of files are
 * joined, each by itself.
 *
 * @param runs neighbours in the tree, newest first
 * @param below the runs that stay, all in levels deeper than the output's
 * @param outputLevel where the result stands: above 0, and 0 in a table without a key
 * @param deletes whether delete records may go: nothing older lies below (format section 8.8)
 */
public record CompactionPlan(
    List<SortedRun> runs, List<SortedRun> below, int outputLevel, Deletes deletes) {

  /** What becomes of delete records. */
  public enum Deletes {
    KEPT,
    DROPPED
  }

  public CompactionPlan {
    runs = List.copyOf(runs);
    below = List.copyOf(below);
  }

  public List<DataFileMeta> files() {
    return runs.stream().flatMap(run -> run.files().stream()).toList();
  }

  /** Whether no run of the tree is left out of sight above those that are compacted. */
  boolean isOf(Levels levels) {
    return runs.size() + below.size() == levels.runs().size();
  }

  /** Bytes to be read. */
  public long bytes() {
    return runs.stream().mapToLong(SortedRun::bytes).sum();
  }
}
