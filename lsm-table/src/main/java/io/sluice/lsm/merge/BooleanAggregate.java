package io.sluice.lsm.merge;

import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.AggregateFunction;
import io.sluice.lsm.schema.DataField;

/** {@code bool_and} and {@code bool_or}; NULL counts for nothing. */
final class BooleanAggregate extends NullSafeAggregate {

  /** The value that, once there, stays. */
  private final boolean deciding;

  BooleanAggregate(DataField field, int column, AggregateFunction function) {
    super(field, column);
    this.deciding = function == AggregateFunction.BOOL_OR;
  }

  @Override
  Row combine(Row accumulated, Row input) {
    return accumulated.getBoolean(column()) == deciding ? accumulated : input;
  }
}
