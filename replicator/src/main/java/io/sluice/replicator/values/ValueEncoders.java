package io.sluice.replicator.values;

import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceKind;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.TypeRoot;

/**
 * Compiles one {@link ValueEncoder} per column. Immutable; one per source.
 *
 * <p>Accepted pairs of source and lake type (S = STRING or CHAR/VARCHAR long enough):
 *
 * <pre>
 * integers, YEAR         BOOLEAN (0 and 1 only), TINYINT .. BIGINT, DECIMAL: range checked per value
 * DECIMAL                DECIMAL of at least its scale; S: plain digits with its scale
 * FLOAT                  FLOAT, DOUBLE          DOUBLE                 DOUBLE
 * BIT(n)                 BOOLEAN (n = 1), BIGINT (n &lt; 64), DECIMAL, BYTES/BINARY: (n + 7) / 8, first is highest
 * DATE                   DATE                   DATETIME(p)            TIMESTAMP of p or more
 * TIMESTAMP(p)           TIMESTAMP_LTZ of p or more
 * TIME(p)                S: [-]HH[H]:MM:SS[.f], p digits
 * CHAR .. LONGTEXT, ENUM, SET, JSON             S
 * BINARY .. LONGBLOB     BYTES/BINARY/VARBINARY
 * </pre>
 */
public final class ValueEncoders {

  private final MySqlFlavor flavor;
  private final ZeroDates zeroDates;
  private final ValueListener listener;

  public ValueEncoders(MySqlFlavor flavor, ZeroDates zeroDates, ValueListener listener) {
    this.flavor = flavor;
    this.zeroDates = zeroDates;
    this.listener = listener;
  }

  public MySqlFlavor flavor() {
    return flavor;
  }

  /**
   * @throws UnencodableValueException the pair of types is not one of those above
   */
  public ValueEncoder compile(SourceTableId table, SourceColumn column, DataField field) {
    ColumnContext context = new ColumnContext(flavor, zeroDates, listener, table, column, field);
    DataType lake = field.type();
    TypeRoot root = lake.root();
    ValueEncoder encoder =
        switch (context.kind()) {
          case TINYINT_ONE,
              TINYINT,
              TINYINT_UNSIGNED,
              SMALLINT,
              SMALLINT_UNSIGNED,
              MEDIUMINT,
              MEDIUMINT_UNSIGNED,
              INT,
              INT_UNSIGNED,
              BIGINT,
              BIGINT_UNSIGNED,
              YEAR ->
              lake instanceof DecimalType
                  ? new DecimalEncoder(context)
                  : isInteger(root) ? new IntegerEncoder(context) : null;
          case DECIMAL ->
              lake instanceof DecimalType
                  ? new DecimalEncoder(context)
                  : root.isText() ? new DecimalTextEncoder(context) : null;
          case FLOAT ->
              root == TypeRoot.FLOAT || root == TypeRoot.DOUBLE
                  ? new FloatingEncoder(context)
                  : null;
          case DOUBLE -> root == TypeRoot.DOUBLE ? new FloatingEncoder(context) : null;
          case BIT_ONE, BITS -> BitEncoder.fits(context) ? new BitEncoder(context) : null;
          case DATE -> root == TypeRoot.DATE ? new DateEncoder(context) : null;
          case DATETIME ->
              root == TypeRoot.TIMESTAMP && precisionFits(context)
                  ? new DateTimeEncoder(context)
                  : null;
          case TIMESTAMP ->
              root == TypeRoot.TIMESTAMP_LTZ && precisionFits(context)
                  ? new DateTimeEncoder(context)
                  : null;
          case TIME -> root.isText() ? new TimeTextEncoder(context) : null;
          case CHAR, TEXT ->
              root.isText() && !isBinaryCharset(column) ? new TextEncoder(context) : null;
          case ENUM, SET -> root.isText() ? new LabelEncoder(context) : null;
          case JSON ->
              !root.isText()
                  ? null
                  : flavor == MySqlFlavor.MYSQL
                      ? new JsonEncoder(context)
                      : new TextEncoder(context);
          case BINARY, BLOB -> root.isBytes() ? new BytesEncoder(context) : null;
          case GEOMETRY, VECTOR, UUID, INET, UNKNOWN -> null;
        };
    if (encoder == null) {
      throw context.unencodable(
          "this type can't be written to " + lake + "; exclude the table, or change the type");
    }
    return encoder;
  }

  /** Writes null into a field that the source has no column for. */
  public static void writeNull(BinaryRowWriter writer, int field, DataType type) {
    if (type instanceof DecimalType decimal) {
      writer.setNullDecimal(field, decimal.precision());
    } else if (type instanceof TemporalType temporal && temporal.root() != TypeRoot.TIME) {
      writer.setNullTimestamp(field, temporal.precision());
    } else {
      writer.setNull(field);
    }
  }

  /**
   * What a SELECT must name so that {@link ValueEncoder#encode(java.sql.ResultSet, int,
   * BinaryRowWriter, int)} finds the value: the quoted column, or an expression where the plain
   * column loses digits (FLOAT as text has six) or the driver would turn it into an object.
   */
  public String selectExpression(SourceColumn column) {
    String name = quote(column.name());
    return switch (SourceKind.of(column)) {
      case FLOAT -> "(" + name + " * 1e0)";
      case DOUBLE -> column.scale() == null ? name : "(" + name + " * 1e0)";
      case BIGINT_UNSIGNED, DECIMAL, DATE, DATETIME, TIMESTAMP, TIME, YEAR ->
          flavor == MySqlFlavor.MARIADB ? "CAST(" + name + " AS CHAR)" : name;
      default -> name;
    };
  }

  /** An identifier in backticks. */
  public static String quote(String identifier) {
    return "`" + identifier.replace("`", "``") + "`";
  }

  /** CHARACTER SET binary makes a text column a bytes column, which the stream doesn't know. */
  private static boolean isBinaryCharset(SourceColumn column) {
    return column.charset() != null && column.charset().equalsIgnoreCase("binary");
  }

  private static boolean isInteger(TypeRoot root) {
    return root == TypeRoot.BOOLEAN
        || root == TypeRoot.TINYINT
        || root == TypeRoot.SMALLINT
        || root == TypeRoot.INT
        || root == TypeRoot.BIGINT;
  }

  private static boolean precisionFits(ColumnContext context) {
    return context.field().type() instanceof TemporalType temporal
        && temporal.precision() >= context.fractionDigits();
  }

  /** Whether a lake text or bytes column takes every value of this length. */
  static boolean lengthFits(DataType lake, long sourceLengthMax) {
    return lake instanceof LengthType length && length.length() >= sourceLengthMax;
  }
}
