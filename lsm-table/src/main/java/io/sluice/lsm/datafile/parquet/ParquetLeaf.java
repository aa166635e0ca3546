package io.sluice.lsm.datafile.parquet;

import io.sluice.lsm.binary.ColumnBounds.Moment;
import io.sluice.lsm.datafile.column.Column;
import io.sluice.lsm.datafile.column.Column.BytesColumn;
import io.sluice.lsm.datafile.column.Column.DecimalColumn;
import io.sluice.lsm.datafile.column.Column.DoubleColumn;
import io.sluice.lsm.datafile.column.Column.LongColumn;
import io.sluice.lsm.datafile.column.Column.MomentColumn;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/**
 * How the values of one Parquet column are read as those of a type: into a {@link Column}, or one
 * by one as objects (see {@code Boxed}). Whatever physical form a writer chose is taken if it holds
 * the values exactly.
 */
abstract class ParquetLeaf {

  /** Puts the reader's current value, which is not NULL, into a column. */
  abstract void read(ColumnReader from, Column into, int at);

  /** The reader's current value, which is not NULL. */
  abstract Object read(ColumnReader from);

  /** How to read a type; null if the column's form does not fit it. */
  static @Nullable ParquetLeaf of(DataType type, PrimitiveType stored) {
    PrimitiveTypeName form = stored.getPrimitiveTypeName();
    return switch (type.root()) {
      case BOOLEAN ->
          form == PrimitiveTypeName.BOOLEAN
              ? new LongLeaf(from -> from.getBoolean() ? 1 : 0)
              : null;
      case TINYINT, SMALLINT, INT, DATE, TIME ->
          form == PrimitiveTypeName.INT32 && signed(stored)
              ? new LongLeaf(ColumnReader::getInteger)
              : null;
      case BIGINT ->
          form == PrimitiveTypeName.INT64 && signed(stored)
              ? new LongLeaf(ColumnReader::getLong)
              : null;
      case FLOAT -> form == PrimitiveTypeName.FLOAT ? new DoubleLeaf(ColumnReader::getFloat) : null;
      case DOUBLE ->
          form == PrimitiveTypeName.DOUBLE ? new DoubleLeaf(ColumnReader::getDouble) : null;
      case DECIMAL -> decimal((DecimalType) type, stored);
      case CHAR, VARCHAR -> form == PrimitiveTypeName.BINARY ? new BytesLeaf() : null;
      case BINARY, VARBINARY ->
          form == PrimitiveTypeName.BINARY || form == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY
              ? new BytesLeaf()
              : null;
      case TIMESTAMP, TIMESTAMP_LTZ -> timestamp((TemporalType) type, stored);
      case ARRAY, MAP, MULTISET, ROW, VARIANT -> null;
    };
  }

  private static boolean signed(PrimitiveType stored) {
    LogicalTypeAnnotation logical = stored.getLogicalTypeAnnotation();
    if (logical instanceof LogicalTypeAnnotation.IntLogicalTypeAnnotation integer) {
      return integer.isSigned();
    }
    return !(logical instanceof TimestampLogicalTypeAnnotation)
        && !(logical instanceof DecimalLogicalTypeAnnotation);
  }

  private static @Nullable ParquetLeaf decimal(DecimalType type, PrimitiveType stored) {
    if (!(stored.getLogicalTypeAnnotation() instanceof DecimalLogicalTypeAnnotation decimal)
        || decimal.getScale() != type.scale()
        || decimal.getPrecision() > type.precision()) {
      return null;
    }
    return switch (stored.getPrimitiveTypeName()) {
      case INT32 -> type.compact() ? new LongLeaf(ColumnReader::getInteger) : null;
      case INT64 -> type.compact() ? new LongLeaf(ColumnReader::getLong) : null;
      case BINARY, FIXED_LEN_BYTE_ARRAY ->
          type.compact()
              ? new LongLeaf(from -> integer(from).longValueExact())
              : new DecimalLeaf(type.scale());
      default -> null;
    };
  }

  private static BigInteger integer(ColumnReader from) {
    return new BigInteger(from.getBinary().getBytesUnsafe());
  }

