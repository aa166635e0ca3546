package io.sluice.lsm.merge;

import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.AggregateFunction;
import io.sluice.lsm.schema.DataField;

/** {@code sum} and {@code product}; the subclasses know how numbers of a type are computed. */
abstract class ArithmeticAggregate extends NullSafeAggregate {

  private final boolean sum;

  ArithmeticAggregate(DataField field, int column, AggregateFunction function) {
    super(field, column);
    this.sum = function == AggregateFunction.SUM;
  }

  abstract Row add(Row a, Row b);

  abstract Row subtract(Row a, Row b);

  abstract Row multiply(Row a, Row b);

  abstract Row divide(Row a, Row b);

  abstract Row negate(Row a);

  @Override
  final Row combine(Row accumulated, Row input) {
    return sum ? add(accumulated, input) : multiply(accumulated, input);
  }

  @Override
  final Row retract(Row accumulated, Row input) {
    if (isNull(input)) {
      return accumulated;
    }
    if (isNull(accumulated)) {
      return sum ? negate(input) : accumulated;
    }
    return sum ? subtract(accumulated, input) : divide(accumulated, input);
  }

  final UnsupportedTableException indivisible(Object product, Object divisor, String why) {
    return new UnsupportedTableException(
        "Column "
            + field().name()
            + ": the product "
            + product
            + " can't be divided by the "
            + divisor
            + " of a -U or -D record, "
            + why
            + ". Set fields."
            + field().name()
            + ".ignore-retract=true to leave such records out.");
  }
}
