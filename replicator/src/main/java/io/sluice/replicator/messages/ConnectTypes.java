package io.sluice.replicator.messages;

import io.sluice.evolution.MappedType;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceKind;
import io.sluice.evolution.TypeMapping;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.replicator.messages.FieldReader.Meaning;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fields of Connect's schemas to columns of the lake and to readers of their values. Pure.
 *
 * <p>With Debezium's {@code propagate.source.column.type} (or {@code
 * datatype.propagate.source.type}) a schema of MySQL's or MariaDB's tells the column's own type:
 * then the lake's type is that of a direct copy. Without it the schema alone decides, and the
 * lake's type holds whatever the schema allows: SMALLINT for a TINYINT column, TIMESTAMP(6) for a
 * DATETIME(4). Type names of other databases mean other things and are not looked at.
 */
public final class ConnectTypes {

  private static final String COLUMN = "__debezium.source.column.";

  private ConnectTypes() {}

  /** The reader of a field's values, which has its column. */
  public static FieldReader reader(ConnectOrigin origin, ConnectField field) {
    SourceColumn source = origin.speaksMySql() ? source(field) : null;
    DataType lake = source == null ? null : lake(source);
    if (lake == null) {
      source = null;
    }
    Meaning meaning = meaning(origin, field, source);
    int scale = scale(field, meaning, source);
    if (lake == null) {
      lake = lake(field, meaning, scale);
    }
    return new FieldReader(
        new MessageColumn(field.name(), lake, field.optional(), source), meaning, scale);
  }

  /** The column of the database; null if the schema doesn't tell it. */
  private static @Nullable SourceColumn source(ConnectField field) {
    Map<String, String> parameters = field.parameters();
    String type = parameters.get(COLUMN + "type");
    if (type == null) {
      return null;
    }
    String allowed = parameters.get("allowed");
    SourceColumn column =
        new SourceColumn(
            field.name(),
            type,
            number(parameters.get(COLUMN + "length")),
            number(parameters.get(COLUMN + "scale")),
            field.optional(),
            null,
            allowed == null ? List.of() : labels(allowed),
            null);
    SourceKind kind = SourceKind.of(column);
    return kind == SourceKind.UNKNOWN || !fits(kind, field) ? null : column;
  }

  /** Whether values of the field's type can be those of such a column at all. */
  private static boolean fits(SourceKind kind, ConnectField field) {
    String type = field.type();
    return switch (kind) {
      case CHAR, TEXT, ENUM, SET, JSON -> type.equals("string");
      case BINARY, BLOB -> type.equals("bytes") || type.equals("string");
      case BIT_ONE, BITS -> type.equals("boolean") || type.equals("bytes");
      case DATE, DATETIME, TIMESTAMP, TIME ->
          type.equals("string") || field.schemaName() != null && type.startsWith("int");
      default -> !type.equals("array") && !type.equals("map") && !type.equals("struct");
    };
  }

  private static @Nullable DataType lake(SourceColumn source) {
    return new TypeMapping(false).map(source) instanceof MappedType.Lake lake ? lake.type() : null;
  }

  private static Meaning meaning(
      ConnectOrigin origin, ConnectField field, @Nullable SourceColumn source) {
    SourceKind kind = source == null ? SourceKind.UNKNOWN : SourceKind.of(source);
    String name = field.schemaName() == null ? "" : field.schemaName();
    String type = field.type();
    if (kind == SourceKind.BIGINT_UNSIGNED && type.equals("int64")) {
      return Meaning.UNSIGNED_LONG;
    }
    if (kind == SourceKind.BINARY && type.equals("bytes")) {
      return Meaning.MYSQL_BINARY;
    }
    return switch (name) {
      case "org.apache.kafka.connect.data.Decimal" -> only(type, "bytes", Meaning.DECIMAL);
      case "io.debezium.data.VariableScaleDecimal" ->
          only(type, "struct", Meaning.VARIABLE_DECIMAL);
      case "io.debezium.data.Bits" -> only(type, "bytes", Meaning.BITS);
      case "io.debezium.time.Date", "org.apache.kafka.connect.data.Date" ->
          only(type, "int32", Meaning.DATE);
      case "io.debezium.time.Time", "org.apache.kafka.connect.data.Time" ->
          only(type, "int32", Meaning.TIME_MILLIS);
      case "io.debezium.time.MicroTime" -> only(type, "int64", Meaning.TIME_MICROS);
      case "io.debezium.time.NanoTime" -> only(type, "int64", Meaning.TIME_NANOS);
      case "io.debezium.time.Timestamp" -> only(type, "int64", Meaning.TIMESTAMP_MILLIS);
      case "io.debezium.time.MicroTimestamp" -> only(type, "int64", Meaning.TIMESTAMP_MICROS);
      case "io.debezium.time.NanoTimestamp" -> only(type, "int64", Meaning.TIMESTAMP_NANOS);
      case "org.apache.kafka.connect.data.Timestamp" ->
          only(
              type,
              "int64",
              // Debezium writes wall clocks by this name, everybody else instants.
              origin == ConnectOrigin.PLAIN ? Meaning.INSTANT_MILLIS : Meaning.TIMESTAMP_MILLIS);
      case "io.debezium.time.ZonedTimestamp" ->
          only(
              type,
              "string",
              origin.speaksMySql() ? Meaning.MYSQL_TIMESTAMP_TEXT : Meaning.INSTANT_TEXT);
      case "io.debezium.time.IsoTimestamp", "io.debezium.time.IsoDate" -> Meaning.AS_IT_IS;
      case "io.debezium.time.Year" ->
          only(type, "int32", origin.speaksMySql() ? Meaning.MYSQL_YEAR : Meaning.AS_IT_IS);
      case "io.debezium.data.Json" ->
          only(
              type,
              "string",
              switch (origin) {
                case MYSQL -> Meaning.MYSQL_JSON;
                case DATABASE -> Meaning.AS_IT_IS_IF_THERE;
                case MARIADB, PLAIN -> Meaning.AS_IT_IS;
              });
      case "io.debezium.data.Enum", "io.debezium.data.EnumSet" ->
          only(type, "string", origin.speaksMySql() ? Meaning.MYSQL_LABELS : Meaning.AS_IT_IS);
      default ->
          origin == ConnectOrigin.DATABASE && (type.equals("string") || type.equals("bytes"))
              ? Meaning.AS_IT_IS_IF_THERE
              : plain(type);
    };
  }

