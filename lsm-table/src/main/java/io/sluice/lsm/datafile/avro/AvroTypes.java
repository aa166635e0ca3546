package io.sluice.lsm.datafile.avro;

import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.MultisetType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.DataTypes;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;

/** Columns as Avro types (format description section 7.4). */
final class AvroTypes {

  private static final String NAMESPACE = "org.apache.paimon.avro.generated";

  /** Finer timestamps have no Avro type in this format. */
  private static final int MAX_MICROS_PRECISION = 6;

  private AvroTypes() {}

  /** The schema of a file with these columns. */
  static Schema record(List<DataField> fields) {
    Schema schema = record("record", fields);
    try {
      if (!new Schema.Parser().parse(schema.toString()).equals(schema)) {
        throw new AvroRuntimeException("Read again it is another schema");
      }
      return schema;
    } catch (AvroRuntimeException e) {
      // Records are named by the path to them, with _ between.
      throw new UnsupportedTableException(
          "Avro files can't hold these columns: two columns or nested fields of type ROW or MAP get"
              + " one name there, which joins the names on the way to them by _ (a field b of a"
              + " column a, and a column a_b): "
              + e.getMessage()
              + ". Rename one of them, or use orc or parquet.",
          e);
    }
  }

  private static Schema record(String name, List<DataField> fields) {
    List<Schema.Field> result = new ArrayList<>();
    for (DataField field : fields) {
      Schema type = type(field.name(), field.type(), name + "_" + field.name());
      result.add(field(field.name(), type, field.type().nullable()));
    }
    return Schema.createRecord(name, null, NAMESPACE, false, result);
  }

  private static Schema.Field field(String name, Schema type, boolean nullable) {
    try {
      return nullable
          ? new Schema.Field(name, type, null, Schema.Field.NULL_DEFAULT_VALUE)
          : new Schema.Field(name, type);
    } catch (AvroRuntimeException e) {
      throw new UnsupportedTableException(
          "Column "
              + name
              + " has no name for Avro, which takes letters, digits and _: rename it, or use orc or"
              + " parquet",
          e);
    }
  }

  /** The type, as a union with null where it admits NULL. */
  private static Schema type(String column, DataType type, String name) {
    Schema plain = plain(column, type, name);
    return type.nullable() ? Schema.createUnion(Schema.create(Schema.Type.NULL), plain) : plain;
  }

  private static Schema plain(String column, DataType type, String name) {
    return switch (type.root()) {
      case BOOLEAN -> Schema.create(Schema.Type.BOOLEAN);
      case TINYINT, SMALLINT, INT -> Schema.create(Schema.Type.INT);
      case BIGINT -> Schema.create(Schema.Type.LONG);
      case FLOAT -> Schema.create(Schema.Type.FLOAT);
      case DOUBLE -> Schema.create(Schema.Type.DOUBLE);
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        yield LogicalTypes.decimal(decimal.precision(), decimal.scale())
            .addToSchema(Schema.create(Schema.Type.BYTES));
      }
      case CHAR, VARCHAR -> Schema.create(Schema.Type.STRING);
      case BINARY, VARBINARY -> Schema.create(Schema.Type.BYTES);
      case DATE -> LogicalTypes.date().addToSchema(Schema.create(Schema.Type.INT));
      case TIME -> LogicalTypes.timeMillis().addToSchema(Schema.create(Schema.Type.INT));
      case TIMESTAMP ->
          timestamp(
              column,
              (TemporalType) type,
              LogicalTypes.timestampMillis(),
              LogicalTypes.timestampMicros());
      // The reverse of what Avro means by the words; it is Paimon's.
      case TIMESTAMP_LTZ ->
          timestamp(
              column,
              (TemporalType) type,
              LogicalTypes.localTimestampMillis(),
              LogicalTypes.localTimestampMicros());
      case ARRAY -> Schema.createArray(type(column, ((ArrayType) type).element(), name));
      case MAP -> map(column, ((MapType) type).key(), ((MapType) type).value(), name);
      case MULTISET -> map(column, ((MultisetType) type).element(), DataTypes.INT, name);
      case ROW -> record(name, ((NestedRowType) type).fields());
      case VARIANT ->
          throw new UnsupportedTableException(
              "Column " + column + " is or holds a VARIANT, which Avro files can't hold");
    };
  }

  private static Schema timestamp(
      String column, TemporalType type, LogicalType millis, LogicalType micros) {
    if (type.precision() > MAX_MICROS_PRECISION) {
      throw new UnsupportedTableException(
          "Column "
              + column
              + " is or holds a "
              + type
              + ": Avro files hold up to 6 fraction digits. Use orc or parquet.");
    }
    return (type.compact() ? millis : micros).addToSchema(Schema.create(Schema.Type.LONG));
  }

  /** With texts as keys an Avro map, with others an array of records. */
  private static Schema map(String column, DataType key, DataType value, String name) {
    if (key.root().isText()) {
      return Schema.createMap(type(column, value, name));
    }
    Schema entry =
        Schema.createRecord(
            name,
            null,
            NAMESPACE,
            false,
            List.of(
                field("key", type(column, key, name + "_key"), false),
                field("value", type(column, value, name + "_value"), value.nullable())));
    Schema array = Schema.createArray(entry);
    new LogicalType("map").addToSchema(array);
    return array;
  }
}
