package io.sluice.lsm.merge;

import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.merge.DeduplicateMerge.Deletes;
import io.sluice.lsm.row.KeyValue;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.MergeOptions;
import io.sluice.lsm.schema.MergeOptions.Aggregation;
import io.sluice.lsm.schema.MergeOptions.SequenceGroup;
import io.sluice.lsm.schema.RowType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Each record sets some of the columns (format description section 8.5). Outside of sequence groups
 * a value that is not NULL overwrites. The columns of a group are set together, NULLs too, by a
 * record whose sequence columns are not all NULL and not below those of the row; an older record
 * only adds to columns that have an aggregate function.
 *
 * <p>Columns are gone through in the order of the schema, as Paimon does: it matters where a -D
 * takes the whole row away while other columns can't be retracted.
 */
public final class PartialUpdateMerge implements MergeFunction {

  private static final int NO_GROUP = -1;

  /** How a record stands to the row so far, in one group. */
  private enum Standing {
    UNKNOWN,
    /** All its sequence columns are NULL: it says nothing of this group. */
    ABSENT,
    CURRENT,
    LATE
  }

  private static final class Group {
    final RecordOrder order;
    final int[] sequenceColumns;
    final boolean removesRecord;
    Standing standing = Standing.UNKNOWN;

    Group(RowType rowType, SequenceGroup group) {
      this.sequenceColumns = rowType.positions(group.sequenceColumns());
      this.order = new RecordOrder(rowType, sequenceColumns, RecordOrder.Direction.ASCENDING);
      this.removesRecord = group.removesRecord();
    }
  }

  private final RowType rowType;
  private final Deletes deletes;
  private final boolean removeRecordOnDelete;

  /** Whether the table has any, in these columns or not. */
  private final boolean grouped;

  private final Group[] groups;
  private final int[] groupOf;
  private final boolean[] isSequence;
  private final @Nullable Aggregate[] aggregates;
  private final boolean[] required;

  private final AssembledRow row;
  private long sequenceNumber;
  private boolean deleted;
  private boolean inserted;
  private boolean begun;

  /**
   * @param rowType of the records; with a column of a group it has all sequence columns of it
   */
  PartialUpdateMerge(RowType rowType, MergeOptions options) {
    int columns = rowType.size();
    this.rowType = rowType;
    this.deletes = options.ignoreDelete() ? Deletes.IGNORED : Deletes.HONOURED;
    this.removeRecordOnDelete = options.removeRecordOnDelete();
    this.grouped = !options.groups().isEmpty();
    this.groupOf = new int[columns];
    this.isSequence = new boolean[columns];
    this.aggregates = new Aggregate[columns];
    this.required = new boolean[columns];
    List<Group> present = new ArrayList<>();
    Arrays.fill(groupOf, NO_GROUP);
    for (SequenceGroup declared : options.groups()) {
      boolean any = false;
      for (int i = 0; i < columns; i++) {
        if (declared.has(rowType.field(i).name())) {
          groupOf[i] = present.size();
          isSequence[i] = declared.sequenceColumns().contains(rowType.field(i).name());
          any = true;
        }
      }
      if (any) {
        present.add(new Group(rowType, declared));
      }
    }
    this.groups = present.toArray(new Group[0]);
    for (int i = 0; i < columns; i++) {
      DataField field = rowType.field(i);
      required[i] = !field.type().nullable();
      Aggregation aggregation = options.aggregations().get(field.name());
      if (grouped && aggregation != null) {
        aggregates[i] = Aggregate.of(field, i, aggregation);
      }
    }
    this.row = new AssembledRow(columns);
  }

  @Override
  public boolean keepsValues() {
    return Arrays.stream(aggregates).allMatch(Objects::isNull);
  }

  @Override
  public void reset() {
    row.clear();
    sequenceNumber = 0;
    inserted = false;
    begun = false;
    for (Aggregate aggregate : aggregates) {
      if (aggregate != null) {
        aggregate.reset();
      }
    }
  }

