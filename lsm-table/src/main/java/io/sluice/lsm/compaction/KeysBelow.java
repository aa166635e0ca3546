package io.sluice.lsm.compaction;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.level.RunReader;
import io.sluice.lsm.level.SortedRun;
import io.sluice.lsm.merge.KeyComparator;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Tells which of many keys, asked for in ascending order, occur in deeper sorted runs: a merge join
 * over the key columns alone. A file that no asked key can be in is not opened. One thread.
 */
final class KeysBelow implements AutoCloseable {

  private final KeyComparator comparator;
  private final List<Cursor> cursors;

  /**
   * @param opener of files, given the columns to be read
   */
  KeysBelow(TableSchema schema, List<SortedRun> runs, Function<RowType, RunReader.Opener> opener) {
    RowType rowType = schema.rowType();
    RunReader.Opener files =
        opener.apply(rowType.project(rowType.positions(schema.trimmedPrimaryKeys())));
    this.comparator = KeyComparator.ofRowsAndKeys(schema);
    this.cursors = runs.stream().map(run -> new Cursor(run.files(), files)).toList();
  }

  /**
   * REQUIRES: the key is not below that of the call before.
   *
   * @param row a whole row of the table
   */
  boolean contains(Row row) throws IOException {
    for (Cursor cursor : cursors) {
      if (cursor.reaches(row)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() throws IOException {
    for (Cursor cursor : cursors) {
      cursor.close();
    }
  }

  /** A place in one run: at the first key that is not below the last one asked for. */
  private final class Cursor {
    private final List<DataFileMeta> files;
    private final RunReader.Opener opener;
    private int next;
    private @Nullable KeyValueReader reader;
    private Row maxKey = BinaryRow.EMPTY;

    /** Whether the reader stands on a record. */
    private boolean standing;

    Cursor(List<DataFileMeta> files, RunReader.Opener opener) {
      this.files = files;
      this.opener = opener;
    }

    boolean reaches(Row row) throws IOException {
      while (true) {
        KeyValueReader current = reader;
        if (current == null) {
          if (next == files.size()) {
            return false;
          }
          DataFileMeta file = files.get(next);
          maxKey = BinaryRow.deserialize(file.maxKey());
          if (comparator.compare(row, maxKey) > 0) {
            next++;
            continue;
          }
          if (comparator.compare(row, BinaryRow.deserialize(file.minKey())) < 0) {
            return false;
          }
          current = opener.open(file);
          reader = current;
          next++;
          standing = current.advance();
        }
        if (comparator.compare(row, maxKey) > 0) {
          close();
          continue;
        }
        while (standing) {
          int order = comparator.compare(row, current.row());
          if (order <= 0) {
            return order == 0;
          }
          standing = current.advance();
        }
        close();
      }
    }

    void close() throws IOException {
      KeyValueReader current = reader;
      reader = null;
      standing = false;
      if (current != null) {
        current.close();
      }
    }
  }
}
