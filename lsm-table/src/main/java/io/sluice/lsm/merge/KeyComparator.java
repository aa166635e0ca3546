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
  private final int[] rightColumns;
  private final boolean[] nullable;
  private final ColumnComparator[] comparators;

  /**
   * @param columns positions of the key columns in {@code rowType}, in key order
   */
  public KeyComparator(RowType rowType, int[] columns) {
    this(rowType, columns, columns);
  }

  private KeyComparator(RowType rowType, int[] columns, int[] rightColumns) {
    this.columns = columns.clone();
    this.rightColumns = rightColumns.clone();
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

  /** Compares whole rows of a table, on the left, with rows that hold just the key. */
  public static KeyComparator ofRowsAndKeys(TableSchema schema) {
    int[] columns = schema.rowType().positions(schema.trimmedPrimaryKeys());
    int[] own = new int[columns.length];
    Arrays.setAll(own, i -> i);
    return new KeyComparator(schema.rowType(), columns, own);
  }

  /** Orders whole rows of a table by its trimmed primary key. */
  public static KeyComparator ofRows(TableSchema schema) {
    return new KeyComparator(
        schema.rowType(), schema.rowType().positions(schema.trimmedPrimaryKeys()));
  }

  @Override
  public int compare(Row a, Row b) {
    for (int i = 0; i < columns.length; i++) {
      int left = columns[i];
      int right = rightColumns[i];
      int order =
          nullable[i]
              ? comparators[i].compareNullable(a, left, b, right)
              : comparators[i].compare(a, left, b, right);
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }
}
