package io.sluice.lsm.level;

import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.datafile.column.BatchReader;
import io.sluice.lsm.datafile.column.BatchRow;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads files with ascending, disjoint key ranges as one source; one file is open at a time. */
public final class RunReader implements KeyValueReader {

  /** Opens a data file. */
  @FunctionalInterface
  public interface Opener {
    KeyValueReader open(DataFileMeta file) throws IOException;
  }

  private final Iterator<DataFileMeta> files;
  private final Opener opener;
  private @Nullable KeyValueReader current;
  private int level;

  /** Of the current reader, if it has one: {@link #advance} moves within it. */
  private @Nullable BatchRow batch;

  private int batchSize;

  public RunReader(List<DataFileMeta> files, Opener opener) {
    this.files = files.iterator();
    this.opener = opener;
  }

  @Override
  public boolean advance() throws IOException {
    BatchRow within = batch;
    if (within != null && within.position + 1 < batchSize) {
      within.position++;
      return true;
    }
    return advanceReader();
  }

  private boolean advanceReader() throws IOException {
    while (true) {
      KeyValueReader reader = current;
      if (reader != null) {
        if (reader.advance()) {
          if (reader instanceof BatchReader columns) {
            batch = columns.batch();
            batchSize = columns.batchSize();
          }
          return true;
        }
        batch = null;
        current = null;
        reader.close();
      }
      if (!files.hasNext()) {
        return false;
      }
      DataFileMeta file = files.next();
      current = opener.open(file);
      level = file.level();
    }
  }

  private KeyValueReader current() {
    if (current == null) {
      throw new IllegalStateException("There is no current record");
    }
    return current;
  }

  @Override
  public long sequenceNumber() {
    return current().sequenceNumber();
  }

  @Override
  public RowKind kind() {
    BatchRow within = batch;
    return within != null ? within.kind() : current().kind();
  }

  @Override
  public Row row() {
    BatchRow within = batch;
    return within != null ? within : current().row();
  }

  @Override
  public int level() {
    return level;
  }

  @Override
  public void close() throws IOException {
    KeyValueReader reader = current;
    batch = null;
    current = null;
    if (reader != null) {
      reader.close();
    }
  }
}
