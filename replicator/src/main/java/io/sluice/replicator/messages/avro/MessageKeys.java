package io.sluice.replicator.messages.avro;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.ConnectOrigin;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageColumns;
import io.sluice.replicator.messages.registry.FramedBytes;
import io.sluice.replicator.messages.registry.FramedBytes.Part;
import io.sluice.replicator.messages.registry.SchemaRegistry;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.Schema.Type;
import org.jspecify.annotations.Nullable;

/** Reads messages' keys, if they are to be read. One thread. */
final class MessageKeys {

  /** What Debezium's router of topics puts into keys; it is no column. */
  private static final String NO_COLUMN = "__dbz__";

  /** A key's schema. What its fields mean depends on the database that the value names. */
  private static final class Key {
    private final Schema schema;
    private final List<String> names;
    private final Map<ConnectOrigin, RecordReader> readers = new EnumMap<>(ConnectOrigin.class);

    Key(Schema schema) {
      this.schema = schema;
      this.names =
          schema.getFields().stream()
              .map(field -> field.name().intern())
              .filter(name -> !name.startsWith(NO_COLUMN))
              .toList();
    }

    RecordReader reader(ConnectOrigin origin) {
      return readers.computeIfAbsent(origin, each -> RecordReader.compile(schema, each));
    }
  }

  private final KeyUse use;
  private final CompiledSchemas<Key> schemas;
  private final FramedBytes framed;
  private final AvroInput in = new AvroInput();

  MessageKeys(SchemaRegistry registry, KeyUse use) {
    this.use = use;
    this.schemas = new CompiledSchemas<>(registry, MessageKeys::compile);
    this.framed = new FramedBytes(registry.settings().idLayout());
  }

  private static Key compile(Schema schema) throws BadMessageException {
    if (schema.getType() != Type.RECORD) {
      throw new BadMessageException(
          Reason.MALFORMED,
          "the key's schema is a "
              + schema.getType().getName()
              + ", no record: its value has no column's name. Set key = none to leave keys alone.");
    }
    return new Key(schema);
  }

  /** Names of the key's fields; empty if there is no key, or none to be looked at. */
  List<String> names(Message message) throws BadMessageException {
    Key key = open(message);
    return key == null ? List.of() : key.names;
  }

  /**
   * Reads the key's fields into a row.
   *
   * @return its columns; null if there is no key, or none to be looked at
   */
  @Nullable MessageColumns read(Message message, ConnectOrigin origin, FieldRow row)
      throws BadMessageException {
    byte[] bytes = message.key();
    Key key = open(message);
    if (key == null || bytes == null) {
      return null;
    }
    in.open(bytes, framed.start(), bytes.length);
    RecordReader reader = key.reader(origin);
    reader.read(in, row);
    in.requireEnd();
    for (int i = row.size() - 1; i >= 0; i--) {
      if (row.name(i).startsWith(NO_COLUMN)) {
        row.remove(i);
      }
    }
    return reader.columns();
  }

  private @Nullable Key open(Message message) throws BadMessageException {
    byte[] bytes = message.key();
    if (use == KeyUse.NONE || bytes == null || bytes.length == 0) {
      return null;
    }
    try {
      framed.open(message, Part.KEY, bytes);
      return schemas.get(framed.id());
    } catch (BadMessageException e) {
      throw new BadMessageException(
          e.reason(), "The message's key can't be read: " + e.getMessage(), e);
    }
  }
}
