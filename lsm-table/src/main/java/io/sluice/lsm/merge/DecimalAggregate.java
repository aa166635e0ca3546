package io.sluice.lsm.merge;

import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.AggregateFunction;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType.DecimalType;
import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * {@code sum} and {@code product} of DECIMAL, in the column's precision and scale. Products are
 * rounded half up. A result with more digits than the column is NULL.
 *
 * <p>As in Paimon a sum of up to 18 digits may outgrow its column in the midst of a merge and come
 * back; only what is left at the end counts. (There such a number shows in a merged read, and is
 * NULL as soon as it comes from a file; here it is NULL in both.)
 */
final class DecimalAggregate extends ArithmeticAggregate {

  private final int precision;
  private final int scale;
  private final Value value = new Value();

  DecimalAggregate(DataField field, int column, DecimalType type, AggregateFunction function) {
    super(field, column, function);
    this.precision = type.precision();
    this.scale = type.scale();
  }

  /** The column's own value may be too long to show, but is there. */
  @Override
  boolean isNull(Row row) {
    return row != value && row.isNullAt(column());
  }

  private BigDecimal number(Row row) {
    return row == value ? value.number : row.getDecimal(column(), precision, scale);
  }

  @Override
  Row add(Row a, Row b) {
    return ofSum(number(a).add(number(b)));
  }

  @Override
  Row subtract(Row a, Row b) {
    return ofSum(number(a).subtract(number(b)));
  }

  @Override
  Row multiply(Row a, Row b) {
    return rounded(number(a).multiply(number(b)));
  }

  @Override
  Row divide(Row a, Row b) {
    BigDecimal quotient;
    try {
      // As Paimon: exact or not at all.
      quotient = number(a).divide(number(b));
    } catch (ArithmeticException e) {
      throw indivisible(number(a), number(b), "for the quotient has no end");
    }
    return rounded(quotient);
  }

  @Override
  Row negate(Row a) {
    return rounded(number(a).negate());
  }

  private Row ofSum(BigDecimal result) {
    boolean compact = precision <= DecimalType.MAX_COMPACT_PRECISION;
    if (compact && result.unscaledValue().bitLength() < Long.SIZE) {
      return value.of(result, result.precision() <= precision);
    }
    return rounded(result);
  }

  private Row rounded(BigDecimal result) {
    BigDecimal scaled = result.setScale(scale, RoundingMode.HALF_UP);
    return scaled.precision() > precision ? ValueRow.NULL : value.of(scaled, true);
  }

  private static final class Value extends ValueRow {
    private BigDecimal number = BigDecimal.ZERO;
    private boolean fits;

    Value of(BigDecimal newNumber, boolean nowFits) {
      number = newNumber;
      fits = nowFits;
      return this;
    }

    @Override
    public boolean isNullAt(int column) {
      return !fits;
    }

    @Override
    public long getDecimalUnscaled(int column) {
      return number.unscaledValue().longValueExact();
    }

    @Override
    public BigDecimal getDecimal(int column, int precision, int scale) {
      return number;
    }
  }
}
