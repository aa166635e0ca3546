package io.sluice.lsm.merge;

import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.AggregateFunction;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.TypeRoot;

/**
 * {@code sum} and {@code product} of FLOAT and DOUBLE, by IEEE rules: too large is infinite,
 * divided by 0 infinite or NaN. FLOAT is computed as double and rounded after each step, which
 * gives the same as computing with floats.
 */
final class FloatingAggregate extends ArithmeticAggregate {

  private final boolean single;
  private final Value value = new Value();

  FloatingAggregate(DataField field, int column, AggregateFunction function) {
    super(field, column, function);
    this.single = field.type().root() == TypeRoot.FLOAT;
  }

  private double number(Row row) {
    return single ? row.getFloat(column()) : row.getDouble(column());
  }

  @Override
  Row add(Row a, Row b) {
    return value.of(number(a) + number(b));
  }

  @Override
  Row subtract(Row a, Row b) {
    return value.of(number(a) - number(b));
  }

  @Override
  Row multiply(Row a, Row b) {
    return value.of(number(a) * number(b));
  }

  @Override
  Row divide(Row a, Row b) {
    return value.of(number(a) / number(b));
  }

  @Override
  Row negate(Row a) {
    return value.of(-number(a));
  }

  private static final class Value extends ValueRow {
    private double number;

    Value of(double newNumber) {
      number = newNumber;
      return this;
    }

    @Override
    public boolean isNullAt(int column) {
      return false;
    }

    @Override
    public float getFloat(int column) {
      return (float) number;
    }

    @Override
    public double getDouble(int column) {
      return number;
    }
  }
}
