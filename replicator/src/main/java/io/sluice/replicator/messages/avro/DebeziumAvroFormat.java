package io.sluice.replicator.messages.avro;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.avro.EnvelopeReader.Op;
import io.sluice.replicator.messages.registry.FramedBytes;
import io.sluice.replicator.messages.registry.FramedBytes.Part;
import io.sluice.replicator.messages.registry.SchemaRegistry;
import java.util.Optional;

/**
 * Debezium's envelopes in Avro by a schema of the registry, as Connect's Avro converters write
 * them: op c, r and u leave {@code after}, d takes {@code before} away, t empties the table, m is
 * none of a table's. Tombstones, heartbeats, transactions and DDL change no rows.
 */
public final class DebeziumAvroFormat implements MessageFormat {

  private final CompiledSchemas<Optional<EnvelopeReader>> schemas;
  private final MessageKeys keys;
  private final FramedBytes framed;
  private final AvroInput in = new AvroInput();
  private final Change change = new Change();

  public DebeziumAvroFormat(SchemaRegistry registry, KeyUse keyUse) {
    this.schemas =
        new CompiledSchemas<>(
            registry, schema -> Optional.ofNullable(EnvelopeReader.compile(schema, change)));
    this.keys = new MessageKeys(registry, keyUse);
    this.framed = new FramedBytes(registry.settings().idLayout());
  }

  @Override
  public void read(Message message, Changes changes) throws BadMessageException {
    byte[] value = message.value();
    if (value == null || value.length == 0) {
      return;
    }
    framed.open(message, Part.VALUE, value);
    Optional<EnvelopeReader> known = schemas.get(framed.id());
    if (known.isEmpty()) {
      return;
    }
    EnvelopeReader envelope = known.get();
    in.open(value, framed.start(), value.length);
    Op op = envelope.read(in);
    if (op == Op.NOTHING) {
      return;
    }
    if (op == Op.DELETE && !envelope.hasBefore()) {
      // The source logs no former rows: the key is all that is known.
      if (keys.read(message, envelope.origin(), change.row()) == null) {
        throw new BadMessageException(
            Reason.INCOMPLETE, "op d without the former row (before is null) and without a key.");
      }
    }
    change.setPrimaryKey(keys.names(message));
    changes.change(change);
  }
}
