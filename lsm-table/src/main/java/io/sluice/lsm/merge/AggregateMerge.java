package io.sluice.lsm.merge;

import io.sluice.lsm.row.KeyValue;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * Each column has an aggregate function, and retracts take their values away again (format
 * description section 8.6).
 */
public final class AggregateMerge implements MergeFunction {

  /** What a -D does. */
  enum Deletes {
    RETRACT,
    /** Takes the row away; its values are the base of what comes later. */
    REMOVE_RECORD
  }

  private final Aggregate[] aggregates;
  private final Deletes deletes;
  private final AssembledRow row;
  private long sequenceNumber;
  private boolean deleted;

  /**
   * @param aggregates one for each column
   */
  AggregateMerge(Aggregate[] aggregates, Deletes deletes) {
    this.aggregates = aggregates;
    this.deletes = deletes;
    this.row = new AssembledRow(aggregates.length);
  }

  @Override
  public void reset() {
    row.clear();
    for (Aggregate aggregate : aggregates) {
      aggregate.reset();
    }
  }

  @Override
  public void add(KeyValue record) {
    sequenceNumber = record.sequenceNumber();
    Row input = record.row();
    deleted = deletes == Deletes.REMOVE_RECORD && record.kind() == RowKind.DELETE;
    if (deleted) {
      row.setAll(input);
    } else if (record.kind().isRetract()) {
      for (int i = 0; i < aggregates.length; i++) {
        row.set(i, aggregates[i].retract(row.holder(i), input));
      }
    } else {
      for (int i = 0; i < aggregates.length; i++) {
        row.set(i, aggregates[i].aggregate(row.holder(i), input));
      }
    }
  }

  @Override
  public @Nullable KeyValue result() {
    return row.with(deleted ? RowKind.DELETE : RowKind.INSERT, sequenceNumber);
  }
}
