package io.sluice.lsm.merge;

import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.DataField;

/** An aggregate function for which NULL counts for nothing. */
abstract class NullSafeAggregate extends Aggregate {

  NullSafeAggregate(DataField field, int column) {
    super(field, column);
  }

  boolean isNull(Row row) {
    return row.isNullAt(column());
  }

  @Override
  final Row aggregate(Row accumulated, Row input) {
    if (isNull(input)) {
      return accumulated;
    }
    return isNull(accumulated) ? input : combine(accumulated, input);
  }

  /** Of two values. */
  abstract Row combine(Row accumulated, Row input);
}
