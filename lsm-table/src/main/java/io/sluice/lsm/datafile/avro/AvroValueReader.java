package io.sluice.lsm.datafile.avro;

import io.sluice.lsm.binary.Boxed;
import io.sluice.lsm.binary.ColumnBounds.Moment;
import io.sluice.lsm.error.CorruptTableException;
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
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/** Decodes the values of one type as objects, see {@link Boxed}. */
@FunctionalInterface
interface AvroValueReader {

  @Nullable Object read(AvroInput in) throws IOException;

  /**
   * How to read a column.
   *
   * @param type as the schema says that wrote the file
   * @param stored as the file says
   * @throws CorruptTableException if the two don't fit
   */
  static AvroValueReader of(String path, String column, DataType type, Schema stored) {
    return new Builder(path, column).build(type, stored);
  }

  /** Steps over a value. */
  static AvroValueReader skip(Schema stored) {
    return switch (stored.getType()) {
      case NULL -> in -> null;
      case BOOLEAN -> in -> in.take(1);
      case INT, LONG, ENUM -> AvroInput::readLong;
      case FLOAT -> in -> in.take(4);
      case DOUBLE -> in -> in.take(8);
      case STRING, BYTES -> in -> in.take(in.readLong());
      case FIXED -> in -> in.take(stored.getFixedSize());
      case ARRAY -> {
        AvroValueReader element = skip(stored.getElementType());
        yield in -> {
          for (long left = in.readCount(); left > 0; left = in.readCount()) {
            for (long i = 0; i < left; i++) {
              element.read(in);
            }
          }
          return null;
        };
      }
      case MAP -> {
        AvroValueReader value = skip(stored.getValueType());
        yield in -> {
          for (long left = in.readCount(); left > 0; left = in.readCount()) {
            for (long i = 0; i < left; i++) {
              in.take(in.readLong());
              value.read(in);
            }
          }
          return null;
        };
      }
      case RECORD -> {
        List<AvroValueReader> fields = new ArrayList<>();
        for (Schema.Field field : stored.getFields()) {
          fields.add(skip(field.schema()));
        }
        yield in -> {
          for (AvroValueReader field : fields) {
            field.read(in);
          }
          return null;
        };
      }
      case UNION -> {
        List<AvroValueReader> branches = new ArrayList<>();
        for (Schema branch : stored.getTypes()) {
          branches.add(skip(branch));
        }
        yield in -> branch(branches, in).read(in);
      }
    };
  }

  private static AvroValueReader branch(List<AvroValueReader> branches, AvroInput in)
      throws IOException {
    int index = in.readInt();
    if (index < 0 || index >= branches.size()) {
      throw new IOException("Branch " + index + " of " + branches.size());
    }
    return branches.get(index);
  }

  /** Holds a file's types against those that are expected. */
  record Builder(String path, String column) {

    AvroValueReader build(DataType type, Schema stored) {
      if (stored.getType() == Schema.Type.UNION) {
        List<AvroValueReader> branches = new ArrayList<>();
        for (Schema branch : stored.getTypes()) {
          branches.add(branch.getType() == Schema.Type.NULL ? in -> null : plain(type, branch));
        }
        return in -> branch(branches, in).read(in);
      }
      return plain(type, stored);
    }

    private AvroValueReader plain(DataType type, Schema stored) {
      AvroValueReader reader = find(type, stored);
      if (reader == null) {
        throw new CorruptTableException(
            path
                + " holds the column "
                + column
                + " as "
                + stored
                + ", its schema says "
                + type.root());
      }
      return reader;
    }

    private @Nullable AvroValueReader find(DataType type, Schema stored) {
      Schema.Type form = stored.getType();
      return switch (type.root()) {
        case BOOLEAN -> form == Schema.Type.BOOLEAN ? in -> in.readBoolean() ? 1L : 0L : null;
        case TINYINT, SMALLINT, INT, DATE, TIME ->
            form == Schema.Type.INT ? in -> (long) in.readInt() : null;
        case BIGINT ->
            form == Schema.Type.LONG || form == Schema.Type.INT ? AvroInput::readLong : null;
        case FLOAT -> form == Schema.Type.FLOAT ? in -> (double) in.readFloat() : null;
        case DOUBLE -> form == Schema.Type.DOUBLE ? AvroInput::readDouble : null;
        case DECIMAL -> decimal((DecimalType) type, stored);
        case CHAR, VARCHAR -> form == Schema.Type.STRING ? AvroInput::readBytes : null;
        case BINARY, VARBINARY -> form == Schema.Type.BYTES ? AvroInput::readBytes : null;
        case TIMESTAMP, TIMESTAMP_LTZ -> timestamp((TemporalType) type, stored);
        case ARRAY -> form == Schema.Type.ARRAY ? array((ArrayType) type, stored) : null;
        case MAP -> map(((MapType) type).key(), ((MapType) type).value(), stored);
        case MULTISET -> map(((MultisetType) type).element(), DataTypes.INT, stored);
        case ROW -> form == Schema.Type.RECORD ? row((NestedRowType) type, stored) : null;
        case VARIANT -> null;
      };
    }

