package io.sluice.lsm.datafile;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes one sorted run as files of about the target size. Records come in ascending key order, so
 * the files do not overlap. Ends with {@link #finish} or {@link #abort}. One thread.
 */
public final class RollingWriter {

  /** Sizes are asked for once in so many records, or after each if there are large ones. */
  private static final int RECORDS_BETWEEN_CHECKS = 1024;

  private final FileFormat format;
  private final FileIO fileIO;
  private final Supplier<NewFile> files;
  private final long targetBytes;
  private final List<DataFileMeta> finished = new ArrayList<>();
  private final List<String> finishedPaths = new ArrayList<>();
  private @Nullable KeyValueWriter current;
  private String currentPath = "";
  private int recordsUntilCheck = RECORDS_BETWEEN_CHECKS;

  /**
   * @param files each one fresh; asked for when it has its first record
   * @param targetBytes a file that has reached it is completed (option target-file-size)
   */
  public RollingWriter(
      FileFormat format, FileIO fileIO, Supplier<NewFile> files, long targetBytes) {
    this.format = format;
    this.fileIO = fileIO;
    this.files = files;
    this.targetBytes = targetBytes;
  }

  public void write(Row value, long sequenceNumber, RowKind kind) throws IOException {
    KeyValueWriter writer = current;
    if (writer == null) {
      NewFile file = files.get();
      currentPath = file.path();
      writer = format.createWriter(fileIO, file);
      current = writer;
    }
    writer.write(value, sequenceNumber, kind);
    if (--recordsUntilCheck == 0 || writer.hasLargeRows()) {
      recordsUntilCheck = RECORDS_BETWEEN_CHECKS;
      if (writer.bytesSoFar() >= targetBytes) {
        finishCurrent(writer);
      }
    }
  }

  private void finishCurrent(KeyValueWriter writer) throws IOException {
    finished.add(writer.finish());
    finishedPaths.add(currentPath);
    current = null;
    recordsUntilCheck = RECORDS_BETWEEN_CHECKS;
  }

  /** Completes the last file; all files in key order, none if there was no record. */
  public List<DataFileMeta> finish() throws IOException {
    KeyValueWriter writer = current;
    if (writer != null) {
      finishCurrent(writer);
    }
    return List.copyOf(finished);
  }

  /** Gives up and deletes all files, completed ones too. */
  public void abort() {
    KeyValueWriter writer = current;
    if (writer != null) {
      writer.abort();
      current = null;
    }
    finishedPaths.forEach(fileIO::deleteQuietly);
    finished.clear();
    finishedPaths.clear();
  }
}