  private static @Nullable ParquetLeaf timestamp(TemporalType type, PrimitiveType stored) {
    PrimitiveTypeName form = stored.getPrimitiveTypeName();
    if (form == PrimitiveTypeName.INT96) {
      return new Int96Leaf();
    }
    if (form != PrimitiveTypeName.INT64) {
      return null;
    }
    TimeUnit unit =
        stored.getLogicalTypeAnnotation() instanceof TimestampLogicalTypeAnnotation timestamp
            ? timestamp.getUnit()
            : type.precision() <= TemporalType.MAX_COMPACT_PRECISION
                ? TimeUnit.MILLIS
                : TimeUnit.MICROS;
    return new MomentLeaf(
        switch (unit) {
          case MILLIS -> 1;
          case MICROS -> 1_000;
          case NANOS -> 1_000_000;
        });
  }

  private interface LongValue {
    long of(ColumnReader from);
  }

  private static final class LongLeaf extends ParquetLeaf {
    private final LongValue value;

    LongLeaf(LongValue value) {
      this.value = value;
    }

    @Override
    void read(ColumnReader from, Column into, int at) {
      ((LongColumn) into).values[at] = value.of(from);
    }

    @Override
    Object read(ColumnReader from) {
      return value.of(from);
    }
  }

  private interface DoubleValue {
    double of(ColumnReader from);
  }

  private static final class DoubleLeaf extends ParquetLeaf {
    private final DoubleValue value;

    DoubleLeaf(DoubleValue value) {
      this.value = value;
    }

    @Override
    void read(ColumnReader from, Column into, int at) {
      ((DoubleColumn) into).values[at] = value.of(from);
    }

    @Override
    Object read(ColumnReader from) {
      return value.of(from);
    }
  }

  private static final class BytesLeaf extends ParquetLeaf {
    @Override
    void read(ColumnReader from, Column into, int at) {
      Binary binary = from.getBinary();
      ByteBuffer buffer = binary.toByteBuffer();
      BytesColumn column = (BytesColumn) into;
      if (buffer.hasArray()) {
        column.set(
            at, buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
      } else {
        byte[] bytes = binary.getBytes();
        column.set(at, bytes, 0, bytes.length);
      }
    }

    @Override
    Object read(ColumnReader from) {
      return from.getBinary().getBytes();
    }
  }

  private static final class DecimalLeaf extends ParquetLeaf {
    private final int scale;

    DecimalLeaf(int scale) {
      this.scale = scale;
    }

    @Override
    void read(ColumnReader from, Column into, int at) {
      ((DecimalColumn) into).values[at] = new BigDecimal(integer(from), scale);
    }

    @Override
    Object read(ColumnReader from) {
      return new BigDecimal(integer(from), scale);
    }
  }

  private static final class MomentLeaf extends ParquetLeaf {

    /** Units of a millisecond. */
    private final int units;

    MomentLeaf(int units) {
      this.units = units;
    }

    private int nanoOfMilli(long value) {
      return (int) Math.floorMod(value, (long) units) * (1_000_000 / units);
    }

    @Override
    void read(ColumnReader from, Column into, int at) {
      long value = from.getLong();
      ((MomentColumn) into).set(at, Math.floorDiv(value, (long) units), nanoOfMilli(value));
    }

    @Override
    Object read(ColumnReader from) {
      long value = from.getLong();
      return new Moment(Math.floorDiv(value, (long) units), nanoOfMilli(value));
    }
  }

  /**
   * Nanoseconds of a day and the day's Julian number. Paimon's nanoseconds are negative before
   * 1970.
   */
  private static final class Int96Leaf extends ParquetLeaf {

    @Override
    void read(ColumnReader from, Column into, int at) {
      Moment moment = moment(from);
      ((MomentColumn) into).set(at, moment.millis(), moment.nanoOfMilli());
    }

    @Override
    Object read(ColumnReader from) {
      return moment(from);
    }

    private static Moment moment(ColumnReader from) {
      ByteBuffer bytes = from.getBinary().toByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
      long nanos = bytes.getLong(bytes.position());
      long day = bytes.getInt(bytes.position() + 8) - (long) ParquetValueWriter.JULIAN_EPOCH_DAY;
      return new Moment(
          day * ParquetValueWriter.DAY_MILLIS + Math.floorDiv(nanos, 1_000_000L),
          (int) Math.floorMod(nanos, 1_000_000L));
    }
  }
}
