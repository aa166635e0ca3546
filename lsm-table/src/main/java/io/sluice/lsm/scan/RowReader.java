package io.sluice.lsm.scan;

import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.RowType;
import java.io.IOException;

/**
 * Rows of a scan, streaming. Begins before the first row. One thread.
 *
 * <pre>while (reader.advance()) { use(reader.row()); }</pre>
 */
public interface RowReader extends AutoCloseable {

  /** The columns of {@link #row}. */
  RowType rowType();

  /** Moves to the next row; false at the end. */
  boolean advance() throws IOException;

  /** The current row: a view, good until the next {@link #advance}. */
  Row row();

  /**
   * The number of the record that the current row is of; the newest one's where several merge.
   *
   * @throws IllegalStateException if the scan was not asked for numbers
   */
  long sequenceNumber();

  @Override
  void close() throws IOException;
}
