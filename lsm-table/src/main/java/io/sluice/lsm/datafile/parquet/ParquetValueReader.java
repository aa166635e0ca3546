package io.sluice.lsm.datafile.parquet;

import io.sluice.lsm.binary.Boxed;
import io.sluice.lsm.datafile.column.Column;
import io.sluice.lsm.datafile.column.Column.BytesColumn;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.MultisetType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataTypes;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReadStore;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Type.Repetition;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values of one column of a file: one of the flat types, or a tree of them put together
 * by their levels (see {@link ParquetValueWriter}). One thread.
 */
abstract class ParquetValueReader {

  /** Definition level of a value that is not NULL. */
  final int defined;

  private ParquetValueReader(int defined) {
    this.defined = defined;
  }

  /**
   * Turns to the columns of the next row group, which has so many rows.
   *
   * @param whole whether all its pages are read; else a column may have values of other rows
   */
  abstract void bind(ColumnReadStore store, long rows, boolean whole);

  /** The column whose levels tell where this value begins and ends. */
  abstract ColumnReader first();

  /** The next value as an object, see {@link Boxed}; null for NULL. */
  abstract @Nullable Object read();

  /** Steps over a value that is not there. */
  abstract void skip();

  /** The next values, as many as there are rows. */
  Column read(DataType type, int rows) {
    BytesColumn column = new BytesColumn(rows);
    for (int i = 0; i < rows; i++) {
      Object value = read();
      if (value == null) {
        column.setNull(i, rows);
      } else {
        byte[] bytes = Boxed.nested(type, value);
        column.set(i, bytes, 0, bytes.length);
      }
    }
    return column;
  }

  /**
   * The reader of a top-level column.
   *
   * @param stored as the schema says that wrote the file
   * @throws CorruptTableException if the file has it otherwise, or not at all
   */
  static ParquetValueReader of(DataField stored, MessageType message, String path) {
    return new Builder(path, stored.name(), message)
        .build(stored.type(), message, stored.name(), List.of(), 0, 0);
  }

  /** Walks a type and the file's columns side by side. */
  private record Builder(String path, String column, MessageType message) {

    ParquetValueReader build(
        DataType type,
        GroupType parent,
        String name,
        List<String> parentPath,
        int definition,
        int repetition) {
      if (!parent.containsField(name)) {
        throw wrong("lacks it: there is no " + name + " among " + parent.getFields());
      }
      Type found = parent.getType(name);
      if (found.isRepetition(Repetition.REPEATED)) {
        throw wrong("has it as " + found);
      }
      List<String> own = new ArrayList<>(parentPath);
      own.add(name);
      int defined = definition + (found.isRepetition(Repetition.OPTIONAL) ? 1 : 0);
      return switch (type.root()) {
        case ARRAY -> {
          GroupType repeated = repeated(found, type, 1);
          List<String> below = new ArrayList<>(own);
          below.add(repeated.getName());
          yield new ListReader(
              defined,
              repetition + 1,
              build(
                  ((ArrayType) type).element(),
                  repeated,
                  repeated.getType(0).getName(),
                  below,
                  defined + 1,
                  repetition + 1));
        }
        case MAP ->
            map(
                ((MapType) type).key(),
                ((MapType) type).value(),
                found,
                type,
                own,
                defined,
                repetition);
        case MULTISET ->
            map(
                ((MultisetType) type).element(),
                DataTypes.INT,
                found,
                type,
                own,
                defined,
                repetition);
        case ROW -> {
          if (found.isPrimitive()) {
            throw wrong("has it as " + found + ", its schema says " + type);
          }
          List<ParquetValueReader> fields = new ArrayList<>();
          for (DataField field : ((NestedRowType) type).fields()) {
            fields.add(
                build(field.type(), found.asGroupType(), field.name(), own, defined, repetition));
          }
          yield new RowReader(defined, fields);
        }
        default -> {
          ParquetLeaf leaf =
              found.isPrimitive() ? ParquetLeaf.of(type, found.asPrimitiveType()) : null;
          if (leaf == null) {
            throw wrong("has it as " + found + ", its schema says " + type);
          }
          yield new FlatReader(
              path,
              defined,
              message.getColumnDescription(own.toArray(new String[0])),
              leaf,
              repetition == 0);
        }
      };
    }

    private ParquetValueReader map(
        DataType key,
        DataType value,
        Type found,
        DataType type,
        List<String> own,
        int defined,
        int repetition) {
      GroupType repeated = repeated(found, type, 2);
      List<String> below = new ArrayList<>(own);
      below.add(repeated.getName());
      return new MapReader(
          defined,
          repetition + 1,
          build(key, repeated, repeated.getType(0).getName(), below, defined + 1, repetition + 1),
          build(
              value, repeated, repeated.getType(1).getName(), below, defined + 1, repetition + 1));
    }

    /** The repeated group inside of a LIST or MAP. */
    private GroupType repeated(Type found, DataType type, int children) {
      if (!found.isPrimitive() && found.asGroupType().getFieldCount() == 1) {
        Type inner = found.asGroupType().getType(0);
        if (inner.isRepetition(Repetition.REPEATED)
            && !inner.isPrimitive()
            && inner.asGroupType().getFieldCount() == children) {
          return inner.asGroupType();
        }
      }
      throw wrong("has it as " + found + ", its schema says " + type.root());
    }

