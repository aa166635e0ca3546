package io.sluice.lsm.datafile;

import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import java.io.IOException;

/**
 * Writes one data file. Records come in ascending key order, each key once. Either {@link #finish}
 * or {@link #abort} ends it. One thread.
 */
public interface KeyValueWriter {

  /**
   * Appends a record; {@code value} has all columns of the writing schema in its order (the key
   * columns are found in it).
   */
  void write(Row value, long sequenceNumber, RowKind kind) throws IOException;

  /**
   * Says, before the first record, that the texts and bytes of all rows stay where they are until
   * the file ends, so that they need not be copied.
   */
  default void bytesStay() {}

  /** Bytes that the file has by now, buffered ones estimated; for rolling. */
  long bytesSoFar();

  /**
   * Whether some of its rows are so large that few of them may fill a file: then its size must be
   * asked for after each.
   */
  default boolean hasLargeRows() {
    return false;
  }

  long rowCount();

  /** Completes the file durably and describes it. */
  DataFileMeta finish() throws IOException;

  /** Gives up and deletes what was written. */
  void abort();
}
