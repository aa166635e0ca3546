package io.sluice.lsm.merge;

import io.sluice.lsm.row.KeyValue;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.RowType;
import java.util.Comparator;

/**
 * Orders records of one key, oldest first: by the table's {@code sequence.field} columns, then by
 * sequence number (format description section 8.3). A null sequence field loses against any value,
 * in descending order too. Not thread safe.
 */
public final class RecordOrder implements Comparator<KeyValue> {

  /** The option {@code sequence.field.sort-order}. */
  public enum Direction {
    ASCENDING,
    DESCENDING
  }

  private final int[] columns;
  private final ColumnComparator[] comparators;
  private final int sign;

  /**
   * @param columns positions of the sequence fields in {@code rowType}, may be empty
   */
  public RecordOrder(RowType rowType, int[] columns, Direction direction) {
    this.columns = columns.clone();
    this.comparators = new ColumnComparator[columns.length];
    for (int i = 0; i < columns.length; i++) {
      comparators[i] = new ColumnComparator(rowType.type(columns[i]));
    }
    this.sign = direction == Direction.ASCENDING ? 1 : -1;
  }

  @Override
  public int compare(KeyValue a, KeyValue b) {
    if (columns.length > 0) {
      int order = compareFields(a.row(), b.row());
      if (order != 0) {
        return order;
      }
    }
    return Long.compare(a.sequenceNumber(), b.sequenceNumber());
  }

  /** By the columns alone. */
  int compareFields(Row a, Row b) {
    for (int i = 0; i < columns.length; i++) {
      int column = columns[i];
      boolean nullA = a.isNullAt(column);
      boolean nullB = b.isNullAt(column);
      int order;
      if (nullA || nullB) {
        order = nullA == nullB ? 0 : nullA ? -1 : 1;
      } else {
        order = sign * comparators[i].compare(a, column, b, column);
      }
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }
}
