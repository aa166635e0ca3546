package io.sluice.lsm.datafile.avro;

import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.MapValues;
import io.sluice.lsm.row.Row;
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
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.apache.avro.io.Encoder;

/** Encodes the values of one type. One thread. */
abstract class AvroValueWriter {

  private final boolean nullable;

  private AvroValueWriter(boolean nullable) {
    this.nullable = nullable;
  }

  final void write(Values from, int at, Encoder out) throws IOException {
    boolean isNull = from.isNullAt(at);
    if (nullable) {
      out.writeIndex(isNull ? 0 : 1);
    } else if (isNull) {
      throw new IllegalArgumentException("A NULL where the type says NOT NULL");
    }
    if (!isNull) {
      writeValue(from, at, out);
    }
  }

  /** Writes NULL, or where the type refuses it the value that stands for "none". */
  final void writeNone(Encoder out) throws IOException {
    if (nullable) {
      out.writeIndex(0);
    } else {
      writeZero(out);
    }
  }

  abstract void writeValue(Values from, int at, Encoder out) throws IOException;

  abstract void writeZero(Encoder out) throws IOException;

  private interface Encode {
    void encode(Values from, int at, Encoder out) throws IOException;
  }

  private interface Zero {
    void encode(Encoder out) throws IOException;
  }

  private static AvroValueWriter of(boolean nullable, Encode encode, Zero zero) {
    return new AvroValueWriter(nullable) {
      @Override
      void writeValue(Values from, int at, Encoder out) throws IOException {
        encode.encode(from, at, out);
      }

      @Override
      void writeZero(Encoder out) throws IOException {
        zero.encode(out);
      }
    };
  }

  private static void noBytes(Encoder out) throws IOException {
    out.writeBytes(new byte[0]);
  }

  static AvroValueWriter of(String column, DataType type) {
    boolean nullable = type.nullable();
    return switch (type.root()) {
      case BOOLEAN ->
          of(
              nullable,
              (from, at, out) -> out.writeBoolean(from.getBoolean(at)),
              out -> out.writeBoolean(false));
      case TINYINT ->
          of(nullable, (from, at, out) -> out.writeInt(from.getByte(at)), out -> out.writeInt(0));
      case SMALLINT ->
          of(nullable, (from, at, out) -> out.writeInt(from.getShort(at)), out -> out.writeInt(0));
      case INT, DATE, TIME ->
          of(nullable, (from, at, out) -> out.writeInt(from.getInt(at)), out -> out.writeInt(0));
      case BIGINT ->
          of(nullable, (from, at, out) -> out.writeLong(from.getLong(at)), out -> out.writeLong(0));
      case FLOAT ->
          of(
              nullable,
              (from, at, out) -> out.writeFloat(from.getFloat(at)),
              out -> out.writeFloat(0));
      case DOUBLE ->
          of(
              nullable,
              (from, at, out) -> out.writeDouble(from.getDouble(at)),
              out -> out.writeDouble(0));
      case DECIMAL -> decimal(column, (DecimalType) type);
      case CHAR, VARCHAR, BINARY, VARBINARY -> {
        BytesView view = new BytesView();
        yield of(
            nullable,
            (from, at, out) -> {
              from.getBytes(at, view);
              out.writeBytes(view.array, view.offset, view.length);
            },
            AvroValueWriter::noBytes);
      }
      case TIMESTAMP, TIMESTAMP_LTZ -> timestamp(column, (TemporalType) type);
      case ARRAY -> array(column, (ArrayType) type);
      case MAP -> map(column, ((MapType) type).key(), ((MapType) type).value(), nullable);
      case MULTISET -> map(column, ((MultisetType) type).element(), DataTypes.INT, nullable);
      case ROW -> row(column, (NestedRowType) type);
      case VARIANT -> throw new AssertionError("refused by AvroTypes");
    };
  }

  private static AvroValueWriter decimal(String column, DecimalType type) {
    return of(
        type.nullable(),
        (from, at, out) -> {
          BigDecimal value = from.getDecimal(at, type.precision(), type.scale());
          if (value.scale() != type.scale() || value.precision() > type.precision()) {
            throw new IllegalArgumentException(
                "Column " + column + " of type " + type + " can't hold " + value);
          }
          out.writeBytes(value.unscaledValue().toByteArray());
        },
        out -> out.writeBytes(BigInteger.ZERO.toByteArray()));
  }

  private static AvroValueWriter timestamp(String column, TemporalType type) {
    int precision = type.precision();
    return of(
        type.nullable(),
        (from, at, out) -> {
          long millis = from.getTimestampMillis(at, precision);
          if (type.compact()) {
            out.writeLong(millis);
            return;
          }
          try {
            out.writeLong(
                Math.addExact(
                    Math.multiplyExact(millis, 1000L), from.getNanoOfMilli(at, precision) / 1000));
          } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                "Column "
                    + column
                    + ": the timestamp of "
                    + millis
                    + " ms since 1970 has no place in 64 bits of microseconds",
                e);
          }
        },
        out -> out.writeLong(0));
  }

  private static AvroValueWriter array(String column, ArrayType type) {
    AvroValueWriter element = of(column, type.element());
    return of(
        type.nullable(),
        (from, at, out) -> {
          Values elements = from.getArray(at);
          out.writeArrayStart();
          out.setItemCount(elements.size());
          for (int i = 0; i < elements.size(); i++) {
            out.startItem();
            element.write(elements, i, out);
          }
          out.writeArrayEnd();
        },
        AvroValueWriter::nothing);
  }

  private static void nothing(Encoder out) throws IOException {
    out.writeArrayStart();
    out.setItemCount(0);
    out.writeArrayEnd();
  }

  /** A map and an array of pairs have the same bytes, but for the union of a key. */
  private static AvroValueWriter map(
      String column, DataType key, DataType value, boolean nullable) {
    AvroValueWriter keys = of(column, key.root().isText() ? key.withNullable(false) : key);
    AvroValueWriter values = of(column, value);
    return of(
        nullable,
        (from, at, out) -> {
          MapValues map = from.getMap(at);
          out.writeArrayStart();
          out.setItemCount(map.size());
          for (int i = 0; i < map.size(); i++) {
            out.startItem();
            keys.write(map.keys(), i, out);
            values.write(map.values(), i, out);
          }
          out.writeArrayEnd();
        },
        AvroValueWriter::nothing);
  }

  private static AvroValueWriter row(String column, NestedRowType type) {
    AvroValueWriter[] fields =
        type.fields().stream()
            .map(DataField::type)
            .map(field -> of(column, field))
            .toArray(AvroValueWriter[]::new);
    return of(
        type.nullable(),
        (from, at, out) -> {
          Row row = from.getRow(at, fields.length);
          for (int i = 0; i < fields.length; i++) {
            fields[i].write(row, i, out);
          }
        },
        out -> {
          for (AvroValueWriter field : fields) {
            field.writeNone(out);
          }
        });
  }
}
