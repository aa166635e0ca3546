package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.DataType.TemporalType;
import java.math.BigDecimal;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DecimalColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.TimestampColumnVector;

/** Copies one column of rows into its vector, without boxes or Strings. */
abstract class OrcColumnWriter {

  final DataField field;
  final int column;

  /** Whether a NULL must be looked at. */
  final boolean required;

  private final ColumnVector vector;

  private OrcColumnWriter(DataField field, int column, ColumnVector vector) {
    this.field = field;
    this.column = column;
    this.required = !field.type().nullable();
    this.vector = vector;
  }

  /** Bytes of text and binary values, counted by all column writers of a file together. */
  static final class Volume {
    long bytes;

    /** Whether they stay where they are until the file ends: then vectors only refer to them. */
    boolean bytesStay;

    void put(BytesColumnVector vector, int at, BytesView value) {
      if (bytesStay) {
        vector.setRef(at, value.array, value.offset, value.length);
      } else {
        vector.setVal(at, value.array, value.offset, value.length);
      }
      bytes += value.length;
    }
  }

  /** Whether the value was null. */
  final boolean write(Row row, int at) {
    if (row.isNullAt(column)) {
      vector.noNulls = false;
      vector.isNull[at] = true;
      return true;
    }
    copy(row, at);
    return false;
  }

  abstract void copy(Row row, int at);

