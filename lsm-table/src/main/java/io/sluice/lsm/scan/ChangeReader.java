package io.sluice.lsm.scan;

import io.sluice.lsm.row.RowKind;

/** Rows that come and go, streaming: like {@link RowReader}, each with its kind. One thread. */
public interface ChangeReader extends RowReader {

  /** What became of the current row. */
  RowKind kind();
}
