package io.sluice.replicator.messages.avro;

import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.ConnectField;
import io.sluice.replicator.messages.ConnectOrigin;
import io.sluice.replicator.messages.ConnectTypes;
import io.sluice.replicator.messages.FieldReader;
import io.sluice.replicator.messages.FieldReader.Meaning;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.MessageColumn;
import io.sluice.replicator.messages.MessageColumns;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.Schema.Field;
import org.apache.avro.Schema.Type;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of one record schema into a row, in the schema's order. What a field means is
 * said by Connect's names in its schema, if it has them, else by Avro's logical type. One thread.
 */
final class RecordReader {

  /** Adds the value at the cursor. */
  private interface Step {
    void read(AvroInput in, FieldRow row) throws BadMessageException;
  }

  private final Step[] steps;
  private final MessageColumns columns;
  private final List<String> names;

  private RecordReader(List<MessageColumn> columns, List<Step> steps) {
    this.columns = new MessageColumns(columns);
    this.steps = steps.toArray(Step[]::new);
    this.names = columns.stream().map(MessageColumn::name).toList();
  }

  /** REQUIRES: a record. */
  static RecordReader compile(Schema record, ConnectOrigin origin) {
    List<MessageColumn> columns = new ArrayList<>();
    List<Step> steps = new ArrayList<>();
    var json = new JsonOutput();
    for (Field field : record.getFields()) {
      String name = field.name().intern();
      Schema schema = field.schema();
      int nulls = -1;
      Schema value = schema;
      int branches = 0;
      if (schema.getType() == Type.UNION) {
        branches = schema.getTypes().size();
        List<Schema> others = new ArrayList<>();
        for (int i = 0; i < branches; i++) {
          if (schema.getTypes().get(i).getType() == Type.NULL) {
            nulls = i;
          } else {
            others.add(schema.getTypes().get(i));
          }
        }
        value = others.size() == 1 ? others.get(0) : schema;
      }
      boolean nullable = nulls >= 0 || value.getType() == Type.NULL;
      FieldReader reader = reader(name, value, nullable, origin);
      Step step = step(reader, value, json);
      columns.add(reader.column());
      steps.add(
          branches == 0
              ? step
              : value == schema
                  ? anyOf(schema, reader, step, nulls)
                  : oneOf(branches, reader, step, nulls));
    }
    return new RecordReader(columns, steps);
  }

  MessageColumns columns() {
    return columns;
  }

  List<String> names() {
    return names;
  }

  void read(AvroInput in, FieldRow row) throws BadMessageException {
    for (Step step : steps) {
      step.read(in, row);
    }
  }

  /** A union of null and one type, or of one type alone. */
  private static Step oneOf(int branches, FieldReader reader, Step value, int nulls) {
    return (in, row) -> {
      if (in.readIndex(branches, "a union") == nulls) {
        reader.addNull(row);
      } else {
        value.read(in, row);
      }
    };
  }

  /** A union of several types; the step reads the branch itself. */
  private static Step anyOf(Schema union, FieldReader reader, Step value, int nulls) {
    int branches = union.getTypes().size();
    return (in, row) -> {
      int start = in.position();
      if (in.readIndex(branches, "a union") == nulls) {
        reader.addNull(row);
      } else {
        in.goTo(start);
        value.read(in, row);
      }
    };
  }

  private static FieldReader reader(
      String name, Schema schema, boolean nullable, ConnectOrigin origin) {
    String connectName = schema.getProp("connect.name");
    String connectType = connectType(schema);
    boolean connect = connectName != null || !parameters(schema).isEmpty();
    LogicalType logical = schema.getLogicalType();
    if (!connect && logical != null) {
      FieldReader byLogicalType = reader(name, schema, nullable, logical);
      if (byLogicalType != null) {
        return byLogicalType;
      }
    }
    if (schema.getType() == Type.RECORD && connectName == null) {
      connectName = schema.getFullName();
    }
    return ConnectTypes.reader(
        origin, new ConnectField(name, connectType, nullable, connectName, parameters(schema)));
  }

