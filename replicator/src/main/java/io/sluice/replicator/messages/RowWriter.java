package io.sluice.replicator.messages;

import io.sluice.config.TopicRule.MessageFact;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.RowType;
import io.sluice.replicator.messages.BadMessageException.Reason;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes changes as rows of one version of one table. A field goes to the column of its name,
 * wherever it stands in the message; columns that no field has are NULL. Not thread safe.
 *
 * <p>What doesn't fit is no fault yet: {@link Outcome#NEEDS_SCHEMA} asks the caller to make the
 * table wider; only where that is impossible it throws {@link #misfit}.
 */
public final class RowWriter {

  /** What became of a change. */
  public enum Outcome {
    /** {@link #row} has it. */
    FITS,
    /** The table has no column for a field, or one whose type doesn't hold its value. */
    NEEDS_SCHEMA
  }

  private static final int NO_COLUMN = -1;
  private static final int NO_FIELD = -1;

  private final RowType type;
  private final CellWriter[] cells;
  private final boolean[] isKey;
  private final @Nullable MessageFact[] facts;
  private final Map<String, Integer> positions = new HashMap<>();
  private final BinaryRowWriter writer;
  private final int[] fieldOf;
  private final int[] beforeFieldOf;

  // Where the i-th field of the last row went: messages of one topic look alike.
  private String[] boundNames = new String[16];
  private int[] boundColumns = new int[16];

  private @Nullable BinaryRow row;
  private @Nullable BadMessageException misfit;

  private RowWriter(RowType type, List<String> key, Map<String, MessageFact> metadata) {
    int size = type.size();
    this.type = type;
    this.cells = new CellWriter[size];
    this.isKey = new boolean[size];
    this.facts = new MessageFact[size];
    this.fieldOf = new int[size];
    this.beforeFieldOf = new int[size];
    this.writer = new BinaryRowWriter(size);
    for (int i = 0; i < size; i++) {
      String name = type.field(i).name();
      cells[i] = CellWriter.of(type.field(i));
      isKey[i] = key.contains(name);
      facts[i] = metadata.get(name);
      if (facts[i] == null) {
        positions.put(name, i);
      }
    }
  }

  /**
   * A writer for a table.
   *
   * @param lake its columns
   * @param key names of key columns, which must have a value; empty: none
   * @param metadata columns that hold a fact about the message; a field of that name is passed over
   */
  public static RowWriter of(RowType lake, List<String> key, Map<String, MessageFact> metadata) {
    return new RowWriter(lake, key, metadata);
  }

  /** The row of the last {@link Outcome#FITS}: a view, good until the next call. */
  public BinaryRow row() {
    BinaryRow written = row;
    if (written == null) {
      throw new IllegalStateException("No row has been written");
    }
    return written;
  }

  /** Why the last change didn't fit. */
  public BadMessageException misfit() {
    BadMessageException why = misfit;
    if (why == null) {
      throw new IllegalStateException("The last change fits");
    }
    return why;
  }

  /**
   * Writes a change's row.
   *
   * @throws BadMessageException a key column has no value
   */
  public Outcome write(Message message, Change change, RowKind kind) throws BadMessageException {
    misfit = null;
    bind(change.row(), fieldOf);
    requireKey(change.row());
    return misfit == null ? write(message, change.row(), null, kind) : Outcome.NEEDS_SCHEMA;
  }

  /**
   * Writes the row that an UPSERT has moved away from, as a DELETE: the former values, and those of
   * the row where the message tells none.
   *
   * <p>REQUIRES: the change has a {@link Change#before}
   *
   * @throws BadMessageException a key column has no value
   */
  public Outcome writeBefore(Message message, Change change) throws BadMessageException {
    FieldRow before = change.before();
    if (before == null) {
      throw new IllegalArgumentException("The change has no former values");
    }
    misfit = null;
    bind(change.row(), fieldOf);
    bind(before, beforeFieldOf);
    return misfit == null
        ? write(message, change.row(), before, RowKind.DELETE)
        : Outcome.NEEDS_SCHEMA;
  }

  /** Before the table grows by a message that has no place in it anyhow. */
  private void requireKey(FieldRow row) throws BadMessageException {
    for (int i = 0; i < isKey.length; i++) {
      int field = fieldOf[i];
      if (isKey[i]
          && facts[i] == null
          && (field == NO_FIELD || row.kind(field) == FieldRow.Kind.NULL)) {
        throw new BadMessageException(
            Reason.KEY,
            "Key column "
                + type.field(i).name()
                + (field == NO_FIELD ? " is not in the message." : " is null."));
      }
    }
  }

  /** Whether a key column's former value is another than its value now. */
  public boolean movesKey(Change change) {
    FieldRow before = change.before();
    if (before == null) {
      return false;
    }
    for (int i = 0; i < isKey.length; i++) {
      if (isKey[i]) {
        String name = type.field(i).name();
        int old = before.position(name);
        if (old >= 0 && !same(before, old, change.row(), change.row().position(name))) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean same(FieldRow before, int old, FieldRow now, int field) {
    if (field < 0 || before.kind(old) != now.kind(field)) {
      return false;
    }
    return switch (now.kind(field)) {
      case NULL -> true;
      case BOOLEAN, LONG, DATE, TIME, DOUBLE -> before.longValue(old) == now.longValue(field);
      case TIMESTAMP, INSTANT ->
          before.longValue(old) == now.longValue(field)
              && before.nanosOfMilli(old) == now.nanosOfMilli(field);
      case DECIMAL, TEXT, BYTES, NESTED ->
          Arrays.equals(
              before.buffer(),
              before.offset(old),
              before.offset(old) + before.length(old),
              now.buffer(),
              now.offset(field),
              now.offset(field) + now.length(field));
    };
  }

  /** Finds the field of each column. */
  private void bind(FieldRow fields, int[] into) {
    Arrays.fill(into, NO_FIELD);
    int size = fields.size();
    if (size > boundNames.length) {
      boundNames = Arrays.copyOf(boundNames, 2 * size);
      boundColumns = Arrays.copyOf(boundColumns, 2 * size);
    }
    for (int i = 0; i < size; i++) {
      String name = fields.name(i);
      // Names come from a table of names: the same text is the same object.
      @SuppressWarnings("ReferenceEquality")
      boolean known = boundNames[i] == name;
      if (!known) {
        boundNames[i] = name;
        boundColumns[i] = positions.getOrDefault(name, NO_COLUMN);
      }
      int column = boundColumns[i];
      if (column != NO_COLUMN) {
        into[column] = i;
      } else if (fields.kind(i) != FieldRow.Kind.NULL && !isFact(name)) {
        misfit =
            new BadMessageException(
                Reason.SCHEMA, "The table has no column for field " + name + ".");
      }
    }
  }

  private boolean isFact(String name) {
    int column = type.position(name);
    return column >= 0 && facts[column] != null;
  }

  private Outcome write(Message message, FieldRow now, @Nullable FieldRow before, RowKind kind)
      throws BadMessageException {
    writer.reset();
    row = null;
    for (int i = 0; i < cells.length; i++) {
      MessageFact fact = facts[i];
      if (fact != null) {
        MessageFacts.write(fact, message, cells[i], writer, i);
        continue;
      }
      FieldRow fields = now;
      int field = fieldOf[i];
      if (before != null && beforeFieldOf[i] != NO_FIELD) {
        fields = before;
        field = beforeFieldOf[i];
      }
      if (field == NO_FIELD || fields.kind(field) == FieldRow.Kind.NULL) {
        if (isKey[i]) {
          throw new BadMessageException(
              Reason.KEY, "Key column " + type.field(i).name() + " was null.");
        }
        cells[i].writeNull(writer, i);
        continue;
      }
      String why = cells[i].write(fields, field, writer, i);
      if (why != null) {
        misfit =
            new BadMessageException(
                Reason.VALUE,
                "Field "
                    + type.field(i).name()
                    + ": "
                    + CellWriter.shown(fields, field)
                    + " has no place in "
                    + type.field(i).type().withNullable(true)
                    + ": "
                    + why
                    + ".");
        return Outcome.NEEDS_SCHEMA;
      }
    }
    row = writer.finish(kind);
    return Outcome.FITS;
  }
}
