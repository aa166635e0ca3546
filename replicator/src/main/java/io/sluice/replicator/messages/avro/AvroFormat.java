package io.sluice.replicator.messages.avro;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.ConnectOrigin;
import io.sluice.replicator.messages.FlattenedRow;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageColumns;
import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.json.Tombstones;
import io.sluice.replicator.messages.registry.FramedBytes;
import io.sluice.replicator.messages.registry.FramedBytes.Part;
import io.sluice.replicator.messages.registry.SchemaRegistry;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.Schema.Type;
import org.jspecify.annotations.Nullable;

/**
 * Records in Avro by a schema of the registry: each is a row as it is now. The table that it names
 * is its record's name, for topics with records of several kinds. A schema that is a union of
 * records is read by its branch.
 */
public final class AvroFormat implements MessageFormat {

  /** A schema's branches: one, unless it is a union. */
  private record Rows(boolean union, List<@Nullable RowReader> readers) {}

  /**
   * One branch.
   *
   * @param columns without the marks of a flattened row
   */
  private record RowReader(String name, RecordReader record, MessageColumns columns) {}

  private final ConnectOrigin origin;
  private final Tombstones tombstones;
  private final CompiledSchemas<Rows> schemas;
  private final MessageKeys keys;
  private final FramedBytes framed;
  private final AvroInput in = new AvroInput();
  private final Change change = new Change();

  /**
   * @param tombstones what a message without a value says
   * @param origin whose columns parameters of Connect in the schema describe
   * @throws IllegalArgumentException tombstones delete, but keys are not read
   */
  public AvroFormat(
      SchemaRegistry registry, KeyUse keyUse, Tombstones tombstones, ConnectOrigin origin) {
    if (tombstones == Tombstones.DELETE && keyUse == KeyUse.NONE) {
      throw new IllegalArgumentException(
          "tombstones = delete needs key = avro: it is the key that says which row is gone.");
    }
    this.origin = origin;
    this.tombstones = tombstones;
    this.schemas = new CompiledSchemas<>(registry, this::compile);
    this.keys = new MessageKeys(registry, keyUse);
    this.framed = new FramedBytes(registry.settings().idLayout());
  }

  private Rows compile(Schema schema) throws BadMessageException {
    boolean union = schema.getType() == Type.UNION;
    List<@Nullable RowReader> readers = new ArrayList<>();
    for (Schema branch : union ? schema.getTypes() : List.of(schema)) {
      if (branch.getType() == Type.RECORD) {
        readers.add(compileRow(branch));
      } else if (branch.getType() == Type.NULL) {
        readers.add(null);
      } else {
        throw new BadMessageException(
            Reason.MALFORMED,
            "the schema is a "
                + branch.getType().getName()
                + ", no record: its value has no column's name.");
      }
    }
    return new Rows(union, readers);
  }

  private RowReader compileRow(Schema schema) {
    RecordReader record = RecordReader.compile(schema, origin);
    MessageColumns columns = record.columns();
    if (origin != ConnectOrigin.PLAIN) {
      columns =
          new MessageColumns(
              columns.columns().stream()
                  .filter(column -> !FlattenedRow.isMark(column.name()))
                  .toList());
    }
    return new RowReader(schema.getName().intern(), record, columns);
  }

  @Override
  public void read(Message message, Changes changes) throws BadMessageException {
    byte[] value = message.value();
    if (value == null || value.length == 0) {
      if (tombstones == Tombstones.DELETE) {
        delete(message, changes);
      }
      return;
    }
    framed.open(message, Part.VALUE, value);
    Rows rows = schemas.get(framed.id());
    in.open(value, framed.start(), value.length);
    int branch = rows.union() ? in.readIndex(rows.readers().size(), "a union") : 0;
    RowReader reader = rows.readers().get(branch);
    if (reader == null) {
      in.requireEnd();
      return;
    }
    change.reset(Change.Kind.UPSERT);
    reader.record().read(in, change.row());
    in.requireEnd();
    change.setColumns(reader.columns());
    if (origin == ConnectOrigin.PLAIN) {
      change.setTable(null, reader.name());
    } else {
      // Its record's name is "Value" always.
      Change.Kind kind = FlattenedRow.takeKind(change.row());
      change.setKind(kind == null ? Change.Kind.UPSERT : kind);
      FlattenedRow.tellPlace(change.row(), change);
    }
    change.setPrimaryKey(keys.names(message));
    changes.change(change);
  }

  private void delete(Message message, Changes changes) throws BadMessageException {
    change.reset(Change.Kind.DELETE);
    MessageColumns columns = keys.read(message, origin, change.row());
    if (columns == null) {
      throw new BadMessageException(
          Reason.KEY, "a message without a value has no key: nothing says which row is gone.");
    }
    change.setColumns(columns);
    change.setPrimaryKey(keys.names(message));
    changes.change(change);
  }
}
