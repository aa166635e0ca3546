package io.sluice.lsm.merge;

import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.AggregateFunction;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.TypeRoot;

/**
 * {@code sum} and {@code product} of TINYINT, SMALLINT, INT and BIGINT. What is too large wraps, as
 * in Paimon: Long.MAX and 1 give Long.MIN. All are computed as longs: the lower bits of a sum, a
 * difference and a product don't depend on the upper ones, and a quotient of narrow numbers fits.
 */
final class IntegerAggregate extends ArithmeticAggregate {

  private final TypeRoot root;
  private final Value value = new Value();

  IntegerAggregate(DataField field, int column, AggregateFunction function) {
    super(field, column, function);
    this.root = field.type().root();
  }

  private long number(Row row) {
    return switch (root) {
      case TINYINT -> row.getByte(column());
      case SMALLINT -> row.getShort(column());
      case INT -> row.getInt(column());
      case BIGINT -> row.getLong(column());
      default -> throw new AssertionError(root);
    };
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
    if (number(b) == 0) {
      throw indivisible(number(a), 0, "which is zero");
    }
    return value.of(number(a) / number(b));
  }

  @Override
  Row negate(Row a) {
    return value.of(-number(a));
  }

  private static final class Value extends ValueRow {
    private long number;

    Value of(long newNumber) {
      number = newNumber;
      return this;
    }

    @Override
    public boolean isNullAt(int column) {
      return false;
    }

    @Override
    public byte getByte(int column) {
      return (byte) number;
    }

    @Override
    public short getShort(int column) {
      return (short) number;
    }

    @Override
    public int getInt(int column) {
      return (int) number;
    }

    @Override
    public long getLong(int column) {
      return number;
    }
  }
}
