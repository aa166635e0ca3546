package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.binary.Boxed;
import io.sluice.lsm.binary.ColumnBounds.Moment;
import io.sluice.lsm.datafile.column.Column;
import io.sluice.lsm.datafile.column.Column.BytesColumn;
import io.sluice.lsm.datafile.column.Column.DecimalColumn;
import io.sluice.lsm.datafile.column.Column.DoubleColumn;
import io.sluice.lsm.datafile.column.Column.LongColumn;
import io.sluice.lsm.datafile.column.Column.MomentColumn;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.MultisetType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.TypeRoot;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DecimalColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ListColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.MapColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.StructColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.TimestampColumnVector;
import org.apache.orc.TypeDescription;
import org.jspecify.annotations.Nullable;

/** ORC's vectors as columns. */
abstract class OrcColumns {

  private OrcColumns() {}

  /**
   * The values of a vector.
   *
   * @param size rows of the batch
   */
  abstract Column read(ColumnVector vector, int size);

  /**
   * How to read a column.
   *
   * @param stored as the schema says that wrote the file
   * @param found as the file says
   * @throws CorruptTableException if the two don't fit
   */
  static OrcColumns of(DataField stored, TypeDescription found, InstantZone zone, String path) {
    Check check = new Check(path, stored.name(), zone);
    if (!stored.type().root().isNested()) {
      check.flat(found, stored.type());
      boolean instant = stored.type().root() == TypeRoot.TIMESTAMP_LTZ;
      return new OrcColumns() {
        @Override
        Column read(ColumnVector vector, int size) {
          Column column = flat(vector, size);
          return instant && zone.shifts() ? shifted((MomentColumn) column, zone, size) : column;
        }
      };
    }
    Values values = check.values(found, stored.type());
    DataType type = stored.type();
    return new OrcColumns() {
      @Override
      Column read(ColumnVector vector, int size) {
        BytesColumn column = new BytesColumn(size);
        for (int i = 0; i < size; i++) {
          Object value = values.at(vector, i);
          if (value == null) {
            column.setNull(i, size);
          } else {
            byte[] bytes = Boxed.nested(type, value);
            column.set(i, bytes, 0, bytes.length);
          }
        }
        return column;
      }
    };
  }

  private static Column shifted(MomentColumn column, InstantZone zone, int size) {
    long[] millis = new long[size];
    for (int i = 0; i < size; i++) {
      millis[i] = zone.instant(column.millis[i]);
    }
    MomentColumn result = new MomentColumn(millis, column.nanos);
    result.nulls = column.nulls;
    return result;
  }

  /** A vector that is not nested, sharing its arrays; it does not repeat afterwards. */
  static Column flat(ColumnVector vector, int size) {
    if (vector.isRepeating) {
      if (vector instanceof DoubleColumnVector doubles && doubles.noNulls) {
        repeat(doubles, size);
      } else {
        vector.flatten(false, new int[0], size);
      }
    }
    Column column = unflagged(vector, size);
    column.nulls = vector.noNulls ? null : vector.isNull;
    return column;
  }

  /**
   * ORC calls values repeating that are == each other, which 0.0 and -0.0 are. It has stored each,
   * so only what is another number is taken for not stored.
   */
  private static void repeat(DoubleColumnVector doubles, int size) {
    double[] values = doubles.vector;
    for (int i = 1; i < size; i++) {
      if (values[i] != values[0]) {
        values[i] = values[0];
      }
    }
    doubles.isRepeating = false;
  }

  private static double doubleAt(ColumnVector vector, int at) {
    double[] values = ((DoubleColumnVector) vector).vector;
    // See repeat: of equal numbers this one's own sign.
    return vector.isRepeating && values[at] != values[0] ? values[0] : values[at];
  }

  private static Column unflagged(ColumnVector vector, int size) {
    if (vector instanceof LongColumnVector longs) {
      return new LongColumn(longs.vector);
    }
    if (vector instanceof BytesColumnVector bytes) {
      return new BytesColumn(bytes.vector, bytes.start, bytes.length);
    }
    if (vector instanceof TimestampColumnVector timestamps) {
      return new MomentColumn(timestamps.time, timestamps.nanos);
    }
    if (vector instanceof DoubleColumnVector doubles) {
      return new DoubleColumn(doubles.vector);
    }
    if (vector instanceof DecimalColumnVector decimals) {
      BigDecimal[] values = new BigDecimal[size];
      Arrays.fill(values, BigDecimal.ZERO);
      for (int i = 0; i < size; i++) {
        if (decimals.noNulls || !decimals.isNull[i]) {
          values[i] = decimals.vector[i].getHiveDecimal().bigDecimalValue();
        }
      }
      return new DecimalColumn(values);
    }
    throw new AssertionError(vector.getClass());
  }

  // ---------------------------------------------------------------- nested

  /** Values one by one, as objects (see {@link Boxed}). */
  private interface Values {

    /**
     * Of a value that is not NULL.
     *
     * @param at 0 in a vector that repeats, but for one of floating numbers
     */
    Object present(ColumnVector vector, int at);

