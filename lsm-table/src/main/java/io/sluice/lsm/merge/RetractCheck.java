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
 * later.) Not thread safe.
 */
public final class RetractCheck {

  /** Columns that can't be retracted, if the record says something of their group. */
  private record Refusing(int[] sequenceColumns, String column) {}

  private final MergeOptions options;
  private final List<Refusing> refusing = new ArrayList<>();

  public RetractCheck(MergeRules rules, RowType rowType) {
    this.options = rules.options();
    for (SequenceGroup group : options.groups()) {
      for (String member : group.members()) {
        addIfRefusing(rowType.positions(group.sequenceColumns()), member);
      }
    }
    if (options.groups().isEmpty()) {
      options.aggregations().keySet().stream()
          .sorted()
          .forEach(column -> addIfRefusing(new int[0], column));
    }
  }

  private void addIfRefusing(int[] sequenceColumns, String column) {
    Aggregation aggregation = options.aggregations().get(column);
    if (aggregation != null && aggregation.refusesRetract()) {
      refusing.add(new Refusing(sequenceColumns, column));
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
    for (Refusing each : refusing) {
      boolean concerned = each.sequenceColumns.length == 0;
      for (int column : each.sequenceColumns) {
        concerned |= !row.isNullAt(column);
      }
      if (concerned) {
        return "The aggregate function of column "
            + each.column
            + " can't take a value away. Set fields."
            + each.column
            + ".ignore-retract=true to leave such records out there.";
      }
    }
    return null;
  }
}
