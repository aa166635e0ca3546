package io.sluice.replicator.messages.json;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.ConnectOrigin;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a message's key where it is a JSON object, bare or as the payload beside a schema
 * block. Another key (a plain text, a number, bytes) has none.
 */
final class KeyFields {

  private final JsonInput input = new JsonInput();
  private final FieldRow row = new FieldRow();
  private List<String> names = List.of();
  private final ConnectOrigin origin;
  private byte[] schema = {};
  private @Nullable SchemaFields fields;
  private boolean hasSchema;

  /**
   * @param origin whose columns a schema block describes
   */
  KeyFields(ConnectOrigin origin) {
    this.origin = origin;
  }

  /**
   * Reads the key of a message.
   *
   * @return the fields' names; the same list again as long as they are the same
   * @throws BadMessageException it begins like an object, and is none
   */
  List<String> read(Message message) throws BadMessageException {
    row.clear();
    hasSchema = false;
    byte[] key = message.key();
    if (key == null || key.length == 0 || key[0] != '{') {
      return List.of();
    }
    try {
      readObject(key);
    } catch (BadMessageException e) {
      throw new BadMessageException(e.reason(), "The key: " + e.getMessage(), e);
    }
    if (!sameNames()) {
      List<String> read = new ArrayList<>();
      for (int i = 0; i < row.size(); i++) {
        read.add(row.name(i));
      }
      names = List.copyOf(read);
    }
    return names;
  }

  private void readObject(byte[] key) throws BadMessageException {
    input.open(key, 0, key.length);
    if (schema.length > 0) {
      // The common way: the same schema block as before, then the payload.
      input.beginObject();
      if ("schema".equals(input.nextName())
          && input.skipIfSame(schema)
          && "payload".equals(input.nextName())
          && input.kind() == JsonInput.Kind.OBJECT) {
        input.addObjectTo(row);
        if (input.nextName() == null) {
          input.end();
          hasSchema = true;
          return;
        }
      }
      row.clear();
      input.open(key, 0, key.length);
    }
    input.addObjectTo(row);
    input.end();
    int payload = row.position("payload");
    int block = row.position("schema");
    if (row.size() != 2 || payload < 0 || block < 0 || row.kind(block) != FieldRow.Kind.NESTED) {
      return;
    }
    int offset = row.offset(block);
    schema = Arrays.copyOfRange(row.buffer(), offset, offset + row.length(block));
    fields = SchemaBlocks.compile(schema, origin);
    hasSchema = true;
    boolean object =
        row.kind(payload) == FieldRow.Kind.NESTED && row.buffer()[row.offset(payload)] == '{';
    byte[] inner =
        object
            ? Arrays.copyOfRange(
                row.buffer(), row.offset(payload), row.offset(payload) + row.length(payload))
            : new byte[0];
    row.clear();
    if (object) {
      input.open(inner, 0, inner.length);
      input.addObjectTo(row);
    }
  }

  @SuppressWarnings("StringEquality")
  private boolean sameNames() {
    if (names.size() != row.size()) {
      return false;
    }
    for (int i = 0; i < row.size(); i++) {
      if (names.get(i) != row.name(i)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Turns what {@link #read} read into what the key's own schema block says that it means, if it
   * has one: a key of base64 is a number, for instance.
   */
  void convert() throws BadMessageException {
    if (hasSchema && fields != null) {
      fields.convert(row);
    }
  }

  /** What {@link #read} read; good until the next. */
  FieldRow row() {
    return row;
  }

  /** Adds those fields that a row lacks. */
  void addMissingTo(FieldRow other) {
    for (int i = 0; i < row.size(); i++) {
      if (other.position(row.name(i)) < 0) {
        other.addFrom(row, i);
      }
    }
  }
}
