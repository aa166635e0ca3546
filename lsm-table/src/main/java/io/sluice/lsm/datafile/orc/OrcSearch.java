package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.binary.ColumnBounds.Moment;
import io.sluice.lsm.datafile.RowFilter;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.TypeRoot;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.sql.Date;
import java.sql.Timestamp;
import java.time.LocalDate;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.hadoop.hive.ql.io.sarg.PredicateLeaf;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgumentFactory;
import org.apache.hadoop.hive.serde2.io.HiveDecimalWritable;
import org.apache.orc.ColumnStatistics;
import org.apache.orc.DateColumnStatistics;
import org.apache.orc.TimestampColumnStatistics;
import org.apache.orc.TypeDescription;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RowFilter} as the search argument by which ORC leaves out row groups, and with them
 * stripes. Only what ORC's statistics are sure about is asked for:
 *
 * <ul>
 *   <li>not CHAR, whose bounds have blanks behind the value, nor FLOAT and DOUBLE, whose order is
 *       another with NaN and -0.0, nor TIMESTAMP_LTZ, which is stored by the writer's zone;
 *   <li>text only where the value has no character from U+D800 on: ORC compares UTF-16, the format
 *       UTF-8, and the two differ there;
 *   <li>dates and timestamps only in files without any before 1600 and 1970: ORC takes those to
 *       another calendar and gives others back a second later (format description section 7.2).
 * </ul>
 */
final class OrcSearch {

  private static final long DAYS_1600 = -135_140;
  private static final long MILLIS_A_SECOND = 1000;
  private static final int FIRST_UNSURE_CHARACTER = 0xD800;

  private final TypeDescription type;
  private final ColumnStatistics[] statistics;
  private final SearchArgument.Builder builder = SearchArgumentFactory.newBuilder();

  private OrcSearch(TypeDescription type, ColumnStatistics[] statistics) {
    this.type = type;
    this.statistics = statistics;
  }

  /**
   * The search argument; null if nothing can be asked for.
   *
   * @param filter by the columns of the file
   * @param type of the file
   * @param statistics of the file's columns, neither of them converted
   */
  static @Nullable SearchArgument of(
      RowFilter filter, TypeDescription type, ColumnStatistics[] statistics) {
    OrcSearch search = new OrcSearch(type, statistics);
    RowFilter sure = filter.mapLeaves(search::sure);
    if (sure == null) {
      return null;
    }
    search.builder.startAnd();
    search.add(sure);
    return search.builder.end().build();
  }

  private int id(DataField column) {
    return type.getChildren().get(type.getFieldNames().indexOf(column.name())).getId();
  }

  // ---------------------------------------------------------------- what is sure

  private @Nullable RowFilter sure(RowFilter leaf) {
    if (leaf instanceof RowFilter.IsNull isNull) {
      return kind(isNull.column().type()) == null ? null : leaf;
    }
    RowFilter.Between between = (RowFilter.Between) leaf;
    DataField column = between.column();
    if (kind(column.type()) == null) {
      return null;
    }
    boolean sure =
        switch (column.type().root()) {
          case DATE ->
              statistics[id(column)] instanceof DateColumnStatistics dates
                  && dates.getNumberOfValues() > 0
                  && dates.getMinimumDayOfEpoch() >= DAYS_1600;
          case TIMESTAMP ->
              statistics[id(column)] instanceof TimestampColumnStatistics times
                  && times.getMinimumUTC() != null
                  && times.getMinimumUTC().getTime() >= MILLIS_A_SECOND;
          case VARCHAR -> ordered(between.min()) && ordered(between.max());
          default -> true;
        };
    return sure ? leaf : new RowFilter.Between(column, null, null);
  }

  /** Whether a text compares with every other in UTF-16 as it does in UTF-8. */
  private static boolean ordered(@Nullable Object text) {
    return text == null || text(text).chars().allMatch(c -> c < FIRST_UNSURE_CHARACTER);
  }

  private static String text(Object utf8) {
    return new String((byte[]) utf8, StandardCharsets.UTF_8);
  }

  private static PredicateLeaf.@Nullable Type kind(DataType type) {
    return switch (type.root()) {
      case TINYINT, SMALLINT, INT, BIGINT, TIME -> PredicateLeaf.Type.LONG;
      case VARCHAR -> PredicateLeaf.Type.STRING;
      case DECIMAL -> PredicateLeaf.Type.DECIMAL;
      case DATE -> PredicateLeaf.Type.DATE;
      case TIMESTAMP -> PredicateLeaf.Type.TIMESTAMP;
      case BOOLEAN,
          CHAR,
          FLOAT,
          DOUBLE,
          BINARY,
          VARBINARY,
          TIMESTAMP_LTZ,
          ARRAY,
          MAP,
          MULTISET,
          ROW,
          VARIANT ->
          null;
    };
  }

  // ---------------------------------------------------------------- translation

  private void add(RowFilter filter) {
    if (filter instanceof RowFilter.All all) {
      builder.startAnd();
      all.terms().forEach(this::add);
      builder.end();
    } else if (filter instanceof RowFilter.Any any) {
      builder.startOr();
      any.terms().forEach(this::add);
      builder.end();
    } else if (filter instanceof RowFilter.IsNull isNull) {
      builder.isNull(name(isNull.column()), kindOf(isNull.column()));
    } else {
      add((RowFilter.Between) filter);
    }
  }

  private void add(RowFilter.Between between) {
    DataField column = between.column();
    PredicateLeaf.Type kind = kindOf(column);
    String name = name(column);
    Object min = literal(column.type(), between.min());
    Object max = literal(column.type(), between.max());
    if (min == null && max == null) {
      builder.startNot().isNull(name, kind).end();
    } else if (min != null && min.equals(max)) {
      builder.equals(name, kind, min);
    } else if (min != null && max != null) {
      builder.between(name, kind, min, max);
    } else if (min != null) {
      builder.startNot().lessThan(name, kind, min).end();
    } else {
      builder.lessThanEquals(name, kind, max);
    }
  }

  /** A number names the column by its id, whatever characters its name has. */
  private String name(DataField column) {
    return Integer.toString(id(column));
  }

  private static PredicateLeaf.Type kindOf(DataField column) {
    PredicateLeaf.Type kind = kind(column.type());
    if (kind == null) {
      throw new AssertionError(column);
    }
    return kind;
  }

  private static @Nullable Object literal(DataType type, @Nullable Object value) {
    if (value == null) {
      return null;
    }
    TypeRoot root = type.root();
    return switch (root) {
      case VARCHAR -> text(value);
      case DECIMAL ->
          new HiveDecimalWritable(
              HiveDecimal.create(
                  value instanceof Long unscaled
                      ? new BigDecimal(BigInteger.valueOf(unscaled), ((DecimalType) type).scale())
                      : (BigDecimal) value));
      case DATE -> Date.valueOf(LocalDate.ofEpochDay((Long) value));
      case TIMESTAMP -> {
        Moment moment = (Moment) value;
        Timestamp timestamp = new Timestamp(moment.millis());
        timestamp.setNanos(timestamp.getNanos() + moment.nanoOfMilli());
        yield timestamp;
      }
      default -> value;
    };
  }
}
