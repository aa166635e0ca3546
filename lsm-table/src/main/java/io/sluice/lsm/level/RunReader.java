package io.sluice.lsm.level;

import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.KeyValueReader;
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

  public RunReader(List<DataFileMeta> files, Opener opener) {
    this.files = files.iterator();
    this.opener = opener;
  }

  @Override
  public boolean advance() throws IOException {
    while (true) {
      KeyValueReader reader = current;
      if (reader != null) {
        if (reader.advance()) {
          return true;
        }
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
    return current().kind();
  }

  @Override
  public Row row() {
    return current().row();
  }

  @Override
  public int level() {
    return level;
  }

  @Override
  public void close() throws IOException {
    KeyValueReader reader = current;
    current = null;
    if (reader != null) {
      reader.close();
    }
  }
}
