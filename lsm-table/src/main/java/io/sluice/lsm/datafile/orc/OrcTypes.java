package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.MultisetType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataTypes;
import java.util.List;
import org.apache.orc.TypeDescription;

/** Columns as ORC types (format description section 7.2). */
final class OrcTypes {

  /** Attribute of a column that holds its field id. */
  static final String FIELD_ID = "paimon.id";

  private static final int NESTED_ID_START = Integer.MAX_VALUE / 4;
  private static final int NESTED_IDS_OF_FIELD = 1024;

  private OrcTypes() {}

  /** The root struct of a file with these columns. */
  static TypeDescription struct(List<DataField> fields) {
    TypeDescription root = TypeDescription.createStruct();
    for (DataField field : fields) {
      root.addField(field.name(), type(field));
    }
    return root;
  }

  static TypeDescription type(DataField field) {
    try {
      return withId(type(field.type(), field.id(), 0), field.id());
    } catch (UnsupportedTableException e) {
      throw new UnsupportedTableException("Column " + field.name() + ": " + e.getMessage(), e);
    }
  }

  private static TypeDescription withId(TypeDescription type, int id) {
    type.setAttribute(FIELD_ID, Integer.toString(id));
    return type;
  }

  /**
   * @param field id of the column or nested field that this is or is inside of
   * @param depth of arrays and maps between the two
   */
  private static TypeDescription type(DataType type, int field, int depth) {
    return switch (type.root()) {
      case BOOLEAN -> TypeDescription.createBoolean();
      case TINYINT -> TypeDescription.createByte();
      case SMALLINT -> TypeDescription.createShort();
      case INT, TIME -> TypeDescription.createInt();
      case BIGINT -> TypeDescription.createLong();
      case FLOAT -> TypeDescription.createFloat();
      case DOUBLE -> TypeDescription.createDouble();
      case DECIMAL ->
          // The scale first: each is checked against the other.
          TypeDescription.createDecimal()
              .withScale(((DecimalType) type).scale())
              .withPrecision(((DecimalType) type).precision());
      case CHAR -> TypeDescription.createChar().withMaxLength(((LengthType) type).length());
      case VARCHAR ->
          ((LengthType) type).length() == DataType.MAX_LENGTH
              ? TypeDescription.createString()
              : TypeDescription.createVarchar().withMaxLength(((LengthType) type).length());
      case BINARY, VARBINARY -> TypeDescription.createBinary();
      case DATE -> TypeDescription.createDate();
      case TIMESTAMP -> TypeDescription.createTimestamp();
      case TIMESTAMP_LTZ -> TypeDescription.createTimestampInstant();
      case ARRAY ->
          TypeDescription.createList(inside(((ArrayType) type).element(), field, depth + 1));
      case MAP -> map(((MapType) type).key(), ((MapType) type).value(), field, depth + 1);
      case MULTISET -> map(((MultisetType) type).element(), DataTypes.INT, field, depth + 1);
      case ROW -> struct(((NestedRowType) type).fields());
      case VARIANT ->
          throw new UnsupportedTableException(
              "the type VARIANT is not read or written by this engine. Leave the column out.");
    };
  }

  private static TypeDescription inside(DataType type, int field, int depth) {
    return withId(type(type, field, depth), NESTED_ID_START + NESTED_IDS_OF_FIELD * field + depth);
  }

  private static TypeDescription map(DataType key, DataType value, int field, int depth) {
    return TypeDescription.createMap(
        withId(type(key, field, depth), NESTED_ID_START - NESTED_IDS_OF_FIELD * field - depth),
        inside(value, field, depth));
  }
}
