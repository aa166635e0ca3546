package io.sluice.replicator.messages.avro;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.Schema.Field;
import org.apache.avro.generic.GenericData;
import org.jspecify.annotations.Nullable;

/** Schemas without logical types, and values of them. */
final class RandomAvro {

  private final Random random;
  private int names;

  RandomAvro(Random random) {
    this.random = random;
  }

  Schema record(int depth) {
    List<Field> fields = new ArrayList<>();
    int count = 1 + random.nextInt(6);
    for (int i = 0; i < count; i++) {
      fields.add(new Field("f" + i, type(depth), null, (Object) null));
    }
    return Schema.createRecord("R" + names++, null, "n", false, fields);
  }

  private Schema type(int depth) {
    int choice = random.nextInt(depth > 0 ? 13 : 9);
    return switch (choice) {
      case 0 -> Schema.create(Schema.Type.BOOLEAN);
      case 1 -> Schema.create(Schema.Type.INT);
      case 2 -> Schema.create(Schema.Type.LONG);
      case 3 -> Schema.create(Schema.Type.FLOAT);
      case 4 -> Schema.create(Schema.Type.DOUBLE);
      case 5 -> Schema.create(Schema.Type.STRING);
      case 6 -> Schema.create(Schema.Type.BYTES);
      case 7 -> Schema.createEnum("E" + names++, null, "n", List.of("A", "B", "C"));
      case 8 -> Schema.createFixed("F" + names++, null, "n", 1 + random.nextInt(9));
      case 9 -> record(depth - 1);
      case 10 -> Schema.createArray(type(depth - 1));
      case 11 -> Schema.createMap(type(depth - 1));
      default -> {
        Schema value = type(0);
        Schema none = Schema.create(Schema.Type.NULL);
        yield random.nextBoolean()
            ? Schema.createUnion(none, value)
            : Schema.createUnion(value, none);
      }
    };
  }

  @Nullable Object value(Schema schema) {
    return switch (schema.getType()) {
      case NULL -> null;
      case BOOLEAN -> random.nextBoolean();
      case INT -> random.nextInt() >> random.nextInt(32);
      case LONG -> random.nextLong() >> random.nextInt(64);
      case FLOAT -> (float) random.nextGaussian();
      case DOUBLE -> random.nextGaussian();
      case STRING -> text();
      case BYTES -> {
        byte[] bytes = new byte[random.nextInt(20)];
        random.nextBytes(bytes);
        yield ByteBuffer.wrap(bytes);
      }
      case FIXED -> {
        byte[] bytes = new byte[schema.getFixedSize()];
        random.nextBytes(bytes);
        yield new GenericData.Fixed(schema, bytes);
      }
      case ENUM ->
          new GenericData.EnumSymbol(
              schema, schema.getEnumSymbols().get(random.nextInt(schema.getEnumSymbols().size())));
      case UNION -> value(schema.getTypes().get(random.nextInt(schema.getTypes().size())));
      case ARRAY -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          list.add(value(schema.getElementType()));
        }
        yield list;
      }
      case MAP -> {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          map.put(text() + i, value(schema.getValueType()));
        }
        yield map;
      }
      case RECORD -> {
        GenericData.Record record = new GenericData.Record(schema);
        for (Field field : schema.getFields()) {
          record.put(field.pos(), value(field.schema()));
        }
        yield record;
      }
    };
  }

  private String text() {
    int[] points = {'a', 'Z', '"', '\\', '\n', 0, 0x7f, 0xe9, 0x20ac, 0x1f600};
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(8); i > 0; i--) {
      text.appendCodePoint(points[random.nextInt(points.length)]);
    }
    return text.toString();
  }
}
