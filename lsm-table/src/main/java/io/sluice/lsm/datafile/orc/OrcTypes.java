package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.LengthType;
import java.util.List;
import org.apache.orc.TypeDescription;

/** Columns as ORC types (format description section 7.2). */
final class OrcTypes {

  /** Attribute of a column that holds its field id. */
  static final String FIELD_ID = "paimon.id";

  private OrcTypes() {}

  /** The root struct of a file with these columns. */
  static TypeDescription struct(List<DataField> fields) {
    TypeDescription root = TypeDescription.createStruct();
    for (DataField field : fields) {
      TypeDescription child = type(field);
      child.setAttribute(FIELD_ID, Integer.toString(field.id()));
      root.addField(field.name(), child);
    }
    return root;
  }

  static TypeDescription type(DataField field) {
    DataType type = field.type();
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
      case ARRAY, MAP, MULTISET, ROW, VARIANT ->
          throw new UnsupportedTableException(
              "Column "
                  + field.name()
                  + " has the nested type "
                  + type.root()
                  + ", which this engine does not read or write. Leave the column out.");
    };
  }
}
