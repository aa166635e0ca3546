package io.sluice.lsm.datafile.parquet;

import io.sluice.lsm.binary.ColumnBounds;
import io.sluice.lsm.binary.ColumnBounds.Moment;
import io.sluice.lsm.binary.ColumnStatsCollector;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.TableSchema;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;
import org.apache.parquet.column.statistics.BinaryStatistics;
import org.apache.parquet.column.statistics.BooleanStatistics;
import org.apache.parquet.column.statistics.DoubleStatistics;
import org.apache.parquet.column.statistics.FloatStatistics;
import org.apache.parquet.column.statistics.IntStatistics;
import org.apache.parquet.column.statistics.LongStatistics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;

/**
 * Turns the statistics that Parquet gathers anyway into those of a manifest. Parquet has none of
 * text and binary columns: it would keep the bounds of every page and row group, whole, until the
 * file ends.
 */
final class ParquetStats {

  private final Map<String, Statistics<?>> byColumn = new HashMap<>();
  private final TableSchema schema;
  private final ColumnStatsCollector texts;

  /**
   * @param texts the bounds of text columns and the null counts of text and binary ones
   */
  ParquetStats(ParquetMetadata footer, TableSchema schema, ColumnStatsCollector texts) {
    this.schema = schema;
    this.texts = texts;
    for (BlockMetaData group : footer.getBlocks()) {
      for (ColumnChunkMetaData column : group.getColumns()) {
        if (column.getPath().size() == 1) {
          add(column.getPath().toArray()[0], column.getStatistics());
        }
      }
    }
  }

  private void add(String column, Statistics<?> more) {
    Statistics<?> before = byColumn.get(column);
    if (before == null) {
      byColumn.put(column, more.copy());
    } else {
      before.mergeStatistics(more);
    }
  }

  static boolean ofTextOrBytes(DataType type) {
    return type.root().isText() || type.root().isBytes();
  }

  /** Of the column at a position among the table's; nothing of nested ones. */
  ColumnBounds bounds(int position) {
    DataField field = schema.rowType().field(position);
    if (ofTextOrBytes(field.type())) {
      return texts.bounds(position);
    }
    Statistics<?> of = byColumn.get(field.name());
    if (of == null || field.type().root().isNested()) {
      return ColumnBounds.NONE;
    }
    long nulls = of.getNumNulls();
    return of.hasNonNullValue()
        ? bounds(field.type(), of, nulls)
        : new ColumnBounds(nulls, null, null);
  }

  private static ColumnBounds bounds(DataType type, Statistics<?> of, long nulls) {
    return switch (type.root()) {
      case BOOLEAN -> {
        BooleanStatistics booleans = (BooleanStatistics) of;
        yield new ColumnBounds(nulls, booleans.getMin() ? 1L : 0L, booleans.getMax() ? 1L : 0L);
      }
      case TINYINT, SMALLINT, INT, DATE, TIME -> {
        IntStatistics integers = (IntStatistics) of;
        yield new ColumnBounds(nulls, (long) integers.getMin(), (long) integers.getMax());
      }
      case BIGINT -> {
        LongStatistics longs = (LongStatistics) of;
        yield new ColumnBounds(nulls, longs.getMin(), longs.getMax());
      }
      case FLOAT -> {
        FloatStatistics floats = (FloatStatistics) of;
        yield doubles(nulls, of.getNanCount(), floats.getMin(), floats.getMax());
      }
      case DOUBLE -> {
        DoubleStatistics doubles = (DoubleStatistics) of;
        yield doubles(nulls, of.getNanCount(), doubles.getMin(), doubles.getMax());
      }
      case DECIMAL -> decimals(nulls, of, (DecimalType) type);
      case TIMESTAMP, TIMESTAMP_LTZ -> timestamps(nulls, of, ((TemporalType) type).precision());
      case CHAR, VARCHAR, BINARY, VARBINARY, ARRAY, MAP, MULTISET, ROW, VARIANT ->
          new ColumnBounds(nulls, null, null);
    };
  }

  private static ColumnBounds doubles(long nulls, long nans, double min, double max) {
    // Parquet leaves NaN out of its bounds and counts it, -1 where it did not. It has no place in
    // the order.
    if (nans != 0 || Double.isNaN(min) || Double.isNaN(max)) {
      return new ColumnBounds(nulls, null, null);
    }
    return new ColumnBounds(nulls, min == 0 ? -0.0 : min, max == 0 ? 0.0 : max);
  }

  private static ColumnBounds decimals(long nulls, Statistics<?> of, DecimalType type) {
    if (of instanceof IntStatistics integers) {
      return new ColumnBounds(nulls, (long) integers.getMin(), (long) integers.getMax());
    }
    if (of instanceof LongStatistics longs) {
      return new ColumnBounds(nulls, longs.getMin(), longs.getMax());
    }
    return new ColumnBounds(
        nulls,
        new BigDecimal(new BigInteger(of.getMinBytes()), type.scale()),
        new BigDecimal(new BigInteger(of.getMaxBytes()), type.scale()));
  }

  private static ColumnBounds timestamps(long nulls, Statistics<?> of, int precision) {
    if (of instanceof BinaryStatistics) {
      // INT96 has no order.
      return new ColumnBounds(nulls, null, null);
    }
    LongStatistics longs = (LongStatistics) of;
    return new ColumnBounds(
        nulls, moment(longs.getMin(), precision), moment(longs.getMax(), precision));
  }

  private static Moment moment(long value, int precision) {
    return precision <= TemporalType.MAX_COMPACT_PRECISION
        ? new Moment(value, 0)
        : new Moment(Math.floorDiv(value, 1000L), (int) Math.floorMod(value, 1000L) * 1000);
  }
}