  private static @Nullable FieldReader reader(
      String name, Schema schema, boolean nullable, LogicalType logical) {
    if (logical instanceof LogicalTypes.Decimal decimal) {
      int scale = decimal.getScale();
      DataType lake = ConnectTypes.decimal(decimal.getPrecision(), scale);
      return new FieldReader(new MessageColumn(name, lake, nullable, null), Meaning.DECIMAL, scale);
    }
    Meaning meaning;
    DataType lake;
    int digits = 0;
    if (logical instanceof LogicalTypes.Date) {
      meaning = Meaning.DATE;
      lake = DataTypes.DATE;
    } else if (logical instanceof LogicalTypes.TimeMillis) {
      meaning = Meaning.TIME_MILLIS;
      lake = DataTypes.STRING;
      digits = 3;
    } else if (logical instanceof LogicalTypes.TimeMicros) {
      meaning = Meaning.TIME_MICROS;
      lake = DataTypes.STRING;
      digits = 6;
    } else if (logical instanceof LogicalTypes.TimestampMillis) {
      meaning = Meaning.INSTANT_MILLIS;
      lake = DataTypes.timestampLtz(3);
    } else if (logical instanceof LogicalTypes.TimestampMicros) {
      meaning = Meaning.INSTANT_MICROS;
      lake = DataTypes.timestampLtz(6);
    } else if (logical instanceof LogicalTypes.TimestampNanos) {
      meaning = Meaning.INSTANT_NANOS;
      lake = DataTypes.timestampLtz(9);
    } else if (logical instanceof LogicalTypes.LocalTimestampMillis) {
      meaning = Meaning.TIMESTAMP_MILLIS;
      lake = DataTypes.timestamp(3);
    } else if (logical instanceof LogicalTypes.LocalTimestampMicros) {
      meaning = Meaning.TIMESTAMP_MICROS;
      lake = DataTypes.timestamp(6);
    } else if (logical instanceof LogicalTypes.LocalTimestampNanos) {
      meaning = Meaning.TIMESTAMP_NANOS;
      lake = DataTypes.timestamp(9);
    } else if (isUuid(schema)) {
      meaning = Meaning.AS_IT_IS;
      lake = DataTypes.STRING;
    } else {
      return null;
    }
    return new FieldReader(new MessageColumn(name, lake, nullable, null), meaning, digits);
  }

  private static boolean isUuid(Schema schema) {
    return schema.getLogicalType() != null
        && schema.getLogicalType().getName().equals("uuid")
        && (schema.getType() == Type.STRING
            || schema.getType() == Type.FIXED && schema.getFixedSize() == 16);
  }

  private static String connectType(Schema schema) {
    String declared = schema.getProp("connect.type");
    return switch (schema.getType()) {
      case INT -> "int8".equals(declared) || "int16".equals(declared) ? declared : "int32";
      case BOOLEAN -> "boolean";
      case LONG -> "int64";
      case FLOAT -> "float32";
      case DOUBLE -> "float64";
      case BYTES, FIXED -> "bytes";
      case STRING, ENUM, NULL -> "string";
      case RECORD -> "struct";
      case ARRAY -> "array";
      case MAP -> "map";
      case UNION -> union(schema);
    };
  }

  /** Several types: the larger one of two that are numbers, else JSON text. */
  private static String union(Schema union) {
    boolean integers = true;
    boolean floating = true;
    for (Schema branch : union.getTypes()) {
      Type type = branch.getType();
      boolean plain = branch.getLogicalType() == null;
      integers &= type == Type.NULL || plain && (type == Type.INT || type == Type.LONG);
      floating &= type == Type.NULL || plain && (type == Type.FLOAT || type == Type.DOUBLE);
    }
    return integers ? "int64" : floating ? "float64" : "map";
  }

  private static Map<String, String> parameters(Schema schema) {
    Map<String, String> result = new HashMap<>();
    if (schema.getObjectProp("connect.parameters") instanceof Map<?, ?> parameters) {
      parameters.forEach((key, value) -> result.put(key.toString(), String.valueOf(value)));
    }
    return result;
  }