  private static Meaning plain(String type) {
    return type.equals("struct") || type.equals("array") || type.equals("map")
        ? Meaning.NESTED
        : Meaning.AS_IT_IS;
  }

  /** A name beside another type than its own says nothing. */
  private static Meaning only(String type, String wanted, Meaning meaning) {
    return type.equals(wanted) ? meaning : plain(type);
  }

  private static int scale(ConnectField field, Meaning meaning, @Nullable SourceColumn source) {
    Integer declared = source == null ? null : source.length();
    int digits = declared == null ? 0 : declared;
    return switch (meaning) {
      case DECIMAL -> {
        Integer scale = number(field.parameters().get("scale"));
        yield scale == null ? 0 : scale;
      }
      case TIME_MILLIS -> source == null ? 3 : digits;
      case TIME_MICROS -> source == null ? 6 : digits;
      case TIME_NANOS -> source == null ? 9 : digits;
      case BITS -> {
        Integer length = number(field.parameters().get("length"));
        yield length == null ? 64 : length;
      }
      case MYSQL_BINARY -> Math.max(digits, 1);
      default -> 0;
    };
  }

  private static DataType lake(ConnectField field, Meaning meaning, int scale) {
    return switch (meaning) {
      case DECIMAL -> decimal(number(field.parameters().get("connect.decimal.precision")), scale);
      case UNSIGNED_LONG -> DataTypes.decimal(20, 0);
      case BITS -> scale < 64 ? DataTypes.BIGINT : DataTypes.decimal(20, 0);
      case DATE -> DataTypes.DATE;
      case TIMESTAMP_MILLIS -> DataTypes.timestamp(3);
      case TIMESTAMP_MICROS -> DataTypes.timestamp(6);
      case TIMESTAMP_NANOS -> DataTypes.timestamp(9);
      case INSTANT_MILLIS -> DataTypes.timestampLtz(3);
      case INSTANT_MICROS, MYSQL_TIMESTAMP_TEXT -> DataTypes.timestampLtz(6);
      case INSTANT_NANOS, INSTANT_TEXT -> DataTypes.timestampLtz(9);
      case MYSQL_YEAR -> DataTypes.INT;
      case VARIABLE_DECIMAL, TIME_MILLIS, TIME_MICROS, TIME_NANOS, MYSQL_JSON, MYSQL_LABELS ->
          DataTypes.STRING;
      case NESTED -> DataTypes.STRING;
      case MYSQL_BINARY -> DataTypes.BYTES;
      case AS_IT_IS, AS_IT_IS_IF_THERE -> byType(field);
    };
  }

  private static DataType byType(ConnectField field) {
    return switch (field.type()) {
      case "boolean" -> DataTypes.BOOLEAN;
      case "int8" -> DataTypes.TINYINT;
      case "int16" -> DataTypes.SMALLINT;
      case "int32" -> DataTypes.INT;
      case "int64" -> DataTypes.BIGINT;
      case "float32", "float" -> DataTypes.FLOAT;
      case "float64", "double" -> DataTypes.DOUBLE;
      case "bytes" -> DataTypes.BYTES;
      default -> DataTypes.STRING;
    };
  }

  /**
   * The lake's type for exact numbers of a scale.
   *
   * @param precision null if it isn't known: then as many digits as the lake has
   */
  public static DataType decimal(@Nullable Integer precision, int scale) {
    int max = DataType.DecimalType.MAX_PRECISION;
    // A negative scale stands for zeros before the point.
    int digits = precision == null ? max : precision - Math.min(scale, 0);
    int fraction = Math.max(scale, 0);
    boolean fits = digits >= 1 && digits <= max && fraction <= digits;
    return fits ? DataTypes.decimal(digits, fraction) : DataTypes.STRING;
  }

  /**
   * Labels of ENUM and SET from the schema's list, joined by commas: in it, as in values, a comma
   * of a label is {@code \,} and a backslash {@code \\}.
   */
  static List<String> labels(String allowed) {
    List<String> result = new ArrayList<>();
    StringBuilder label = new StringBuilder();
    for (int i = 0; i < allowed.length(); i++) {
      char c = allowed.charAt(i);
      boolean escape = c == '\\' && i + 1 < allowed.length();
      if (escape && (allowed.charAt(i + 1) == ',' || allowed.charAt(i + 1) == '\\')) {
        label.append(allowed.charAt(++i));
      } else if (c == ',') {
        result.add(label.toString());
        label.setLength(0);
      } else {
        label.append(c);
      }
    }
    result.add(label.toString());
    return result;
  }

  private static @Nullable Integer number(@Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      return Integer.valueOf(text);
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
