package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.MapValues;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.Values;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.MultisetType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.DataTypes;
import java.util.List;
import java.util.function.IntSupplier;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DecimalColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ListColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.MapColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.MultiValuedColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.StructColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.TimestampColumnVector;

/**
 * Copies the values of a nested column into its tree of vectors. Vectors of elements grow with
 * them, so their arrays are looked up each time.
 */
final class OrcNestedWriter {

  private final DataField field;
  private final OrcColumnWriter.Volume volume;
  private final BytesView view = new BytesView();

  OrcNestedWriter(DataField field, OrcColumnWriter.Volume volume) {
    this.field = field;
    this.volume = volume;
  }

  /** Tells the encoder of all timestamps in a column's tree. */
  void addTimestamps(ColumnVector vector, IntSupplier rows, TimestampEncoder encoder) {
    addTimestamps(field.type(), vector, rows, encoder);
  }

  private void addTimestamps(
      DataType type, ColumnVector vector, IntSupplier size, TimestampEncoder encoder) {
    switch (type.root()) {
      case TIMESTAMP ->
          encoder.addNestedTimestamp(field.name(), (TimestampColumnVector) vector, size);
      case TIMESTAMP_LTZ ->
          encoder.addNestedInstant(field.name(), (TimestampColumnVector) vector, size);
      case ARRAY -> {
        ListColumnVector list = (ListColumnVector) vector;
        addTimestamps(((ArrayType) type).element(), list.child, () -> list.childCount, encoder);
      }
      case MAP -> {
        MapColumnVector map = (MapColumnVector) vector;
        addTimestamps(((MapType) type).key(), map.keys, () -> map.childCount, encoder);
        addTimestamps(((MapType) type).value(), map.values, () -> map.childCount, encoder);
      }
      case MULTISET -> {
        MapColumnVector map = (MapColumnVector) vector;
        addTimestamps(((MultisetType) type).element(), map.keys, () -> map.childCount, encoder);
      }
      case ROW -> {
        List<DataField> fields = ((NestedRowType) type).fields();
        for (int i = 0; i < fields.size(); i++) {
          addTimestamps(
              fields.get(i).type(), ((StructColumnVector) vector).fields[i], size, encoder);
        }
      }
      default -> {}
    }
  }

  /** Empties a tree of vectors for the next batch. */
  static void clear(ColumnVector vector) {
    vector.noNulls = true;
    vector.isRepeating = false;
    java.util.Arrays.fill(vector.isNull, false);
    if (vector instanceof BytesColumnVector bytes) {
      bytes.initBuffer();
    } else if (vector instanceof ListColumnVector list) {
      list.childCount = 0;
      clear(list.child);
    } else if (vector instanceof MapColumnVector map) {
      map.childCount = 0;
      clear(map.keys);
      clear(map.values);
    } else if (vector instanceof StructColumnVector struct) {
      for (ColumnVector inner : struct.fields) {
        clear(inner);
      }
    }
  }

  /** Copies a value that is not NULL. */
  void write(ColumnVector vector, int at, Values from, int position) {
    write(field.type(), vector, at, from, position);
  }

  private void writeOrNull(DataType type, ColumnVector vector, int at, Values from, int position) {
    if (!from.isNullAt(position)) {
      write(type, vector, at, from, position);
    } else if (type.nullable()) {
      vector.noNulls = false;
      vector.isNull[at] = true;
    } else {
      throw new IllegalArgumentException(
          "Column "
              + field.name()
              + " has a NULL inside where its type says "
              + type.root()
              + " NOT NULL");
    }
  }

  private void write(DataType type, ColumnVector vector, int at, Values from, int position) {
    switch (type.root()) {
      case BOOLEAN -> longs(vector)[at] = from.getBoolean(position) ? 1 : 0;
      case TINYINT -> longs(vector)[at] = from.getByte(position);
      case SMALLINT -> longs(vector)[at] = from.getShort(position);
      case INT, DATE, TIME -> longs(vector)[at] = from.getInt(position);
      case BIGINT -> longs(vector)[at] = from.getLong(position);
      case FLOAT -> ((DoubleColumnVector) vector).vector[at] = from.getFloat(position);
      case DOUBLE -> ((DoubleColumnVector) vector).vector[at] = from.getDouble(position);
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        if (decimal.compact()) {
          longs(vector)[at] = from.getDecimalUnscaled(position);
        } else {
          OrcColumnWriter.setDecimal(
              field,
              (DecimalColumnVector) vector,
              at,
              from.getDecimal(position, decimal.precision(), decimal.scale()),
              decimal);
        }
      }
      case CHAR, VARCHAR -> {
        from.getBytes(position, view);
        OrcColumnWriter.checkText(field, (LengthType) type, view);
        ((BytesColumnVector) vector).setVal(at, view.array, view.offset, view.length);
        volume.bytes += view.length;
      }
      case BINARY, VARBINARY -> {
        from.getBytes(position, view);
        ((BytesColumnVector) vector).setVal(at, view.array, view.offset, view.length);
        volume.bytes += view.length;
      }
      case TIMESTAMP, TIMESTAMP_LTZ -> {
        int precision = ((TemporalType) type).precision();
        long millis = from.getTimestampMillis(position, precision);
        TimestampColumnVector timestamps = (TimestampColumnVector) vector;
        timestamps.time[at] = millis;
        timestamps.nanos[at] =
            (int) Math.floorMod(millis, 1000L) * 1_000_000
                + from.getNanoOfMilli(position, precision);
      }
      case ARRAY -> {
        Values elements = from.getArray(position);
        ListColumnVector list = (ListColumnVector) vector;
        int start = grow(list, at, elements.size());
        list.child.ensureSize(list.childCount, true);
        writeAll(((ArrayType) type).element(), list.child, start, elements);
      }
      case MAP -> {
        MapType map = (MapType) type;
        writeMap(map.key(), map.value(), (MapColumnVector) vector, at, from.getMap(position));
      }
      case MULTISET ->
          writeMap(
              ((MultisetType) type).element(),
              DataTypes.INT,
              (MapColumnVector) vector,
              at,
              from.getMap(position));
      case ROW -> {
        List<DataField> fields = ((NestedRowType) type).fields();
        Row row = from.getRow(position, fields.size());
        ColumnVector[] vectors = ((StructColumnVector) vector).fields;
        for (int i = 0; i < vectors.length; i++) {
          writeOrNull(fields.get(i).type(), vectors[i], at, row, i);
        }
      }
      case VARIANT -> throw new AssertionError("refused by OrcTypes");
    }
  }

  private static long[] longs(ColumnVector vector) {
    return ((LongColumnVector) vector).vector;
  }

  private int grow(MultiValuedColumnVector vector, int at, int count) {
    int start = vector.childCount;
    vector.offsets[at] = start;
    vector.lengths[at] = count;
    vector.childCount = Math.addExact(start, count);
    volume.bytes += (long) count * Long.BYTES;
    return start;
  }

  private void writeMap(
      DataType key, DataType value, MapColumnVector map, int at, MapValues entries) {
    int start = grow(map, at, entries.size());
    map.keys.ensureSize(map.childCount, true);
    map.values.ensureSize(map.childCount, true);
    writeAll(key, map.keys, start, entries.keys());
    writeAll(value, map.values, start, entries.values());
  }

  private void writeAll(DataType type, ColumnVector vector, int start, Values from) {
    for (int i = 0; i < from.size(); i++) {
      writeOrNull(type, vector, start + i, from, i);
    }
  }
}
