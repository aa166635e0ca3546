package io.sluice.replicator.messages.ogg;

import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.json.JsonInput;
import io.sluice.replicator.messages.json.JsonInput.Kind;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages of Oracle GoldenGate's JSON formatter, modelled by operation ({@code format=json}): I
 * and U leave {@code after}, D takes {@code before} away, T empties the table. A column that an
 * update's {@code after} lacks, since it was not in the trail, keeps its value of {@code before}.
 * Values come without their columns' types.
 */
public final class OggJsonFormat implements MessageFormat {

  /**
   * Behind a column's name: whether its value was not in the trail, and null stands for nothing.
   */
  private static final String MISSING = "_isMissing";

  private final @Nullable ZoneId zone;
  private final JsonInput input = new JsonInput();
  private final Change change = new Change();
  private final List<String> missing = new ArrayList<>();
  private List<String> key = List.of();
  private boolean hasBefore;
  private boolean hasAfter;
  private @Nullable String operation;
  private @Nullable String lastTable;
  private @Nullable String schema;
  private @Nullable String table;

  /**
   * @param zone of {@code op_ts}, which has none; null: the time at the source isn't known
   */
  public OggJsonFormat(@Nullable ZoneId zone) {
    this.zone = zone;
  }

  @Override
  public void read(Message message, Changes changes) throws BadMessageException {
    byte[] value = message.value();
    if (value == null || value.length == 0) {
      return;
    }
    change.reset(Change.Kind.UPSERT);
    walk(value);
    if (operation == null) {
      throw incomplete("there is no \"op_type\"");
    }
    switch (operation) {
      case "I" -> {
        requireAfter();
        change.dropBefore();
        takeMissing(change.row());
        requireNoneMissing();
      }
      case "U" -> {
        requireAfter();
        change.markUpdate();
        FieldRow before = change.before();
        if (before != null) {
          takeMissing(before);
        }
        takeMissing(change.row());
        if (before != null) {
          addMissing(change.row(), before);
        }
        requireNoneMissing();
      }
      case "D" -> {
        if (!hasBefore) {
          throw incomplete("op_type D without the row that is gone (there is no \"before\")");
        }
        change.moveBeforeToRow();
        takeMissing(change.row());
        change.setKind(Change.Kind.DELETE);
      }
      case "T" -> {
        change.row().clear();
        change.dropBefore();
        change.setKind(Change.Kind.TRUNCATE);
      }
      default ->
          throw incomplete(
              "op_type \""
                  + operation.substring(0, Math.min(operation.length(), 40))
                  + "\" is none of I, U, D and T");
    }
    changes.change(change);
  }

  private void requireAfter() throws BadMessageException {
    if (!hasAfter) {
      throw incomplete(
          "op_type "
              + operation
              + " without the row that it leaves (there is no \"after\"; the formatter must be"
              + " json, not json_row)");
    }
  }

  /** Takes the marks of missing values out of a row, and the columns that they say have none. */
  private void takeMissing(FieldRow row) {
    missing.clear();
    // Where there are marks, each stands behind its column.
    if (row.size() < 2 || !row.name(1).endsWith(MISSING)) {
      return;
    }
    for (int i = row.size() - 1; i > 0; i--) {
      String mark = row.name(i);
      if (!mark.endsWith(MISSING) || row.kind(i) != FieldRow.Kind.BOOLEAN) {
        continue;
      }
      String column = row.name(i - 1);
      if (mark.length() == column.length() + MISSING.length() && mark.startsWith(column)) {
        boolean gone = row.booleanValue(i);
        row.remove(i);
        if (gone) {
          row.remove(--i);
          missing.add(column);
        }
      }
    }
  }

  private void requireNoneMissing() throws BadMessageException {
    for (String column : missing) {
      if (change.row().position(column) < 0) {
        throw new BadMessageException(
            Reason.VALUE,
            "Field "
                + column
                + ": its value was not in the trail ("
                + column
                + MISSING
                + "). Let the trail have whole rows: LOGALLSUPCOLS and NOCOMPRESSUPDATES.");
      }
    }
  }

  private static void addMissing(FieldRow row, FieldRow before) {
    for (int i = 0; i < before.size(); i++) {
      if (row.position(before.name(i)) < 0) {
        row.addFrom(before, i);
      }
    }
  }

  private void walk(byte[] value) throws BadMessageException {
    operation = null;
    hasBefore = false;
    hasAfter = false;
    String name = null;
    String time = null;
    List<String> names = List.of();
    input.open(value, 0, value.length);
    input.beginObject();
    for (String member = input.nextName(); member != null; member = input.nextName()) {
      if (input.kind() == Kind.NULL) {
        input.skip();
        continue;
      }
      switch (member) {
        case "before" -> {
          once(hasBefore, member);
          hasBefore = true;
          input.addObjectTo(change.fillBefore());
        }
        case "after" -> {
          once(hasAfter, member);
          hasAfter = true;
          input.addObjectTo(change.row());
        }
        case "table" -> name = input.readName();
        case "op_type" -> operation = input.readName();
        case "op_ts" -> time = input.readText();
        case "primary_keys" -> names = readNames();
        default -> input.skip();
      }
    }
    input.end();
    if (!names.equals(key)) {
      key = List.copyOf(names);
    }
    setTable(name);
    change.setPrimaryKey(key);
    change.setSourceTimeMicros(time == null || zone == null ? 0 : micros(time, zone));
  }

  private List<String> readNames() throws BadMessageException {
    List<String> names = new ArrayList<>();
    input.beginArray();
    while (input.nextElement()) {
      names.add(input.readName());
    }
    return names;
  }

  /** {@code SCHEMA.TABLE} or {@code CATALOG.SCHEMA.TABLE}. */
  private void setTable(@Nullable String name) {
    if (name != null && !name.equals(lastTable)) {
      int dot = name.lastIndexOf('.');
      int before = dot < 0 ? -1 : name.lastIndexOf('.', dot - 1);
      schema = dot < 0 ? null : name.substring(before + 1, dot);
      table = name.substring(dot + 1);
      lastTable = name;
    }
    change.setTable(name == null ? null : schema, name == null ? null : table);
  }

  private static long micros(String time, ZoneId zone) throws BadMessageException {
    try {
      var instant = LocalDateTime.parse(time.replace(' ', 'T')).atZone(zone).toInstant();
      return Math.max(
          0,
          Math.addExact(
              Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1_000));
    } catch (DateTimeException | ArithmeticException e) {
      throw new BadMessageException(
          Reason.MALFORMED,
          "op_ts \"" + time.substring(0, Math.min(time.length(), 40)) + "\" is no time.",
          e);
    }
  }

  private static void once(boolean seen, String name) throws BadMessageException {
    if (seen) {
      throw new BadMessageException(Reason.MALFORMED, "\"" + name + "\" occurs twice.");
    }
  }

  private static BadMessageException incomplete(String what) {
    return new BadMessageException(Reason.INCOMPLETE, "No message of GoldenGate's: " + what + ".");
  }
}