    private CorruptTableException wrong(String what) {
      return new CorruptTableException(
          path + " is expected to hold the column " + column + " and " + what);
    }
  }

  private static ColumnReader bound(@Nullable ColumnReader reader) {
    if (reader == null) {
      throw new IllegalStateException("There is no row group");
    }
    return reader;
  }

  private static final class FlatReader extends ParquetValueReader {
    private final String path;
    private final ColumnDescriptor descriptor;
    private final ParquetLeaf leaf;
    private final boolean oneEachRow;
    private @Nullable ColumnReader reader;

    FlatReader(
        String path,
        int defined,
        ColumnDescriptor descriptor,
        ParquetLeaf leaf,
        boolean oneEachRow) {
      super(defined);
      this.path = path;
      this.descriptor = descriptor;
      this.leaf = leaf;
      this.oneEachRow = oneEachRow;
    }

    @Override
    void bind(ColumnReadStore store, long rows, boolean whole) {
      ColumnReader next = store.getColumnReader(descriptor);
      long values = next.getTotalValueCount();
      if (oneEachRow && whole ? values != rows : values < rows) {
        throw new CorruptTableException(
            path
                + ": the column "
                + String.join(".", descriptor.getPath())
                + " has "
                + values
                + " values in a row group of "
                + rows
                + " rows");
      }
      reader = next;
    }

    @Override
    ColumnReader first() {
      return bound(reader);
    }

    @Override
    @Nullable Object read() {
      ColumnReader from = first();
      Object value = from.getCurrentDefinitionLevel() == defined ? leaf.read(from) : null;
      from.consume();
      return value;
    }

    @Override
    void skip() {
      first().consume();
    }

    @Override
    Column read(DataType type, int rows) {
      ColumnReader from = first();
      Column column = Column.allocate(type, rows);
      for (int i = 0; i < rows; i++) {
        if (from.getCurrentDefinitionLevel() == defined) {
          leaf.read(from, column, i);
        } else {
          column.setNull(i, rows);
        }
        from.consume();
      }
      return column;
    }
  }

  private static final class RowReader extends ParquetValueReader {
    private final List<ParquetValueReader> fields;

    RowReader(int defined, List<ParquetValueReader> fields) {
      super(defined);
      this.fields = fields;
    }

    @Override
    void bind(ColumnReadStore store, long rows, boolean whole) {
      fields.forEach(field -> field.bind(store, rows, whole));
    }

    @Override
    ColumnReader first() {
      return fields.get(0).first();
    }

    @Override
    @Nullable Object read() {
      if (first().getCurrentDefinitionLevel() < defined) {
        skip();
        return null;
      }
      List<@Nullable Object> values = new ArrayList<>(fields.size());
      for (ParquetValueReader field : fields) {
        values.add(field.read());
      }
      return values;
    }

    @Override
    void skip() {
      fields.forEach(ParquetValueReader::skip);
    }
  }

  private static final class ListReader extends ParquetValueReader {
    private final int repeated;
    private final ParquetValueReader element;

    ListReader(int defined, int repeated, ParquetValueReader element) {
      super(defined);
      this.repeated = repeated;
      this.element = element;
    }

    @Override
    void bind(ColumnReadStore store, long rows, boolean whole) {
      element.bind(store, rows, whole);
    }

    @Override
    ColumnReader first() {
      return element.first();
    }

    @Override
    @Nullable Object read() {
      ColumnReader levels = first();
      int definition = levels.getCurrentDefinitionLevel();
      if (definition <= defined) {
        skip();
        return definition < defined ? null : new ArrayList<>();
      }
      List<@Nullable Object> values = new ArrayList<>();
      do {
        values.add(element.read());
      } while (levels.getCurrentRepetitionLevel() >= repeated);
      return values;
    }

    @Override
    void skip() {
      element.skip();
    }
  }

  private static final class MapReader extends ParquetValueReader {
    private final int repeated;
    private final ParquetValueReader key;
    private final ParquetValueReader value;

    MapReader(int defined, int repeated, ParquetValueReader key, ParquetValueReader value) {
      super(defined);
      this.repeated = repeated;
      this.key = key;
      this.value = value;
    }

    @Override
    void bind(ColumnReadStore store, long rows, boolean whole) {
      key.bind(store, rows, whole);
      value.bind(store, rows, whole);
    }

    @Override
    ColumnReader first() {
      return key.first();
    }

    @Override
    @Nullable Object read() {
      ColumnReader levels = first();
      int definition = levels.getCurrentDefinitionLevel();
      if (definition <= defined) {
        skip();
        return definition < defined ? null : new Boxed.Entries(List.of(), List.of());
      }
      List<@Nullable Object> keys = new ArrayList<>();
      List<@Nullable Object> values = new ArrayList<>();
      do {
        keys.add(key.read());
        values.add(value.read());
      } while (levels.getCurrentRepetitionLevel() >= repeated);
      return new Boxed.Entries(keys, values);
    }

    @Override
    void skip() {
      key.skip();
      value.skip();
    }
  }
}