  private static Step step(FieldReader reader, Schema schema, JsonOutput json) {
    return switch (schema.getType()) {
      case NULL -> (in, row) -> reader.addNull(row);
      case BOOLEAN -> (in, row) -> reader.addBoolean(row, in.readBoolean());
      case INT -> (in, row) -> reader.addLong(row, in.readInt());
      case LONG -> (in, row) -> reader.addLong(row, in.readLong());
      case FLOAT -> (in, row) -> reader.addDouble(row, in.readFloat());
      case DOUBLE -> (in, row) -> reader.addDouble(row, in.readDouble());
      case STRING ->
          (in, row) -> {
            int start = in.readText();
            reader.addText(row, in.bytes(), start, in.length());
          };
      case BYTES ->
          (in, row) -> {
            int start = in.readBytes();
            reader.addBytes(row, in.bytes(), start, in.length());
          };
      case FIXED -> isUuid(schema) ? uuid(reader) : fixed(reader, schema.getFixedSize());
      case ENUM -> symbol(reader, schema);
      case RECORD ->
          reader.meaning() == Meaning.VARIABLE_DECIMAL
              ? variableDecimal(reader, schema)
              : nested(reader, schema, json);
      case ARRAY, MAP -> nested(reader, schema, json);
      case UNION -> union(reader, schema, json);
    };
  }

  private static Step fixed(FieldReader reader, int size) {
    return (in, row) -> {
      int start = in.readFixed(size);
      reader.addBytes(row, in.bytes(), start, size);
    };
  }

  private static Step uuid(FieldReader reader) {
    return (in, row) -> {
      int start = in.readFixed(16);
      long high = 0;
      long low = 0;
      for (int i = 0; i < 8; i++) {
        high = high << 8 | in.bytes()[start + i] & 0xff;
        low = low << 8 | in.bytes()[start + 8 + i] & 0xff;
      }
      byte[] text = new UUID(high, low).toString().getBytes(StandardCharsets.US_ASCII);
      reader.addText(row, text, 0, text.length);
    };
  }

  private static Step symbol(FieldReader reader, Schema schema) {
    List<byte[]> symbols =
        schema.getEnumSymbols().stream()
            .map(symbol -> symbol.getBytes(StandardCharsets.UTF_8))
            .toList();
    return (in, row) -> {
      byte[] symbol = symbols.get(in.readIndex(symbols.size(), schema.getFullName()));
      reader.addText(row, symbol, 0, symbol.length);
    };
  }

  /** A record of an int {@code scale} and bytes {@code value}, in this order or the other. */
  private static Step variableDecimal(FieldReader reader, Schema schema) {
    Field scale = schema.getField("scale");
    Field value = schema.getField("value");
    boolean known =
        schema.getFields().size() == 2
            && scale != null
            && value != null
            && scale.schema().getType() == Type.INT
            && value.schema().getType() == Type.BYTES;
    if (!known) {
      throw new IllegalArgumentException(
          schema.getFullName() + " is no record of an int scale and bytes value");
    }
    boolean scaleFirst = scale.pos() == 0;
    return (in, row) -> {
      int digits = scaleFirst ? in.readInt() : 0;
      int start = in.readBytes();
      int length = in.length();
      if (!scaleFirst) {
        digits = in.readInt();
      }
      reader.addScaled(row, digits, in.bytes(), start, length);
    };
  }

  private static Step nested(FieldReader reader, Schema schema, JsonOutput json) {
    return (in, row) -> {
      json.clear();
      AvroValues.writeJson(schema, in, json, 1);
      reader.addNested(row, json.bytes(), 0, json.size());
    };
  }

  private static Step union(FieldReader reader, Schema union, JsonOutput json) {
    if (reader.meaning() == Meaning.NESTED) {
      return nested(reader, union, json);
    }
    List<Schema> branches = union.getTypes();
    return (in, row) -> {
      switch (branches.get(in.readIndex(branches.size(), "a union")).getType()) {
        case INT -> reader.addLong(row, in.readInt());
        case LONG -> reader.addLong(row, in.readLong());
        case FLOAT -> reader.addDouble(row, in.readFloat());
        default -> reader.addDouble(row, in.readDouble());
      }
    };
  }
}
