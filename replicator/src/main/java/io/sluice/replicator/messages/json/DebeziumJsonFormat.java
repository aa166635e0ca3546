package io.sluice.replicator.messages.json;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.ConnectOrigin;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.FlattenedRow;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageFormat;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Debezium's change events in JSON, with a schema block ({@code schemas.enable=true}) and without:
 * each message says for itself, and the block's types are used.
 *
 * <ul>
 *   <li>op {@code c}, {@code r}, {@code u}: the row is {@code after}; {@code before} is kept, as it
 *       may tell of another key. {@code d}: the row is {@code before}, or where that is missing
 *       what the message's key says. {@code t}: TRUNCATE. {@code m} is no change of a row.
 *   <li>The primary key is the fields of the message's key.
 *   <li>Heartbeats, transaction boundaries and schema changes are no changes of rows and skipped,
 *       and so are values of no bytes; tombstones by option, since a delete has its own message. A
 *       JSON null is a tombstone, too: Connect's converter writes one where a schema is left.
 *   <li>The flattened form (ExtractNewRecordState with {@code add.fields=op} or {@code
 *       delete.tombstone.handling.mode=rewrite}): an object with {@code __op} or {@code __deleted},
 *       which both are taken out of the row. Other added fields stay fields.
 * </ul>
 *
 * <p>PostgreSQL sends a placeholder for large values that didn't change: taken from {@code before}
 * where that has them, else the message is refused.
 */
public final class DebeziumJsonFormat implements MessageFormat {

  private static final byte[] UNAVAILABLE =
      "__debezium_unavailable_value".getBytes(StandardCharsets.UTF_8);

  /** Members that only a transaction's boundary has, and those of a schema change. */
  private static final int BOUNDARY = 1;

  private static final int DDL = 2;

  private final Tombstones tombstones;
  private final JsonInput input = new JsonInput();
  private final KeyFields key;
  private final SchemaBlocks blocks;
  private final Change change = new Change();
  private SchemaBlocks.@Nullable Block lastBlock;
  private boolean flatBefore;

  // What the message being read has.
  private @Nullable SchemaFields fields;
  private boolean sawBefore;
  private boolean sawAfter;
  private boolean hasBefore;
  private boolean hasAfter;
  private boolean nothing;
  private boolean noValue;
  private boolean sawSource;
  private boolean sawTime;
  private boolean sawStatus;
  private boolean sawDdl;
  private int boundary;
  private boolean otherMembers;
  private @Nullable String op;
  private @Nullable String database;
  private @Nullable String schema;
  private @Nullable String table;
  private long sourceMicros;

  /**
   * @param tombstones what a message with a key and without a value says; DELETE is for the
   *     flattened form of a compacted topic
   * @param flattened whose columns the schema blocks of flattened rows describe; envelopes tell
   *     themselves
   */
  public DebeziumJsonFormat(Tombstones tombstones, ConnectOrigin flattened) {
    this.tombstones = tombstones;
    this.blocks = new SchemaBlocks(flattened);
    this.key = new KeyFields(flattened);
  }

  @Override
  public void read(Message message, Changes changes) throws BadMessageException {
    byte[] value = message.value();
    if (value == null) {
      JsonFormat.tombstone(message, key, tombstones, change, changes);
      return;
    }
    if (value.length == 0) {
      return;
    }
    fields = null;
    if (flatBefore && readFlat(message, value, changes)) {
      return;
    }
    readEnvelope(value);
    if (noValue) {
      JsonFormat.tombstone(message, key, tombstones, change, changes);
      return;
    }
    if (nothing) {
      return;
    }
    flatBefore = false;
    if (op == null) {
      if (!sawBefore && !sawAfter && readFlat(message, value, changes)) {
        flatBefore = true;
        return;
      }
      throw new BadMessageException(
          Reason.INCOMPLETE,
          "The message has no op, as an event of Debezium has. Rows without an envelope need __op or"
              + " __deleted (ExtractNewRecordState's add.fields = op); such without a schema block"
              + " are read by format = json, too.");
    }
    if (op.equals("m")) {
      return;
    }
    List<String> primaryKey = key.read(message);
    byOp(op);
    finish(primaryKey);
    changes.change(change);
  }

  // ---------------------------------------------------------------- the envelope

