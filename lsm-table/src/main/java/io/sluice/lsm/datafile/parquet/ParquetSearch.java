package io.sluice.lsm.datafile.parquet;

import io.sluice.lsm.binary.ColumnBounds.Moment;
import io.sluice.lsm.datafile.RowFilter;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.function.BinaryOperator;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.filter2.predicate.FilterApi;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.filter2.predicate.Operators.Column;
import org.apache.parquet.filter2.predicate.Operators.SupportsLtGt;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RowFilter} as the filter by which Parquet leaves out row groups (by statistics and
 * dictionaries) and pages (by their index). Only columns of the form that this engine and Paimon
 * give a type are asked for, and not FLOAT and DOUBLE, whose order is another with NaN and -0.0,
 * nor INT96, which has none.
 */
final class ParquetSearch {

  private final MessageType message;

  private ParquetSearch(MessageType message) {
    this.message = message;
  }

  /**
   * The filter; one that lets everything pass if nothing can be asked for.
   *
   * @param filter by the columns of the file
   * @param message the file's schema
   */
  static FilterCompat.Filter of(RowFilter filter, MessageType message) {
    ParquetSearch search = new ParquetSearch(message);
    RowFilter sure = filter.mapLeaves(search::sure);
    return sure == null ? FilterCompat.NOOP : FilterCompat.get(search.predicate(sure));
  }

  private @Nullable RowFilter sure(RowFilter leaf) {
    DataField column =
        leaf instanceof RowFilter.Between between
            ? between.column()
            : ((RowFilter.IsNull) leaf).column();
    // Parquet takes a dot for a way into a nested column, and a column that it does not find for
    // one that is always NULL.
    if (column.name().indexOf('.') >= 0
        || !message.containsField(column.name())
        || !message.getType(column.name()).isPrimitive()) {
      return null;
    }
    PrimitiveType stored = message.getType(column.name()).asPrimitiveType();
    PrimitiveType expected = expected(column);
    return expected != null
            && stored.getPrimitiveTypeName() == expected.getPrimitiveTypeName()
            && stored.getTypeLength() == expected.getTypeLength()
            && java.util.Objects.equals(
                stored.getLogicalTypeAnnotation(), expected.getLogicalTypeAnnotation())
        ? leaf
        : null;
  }

  private static @Nullable PrimitiveType expected(DataField column) {
    return switch (column.type().root()) {
      case TINYINT, SMALLINT, INT, BIGINT, DECIMAL, CHAR, VARCHAR, DATE, TIME -> primitive(column);
      case TIMESTAMP, TIMESTAMP_LTZ -> {
        PrimitiveType type = primitive(column);
        yield type.getPrimitiveTypeName() == PrimitiveTypeName.INT96 ? null : type;
      }
      case BOOLEAN, FLOAT, DOUBLE, BINARY, VARBINARY, ARRAY, MAP, MULTISET, ROW, VARIANT -> null;
    };
  }

  private static PrimitiveType primitive(DataField column) {
    return ParquetTypes.message(List.of(column)).getType(0).asPrimitiveType();
  }

  private FilterPredicate predicate(RowFilter filter) {
    if (filter instanceof RowFilter.All all) {
      return joined(all.terms(), FilterApi::and);
    }
    if (filter instanceof RowFilter.Any any) {
      return joined(any.terms(), FilterApi::or);
    }
    DataField column =
        filter instanceof RowFilter.Between between
            ? between.column()
            : ((RowFilter.IsNull) filter).column();
    PrimitiveType stored = message.getType(column.name()).asPrimitiveType();
    return switch (stored.getPrimitiveTypeName()) {
      case INT32 ->
          leaf(filter, FilterApi.intColumn(column.name()), value -> Math.toIntExact((Long) value));
      case INT64 ->
          leaf(
              filter,
              FilterApi.longColumn(column.name()),
              value -> value instanceof Moment moment ? time(moment, column.type()) : (Long) value);
      case BINARY, FIXED_LEN_BYTE_ARRAY ->
          leaf(
              filter,
              FilterApi.binaryColumn(column.name()),
              value ->
                  Binary.fromConstantByteArray(
                      value instanceof byte[] bytes
                          ? bytes
                          : fixed((BigDecimal) value, (DecimalType) column.type())));
      case BOOLEAN, FLOAT, DOUBLE, INT96 -> throw new AssertionError(stored);
    };
  }

  /** A balanced tree: a list of very many values shall not nest as deep. */
  private FilterPredicate joined(List<RowFilter> terms, BinaryOperator<FilterPredicate> by) {
    int size = terms.size();
    return size == 1
        ? predicate(terms.get(0))
        : by.apply(
            joined(terms.subList(0, size / 2), by), joined(terms.subList(size / 2, size), by));
  }

  /** A value as Parquet compares it. */
  @FunctionalInterface
  private interface Literal<T> {
    T of(Object value);
  }

  private static <T extends Comparable<T>, C extends Column<T> & SupportsLtGt> FilterPredicate leaf(
      RowFilter filter, C column, Literal<T> literal) {
    if (filter instanceof RowFilter.IsNull) {
      return FilterApi.eq(column, null);
    }
    RowFilter.Between between = (RowFilter.Between) filter;
    T min = between.min() == null ? null : literal.of(between.min());
    T max = between.max() == null ? null : literal.of(between.max());
    if (min == null) {
      return max == null ? FilterApi.notEq(column, null) : FilterApi.ltEq(column, max);
    }
    if (max == null) {
      return FilterApi.gtEq(column, min);
    }
    return min.equals(max)
        ? FilterApi.eq(column, min)
        : FilterApi.and(FilterApi.gtEq(column, min), FilterApi.ltEq(column, max));
  }

  private static long time(Moment moment, DataType type) {
    return ((TemporalType) type).precision() <= TemporalType.MAX_COMPACT_PRECISION
        ? moment.millis()
        : Math.addExact(
            Math.multiplyExact(moment.millis(), 1000L), (long) (moment.nanoOfMilli() / 1000));
  }

  /** Two's complement, the highest byte first, in as many bytes as the column has. */
  private static byte[] fixed(BigDecimal value, DecimalType type) {
    BigInteger unscaled = value.setScale(type.scale()).unscaledValue();
    byte[] shortest = unscaled.toByteArray();
    byte[] result = new byte[ParquetTypes.decimalBytes(type.precision())];
    Arrays.fill(
        result, 0, result.length - shortest.length, (byte) (unscaled.signum() < 0 ? -1 : 0));
    System.arraycopy(shortest, 0, result, result.length - shortest.length, shortest.length);
    return result;
  }
}
