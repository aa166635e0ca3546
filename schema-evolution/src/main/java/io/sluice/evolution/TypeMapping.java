package io.sluice.evolution;

import io.sluice.evolution.MappedType.Lake;
import io.sluice.evolution.MappedType.Refused;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataTypes;
import org.jspecify.annotations.Nullable;

/**
 * Types of MySQL and MariaDB columns to types of lake columns. Pure.
 *
 * <p>Each choice keeps every value the source can hold, and keeps a later widening at the source
 * (VARCHAR(20) to VARCHAR(40)) from being a change in the lake:
 *
 * <ul>
 *   <li>unsigned integers take the next larger type, BIGINT UNSIGNED is DECIMAL(20, 0);
 *   <li>TINYINT(1) is TINYINT (it may hold 127), or BOOLEAN on demand (then 0 and 1 are possible,
 *       any other value is a bad record);
 *   <li>BIT(1) is BOOLEAN, longer ones are the unsigned number they stand for, BIGINT or for 64
 *       bits DECIMAL(20, 0): flags are tested with {@code &}, which no engine does on bytes;
 *   <li>DATETIME(p) is TIMESTAMP(p), a wall clock; TIMESTAMP(p) is an instant, TIMESTAMP_LTZ(p);
 *   <li>TIME(p) is text, {@code [-]HHH:MM:SS[.ffffff]}: the lake's TIME ends at 24 hours;
 *   <li>DECIMAL of more than 38 digits is text in plain notation with all its scale;
 *   <li>all text is STRING, all bytes are BYTES (BINARY(n) with its n bytes), whatever length they
 *       were declared with;
 *   <li>ENUM and SET are their labels, JSON its text.
 * </ul>
 *
 * <p>Nullability: only primary key columns are NOT NULL in the lake ({@link TablePlanner} sees to
 * it). A NOT NULL column may be without a value all the same: a zero date has none, and rows older
 * than a column that was added have none either.
 */
public final class TypeMapping {

  private static final String REMEDY =
      "Exclude the table with source.exclude, or change the column's type at the source.";
  private static final int BITS_OF_BIGINT = 63;

  private final boolean tinyIntOneAsBoolean;

  public TypeMapping(boolean tinyIntOneAsBoolean) {
    this.tinyIntOneAsBoolean = tinyIntOneAsBoolean;
  }

  /** The lake type of a column, nullable; or why there is none. */
  public MappedType map(SourceColumn column) {
    SourceKind kind = SourceKind.of(column);
    if ((kind == SourceKind.CHAR || kind == SourceKind.TEXT)
        && "binary".equalsIgnoreCase(column.charset())) {
      return new Refused(
          "type " + column.typeName() + " CHARACTER SET binary is not supported.",
          "Exclude the table with source.exclude, or make it a BINARY, VARBINARY or BLOB column at"
              + " the source.");
    }
    return switch (kind) {
      case TINYINT_ONE -> new Lake(tinyIntOneAsBoolean ? DataTypes.BOOLEAN : DataTypes.TINYINT);
      case TINYINT -> new Lake(DataTypes.TINYINT);
      case TINYINT_UNSIGNED, SMALLINT -> new Lake(DataTypes.SMALLINT);
      case SMALLINT_UNSIGNED, MEDIUMINT, MEDIUMINT_UNSIGNED, INT, YEAR -> new Lake(DataTypes.INT);
      case INT_UNSIGNED, BIGINT -> new Lake(DataTypes.BIGINT);
      case BIGINT_UNSIGNED -> new Lake(unsignedLong());
      case BIT_ONE -> new Lake(DataTypes.BOOLEAN);
      case BITS ->
          new Lake(or(column.length(), 1) <= BITS_OF_BIGINT ? DataTypes.BIGINT : unsignedLong());
      case FLOAT -> new Lake(DataTypes.FLOAT);
      case DOUBLE -> new Lake(DataTypes.DOUBLE);
      case DECIMAL -> decimal(column);
      case DATE -> new Lake(DataTypes.DATE);
      case DATETIME -> new Lake(DataTypes.timestamp(or(column.length(), 0)));
      case TIMESTAMP -> new Lake(DataTypes.timestampLtz(or(column.length(), 0)));
      case TIME, CHAR, TEXT, ENUM, SET, JSON -> new Lake(DataTypes.STRING);
      case BINARY, BLOB -> new Lake(DataTypes.BYTES);
      case GEOMETRY, VECTOR, UUID, INET ->
          new Refused("type " + column.typeName() + " is not supported.", REMEDY);
      case UNKNOWN -> new Refused("type " + column.typeName() + " is not known.", REMEDY);
    };
  }

  private static MappedType decimal(SourceColumn column) {
    int precision = or(column.length(), 10);
    int scale = or(column.scale(), 0);
    return new Lake(
        precision <= DecimalType.MAX_PRECISION
            ? DataTypes.decimal(precision, scale)
            : DataTypes.STRING);
  }

  private static DataType unsignedLong() {
    return DataTypes.decimal(20, 0);
  }

  private static int or(@Nullable Integer value, int otherwise) {
    return value == null ? otherwise : value;
  }
}
