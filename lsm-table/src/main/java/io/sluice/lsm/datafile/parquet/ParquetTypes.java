package io.sluice.lsm.datafile.parquet;

import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BINARY;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.BOOLEAN;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.DOUBLE;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.FLOAT;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT32;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT64;
import static org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName.INT96;

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
import java.math.BigInteger;
import java.util.List;
import org.apache.parquet.schema.ConversionPatterns;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Type.Repetition;
import org.apache.parquet.schema.Types;

/** Columns as Parquet types (format description section 7.3). */
final class ParquetTypes {

  /** Up to this precision a DECIMAL is an INT32. */
  static final int MAX_INT_DIGITS = 9;

  /** Above this precision a timestamp is an INT96. */
  static final int MAX_MICROS_PRECISION = 6;

  private static final String MESSAGE = "paimon_schema";
  private static final int NESTED_ID_START = Integer.MAX_VALUE / 4;
  private static final int NESTED_IDS_OF_FIELD = 1024;

  private ParquetTypes() {}

  /** The schema of a file with these columns. */
  static MessageType message(List<DataField> fields) {
    return new MessageType(MESSAGE, types(fields));
  }

  private static Type[] types(List<DataField> fields) {
    return fields.stream().map(ParquetTypes::type).toArray(Type[]::new);
  }

  private static Type type(DataField field) {
    try {
      return type(field.name(), field.type(), field.id(), 0).withId(field.id());
    } catch (UnsupportedTableException e) {
      throw new UnsupportedTableException("Column " + field.name() + ": " + e.getMessage(), e);
    }
  }

  /**
   * @param field id of the column or nested field that this is or is inside of
   * @param depth of arrays and maps between the two
   */
  private static Type type(String name, DataType type, int field, int depth) {
    Repetition repetition = type.nullable() ? Repetition.OPTIONAL : Repetition.REQUIRED;
    return switch (type.root()) {
      case BOOLEAN -> primitive(BOOLEAN, repetition, null, name);
      case TINYINT -> primitive(INT32, repetition, LogicalTypeAnnotation.intType(8, true), name);
      case SMALLINT -> primitive(INT32, repetition, LogicalTypeAnnotation.intType(16, true), name);
      case INT -> primitive(INT32, repetition, null, name);
      case BIGINT -> primitive(INT64, repetition, null, name);
      case FLOAT -> primitive(FLOAT, repetition, null, name);
      case DOUBLE -> primitive(DOUBLE, repetition, null, name);
      case DECIMAL -> decimal((DecimalType) type, repetition, name);
      case CHAR, VARCHAR -> primitive(BINARY, repetition, LogicalTypeAnnotation.stringType(), name);
      case BINARY, VARBINARY -> primitive(BINARY, repetition, null, name);
      case DATE -> primitive(INT32, repetition, LogicalTypeAnnotation.dateType(), name);
      case TIME ->
          primitive(INT32, repetition, LogicalTypeAnnotation.timeType(true, TimeUnit.MILLIS), name);
      case TIMESTAMP -> timestamp(((TemporalType) type).precision(), false, repetition, name);
      case TIMESTAMP_LTZ -> timestamp(((TemporalType) type).precision(), true, repetition, name);
      case ARRAY ->
          ConversionPatterns.listOfElements(
              repetition,
              name,
              type("element", ((ArrayType) type).element(), field, depth + 1)
                  .withId(NESTED_ID_START + NESTED_IDS_OF_FIELD * field + depth + 1));
      case MAP ->
          map(((MapType) type).key(), ((MapType) type).value(), repetition, name, field, depth + 1);
      case MULTISET ->
          map(
              ((MultisetType) type).element(),
              DataTypes.INT.withNullable(false),
              repetition,
              name,
              field,
              depth + 1);
      case ROW -> new GroupType(repetition, name, types(((NestedRowType) type).fields()));
      case VARIANT ->
          throw new UnsupportedTableException(
              "the type VARIANT is not read or written by this engine. Leave the column out.");
    };
  }

  private static Type map(
      DataType key, DataType value, Repetition repetition, String name, int field, int depth) {
    int own = NESTED_IDS_OF_FIELD * field + depth;
    return ConversionPatterns.mapType(
        repetition,
        name,
        "key_value",
        // Parquet has no NULL keys.
        type("key", key.withNullable(false), field, depth).withId(NESTED_ID_START - own),
        type("value", value, field, depth).withId(NESTED_ID_START + own));
  }

  private static Type primitive(
      PrimitiveTypeName primitive,
      Repetition repetition,
      @org.jspecify.annotations.Nullable LogicalTypeAnnotation logical,
      String name) {
    return Types.primitive(primitive, repetition).as(logical).named(name);
  }

  private static Type decimal(DecimalType type, Repetition repetition, String name) {
    LogicalTypeAnnotation logical =
        LogicalTypeAnnotation.decimalType(type.scale(), type.precision());
    if (type.precision() <= MAX_INT_DIGITS) {
      return primitive(INT32, repetition, logical, name);
    }
    if (type.compact()) {
      return primitive(INT64, repetition, logical, name);
    }
    return Types.primitive(FIXED_LEN_BYTE_ARRAY, repetition)
        .length(decimalBytes(type.precision()))
        .as(logical)
        .named(name);
  }

  /** The fewest bytes that hold all numbers of so many digits. */
  static int decimalBytes(int precision) {
    return BigInteger.TEN.pow(precision).subtract(BigInteger.ONE).bitLength() / 8 + 1;
  }

  private static Type timestamp(
      int precision, boolean instant, Repetition repetition, String name) {
    if (precision > MAX_MICROS_PRECISION) {
      return primitive(INT96, repetition, null, name);
    }
    TimeUnit unit =
        precision <= TemporalType.MAX_COMPACT_PRECISION ? TimeUnit.MILLIS : TimeUnit.MICROS;
    return primitive(INT64, repetition, LogicalTypeAnnotation.timestampType(instant, unit), name);
  }
}
