package io.sluice.lsm.schema;

import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.DataType.PlainType;
import io.sluice.lsm.schema.DataType.TemporalType;

/** Short names for types; all nullable, {@link DataType#withNullable} turns one round. */
public final class DataTypes {

  public static final DataType BOOLEAN = new PlainType(TypeRoot.BOOLEAN, true);
  public static final DataType TINYINT = new PlainType(TypeRoot.TINYINT, true);
  public static final DataType SMALLINT = new PlainType(TypeRoot.SMALLINT, true);
  public static final DataType INT = new PlainType(TypeRoot.INT, true);
  public static final DataType BIGINT = new PlainType(TypeRoot.BIGINT, true);
  public static final DataType FLOAT = new PlainType(TypeRoot.FLOAT, true);
  public static final DataType DOUBLE = new PlainType(TypeRoot.DOUBLE, true);
  public static final DataType DATE = new PlainType(TypeRoot.DATE, true);
  public static final DataType STRING = new LengthType(TypeRoot.VARCHAR, DataType.MAX_LENGTH, true);
  public static final DataType BYTES =
      new LengthType(TypeRoot.VARBINARY, DataType.MAX_LENGTH, true);

  private DataTypes() {}

  public static DataType decimal(int precision, int scale) {
    return new DecimalType(precision, scale, true);
  }

  public static DataType character(int length) {
    return new LengthType(TypeRoot.CHAR, length, true);
  }

  public static DataType varchar(int length) {
    return new LengthType(TypeRoot.VARCHAR, length, true);
  }

  public static DataType binary(int length) {
    return new LengthType(TypeRoot.BINARY, length, true);
  }

  public static DataType varbinary(int length) {
    return new LengthType(TypeRoot.VARBINARY, length, true);
  }

  public static DataType time(int precision) {
    return new TemporalType(TypeRoot.TIME, precision, true);
  }

  public static DataType timestamp(int precision) {
    return new TemporalType(TypeRoot.TIMESTAMP, precision, true);
  }

  public static DataType timestampLtz(int precision) {
    return new TemporalType(TypeRoot.TIMESTAMP_LTZ, precision, true);
  }
}
