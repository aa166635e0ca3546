package io.sluice.replicator.messages.canal;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.MessageColumns;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The columns of one {@code mysqlType}. Immutable. */
final class CanalColumns {

  private final CanalColumn[] inOrder;
  private final Map<String, CanalColumn> byName = new HashMap<>();
  private final MessageColumns columns;

  CanalColumns(List<CanalColumn> columns) {
    this.inOrder = columns.toArray(CanalColumn[]::new);
    for (CanalColumn column : columns) {
      byName.put(column.column().name(), column);
    }
    this.columns = new MessageColumns(columns.stream().map(CanalColumn::column).toList());
  }

  MessageColumns columns() {
    return columns;
  }

  /**
   * Turns a row of Canal's texts into what they stand for.
   *
   * @param spare room for it, used up
   */
  void convert(FieldRow row, FieldRow spare) throws BadMessageException {
    spare.clear();
    for (int i = 0; i < row.size(); i++) {
      String name = row.name(i);
      // Mostly both are in the table's order.
      CanalColumn column =
          i < inOrder.length && inOrder[i].column().name().equals(name)
              ? inOrder[i]
              : byName.get(name);
      if (column == null) {
        spare.addFrom(row, i);
      } else {
        column.convert(row, i, spare);
      }
    }
    row.swap(spare);
  }
}
