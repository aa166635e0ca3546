package io.sluice.lsm.level;

import io.sluice.lsm.datafile.DataFileMeta;
import java.util.List;

/**
 * Files whose key ranges ascend and are disjoint, so that together they are one sorted source.
 *
 * @param level of all its files; a level-0 run is one file
 */
public record SortedRun(int level, List<DataFileMeta> files) {

  public SortedRun {
    files = List.copyOf(files);
    if (files.isEmpty()) {
      throw new IllegalArgumentException("A sorted run has at least one file");
    }
  }

  /** Bytes of all its files. */
  public long bytes() {
    long sum = 0;
    for (DataFileMeta file : files) {
      sum += file.fileSize();
    }
    return sum;
  }
}
