package io.sluice.lsm.level;

import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.index.DeletionVector;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import java.io.IOException;

/**
 * Leaves out the rows of a data file that its deletion vector marks.
 *
 * <p>REQUIRES: the reader gives every physical row of the file, so that counting tells positions.
 */
final class DeletingReader implements KeyValueReader {

  private final KeyValueReader rows;
  private final DeletionVector deleted;
  private long next;

  DeletingReader(KeyValueReader rows, DeletionVector deleted) {
    this.rows = rows;
    this.deleted = deleted;
  }

  @Override
  public boolean advance() throws IOException {
    while (rows.advance()) {
      if (!deleted.isDeleted(next++)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public long sequenceNumber() {
    return rows.sequenceNumber();
  }

  @Override
  public RowKind kind() {
    return rows.kind();
  }

  @Override
  public Row row() {
    return rows.row();
  }

  @Override
  public int level() {
    return rows.level();
  }

  @Override
  public void close() throws IOException {
    rows.close();
  }
}