  /**
   * @param column position in the rows
   * @param volume counts what this column takes
   */
  static OrcColumnWriter create(DataField field, int column, ColumnVector vector, Volume volume) {
    DataType type = field.type();
    return switch (type.root()) {
      case BOOLEAN -> new BooleanWriter(field, column, (LongColumnVector) vector);
      case TINYINT -> new ByteWriter(field, column, (LongColumnVector) vector);
      case SMALLINT -> new ShortWriter(field, column, (LongColumnVector) vector);
      case INT, DATE, TIME -> new IntWriter(field, column, (LongColumnVector) vector);
      case BIGINT -> new LongWriter(field, column, (LongColumnVector) vector);
      case FLOAT -> new FloatWriter(field, column, (DoubleColumnVector) vector);
      case DOUBLE -> new DoubleWriter(field, column, (DoubleColumnVector) vector);
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        yield decimal.compact()
            ? new CompactDecimalWriter(field, column, (LongColumnVector) vector)
            : new DecimalWriter(field, column, (DecimalColumnVector) vector, decimal);
      }
      case CHAR, VARCHAR -> new TextWriter(field, column, (BytesColumnVector) vector, volume);
      case BINARY, VARBINARY -> new BytesWriter(field, column, (BytesColumnVector) vector, volume);
      case TIMESTAMP, TIMESTAMP_LTZ ->
          new TimestampWriter(
              field, column, (TimestampColumnVector) vector, ((TemporalType) type).precision());
      case ARRAY, MAP, MULTISET, ROW -> new NestedWriter(field, column, vector, volume);
      case VARIANT -> throw new AssertionError("refused by OrcTypes: " + type.root());
    };
  }

  private static final class BooleanWriter extends OrcColumnWriter {
    private final long[] values;

    BooleanWriter(DataField field, int column, LongColumnVector vector) {
      super(field, column, vector);
      values = vector.vector;
    }

    @Override
    void copy(Row row, int at) {
      values[at] = row.getBoolean(column) ? 1 : 0;
    }
  }

  private static final class ByteWriter extends OrcColumnWriter {
    private final long[] values;

    ByteWriter(DataField field, int column, LongColumnVector vector) {
      super(field, column, vector);
      values = vector.vector;
    }

    @Override
    void copy(Row row, int at) {
      values[at] = row.getByte(column);
    }
  }

  private static final class ShortWriter extends OrcColumnWriter {
    private final long[] values;

    ShortWriter(DataField field, int column, LongColumnVector vector) {
      super(field, column, vector);
      values = vector.vector;
    }

    @Override
    void copy(Row row, int at) {
      values[at] = row.getShort(column);
    }
  }

  private static final class IntWriter extends OrcColumnWriter {
    private final long[] values;

    IntWriter(DataField field, int column, LongColumnVector vector) {
      super(field, column, vector);
      values = vector.vector;
    }

    @Override
    void copy(Row row, int at) {
      values[at] = row.getInt(column);
    }
  }

  private static final class LongWriter extends OrcColumnWriter {
    private final long[] values;

    LongWriter(DataField field, int column, LongColumnVector vector) {
      super(field, column, vector);
      values = vector.vector;
    }

    @Override
    void copy(Row row, int at) {
      values[at] = row.getLong(column);
    }
  }

  private static final class CompactDecimalWriter extends OrcColumnWriter {
    private final long[] values;

    CompactDecimalWriter(DataField field, int column, LongColumnVector vector) {
      super(field, column, vector);
      values = vector.vector;
    }

    @Override
    void copy(Row row, int at) {
      values[at] = row.getDecimalUnscaled(column);
    }
  }

  private static final class FloatWriter extends OrcColumnWriter {
    private final double[] values;

    FloatWriter(DataField field, int column, DoubleColumnVector vector) {
      super(field, column, vector);
      values = vector.vector;
    }

    @Override
    void copy(Row row, int at) {
      values[at] = row.getFloat(column);
    }
  }

  private static final class DoubleWriter extends OrcColumnWriter {
    private final double[] values;

    DoubleWriter(DataField field, int column, DoubleColumnVector vector) {
      super(field, column, vector);
      values = vector.vector;
    }

    @Override
    void copy(Row row, int at) {
      values[at] = row.getDouble(column);
    }
  }

  private static final class DecimalWriter extends OrcColumnWriter {
    private final DecimalColumnVector vector;
    private final DecimalType type;

    DecimalWriter(DataField field, int column, DecimalColumnVector vector, DecimalType type) {
      super(field, column, vector);
      this.vector = vector;
      this.type = type;
    }

    @Override
    void copy(Row row, int at) {
      setDecimal(field, vector, at, row.getDecimal(column, type.precision(), type.scale()), type);
    }
  }

  /** ORC would round what does not fit, or store NULL. */
  static void setDecimal(
      DataField field, DecimalColumnVector vector, int at, BigDecimal value, DecimalType type) {
    HiveDecimal decimal = HiveDecimal.create(value, false);
    if (decimal == null
        || value.precision() - value.scale() > type.precision() - type.scale()
        || value.scale() > type.scale()) {
      throw new IllegalArgumentException(
          "Column " + field.name() + " of type " + type + " can't hold " + value);
    }
    vector.vector[at].set(decimal);
  }

  private static final class NestedWriter extends OrcColumnWriter {
    private final ColumnVector vector;
    private final OrcNestedWriter values;

    NestedWriter(DataField field, int column, ColumnVector vector, Volume volume) {
      super(field, column, vector);
      this.vector = vector;
      this.values = new OrcNestedWriter(field, volume);
    }

    @Override
    void copy(Row row, int at) {
      values.write(vector, at, row, column);
    }
  }

  private static final class BytesWriter extends OrcColumnWriter {
    private final BytesColumnVector vector;
    private final Volume volume;
    private final BytesView view = new BytesView();

    BytesWriter(DataField field, int column, BytesColumnVector vector, Volume volume) {
      super(field, column, vector);
      this.vector = vector;
      this.volume = volume;
    }

    @Override
    void copy(Row row, int at) {
      row.getBytes(column, view);
      volume.put(vector, at, view);
    }
  }

  private static final class TextWriter extends OrcColumnWriter {
    private final BytesColumnVector vector;
    private final Volume volume;
    private final BytesView view = new BytesView();
    private final LengthType type;

    TextWriter(DataField field, int column, BytesColumnVector vector, Volume volume) {
      super(field, column, vector);
      this.vector = vector;
      this.volume = volume;
      this.type = (LengthType) field.type();
    }

    @Override
    void copy(Row row, int at) {
      row.getBytes(column, view);
      checkText(field, type, view);
      volume.put(vector, at, view);
    }
  }

  /** CHAR and VARCHAR: ORC would cut what is too long, and CHAR's blanks at the end, silently. */
  static void checkText(DataField field, LengthType type, BytesView view) {
    int length = view.length;
    if (length > type.length() && characters(view) > type.length()) {
      throw new IllegalArgumentException(
          "Column "
              + field.name()
              + " of type "
              + type
              + " can't hold a text of "
              + characters(view)
              + " characters. Widen the column.");
    }
    if (type.root() == io.sluice.lsm.schema.TypeRoot.CHAR
        && length > 0
        && view.array[view.offset + length - 1] == ' ') {
      throw new IllegalArgumentException(
          "Column "
              + field.name()
              + " of type "
              + type
              + " can't hold a text that ends with a blank: ORC drops it. Make it VARCHAR.");
    }
  }

  private static int characters(BytesView view) {
    int count = 0;
    for (int i = view.offset; i < view.offset + view.length; i++) {
      if ((view.array[i] & 0xc0) != 0x80) {
        count++;
      }
    }
    return count;
  }

  private static final class TimestampWriter extends OrcColumnWriter {
    private final long[] millis;
    private final int[] nanos;
    private final int precision;

    TimestampWriter(DataField field, int column, TimestampColumnVector vector, int precision) {
      super(field, column, vector);
      this.millis = vector.time;
      this.nanos = vector.nanos;
      this.precision = precision;
    }

    @Override
    void copy(Row row, int at) {
      long value = row.getTimestampMillis(column, precision);
      millis[at] = value;
      nanos[at] =
          (int) Math.floorMod(value, 1000L) * 1_000_000 + row.getNanoOfMilli(column, precision);
    }
  }
}
