package io.sluice.lsm.schema;

import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.DataType.TemporalType;

/**
 * Prints and parses type texts such as {@code BIGINT NOT NULL} (format description section 2.3).
 */
public final class DataTypeText {

  private DataTypeText() {}

  /** The text of a type that is not nested. */
  public static String print(DataType type) {
    String text =
        switch (type.root()) {
          case CHAR, BINARY -> type.root() + "(" + ((LengthType) type).length() + ")";
          case VARCHAR -> length("STRING", (LengthType) type);
          case VARBINARY -> length("BYTES", (LengthType) type);
          case DECIMAL ->
              "DECIMAL("
                  + ((DecimalType) type).precision()
                  + ", "
                  + ((DecimalType) type).scale()
                  + ")";
          case TIME, TIMESTAMP -> type.root() + "(" + ((TemporalType) type).precision() + ")";
          case TIMESTAMP_LTZ ->
              "TIMESTAMP(" + ((TemporalType) type).precision() + ") WITH LOCAL TIME ZONE";
          case BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DATE, VARIANT ->
              type.root().name();
          case ARRAY, MAP, MULTISET, ROW ->
              throw new IllegalArgumentException(type.root() + " is printed as JSON");
        };
    return type.nullable() ? text : text + " NOT NULL";
  }

  /**
   * The type that a text means: what {@link #print} gives, and the aliases and left-out lengths
   * that Paimon accepts. Throws IllegalArgumentException with the text if it is no type; nested
   * types are JSON and read by {@link TableSchemaJson}.
   */
  public static DataType parse(String text) {
    return new DataTypeParser(text).parse();
  }

  private static String length(String unbounded, LengthType type) {
    return type.length() == DataType.MAX_LENGTH
        ? unbounded
        : type.root() + "(" + type.length() + ")";
  }
}