    private static @Nullable AvroValueReader decimal(DecimalType type, Schema stored) {
      Object scale = stored.getObjectProp("scale");
      Object precision = stored.getObjectProp("precision");
      boolean fits =
          stored.getType() == Schema.Type.BYTES
              && precision instanceof Number digits
              && digits.intValue() <= type.precision()
              && (scale instanceof Number number ? number.intValue() : 0) == type.scale();
      if (!fits) {
        return null;
      }
      return in -> {
        byte[] bytes = in.readBytes();
        if (bytes.length == 0) {
          throw new IOException("A DECIMAL without a digit");
        }
        BigInteger unscaled = new BigInteger(bytes);
        BigDecimal value = new BigDecimal(unscaled, type.scale());
        if (value.precision() > type.precision()) {
          throw new IOException("A DECIMAL of " + value.precision() + " digits");
        }
        return type.compact() ? (Object) unscaled.longValueExact() : value;
      };
    }

    private static @Nullable AvroValueReader timestamp(TemporalType type, Schema stored) {
      if (stored.getType() != Schema.Type.LONG) {
        return null;
      }
      String logical = stored.getProp("logicalType");
      boolean millis = logical == null ? type.compact() : logical.endsWith("-millis");
      if (millis) {
        return in -> new Moment(in.readLong(), 0);
      }
      if (logical != null && !logical.endsWith("-micros")) {
        return null;
      }
      return in -> {
        long micros = in.readLong();
        return new Moment(Math.floorDiv(micros, 1000L), (int) Math.floorMod(micros, 1000L) * 1000);
      };
    }

    private AvroValueReader array(ArrayType type, Schema stored) {
      AvroValueReader element = build(type.element(), stored.getElementType());
      return in -> {
        List<@Nullable Object> values = new ArrayList<>();
        for (long left = in.readCount(); left > 0; left = in.readCount()) {
          for (long i = 0; i < left; i++) {
            values.add(element.read(in));
          }
        }
        return values;
      };
    }

    private @Nullable AvroValueReader map(DataType key, DataType value, Schema stored) {
      AvroValueReader keys;
      AvroValueReader values;
      if (stored.getType() == Schema.Type.MAP && key.root().isText()) {
        keys = AvroInput::readBytes;
        values = build(value, stored.getValueType());
      } else if (stored.getType() == Schema.Type.ARRAY
          && stored.getElementType().getType() == Schema.Type.RECORD
          && stored.getElementType().getFields().size() == 2) {
        List<Schema.Field> fields = stored.getElementType().getFields();
        keys = build(key, fields.get(0).schema());
        values = build(value, fields.get(1).schema());
      } else {
        return null;
      }
      return in -> {
        List<@Nullable Object> keyList = new ArrayList<>();
        List<@Nullable Object> valueList = new ArrayList<>();
        for (long left = in.readCount(); left > 0; left = in.readCount()) {
          for (long i = 0; i < left; i++) {
            keyList.add(keys.read(in));
            valueList.add(values.read(in));
          }
        }
        return new Boxed.Entries(keyList, valueList);
      };
    }

    private AvroValueReader row(NestedRowType type, Schema stored) {
      int width = type.fields().size();
      List<Schema.Field> storedFields = stored.getFields();
      int[] places = new int[storedFields.size()];
      AvroValueReader[] readers = new AvroValueReader[places.length];
      int found = 0;
      for (int i = 0; i < places.length; i++) {
        Schema.Field field = storedFields.get(i);
        places[i] = -1;
        readers[i] = skip(field.schema());
        for (int j = 0; j < width; j++) {
          DataField wanted = type.fields().get(j);
          if (wanted.name().equals(field.name())) {
            places[i] = j;
            readers[i] = build(wanted.type(), field.schema());
            found++;
          }
        }
      }
      if (found != width) {
        throw new CorruptTableException(
            path + " holds the column " + column + " as " + stored + ", which lacks fields");
      }
      return in -> {
        @Nullable Object[] values = new Object[width];
        for (int i = 0; i < places.length; i++) {
          Object value = readers[i].read(in);
          if (places[i] >= 0) {
            values[places[i]] = value;
          }
        }
        return new ArrayList<>(java.util.Arrays.asList(values));
      };
    }
  }
}
