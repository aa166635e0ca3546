package io.sluice.lsm.merge;

import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.util.Arrays;
import java.util.Comparator;

/**
 * Orders rows of one type by key: column by column in primary key order, nulls first. Not thread
 * safe: it reuses views.
 */
public final class KeyComparator implements Comparator<Row> {

  private final int[] columns;
  private final boolean[] nullable;
  private final ColumnComparator[] comparators;

  /**
   * @param columns positions of the key columns in {@code rowType}, in key order
   */
  public KeyComparator(RowType rowType, int[] columns) {
    this.columns = columns.clone();
    this.nullable = new boolean[columns.length];
    this.comparators = new ColumnComparator[columns.length];
    for (int i = 0; i < columns.length; i++) {
      nullable[i] = rowType.type(columns[i]).nullable();
      comparators[i] = new ColumnComparator(rowType.type(columns[i]));
    }
  }

  /** Orders rows that hold just the trimmed primary key, such as a file's smallest key. */
  public static KeyComparator ofKeys(TableSchema schema) {
    RowType keyType =
        schema.rowType().project(schema.rowType().positions(schema.trimmedPrimaryKeys()));
    int[] columns = new int[keyType.size()];
    Arrays.setAll(columns, i -> i);
    return new KeyComparator(keyType, columns);
  }

  /** Orders whole rows of a table by its trimmed primary key. */
  public static KeyComparator ofRows(TableSchema schema) {
    return new KeyComparator(
        schema.rowType(), schema.rowType().positions(schema.trimmedPrimaryKeys()));
  }

  @Override
  public int compare(Row a, Row b) {
    for (int i = 0; i < columns.length; i++) {
      int column = columns[i];
      int order =
          nullable[i]
              ? comparators[i].compareNullable(a, column, b, column)
              : comparators[i].compare(a, column, b, column);
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }
}
