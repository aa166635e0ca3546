package io.sluice.lsm.merge;

import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.AggregateFunction;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.MergeOptions.Aggregation;

/**
 * An aggregate function at work on one column. Values come and go as the rows that hold them at
 * {@link #column()}, so a function that picks one of its operands copies nothing; one that computes
 * returns a {@link ValueRow} of its own, good until its next call. One thread.
 *
 * <p>Source: Paimon 1.4.2, the classes {@code Field...Agg}; also for what overflows, which is as
 * there.
 */
abstract class Aggregate {

  private final DataField field;
  private final int column;

  Aggregate(DataField field, int column) {
    this.field = field;
    this.column = column;
  }

  /** Position of the column in the rows. */
  final int column() {
    return column;
  }

  final DataField field() {
    return field;
  }

  /** Begins the next key. */
  void reset() {}

  /** The value so far and a newer one become one. */
  abstract Row aggregate(Row accumulated, Row input);

  /** As {@link #aggregate}, but the record comes late: it is older than what is accumulated. */
  Row aggregateLate(Row accumulated, Row input) {
    return aggregate(input, accumulated);
  }

  /** Takes a value away again. */
  Row retract(Row accumulated, Row input) {
    throw irretractable();
  }

  final UnsupportedTableException irretractable() {
    return new UnsupportedTableException(
        "Column "
            + field.name()
            + ": its aggregate function can't take a value away, and there is a -U or -D record. Set"
            + " fields."
            + field.name()
            + ".ignore-retract=true to leave such records out.");
  }

  /**
   * The function of a column.
   *
   * @throws UnsupportedTableException if this engine does not compute it
   */
  static Aggregate of(DataField field, int column, Aggregation aggregation) {
    AggregateFunction function = aggregation.function();
    if (aggregation.lacking() != null) {
      throw new UnsupportedTableException(
          "Column "
              + field.name()
              + " has the aggregate function "
              + function.text()
              + ", which "
              + aggregation.lacking()
              + " and is not computed by this engine. Name the other columns instead.");
    }
    Aggregate result =
        switch (function) {
          case SUM, PRODUCT -> arithmetic(field, column, function);
          case MAX, MIN -> new PickingAggregate.Extreme(field, column, function);
          case LAST_VALUE -> new PickingAggregate.Last(field, column);
          case LAST_NON_NULL_VALUE -> new PickingAggregate.LastNonNull(field, column);
          case FIRST_VALUE -> new PickingAggregate.First(field, column);
          case FIRST_NON_NULL_VALUE -> new PickingAggregate.FirstNonNull(field, column);
          case PRIMARY_KEY -> new PickingAggregate.Key(field, column);
          case LISTAGG ->
              new ListAggregate(field, column, aggregation.delimiter(), aggregation.distinct());
          case BOOL_AND, BOOL_OR -> new BooleanAggregate(field, column, function);
          case COLLECT ->
              new CollectAggregate(field, column, (ArrayType) field.type(), aggregation.distinct());
          case MERGE_MAP -> new MapAggregate(field, column, (MapType) field.type());
          case NESTED_UPDATE -> nested(field, column, aggregation, NestedAggregate.Newer.REPLACES);
          case NESTED_PARTIAL_UPDATE ->
              nested(field, column, aggregation, NestedAggregate.Newer.FILLS);
          case MERGE_MAP_WITH_KEYTIME, HLL_SKETCH, THETA_SKETCH, RBM32, RBM64 ->
              throw new AssertionError(function);
        };
    return aggregation.ignoreRetract() ? new IgnoringRetracts(result) : result;
  }

  private static Aggregate nested(
      DataField field, int column, Aggregation aggregation, NestedAggregate.Newer newer) {
    return new NestedAggregate(
        field, column, aggregation.nested(), newer, !aggregation.refusesRetract());
  }

  private static Aggregate arithmetic(DataField field, int column, AggregateFunction function) {
    return switch (field.type().root()) {
      case TINYINT, SMALLINT, INT, BIGINT -> new IntegerAggregate(field, column, function);
      case FLOAT, DOUBLE -> new FloatingAggregate(field, column, function);
      case DECIMAL -> new DecimalAggregate(field, column, (DecimalType) field.type(), function);
      default -> throw new AssertionError(field.type());
    };
  }

  /** The option {@code fields.<column>.ignore-retract}. */
  private static final class IgnoringRetracts extends Aggregate {
    private final Aggregate function;

    IgnoringRetracts(Aggregate function) {
      super(function.field, function.column);
      this.function = function;
    }

    @Override
    void reset() {
      function.reset();
    }

    @Override
    Row aggregate(Row accumulated, Row input) {
      return function.aggregate(accumulated, input);
    }

    @Override
    Row aggregateLate(Row accumulated, Row input) {
      // Paimon's wrapper turns the operands itself, whatever the function makes of late records.
      return function.aggregate(input, accumulated);
    }

    @Override
    Row retract(Row accumulated, Row input) {
      return accumulated;
    }
  }
}
