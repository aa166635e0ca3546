package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.binary.ColumnBounds;
import io.sluice.lsm.binary.ColumnBounds.Moment;
import io.sluice.lsm.datafile.KeyValueLayout;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.TableSchema;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Timestamp;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.orc.BooleanColumnStatistics;
import org.apache.orc.ColumnStatistics;
import org.apache.orc.DateColumnStatistics;
import org.apache.orc.DecimalColumnStatistics;
import org.apache.orc.DoubleColumnStatistics;
import org.apache.orc.IntegerColumnStatistics;
import org.apache.orc.StringColumnStatistics;
import org.apache.orc.TimestampColumnStatistics;
import org.apache.orc.TypeDescription;
import org.jspecify.annotations.Nullable;

/** Turns the statistics that ORC gathers anyway into those of a manifest. */
final class OrcStats {

  private final ColumnStatistics[] statistics;
  private final TypeDescription type;
  private final KeyValueLayout layout;
  private final TableSchema schema;
  private final CharBounds charBounds;
  private final long timestampSlackMillis;

  /**
   * @param shifted a stripe has its timestamps in a zone of its own: ORC's bounds are off by up to
   *     a second
   */
  OrcStats(
      ColumnStatistics[] statistics,
      TypeDescription type,
      KeyValueLayout layout,
      TableSchema schema,
      CharBounds charBounds,
      boolean shifted) {
    this.statistics = statistics;
    this.type = type;
    this.layout = layout;
    this.schema = schema;
    this.charBounds = charBounds;
    this.timestampSlackMillis = shifted ? 1000 : 0;
  }

  /** Of the column at a position among the table's. */
  ColumnBounds bounds(int column) {
    DataType dataType = schema.rowType().type(column);
    ColumnStatistics of =
        statistics[type.getChildren().get(layout.firstValuePosition() + column).getId()];
    long nulls = statistics[0].getNumberOfValues() - of.getNumberOfValues();
    if (of.getNumberOfValues() == 0) {
      return new ColumnBounds(nulls, null, null);
    }
    return switch (dataType.root()) {
      case BOOLEAN -> {
        BooleanColumnStatistics booleans = (BooleanColumnStatistics) of;
        yield new ColumnBounds(
            nulls, booleans.getFalseCount() > 0 ? 0L : 1L, booleans.getTrueCount() > 0 ? 1L : 0L);
      }
      case TINYINT, SMALLINT, INT, BIGINT, TIME -> {
        IntegerColumnStatistics integers = (IntegerColumnStatistics) of;
        yield new ColumnBounds(nulls, integers.getMinimum(), integers.getMaximum());
      }
      case DATE -> {
        DateColumnStatistics dates = (DateColumnStatistics) of;
        yield new ColumnBounds(nulls, dates.getMinimumDayOfEpoch(), dates.getMaximumDayOfEpoch());
      }
      case FLOAT, DOUBLE -> doubles(nulls, (DoubleColumnStatistics) of);
      case DECIMAL -> {
        DecimalColumnStatistics decimals = (DecimalColumnStatistics) of;
        yield new ColumnBounds(
            nulls,
            decimal(decimals.getMinimum(), (DecimalType) dataType),
            decimal(decimals.getMaximum(), (DecimalType) dataType));
      }
      case CHAR -> new ColumnBounds(nulls, charBounds.min(column), charBounds.max(column));
      case VARCHAR -> {
        StringColumnStatistics texts = (StringColumnStatistics) of;
        yield new ColumnBounds(nulls, utf8(texts.getLowerBound()), utf8(texts.getUpperBound()));
      }
      case TIMESTAMP, TIMESTAMP_LTZ -> {
        TimestampColumnStatistics timestamps = (TimestampColumnStatistics) of;
        yield new ColumnBounds(
            nulls,
            moment(timestamps.getMinimumUTC(), -timestampSlackMillis),
            moment(timestamps.getMaximumUTC(), timestampSlackMillis));
      }
      case BINARY, VARBINARY, ARRAY, MAP, MULTISET, ROW, VARIANT ->
          new ColumnBounds(nulls, null, null);
    };
  }

  private static ColumnBounds doubles(long nulls, DoubleColumnStatistics of) {
    double min = of.getMinimum();
    double max = of.getMaximum();
    // A NaN among the values shows in the sum; it has no place in the order.
    if (Double.isNaN(of.getSum()) || Double.isNaN(min) || Double.isNaN(max)) {
      return new ColumnBounds(nulls, null, null);
    }
    return new ColumnBounds(nulls, min == 0 ? -0.0 : min, max == 0 ? 0.0 : max);
  }

  private static @Nullable Object decimal(@Nullable HiveDecimal value, DecimalType type) {
    if (value == null) {
      return null;
    }
    BigDecimal scaled = value.bigDecimalValue().setScale(type.scale());
    return type.compact() ? (Object) scaled.unscaledValue().longValueExact() : scaled;
  }

  private static byte @Nullable [] utf8(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  private static @Nullable Moment moment(@Nullable Timestamp value, long slackMillis) {
    return value == null
        ? null
        : new Moment(value.getTime() + slackMillis, value.getNanos() % 1_000_000);
  }
}
