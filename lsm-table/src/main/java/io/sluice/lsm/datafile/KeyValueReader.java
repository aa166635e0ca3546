package io.sluice.lsm.datafile;

import io.sluice.lsm.row.KeyValue;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import java.io.IOException;

/**
 * The records of one sorted source (a data file, a memtable), in key order, each key at most once.
 * Begins before the first record. One thread.
 *
 * <pre>while (reader.advance()) { use(reader.row(), reader.sequenceNumber(), reader.kind()); }
 * </pre>
 */
public interface KeyValueReader extends KeyValue, AutoCloseable {

  /** Moves to the next record; false at the end. */
  boolean advance() throws IOException;

  @Override
  long sequenceNumber();

  @Override
  RowKind kind();

  /** The value columns asked for, in the order asked for; good until the next {@link #advance}. */
  @Override
  Row row();

  @Override
  void close() throws IOException;
}