  private void readEnvelope(byte[] value) throws BadMessageException {
    change.reset(Change.Kind.UPSERT);
    sawBefore = false;
    sawAfter = false;
    hasBefore = false;
    hasAfter = false;
    nothing = false;
    noValue = false;
    sawSource = false;
    sawTime = false;
    sawStatus = false;
    sawDdl = false;
    boundary = 0;
    otherMembers = false;
    op = null;
    database = null;
    schema = null;
    table = null;
    sourceMicros = 0;
    input.open(value, 0, value.length);
    if (input.kind() == JsonInput.Kind.NULL) {
      noValue = true;
      input.readNull();
      input.end();
      return;
    }
    input.beginObject();
    walk(true);
    input.end();
  }

  /** Walks the members of an envelope, or of what has one as its payload. */
  private void walk(boolean outer) throws BadMessageException {
    for (String name = input.nextName(); name != null; name = input.nextName()) {
      switch (name) {
        case "before" -> {
          once(sawBefore, name);
          sawBefore = true;
          hasBefore = !input.readNull();
          if (hasBefore) {
            input.addObjectTo(change.fillBefore());
          }
        }
        case "after" -> {
          once(sawAfter, name);
          sawAfter = true;
          hasAfter = !input.readNull();
          if (hasAfter) {
            input.addObjectTo(change.row());
          }
        }
        case "op" -> {
          once(op != null, name);
          op = input.readName();
        }
        case "source" -> {
          if (input.kind() == JsonInput.Kind.OBJECT) {
            sawSource = true;
            walkSource();
          } else {
            input.skip();
          }
        }
        case "schema" -> {
          if (outer && input.kind() == JsonInput.Kind.OBJECT) {
            readSchema();
          } else {
            otherMembers = true;
            input.skip();
          }
        }
        case "payload" -> {
          if (outer && input.kind() == JsonInput.Kind.OBJECT) {
            input.beginObject();
            walk(false);
          } else if (outer && input.readNull()) {
            noValue = true;
          } else {
            otherMembers = true;
            input.skip();
          }
        }
        case "ts_ms", "ts_us", "ts_ns" -> {
          sawTime = true;
          input.skip();
        }
        case "transaction" -> input.skip();
        case "status" -> {
          boundary |= BOUNDARY;
          if (input.kind() == JsonInput.Kind.TEXT) {
            String status = input.readText();
            sawStatus = status.equals("BEGIN") || status.equals("END");
          } else {
            input.skip();
          }
        }
        case "id", "event_count", "data_collections" -> {
          boundary |= BOUNDARY;
          input.skip();
        }
        case "ddl", "databaseName", "schemaName", "tableChanges" -> {
          boundary |= DDL;
          sawDdl |= name.equals("tableChanges") || name.equals("ddl");
          input.skip();
        }
        default -> {
          otherMembers = true;
          input.skip();
        }
      }
    }
    if (op == null && !sawBefore && !sawAfter && !otherMembers && sawTime) {
      // A heartbeat has a time only; then there are transactions' boundaries and schema changes.
      nothing =
          boundary == 0 && !sawSource
              || boundary == BOUNDARY && sawStatus
              || boundary == DDL && sawDdl && sawSource;
    }
  }

  private static void once(boolean seen, String name) throws BadMessageException {
    if (seen) {
      throw new BadMessageException(
          Reason.MALFORMED, "The member \"" + name + "\" occurs twice in the envelope.");
    }
  }

  private void walkSource() throws BadMessageException {
    input.beginObject();
    boolean micros = false;
    for (String name = input.nextName(); name != null; name = input.nextName()) {
      switch (name) {
        case "db" -> database = input.readNull() ? null : input.readName();
        case "schema" -> schema = input.readNull() ? null : input.readName();
        case "table", "collection" -> table = input.readNull() ? null : input.readName();
        case "ts_us" -> {
          if (!input.readNull()) {
            sourceMicros = input.readLong();
            micros = true;
          }
        }
        case "ts_ms" -> {
          if (micros) {
            input.skip();
          } else if (!input.readNull()) {
            sourceMicros = input.readLong() * 1_000;
          }
        }
        default -> input.skip();
      }
    }
  }

  private void readSchema() throws BadMessageException {
    SchemaBlocks.Block last = lastBlock;
    if (last == null || !input.skipIfSame(last.text())) {
      int from = input.valueStart();
      input.skip();
      last = blocks.block(input.bytes(), from, input.position());
      lastBlock = last;
    }
    fields = last.fields();
  }

