package io.sluice.lsm.binary;

import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.MapValues;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.row.Values;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.MultisetType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.DataTypes;

/**
 * Copies values of one type from wherever they stand into a {@link BinaryWriter}, nested ones with
 * all that they hold. It reuses its buffers: one thread at a time.
 */
public abstract class ValueCopier {

  private ValueCopier() {}

  /** Copies the value at a position, NULL too. */
  public final void copy(Values from, int at, BinaryWriter to, int position) {
    if (from.isNullAt(at)) {
      setNull(to, position);
    } else {
      copyValue(from, at, to, position);
    }
  }

  /** Puts NULL, in the form of the type. */
  public void setNull(BinaryWriter to, int position) {
    to.setNull(position);
  }

  abstract void copyValue(Values from, int at, BinaryWriter to, int position);

  /** A copier of a type; VARIANT has none. */
  public static ValueCopier of(DataType type) {
    return switch (type.root()) {
      case BOOLEAN -> plain((from, at, to, p) -> to.writeBoolean(p, from.getBoolean(at)));
      case TINYINT -> plain((from, at, to, p) -> to.writeByte(p, from.getByte(at)));
      case SMALLINT -> plain((from, at, to, p) -> to.writeShort(p, from.getShort(at)));
      case INT, DATE, TIME -> plain((from, at, to, p) -> to.writeInt(p, from.getInt(at)));
      case BIGINT -> plain((from, at, to, p) -> to.writeLong(p, from.getLong(at)));
      case FLOAT -> plain((from, at, to, p) -> to.writeFloat(p, from.getFloat(at)));
      case DOUBLE -> plain((from, at, to, p) -> to.writeDouble(p, from.getDouble(at)));
      case DECIMAL -> new DecimalCopier((DecimalType) type);
      case CHAR, VARCHAR, BINARY, VARBINARY -> {
        BytesView view = new BytesView();
        yield plain(
            (from, at, to, p) -> {
              from.getBytes(at, view);
              to.writeBytes(p, view.array, view.offset, view.length);
            });
      }
      case TIMESTAMP, TIMESTAMP_LTZ -> new TimestampCopier(((TemporalType) type).precision());
      case ARRAY -> {
        ArrayCopier array = new ArrayCopier(((ArrayType) type).element());
        yield plain(
            (from, at, to, p) -> {
              BinaryArrayWriter bytes = array.write(from.getArray(at));
              to.writeNested(p, bytes.buffer(), 0, bytes.length());
            });
      }
      case MAP -> new MapCopier(((MapType) type).key(), ((MapType) type).value());
      case MULTISET -> new MapCopier(((MultisetType) type).element(), DataTypes.INT);
      case ROW -> new RowCopier((NestedRowType) type);
      case VARIANT -> throw new IllegalArgumentException("A value of type VARIANT can't be copied");
    };
  }

  private interface Copy {
    void copy(Values from, int at, BinaryWriter to, int position);
  }

  private static ValueCopier plain(Copy copy) {
    return new ValueCopier() {
      @Override
      void copyValue(Values from, int at, BinaryWriter to, int position) {
        copy.copy(from, at, to, position);
      }
    };
  }

  private static final class DecimalCopier extends ValueCopier {
    private final DecimalType type;

    DecimalCopier(DecimalType type) {
      this.type = type;
    }

    @Override
    public void setNull(BinaryWriter to, int position) {
      to.setNullDecimal(position, type.precision());
    }

    @Override
    void copyValue(Values from, int at, BinaryWriter to, int position) {
      if (type.compact()) {
        to.writeDecimalUnscaled(position, from.getDecimalUnscaled(at));
      } else {
        to.writeDecimal(
            position, from.getDecimal(at, type.precision(), type.scale()), type.precision());
      }
    }
  }

  private static final class TimestampCopier extends ValueCopier {
    private final int precision;

    TimestampCopier(int precision) {
      this.precision = precision;
    }

    @Override
    public void setNull(BinaryWriter to, int position) {
      to.setNullTimestamp(position, precision);
    }

    @Override
    void copyValue(Values from, int at, BinaryWriter to, int position) {
      to.writeTimestamp(
          position,
          from.getTimestampMillis(at, precision),
          from.getNanoOfMilli(at, precision),
          precision);
    }
  }

  private static final class ArrayCopier {
    private final BinaryArrayWriter writer;
    private final ValueCopier elements;

    ArrayCopier(DataType element) {
      this.writer = new BinaryArrayWriter(element);
      this.elements = of(element);
    }

    BinaryArrayWriter write(Values from) {
      int size = from.size();
      writer.reset(size);
      for (int i = 0; i < size; i++) {
        elements.copy(from, i, writer, i);
      }
      return writer;
    }
  }

  private static final class MapCopier extends ValueCopier {
    private final ArrayCopier keys;
    private final ArrayCopier values;
    private byte[] bytes = new byte[64];

    MapCopier(DataType key, DataType value) {
      this.keys = new ArrayCopier(key);
      this.values = new ArrayCopier(value);
    }

    @Override
    void copyValue(Values from, int at, BinaryWriter to, int position) {
      MapValues map = from.getMap(at);
      BinaryArrayWriter keyBytes = keys.write(map.keys());
      BinaryArrayWriter valueBytes = values.write(map.values());
      int length = Math.addExact(Math.addExact(4, keyBytes.length()), valueBytes.length());
      if (bytes.length < length) {
        bytes = new byte[length];
      }
      BinaryRow.INT.set(bytes, 0, keyBytes.length());
      System.arraycopy(keyBytes.buffer(), 0, bytes, 4, keyBytes.length());
      System.arraycopy(valueBytes.buffer(), 0, bytes, 4 + keyBytes.length(), valueBytes.length());
      to.writeNested(position, bytes, 0, length);
    }
  }

  private static final class RowCopier extends ValueCopier {
    private final ValueCopier[] fields;
    private final BinaryRowWriter writer;

    RowCopier(NestedRowType type) {
      this.fields =
          type.fields().stream()
              .map(DataField::type)
              .map(ValueCopier::of)
              .toArray(ValueCopier[]::new);
      this.writer = new BinaryRowWriter(fields.length);
    }

    @Override
    void copyValue(Values from, int at, BinaryWriter to, int position) {
      Row row = from.getRow(at, fields.length);
      writer.reset();
      for (int i = 0; i < fields.length; i++) {
        fields[i].copy(row, i, writer, i);
      }
      BinaryRow bytes = writer.finish(RowKind.INSERT);
      to.writeNested(position, bytes.array(), bytes.offset(), bytes.length());
    }
  }
}
