package io.sluice.replicator.messages.canal;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.json.JsonInput;
import io.sluice.replicator.messages.json.JsonInput.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Canal's messages in JSON. INSERT and UPDATE leave the rows of {@code data}, DELETE takes them
 * away, TRUNCATE empties the table; {@code old} has the former values of what changed, row by row.
 * Whatever else Canal calls an event (DDL, transactions, heartbeats) changes no rows.
 */
public final class CanalJsonFormat implements MessageFormat {

  private static final int TYPES_MAX = 10_000;

  /** Canal's other kinds of events. */
  private static final Set<String> NO_ROWS =
      Set.of(
          "CREATE",
          "ALTER",
          "ERASE",
          "QUERY",
          "RENAME",
          "CINDEX",
          "DINDEX",
          "GTID",
          "XACOMMIT",
          "XAROLLBACK",
          "MHEARTBEAT");

  /** Where a member's value lies in the message. */
  private static final class Part {
    private int from;
    private int to;

    void take(JsonInput input) throws BadMessageException {
      from = input.valueStart();
      input.skip();
      to = input.position();
    }

    boolean isThere() {
      return to > 0;
    }
  }

  private final CanalOptions options;
  private final JsonInput input = new JsonInput();
  private final JsonInput formerInput = new JsonInput();
  private final Change change = new Change();
  private final FieldRow spare = new FieldRow();
  private final Map<ByteBuffer, CanalColumns> columnsByType = new LinkedHashMap<>(16, 0.75f, true);
  private final Part data = new Part();
  private final Part old = new Part();
  private final Part types = new Part();
  private @Nullable String database;
  private @Nullable String table;
  private @Nullable String type;
  private boolean ddl;
  private long millis;
  private List<String> key = List.of();

  public CanalJsonFormat(CanalOptions options) {
    this.options = options;
  }

  @Override
  public void read(Message message, Changes changes) throws BadMessageException {
    byte[] value = message.value();
    if (value == null || value.length == 0) {
      return;
    }
    walk(value);
    if (type == null) {
      throw incomplete("there is no \"type\"");
    }
    switch (type) {
      case "INSERT", "UPDATE" -> rows(value, Change.Kind.UPSERT, changes);
      case "DELETE" -> rows(value, Change.Kind.DELETE, changes);
      case "TRUNCATE" -> {
        reset(Change.Kind.TRUNCATE);
        changes.change(change);
      }
      default -> {
        if (!ddl && !NO_ROWS.contains(type)) {
          throw incomplete(
              "type \""
                  + type.substring(0, Math.min(type.length(), 40))
                  + "\" is none of Canal's events");
        }
      }
    }
  }

  private void walk(byte[] value) throws BadMessageException {
    data.to = 0;
    old.to = 0;
    types.to = 0;
    database = null;
    table = null;
    type = null;
    ddl = false;
    millis = 0;
    List<String> names = List.of();
    input.open(value, 0, value.length);
    input.beginObject();
    for (String name = input.nextName(); name != null; name = input.nextName()) {
      if (input.kind() == Kind.NULL) {
        input.skip();
        continue;
      }
      switch (name) {
        case "data" -> once(data, name);
        case "old" -> once(old, name);
        case "mysqlType" -> once(types, name);
        case "database" -> database = input.readName();
        case "table" -> table = input.readName();
        case "type" -> type = input.readName();
        case "isDdl" -> ddl = input.readBoolean();
        case "es" -> millis = input.readLong();
        case "pkNames" -> names = readNames();
        default -> input.skip();
      }
    }
    input.end();
    if (!names.equals(key)) {
      key = List.copyOf(names);
    }
  }

  private void once(Part part, String name) throws BadMessageException {
    if (part.isThere()) {
      throw new BadMessageException(Reason.MALFORMED, "\"" + name + "\" occurs twice.");
    }
    part.take(input);
  }

  private List<String> readNames() throws BadMessageException {
    List<String> names = new ArrayList<>();
    input.beginArray();
    while (input.nextElement()) {
      names.add(input.readName());
    }
    return names;
  }

  private void rows(byte[] value, Change.Kind kind, Changes changes) throws BadMessageException {
    if (!data.isThere()) {
      throw incomplete("type " + type + " without rows (\"data\" is null)");
    }
    CanalColumns columns = types.isThere() ? columns(value) : null;
    boolean isUpdate = "UPDATE".equals(type);
    boolean update = isUpdate && old.isThere();
    input.open(value, data.from, data.to);
    input.beginArray();
    if (update) {
      formerInput.open(value, old.from, old.to);
      formerInput.beginArray();
    }
    int count = 0;
    while (input.nextElement()) {
      count++;
      reset(kind);
      input.addObjectTo(change.row());
      if (isUpdate) {
        change.markUpdate();
      }
      if (update) {
        if (!formerInput.nextElement()) {
          throw incomplete("\"old\" has fewer rows than \"data\"");
        }
        if (formerInput.kind() == Kind.NULL) {
          formerInput.skip();
        } else {
          formerInput.addObjectTo(change.fillBefore());
        }
      }
      if (columns != null) {
        columns.convert(change.row(), spare);
        FieldRow before = change.before();
        if (before != null) {
          columns.convert(before, spare);
        }
        change.setColumns(columns.columns());
      }
      changes.change(change);
    }
    if (update && formerInput.nextElement()) {
      throw incomplete("\"old\" has more rows than \"data\"");
    }
    if (count == 0) {
      throw incomplete("type " + type + " without rows (\"data\" is empty)");
    }
  }

  private void reset(Change.Kind kind) {
    change.reset(kind);
    change.setTable(database, table);
    change.setPrimaryKey(key);
    change.setSourceTimeMicros(millis > 0 && millis <= Long.MAX_VALUE / 1_000 ? millis * 1_000 : 0);
  }

  private CanalColumns columns(byte[] value) throws BadMessageException {
    CanalColumns known =
        columnsByType.get(ByteBuffer.wrap(value, types.from, types.to - types.from));
    if (known != null) {
      return known;
    }
    List<CanalColumn> columns = new ArrayList<>();
    input.open(value, types.from, types.to);
    input.beginObject();
    for (String name = input.nextName(); name != null; name = input.nextName()) {
      columns.add(CanalColumn.of(name, input.readText(), options));
    }
    CanalColumns made = new CanalColumns(columns);
    columnsByType.put(ByteBuffer.wrap(Arrays.copyOfRange(value, types.from, types.to)), made);
    if (columnsByType.size() > TYPES_MAX) {
      columnsByType.remove(columnsByType.keySet().iterator().next());
    }
    return made;
  }

  private static BadMessageException incomplete(String what) {
    return new BadMessageException(Reason.INCOMPLETE, "No message of Canal's: " + what + ".");
  }
}
