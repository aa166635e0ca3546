package io.sluice.lsm.merge;

import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.AggregateFunction;
import io.sluice.lsm.schema.DataField;

/** Aggregate functions that choose one of the values. They work on any type and copy nothing. */
final class PickingAggregate {

  private PickingAggregate() {}

  /** {@code last_value}: the newest, NULL too; nothing after a retract. */
  static final class Last extends Aggregate {
    Last(DataField field, int column) {
      super(field, column);
    }

    @Override
    Row aggregate(Row accumulated, Row input) {
      return input;
    }

    @Override
    Row retract(Row accumulated, Row input) {
      return ValueRow.NULL;
    }
  }

  /** {@code last_non_null_value}. */
  static final class LastNonNull extends Aggregate {
    LastNonNull(DataField field, int column) {
      super(field, column);
    }

    @Override
    Row aggregate(Row accumulated, Row input) {
      return input.isNullAt(column()) ? accumulated : input;
    }

    @Override
    Row retract(Row accumulated, Row input) {
      return input.isNullAt(column()) ? accumulated : ValueRow.NULL;
    }
  }

  /** {@code first_value}: the first operand of the key, NULL too. */
  static final class First extends Aggregate {
    private boolean chosen;

    First(DataField field, int column) {
      super(field, column);
    }

    @Override
    void reset() {
      chosen = false;
    }

    @Override
    Row aggregate(Row accumulated, Row input) {
      if (chosen) {
        return accumulated;
      }
      chosen = true;
      return input;
    }
  }

  /** {@code first_non_null_value}. */
  static final class FirstNonNull extends Aggregate {
    private boolean chosen;

    FirstNonNull(DataField field, int column) {
      super(field, column);
    }

    @Override
    void reset() {
      chosen = false;
    }

    @Override
    Row aggregate(Row accumulated, Row input) {
      if (chosen || input.isNullAt(column())) {
        return accumulated;
      }
      chosen = true;
      return input;
    }
  }

  /** Of key columns: the newest record's, whatever its kind. */
  static final class Key extends Aggregate {
    Key(DataField field, int column) {
      super(field, column);
    }

    @Override
    Row aggregate(Row accumulated, Row input) {
      return input;
    }

    @Override
    Row retract(Row accumulated, Row input) {
      return input;
    }
  }

  /**
   * {@code max} and {@code min}. FLOAT and DOUBLE are in the order of {@link Double#compare}: -0.0
   * below 0.0, NaN above all. Of equal values max keeps the accumulated, min takes the input.
   */
  static final class Extreme extends NullSafeAggregate {
    private final ColumnComparator comparator;
    private final boolean max;

    Extreme(DataField field, int column, AggregateFunction function) {
      super(field, column);
      this.comparator = new ColumnComparator(field.type());
      this.max = function == AggregateFunction.MAX;
    }

    @Override
    Row combine(Row accumulated, Row input) {
      int column = column();
      int order =
          switch (comparator.root()) {
            case FLOAT -> Float.compare(accumulated.getFloat(column), input.getFloat(column));
            case DOUBLE -> Double.compare(accumulated.getDouble(column), input.getDouble(column));
            default -> comparator.compare(accumulated, column, input, column);
          };
      return order < 0 == max ? input : accumulated;
    }
  }
}
