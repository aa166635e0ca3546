package io.sluice.lsm.level;

import io.sluice.lsm.datafile.DataFileReader;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.index.DeletionVector;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import java.io.IOException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Leaves out the rows of a data file that its deletion vector marks, and unwanted ones. */
final class SelectingReader implements KeyValueReader {

  private final DataFileReader rows;
  private final @Nullable DeletionVector deleted;
  private final @Nullable Predicate<Row> wanted;

  /**
   * @param deleted null: none is
   * @param wanted null: all are
   */
  SelectingReader(
      DataFileReader rows, @Nullable DeletionVector deleted, @Nullable Predicate<Row> wanted) {
    this.rows = rows;
    this.deleted = deleted;
    this.wanted = wanted;
  }

  @Override
  public boolean advance() throws IOException {
    while (rows.advance()) {
      if ((deleted == null || !deleted.isDeleted(rows.positionInFile()))
          && (wanted == null || wanted.test(rows.row()))) {
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