  private void byOp(String kind) throws BadMessageException {
    switch (kind) {
      case "c", "r", "u" -> {
        if (!hasAfter) {
          throw new BadMessageException(
              Reason.INCOMPLETE,
              "An event with op " + kind + " has no \"after\", which is its row.");
        }
        if (kind.equals("u")) {
          change.markUpdate();
        } else {
          change.dropBefore();
          hasBefore = false;
        }
      }
      case "d" -> {
        change.setKind(Change.Kind.DELETE);
        if (hasBefore) {
          change.moveBeforeToRow();
        } else {
          change.row().clear();
          key.addMissingTo(change.row());
          if (key.row().size() == 0) {
            throw new BadMessageException(
                Reason.INCOMPLETE,
                "A delete has neither \"before\" nor a key that is a JSON object: which row is gone,"
                    + " nobody can tell.");
          }
        }
      }
      case "t" -> {
        change.setKind(Change.Kind.TRUNCATE);
        change.row().clear();
        change.dropBefore();
      }
      default ->
          throw new BadMessageException(
              Reason.MALFORMED, "op \"" + kind + "\" is none of c, r, u, d, t, m.");
    }
  }

  private void finish(List<String> primaryKey) throws BadMessageException {
    FieldRow before = change.before();
    fillUnavailable(change.row(), before);
    if (fields != null) {
      fields.convert(change.row());
      if (before != null) {
        fields.convert(before);
      }
      change.setColumns(fields.columns());
    }
    // MySQL's tables lie in a database; others' in a schema of a database.
    change.setTable(schema != null ? schema : database, table);
    change.setPrimaryKey(primaryKey);
    change.setSourceTimeMicros(sourceMicros);
  }

  private void fillUnavailable(FieldRow row, @Nullable FieldRow before) throws BadMessageException {
    for (int i = 0; i < row.size(); i++) {
      if (row.kind(i) == FieldRow.Kind.TEXT
          && row.length(i) == UNAVAILABLE.length
          && isUnavailable(row, i)) {
        int former = before == null ? -1 : before.position(row.name(i));
        if (before == null || former < 0 || isUnavailable(before, former)) {
          throw new BadMessageException(
              Reason.VALUE,
              "Field "
                  + row.name(i)
                  + ": the value didn't change and was not sent. Give the table REPLICA IDENTITY"
                  + " FULL at its database.");
        }
        String name = row.name(i);
        row.remove(i);
        row.addFrom(before, former);
        assert row.name(row.size() - 1).equals(name);
        i--;
      }
    }
  }

  private static boolean isUnavailable(FieldRow row, int field) {
    if (row.kind(field) != FieldRow.Kind.TEXT) {
      return false;
    }
    int offset = row.offset(field);
    return Arrays.equals(
        row.buffer(), offset, offset + row.length(field), UNAVAILABLE, 0, UNAVAILABLE.length);
  }

  // ---------------------------------------------------------------- the flattened form

  /** Reads a row without its envelope; false if it is none. */
  private boolean readFlat(Message message, byte[] value, Changes changes)
      throws BadMessageException {
    change.reset(Change.Kind.UPSERT);
    FieldRow row = change.row();
    input.open(value, 0, value.length);
    fields = null;
    boolean payload = false;
    if (input.kind() != JsonInput.Kind.OBJECT) {
      return false;
    }
    if (lastBlock != null || startsWithSchema(value)) {
      input.beginObject();
      String name = input.nextName();
      if ("schema".equals(name) && input.kind() == JsonInput.Kind.OBJECT) {
        readSchema();
        if ("payload".equals(input.nextName()) && input.kind() == JsonInput.Kind.OBJECT) {
          input.addObjectTo(row);
          payload = input.nextName() == null;
        }
      }
      if (!payload) {
        row.clear();
        fields = null;
        input.open(value, 0, value.length);
      }
    }
    if (!payload) {
      input.addObjectTo(row);
    }
    input.end();
    Change.Kind kind = FlattenedRow.takeKind(row);
    if (kind == null) {
      return false;
    }
    change.setKind(kind);
    List<String> primaryKey = key.read(message);
    key.addMissingTo(row);
    finish(primaryKey);
    FlattenedRow.tellPlace(change.row(), change);
    changes.change(change);
    return true;
  }

  private static boolean startsWithSchema(byte[] value) {
    int at = 0;
    while (at < value.length && value[at] != '"') {
      at++;
    }
    byte[] name = "\"schema\"".getBytes(StandardCharsets.US_ASCII);
    return value.length - at >= name.length
        && Arrays.equals(value, at, at + name.length, name, 0, name.length);
  }
}