  @Override
  public void add(KeyValue record) {
    deleted = false;
    Row input = record.row();
    if (record.kind().isRetract()) {
      if (!begun) {
        row.setAll(input);
        begun = true;
      }
      if (deletes == Deletes.IGNORED) {
        return;
      }
      sequenceNumber = record.sequenceNumber();
      if (grouped) {
        retract(input, record.kind());
      } else {
        removeRow(input, record.kind());
      }
      return;
    }
    sequenceNumber = record.sequenceNumber();
    if (grouped) {
      updateGroups(input);
    } else {
      updateNonNull(input);
    }
    inserted = true;
    begun = true;
  }

  private void removeRow(Row input, RowKind kind) {
    if (!removeRecordOnDelete) {
      throw new UnsupportedTableException(
          "merge-engine=partial-update can't merge a "
              + kind.shortText()
              + " record. Set ignore-delete=true to leave such records out,"
              + " partial-update.remove-record-on-delete=true to let -D take the row away, or use"
              + " sequence groups.");
    }
    if (kind == RowKind.DELETE) {
      deleted = true;
      row.setAll(input);
    }
  }

  private void updateNonNull(Row input) {
    for (int i = 0; i < groupOf.length; i++) {
      if (!input.isNullAt(i)) {
        row.set(i, input);
      } else if (required[i]) {
        throw new UnsupportedTableException(
            "Column "
                + rowType.field(i).name()
                + " is NOT NULL and a record of the partial-update table has NULL there. Let the"
                + " column be nullable, so that records may leave it out.");
      }
    }
  }

  private void updateGroups(Row input) {
    for (Group group : groups) {
      group.standing = Standing.UNKNOWN;
    }
    for (int i = 0; i < groupOf.length; i++) {
      Aggregate aggregate = aggregates[i];
      if (groupOf[i] == NO_GROUP) {
        if (aggregate != null) {
          row.set(i, aggregate.aggregate(row.holder(i), input));
        } else if (!input.isNullAt(i)) {
          row.set(i, input);
        }
        continue;
      }
      Group group = groups[groupOf[i]];
      switch (standing(group, input)) {
        case CURRENT -> {
          if (isSequence[i]) {
            setSequence(group, input);
          } else {
            row.set(i, aggregate == null ? input : aggregate.aggregate(row.holder(i), input));
          }
        }
        case LATE -> {
          if (aggregate != null) {
            row.set(i, aggregate.aggregateLate(row.holder(i), input));
          }
        }
        case ABSENT -> {}
        case UNKNOWN -> throw new AssertionError();
      }
    }
  }

  private void retract(Row input, RowKind kind) {
    for (Group group : groups) {
      group.standing = Standing.UNKNOWN;
    }
    for (int i = 0; i < groupOf.length; i++) {
      if (groupOf[i] == NO_GROUP) {
        continue;
      }
      Aggregate aggregate = aggregates[i];
      Group group = groups[groupOf[i]];
      switch (standing(group, input)) {
        case CURRENT -> {
          if (isSequence[i]) {
            if (group.removesRecord && kind == RowKind.DELETE) {
              deleted = true;
              row.setAll(input);
              return;
            }
            setSequence(group, input);
          } else {
            row.set(i, aggregate == null ? ValueRow.NULL : aggregate.retract(row.holder(i), input));
          }
        }
        case LATE -> {
          if (aggregate != null) {
            row.set(i, aggregate.retract(row.holder(i), input));
          }
        }
        case ABSENT -> {}
        case UNKNOWN -> throw new AssertionError();
      }
    }
  }

  /**
   * Once for a record: its sequence columns are set only if it is current, and then compare equal.
   */
  private Standing standing(Group group, Row input) {
    if (group.standing == Standing.UNKNOWN) {
      boolean absent = true;
      for (int column : group.sequenceColumns) {
        absent &= input.isNullAt(column);
      }
      group.standing =
          absent
              ? Standing.ABSENT
              : group.order.compareFields(input, row) >= 0 ? Standing.CURRENT : Standing.LATE;
    }
    return group.standing;
  }

  private void setSequence(Group group, Row input) {
    for (int column : group.sequenceColumns) {
      row.set(column, input);
    }
  }

  @Override
  public @Nullable KeyValue result() {
    return row.with(deleted || !inserted ? RowKind.DELETE : RowKind.INSERT, sequenceNumber);
  }
}
