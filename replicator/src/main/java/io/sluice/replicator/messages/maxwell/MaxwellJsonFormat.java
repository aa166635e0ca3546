package io.sluice.replicator.messages.maxwell;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.json.JsonInput;
import io.sluice.replicator.messages.json.JsonInput.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Messages of Maxwell's daemon: insert, update and bootstrap-insert leave the row of {@code data},
 * delete takes it away; {@code old} has the former values of what changed. A bootstrap's beginning
 * and end and DDL change no rows. Values come without their columns' types.
 */
public final class MaxwellJsonFormat implements MessageFormat {

  private static final Set<String> NO_ROWS =
      Set.of(
          "bootstrap-start",
          "bootstrap-complete",
          "database-create",
          "database-alter",
          "database-drop",
          "table-create",
          "table-alter",
          "table-drop");

  private final JsonInput input = new JsonInput();
  private final Change change = new Change();
  private List<String> key = List.of();
  private boolean hasData;
  private boolean hasOld;
  private @Nullable String type;

  @Override
  public void read(Message message, Changes changes) throws BadMessageException {
    byte[] value = message.value();
    if (value == null || value.length == 0) {
      return;
    }
    change.reset(Change.Kind.UPSERT);
    walk(value);
    if (type == null) {
      throw incomplete("there is no \"type\"");
    }
    switch (type) {
      case "insert", "bootstrap-insert", "delete" -> {
        change.dropBefore();
        hasOld = false;
      }
      case "update" -> change.markUpdate();
      default -> {
        if (!NO_ROWS.contains(type)) {
          throw incomplete(
              "type \""
                  + type.substring(0, Math.min(type.length(), 40))
                  + "\" is none of Maxwell's events");
        }
        return;
      }
    }
    if (!hasData) {
      throw incomplete("type " + type + " without a row (there is no \"data\")");
    }
    if (type.equals("delete")) {
      change.setKind(Change.Kind.DELETE);
    }
    changes.change(change);
  }

  private void walk(byte[] value) throws BadMessageException {
    type = null;
    hasData = false;
    hasOld = false;
    String database = null;
    String table = null;
    long seconds = 0;
    List<String> names = List.of();
    input.open(value, 0, value.length);
    input.beginObject();
    for (String name = input.nextName(); name != null; name = input.nextName()) {
      if (input.kind() == Kind.NULL) {
        input.skip();
        continue;
      }
      switch (name) {
        case "type" -> type = input.readName();
        case "database" -> database = input.readName();
        case "table" -> table = input.readName();
        case "ts" -> seconds = input.readLong();
        case "primary_key_columns" -> names = readNames();
        case "data" -> {
          once(hasData, name);
          hasData = true;
          if (input.kind() != Kind.OBJECT) {
            throw incomplete("\"data\" is no object; is it encrypted?");
          }
          input.addObjectTo(change.row());
        }
        case "old" -> {
          once(hasOld, name);
          if (input.kind() == Kind.OBJECT) {
            hasOld = true;
            // Of a DDL event it is a table's definition, and nobody looks at it.
            input.addObjectTo(change.fillBefore());
          } else {
            input.skip();
          }
        }
        default -> input.skip();
      }
    }
    input.end();
    if (!names.equals(key)) {
      key = List.copyOf(names);
    }
    change.setTable(database, table);
    change.setPrimaryKey(key);
    change.setSourceTimeMicros(
        seconds > 0 && seconds <= Long.MAX_VALUE / 1_000_000 ? seconds * 1_000_000 : 0);
  }

  private static void once(boolean seen, String name) throws BadMessageException {
    if (seen) {
      throw new BadMessageException(Reason.MALFORMED, "\"" + name + "\" occurs twice.");
    }
  }

  private List<String> readNames() throws BadMessageException {
    List<String> names = new ArrayList<>();
    input.beginArray();
    while (input.nextElement()) {
      names.add(input.readName());
    }
    return names;
  }

  private static BadMessageException incomplete(String what) {
    return new BadMessageException(Reason.INCOMPLETE, "No message of Maxwell's: " + what + ".");
  }
}