    default @Nullable Object at(ColumnVector vector, int at) {
      int index = vector.isRepeating ? 0 : at;
      if (!vector.noNulls && vector.isNull[index]) {
        return null;
      }
      return present(vector, vector instanceof DoubleColumnVector ? at : index);
    }

    default List<@Nullable Object> all(ColumnVector vector, long from, long count) {
      List<@Nullable Object> values = new ArrayList<>();
      for (long i = from; i < from + count; i++) {
        values.add(at(vector, (int) i));
      }
      return values;
    }
  }

  /** Holds a file's type against the one that is expected. */
  private record Check(String path, String column, InstantZone zone) {

    void flat(TypeDescription found, DataType stored) {
      TypeDescription expected = OrcTypes.type(new DataField(0, column, stored));
      boolean same =
          stored.root().isText()
              ? isText(found.getCategory())
              : found.getCategory() == expected.getCategory()
                  && found.getPrecision() == expected.getPrecision()
                  && found.getScale() == expected.getScale();
      if (!same) {
        throw wrong(found, stored);
      }
    }

    private CorruptTableException wrong(TypeDescription found, DataType expected) {
      return new CorruptTableException(
          path + " holds the column " + column + " as " + found + ", its schema says " + expected);
    }

    private static boolean isText(TypeDescription.Category category) {
      return category == TypeDescription.Category.STRING
          || category == TypeDescription.Category.VARCHAR
          || category == TypeDescription.Category.CHAR;
    }

    private void category(TypeDescription found, TypeDescription.Category expected, DataType type) {
      if (found.getCategory() != expected) {
        throw wrong(found, type);
      }
    }

    Values values(TypeDescription found, DataType type) {
      return switch (type.root()) {
        case ARRAY -> {
          category(found, TypeDescription.Category.LIST, type);
          Values elements = values(found.getChildren().get(0), ((ArrayType) type).element());
          yield (vector, at) -> {
            ListColumnVector list = (ListColumnVector) vector;
            return elements.all(list.child, list.offsets[at], list.lengths[at]);
          };
        }
        case MAP -> map(found, type, ((MapType) type).key(), ((MapType) type).value());
        case MULTISET -> map(found, type, ((MultisetType) type).element(), DataTypes.INT);
        case ROW -> row(found, (NestedRowType) type);
        default -> {
          flat(found, type);
          yield flatValue(type);
        }
      };
    }

    private Values map(TypeDescription found, DataType type, DataType key, DataType value) {
      category(found, TypeDescription.Category.MAP, type);
      Values keys = values(found.getChildren().get(0), key);
      Values values = values(found.getChildren().get(1), value);
      return (vector, at) -> {
        MapColumnVector map = (MapColumnVector) vector;
        long from = map.offsets[at];
        long count = map.lengths[at];
        return new Boxed.Entries(
            keys.all(map.keys, from, count), values.all(map.values, from, count));
      };
    }

    private Values row(TypeDescription found, NestedRowType type) {
      category(found, TypeDescription.Category.STRUCT, type);
      int width = type.fields().size();
      int[] places = new int[width];
      Values[] fields = new Values[width];
      for (int i = 0; i < width; i++) {
        DataField field = type.fields().get(i);
        places[i] = found.getFieldNames().indexOf(field.name());
        if (places[i] < 0) {
          throw wrong(found, type);
        }
        fields[i] = values(found.getChildren().get(places[i]), field.type());
      }
      return (vector, at) -> {
        ColumnVector[] vectors = ((StructColumnVector) vector).fields;
        List<@Nullable Object> values = new ArrayList<>(width);
        for (int i = 0; i < width; i++) {
          values.add(fields[i].at(vectors[places[i]], at));
        }
        return values;
      };
    }

    private Values flatValue(DataType type) {
      return switch (type.root()) {
        case BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, DATE, TIME ->
            (vector, at) -> ((LongColumnVector) vector).vector[at];
        case FLOAT, DOUBLE -> (vector, at) -> doubleAt(vector, at);
        case DECIMAL ->
            ((DecimalType) type).compact()
                ? (vector, at) -> ((LongColumnVector) vector).vector[at]
                : (vector, at) ->
                    ((DecimalColumnVector) vector)
                        .vector[at]
                        .getHiveDecimal()
                        .bigDecimalValue()
                        .setScale(((DecimalType) type).scale());
        case CHAR, VARCHAR, BINARY, VARBINARY ->
            (vector, at) -> {
              BytesColumnVector bytes = (BytesColumnVector) vector;
              int from = bytes.start[at];
              return Arrays.copyOfRange(bytes.vector[at], from, from + bytes.length[at]);
            };
        case TIMESTAMP, TIMESTAMP_LTZ -> {
          boolean instant = type.root() == TypeRoot.TIMESTAMP_LTZ;
          yield (vector, at) -> {
            TimestampColumnVector timestamps = (TimestampColumnVector) vector;
            long millis = timestamps.time[at];
            return new Moment(
                instant ? zone.instant(millis) : millis, timestamps.nanos[at] % 1_000_000);
          };
        }
        case ARRAY, MAP, MULTISET, ROW, VARIANT -> throw new AssertionError(type.root());
      };
    }
  }
}
