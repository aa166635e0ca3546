package io.sluice.lsm.compaction;

import io.sluice.lsm.datafile.DataFileMeta;
import java.util.List;

/**
 * What one plan came to.
 *
 * @param before files that are replaced
 * @param after files that replace them, upgraded ones (same name, another level) among them
 * @param writtenPaths full paths of the new files in {@code after}: what to delete if the result is
 *     given up
 */
public record CompactionResult(
    List<DataFileMeta> before, List<DataFileMeta> after, List<String> writtenPaths) {

  public CompactionResult {
    before = List.copyOf(before);
    after = List.copyOf(after);
    writtenPaths = List.copyOf(writtenPaths);
  }

  public boolean isEmpty() {
    return before.isEmpty() && after.isEmpty();
  }

  /** Bytes of newly written files. */
  public long bytesWritten() {
    return after.stream()
        .filter(file -> writtenPaths.stream().anyMatch(path -> path.endsWith(file.fileName())))
        .mapToLong(DataFileMeta::fileSize)
        .sum();
  }
}
