package io.sluice.lsm.merge;

import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.MergeOptions;
import io.sluice.lsm.schema.MergeOptions.Aggregation;
import io.sluice.lsm.schema.MergeOptions.SequenceGroup;
import io.sluice.lsm.schema.RowType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Refuses -U and -D records that the table could never merge with another record of their key, at
 * the door: once in a file such a record makes its key unreadable. (Paimon lets them in and fails
 * later.) Of partial-update one case is left to the merge: a -D that takes the row away comes
 * before columns that can't be retracted, but only if it is not late. Not thread safe.
 */
public final class RetractCheck {

  /** A column that can't be retracted, if the record says something of its group. */
  private record Refusing(int[] sequenceColumns, int column, String name) {}

  private final MergeOptions options;
  private final List<Refusing> refusing = new ArrayList<>();

  /** Sequence columns of the groups that take a row away. */
  private final List<int[]> removing = new ArrayList<>();

  public RetractCheck(MergeRules rules, RowType rowType) {
    this.options = rules.options();
    for (SequenceGroup group : options.groups()) {
      int[] sequenceColumns = rowType.positions(group.sequenceColumns());
      if (group.removesRecord()) {
        removing.add(sequenceColumns);
      }
      for (String member : group.members()) {
        addIfRefusing(rowType, sequenceColumns, member);
      }
    }
    if (options.groups().isEmpty()) {
      options.aggregations().keySet().stream()
          .sorted()
          .forEach(column -> addIfRefusing(rowType, new int[0], column));
    }
  }

  private void addIfRefusing(RowType rowType, int[] sequenceColumns, String name) {
    Aggregation aggregation = options.aggregations().get(name);
    if (aggregation != null && aggregation.refusesRetract()) {
      refusing.add(new Refusing(sequenceColumns, rowType.position(name), name));
    }
  }

  /**
   * @param row whose kind takes something away
   * @throws UnsupportedTableException if the table's merge engine can't merge it
   */
  public void check(Row row) {
    String advice = advice(row);
    if (advice != null) {
      throw new UnsupportedTableException(
          "A table with merge-engine="
              + options.engine().text()
              + " can't take this "
              + row.kind().shortText()
              + " record. "
              + advice);
    }
  }

  private @Nullable String advice(Row row) {
    return switch (options.engine()) {
      case DEDUPLICATE -> null;
      case FIRST_ROW -> "Set ignore-delete=true to leave such records out.";
      case PARTIAL_UPDATE -> {
        if (options.groups().isEmpty()) {
          yield options.removeRecordOnDelete()
              ? null
              : "Set ignore-delete=true to leave such records out,"
                  + " partial-update.remove-record-on-delete=true to let -D take the row away, or"
                  + " use sequence groups.";
        }
        yield refusingColumn(row);
      }
      case AGGREGATION ->
          options.removeRecordOnDelete() && row.kind() == RowKind.DELETE
              ? null
              : refusingColumn(row);
    };
  }

  private @Nullable String refusingColumn(Row row) {
    int end = row.kind() == RowKind.DELETE ? removal(row) : Integer.MAX_VALUE;
    for (Refusing each : refusing) {
      boolean concerned = each.sequenceColumns.length == 0 || present(row, each.sequenceColumns);
      if (concerned && each.column < end) {
        return "The aggregate function of column "
            + each.name
            + " can't take a value away. Set fields."
            + each.name
            + ".ignore-retract=true to leave such records out there.";
      }
    }
    return null;
  }

  /** The first column at which a merge may take the row away, and look at no other. */
  private int removal(Row row) {
    int first = Integer.MAX_VALUE;
    for (int[] sequenceColumns : removing) {
      if (present(row, sequenceColumns)) {
        for (int column : sequenceColumns) {
          first = Math.min(first, column);
        }
      }
    }
    return first;
  }

  private static boolean present(Row row, int[] sequenceColumns) {
    for (int column : sequenceColumns) {
      if (!row.isNullAt(column)) {
        return true;
      }
    }
    return false;
  }
}
