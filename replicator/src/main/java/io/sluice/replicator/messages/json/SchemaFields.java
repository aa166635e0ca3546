package io.sluice.replicator.messages.json;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Base64Text;
import io.sluice.replicator.messages.ConnectField;
import io.sluice.replicator.messages.ConnectOrigin;
import io.sluice.replicator.messages.ConnectTypes;
import io.sluice.replicator.messages.FieldReader;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.MessageColumn;
import io.sluice.replicator.messages.MessageColumns;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The fields of a row as a schema block declares them; reads what a row's JSON means by them. */
final class SchemaFields {

  private static final JsonMapper JSON = new JsonMapper();

  /** A field's reader, and whether its values are base64 of what it reads. */
  private record Field(String name, FieldReader reader, boolean bytes) {}

  private final Field[] fields;
  private final Map<String, Field> byName = new HashMap<>();
  private final MessageColumns columns;
  private final FieldRow raw = new FieldRow();

  SchemaFields(ConnectOrigin origin, List<ConnectField> declared) {
    this(origin, declared, field -> true);
  }

  /**
   * @param isColumn of a field's name: others are read, and no columns
   */
  SchemaFields(ConnectOrigin origin, List<ConnectField> declared, Predicate<String> isColumn) {
    List<MessageColumn> all = new ArrayList<>();
    fields = new Field[declared.size()];
    for (int i = 0; i < fields.length; i++) {
      ConnectField field = declared.get(i);
      FieldReader reader = ConnectTypes.reader(origin, field);
      fields[i] = new Field(field.name(), reader, field.type().equals("bytes"));
      byName.put(field.name(), fields[i]);
      if (isColumn.test(field.name())) {
        all.add(reader.column());
      }
    }
    columns = new MessageColumns(all);
  }

  /** The same object for the life of this one. */
  MessageColumns columns() {
    return columns;
  }

  /**
   * Turns the values of a row, as its JSON has them, into what they mean. Fields that the schema
   * doesn't know stay as they are.
   */
  void convert(FieldRow row) throws BadMessageException {
    raw.clear();
    raw.swap(row);
    for (int i = 0; i < raw.size(); i++) {
      Field field = field(i, raw.name(i));
      if (field == null) {
        row.addFrom(raw, i);
      } else {
        convert(field, i, row);
      }
    }
  }

  /** A row has its schema's order, and names are the same objects for the most part. */
  @SuppressWarnings({"ReferenceEquality", "StringEquality"})
  private @Nullable Field field(int i, String name) {
    return i < fields.length && fields[i].name == name ? fields[i] : byName.get(name);
  }

  private void convert(Field field, int i, FieldRow row) throws BadMessageException {
    FieldReader reader = field.reader;
    switch (raw.kind(i)) {
      case NULL -> reader.addNull(row);
      case BOOLEAN -> reader.addBoolean(row, raw.booleanValue(i));
      case LONG -> reader.addLong(row, raw.longValue(i));
      case DECIMAL -> reader.addDigits(row, raw.buffer(), raw.offset(i), raw.length(i));
      case TEXT -> {
        int offset = raw.offset(i);
        if (!field.bytes) {
          reader.addText(row, raw.buffer(), offset, raw.length(i));
          return;
        }
        int length = Base64Text.decodeInPlace(raw.buffer(), offset, raw.length(i));
        if (length < 0) {
          throw new BadMessageException(
              Reason.VALUE, "Field " + field.name + " has bytes, and its text is no base64.");
        }
        reader.addBytes(row, raw.buffer(), offset, length);
      }
      case NESTED -> {
        if (reader.meaning() == FieldReader.Meaning.VARIABLE_DECIMAL) {
          variableDecimal(reader, i, row);
        } else {
          reader.addNested(row, raw.buffer(), raw.offset(i), raw.length(i));
        }
      }
      case DOUBLE, BYTES, DATE, TIME, TIMESTAMP, INSTANT ->
          throw new IllegalStateException("JSON has no " + raw.kind(i));
    }
  }

  /** {@code {"scale":2,"value":"BOI="}} */
  private void variableDecimal(FieldReader reader, int i, FieldRow row) throws BadMessageException {
    try {
      JsonNode struct = JSON.readTree(raw.buffer(), raw.offset(i), raw.length(i));
      JsonNode scale = struct.path("scale");
      JsonNode value = struct.path("value");
      if (scale.isInt() && value.isTextual()) {
        byte[] unscaled = Base64.getDecoder().decode(value.textValue());
        reader.addScaled(row, scale.intValue(), unscaled, 0, unscaled.length);
        return;
      }
    } catch (JacksonException | IllegalArgumentException e) {
      // Said below.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new BadMessageException(
        Reason.VALUE,
        "Field " + raw.name(i) + ": " + raw.text(i) + " is no number with its scale.");
  }
}
