package io.sluice.bench;

import io.sluice.lsm.binary.BinaryRow;
import org.apache.paimon.data.InternalRow;

/**
 * Rows made one after the other, the same for both engines, each in the form that a source would
 * hand over. One thread.
 */
interface RowSource {

  /** Moves to the next row. */
  void advance();

  /** The row for Sluice: a view that {@link #advance} changes. */
  BinaryRow sluice();

  /** The row for Paimon. */
  InternalRow paimon();
}
