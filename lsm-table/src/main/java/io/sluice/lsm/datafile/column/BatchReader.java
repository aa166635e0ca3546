package io.sluice.lsm.datafile.column;

import io.sluice.lsm.datafile.DataFileReader;

/**
 * A reader whose records stand in columns, a batch of them at a time. Within a batch whoever reads
 * may move on by himself: {@code batch().position++} is an {@link #advance} as long as the position
 * stays below {@link #batchSize}. That spares a call that is not inlined for each record.
 */
public interface BatchReader extends DataFileReader {

  /** The row of every record, the same object for all: its position says which it is. */
  BatchRow batch();

  /** Records of the current batch; 0 before the first and after the last. */
  int batchSize();
}
