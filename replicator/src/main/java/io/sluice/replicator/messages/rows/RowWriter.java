package io.sluice.replicator.messages.rows;

import io.sluice.config.TopicRule.MessageFact;
import io.sluice.evolution.TypeLattice;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.RowType;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.FieldRow.Kind;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageColumn;
import io.sluice.replicator.messages.MessageColumns;
import io.sluice.replicator.messages.rows.RowColumns.NumbersAsTimes;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes changes as rows of one lake table. Made anew when the table's schema changes; holds
 * buffers: one thread.
 *
 * <pre>{@code
 * RowWriter writer = RowWriter.of(schema.rowType(), schema.primaryKeys(), columns);
 * ...
 * if (writer.write(message, change, RowKind.INSERT) == Outcome.NEEDS_SCHEMA) {
 *   // TableInference says what the table must become; then a writer for that schema. If nothing
 *   // new comes of that: throw writer.misfit().
 * }
 * sink(writer.row());                                  // good until the next write
 * if (writer.movesKey(change)) {                       // of an UPSERT with a before
 *   writer.writeBefore(message, change);
 *   sink(writer.row());                                // must come before the new row
 * }
 * }</pre>
 *
 * <p>Nothing is rounded, cut or made NULL: a value that has no place is a {@link
 * BadMessageException} VALUE, a key column without a value one of reason KEY. NEEDS_SCHEMA is only
 * given where another schema would help: a field (not NULL) that no column takes, a column that the
 * message's schema declares and the table lacks, or a value for which the {@link TypeLattice} has a
 * wider type: that of the message's schema, and without one that of the value, unless the column is
 * a point in time, a text or bytes, whose types are never guessed. Fixed and key columns stay. What
 * fits into a narrower column than the schema declares is written: columns grow when they must.
 */
public final class RowWriter {

  /** Whether a change was written. */
  public enum Outcome {
    /** The row is in {@link RowWriter#row}. */
    FITS,
    /** Nothing was written: the table must get columns or wider types first. */
    NEEDS_SCHEMA
  }

  private static final int VALUE_SHOWN_MAX = 100;

  private final RowType lake;
  private final RowColumns columns;
  private final ValueWriter[] writers;
  private final boolean[] key;
  private final boolean[] fixed;
  private final BinaryRowWriter out;
  private @Nullable BinaryRow row;
  private @Nullable BadMessageException misfit;

  // Columns of a field's name: the first, and for each column the next one with the same field.
  private final Map<String, Integer> columnsOfField = new HashMap<>();
  private final int[] nextOfField;
  private final FactFields facts;
  // Columns that take a fact: its field in the facts' row; else -1.
  private final int[] factOf;

  // How the fields of the last row were matched.
  private String[] lastNames = {};
  private int[] lastColumns = {};
  private final int[] fieldOf;
  private final int[] formerOf;
  private @Nullable MessageColumns held;

  private RowWriter(RowType lake, List<String> keyColumns, RowColumns columns) {
    int size = lake.size();
    this.lake = lake;
    this.columns = columns;
    this.writers = new ValueWriter[size];
    this.key = new boolean[size];
    this.fixed = new boolean[size];
    this.out = new BinaryRowWriter(size);
    this.nextOfField = new int[size];
    this.factOf = new int[size];
    this.fieldOf = new int[size];
    this.formerOf = new int[size];
    this.facts = new FactFields();
    for (String column : columns.sources().keySet()) {
      if (lake.position(column) < 0) {
        throw new IllegalArgumentException(
            "Column " + column + " has a source, and the table has no such column");
      }
    }
    for (int c = size - 1; c >= 0; c--) {
      DataField field = lake.field(c);
      writers[c] = new ValueWriter(field.type(), columns.numbersAsTimes());
      key[c] = keyColumns.contains(field.name());
      fixed[c] = columns.fixed().contains(field.name());
      nextOfField[c] = -1;
      factOf[c] = -1;
      RowColumns.Source source = columns.source(field.name());
      if (source instanceof RowColumns.Field named) {
        Integer next = columnsOfField.put(named.name().intern(), c);
        nextOfField[c] = next == null ? -1 : next;
      } else if (source instanceof RowColumns.Fact fact) {
        factOf[c] = facts.add(fact.fact(), field.type());
      }
    }
  }

  /**
   * A writer for a table.
   *
   * @param key columns of the primary key, empty for a table without one
   * @param metadata columns that hold a fact about the message; all others take the field of their
   *     name
   * @throws IllegalArgumentException a column of {@code metadata} isn't in the table, or has a type
   *     that no message can fill (MULTISET, VARIANT)
   */
  public static RowWriter of(RowType lake, List<String> key, Map<String, MessageFact> metadata) {
    Map<String, RowColumns.Source> sources = new HashMap<>();
    metadata.forEach((column, fact) -> sources.put(column, new RowColumns.Fact(fact)));
    return of(
        lake,
        key,
        new RowColumns(sources, RowColumns.Rest.BY_NAME, Set.of(), NumbersAsTimes.BY_PRECISION));
  }

  /**
   * A writer for a table.
   *
   * @param key columns of the primary key, empty for a table without one
   * @throws IllegalArgumentException a column of {@code columns} isn't in the table, or has a type
   *     that no message can fill (MULTISET, VARIANT)
   */
  public static RowWriter of(RowType lake, List<String> key, RowColumns columns) {
    return new RowWriter(lake, key, columns);
  }

  /** The row that was written last; a view that the next write makes invalid. */
  public BinaryRow row() {
    if (row == null) {
      throw new IllegalStateException("Nothing was written that fits");
    }
    return row;
  }

  /** Why the last change needs another schema: what to throw if the table can't have it. */
  public BadMessageException misfit() {
    if (misfit == null) {
      throw new IllegalStateException("The last change fits");
    }
    return misfit;
  }

  /**
   * Writes a change's row. Of a DELETE whatever the message has of it: columns outside the key may
   * be NULL. A TRUNCATE has no row.
   */
  public Outcome write(Message message, Change change, RowKind kind) throws BadMessageException {
    return write(message, change, null, kind);
  }

  /**
   * Writes the row that an UPSERT has moved away from, as a DELETE: the values of {@link
   * Change#before}, and for fields that it lacks those of the new row.
   *
   * <p>REQUIRES: the change has a before
   */
  public Outcome writeBefore(Message message, Change change) throws BadMessageException {
    FieldRow before = change.before();
    if (before == null) {
      throw new IllegalArgumentException("The change of " + message.place() + " has no before");
    }
    return write(message, change, before, RowKind.DELETE);
  }

  /**
   * Whether a key column has another value in {@link Change#before}: then the former row is another
   * row, to be deleted before the new one is written. May be true for two spellings of one value.
   */
  public boolean movesKey(Change change) {
    FieldRow before = change.before();
    if (before == null) {
      return false;
    }
    FieldRow now = change.row();
    for (int c = 0; c < key.length; c++) {
      if (key[c] && columns.source(lake.field(c).name()) instanceof RowColumns.Field source) {
        int former = before.position(source.name());
        int current = now.position(source.name());
        if (former >= 0 && current >= 0 && !same(before, former, now, current)) {
          return true;
        }
      }
    }
    return false;
  }

  static boolean same(FieldRow one, int first, FieldRow other, int second) {
    if (one.kind(first) != other.kind(second)) {
      return false;
    }
    return switch (one.kind(first)) {
      case NULL -> true;
      case TEXT, DECIMAL, BYTES, NESTED, BINARY_ARRAY ->
          Arrays.equals(
              one.buffer(),
              one.offset(first),
              one.offset(first) + one.length(first),
              other.buffer(),
              other.offset(second),
              other.offset(second) + other.length(second));
      case BOOLEAN, LONG, DOUBLE, DATE, TIME -> one.rawValue(first) == other.rawValue(second);
      case TIMESTAMP, INSTANT ->
          one.rawValue(first) == other.rawValue(second)
              && one.nanosOfMilli(first) == other.nanosOfMilli(second);
    };
  }

  private Outcome write(Message message, Change change, @Nullable FieldRow former, RowKind kind)
      throws BadMessageException {
    row = null;
    misfit = null;
    FieldRow fields = change.row();
    MessageColumns declared = change.columns();
    if (declared != null && declared != held && !holds(declared)) {
      return Outcome.NEEDS_SCHEMA;
    }
    if (!match(fields, fieldOf) || former != null && !match(former, formerOf)) {
      return Outcome.NEEDS_SCHEMA;
    }
    facts.read(message);
    out.reset();
    for (int c = 0; c < writers.length; c++) {
      FieldRow from = fields;
      int field = fieldOf[c];
      if (former != null && formerOf[c] >= 0) {
        from = former;
        field = formerOf[c];
      } else if (factOf[c] >= 0) {
        from = facts.row();
        field = factOf[c];
      }
      ValueWriter writer = writers[c];
      if (field < 0 || from.kind(field) == Kind.NULL) {
        writeNull(c, field < 0);
      } else if (!writer.write(out, c, from, field)) {
        return misfit(c, from, field, declared);
      }
    }
    row = out.finish(kind);
    return Outcome.FITS;
  }

  /** Whether the table has all declared columns. */
  private boolean holds(MessageColumns declared) {
    for (MessageColumn each : declared.columns()) {
      if (!columnsOfField.containsKey(each.name())
          && columns.rest() == RowColumns.Rest.BY_NAME
          && lake.position(each.name()) < 0) {
        misfit = noColumn(each.name());
        return false;
      }
    }
    held = declared;
    return true;
  }

  private static BadMessageException noColumn(String field) {
    return new BadMessageException(
        Reason.SCHEMA, "The table has no column for field " + field + ".");
  }

  /** Finds the field of each column; false if a field that isn't NULL has no column. */
  @SuppressWarnings({"ReferenceEquality", "StringEquality"})
  private boolean match(FieldRow fields, int[] result) {
    Arrays.fill(result, -1);
    int size = fields.size();
    if (lastNames.length < size) {
      lastNames = Arrays.copyOf(lastNames, Math.max(size, 2 * lastNames.length));
      lastColumns = Arrays.copyOf(lastColumns, lastNames.length);
    }
    for (int i = 0; i < size; i++) {
      String name = fields.name(i);
      int column;
      if (lastNames[i] == name) {
        column = lastColumns[i];
      } else {
        Integer found = columnsOfField.get(name);
        column = found == null ? -1 : found;
        lastNames[i] = name;
        lastColumns[i] = column;
      }
      if (column < 0) {
        if (columns.rest() == RowColumns.Rest.BY_NAME
            && fields.kind(i) != Kind.NULL
            && lake.position(name) < 0) {
          misfit = noColumn(name);
          return false;
        }
        continue;
      }
      for (; column >= 0; column = nextOfField[column]) {
        result[column] = i;
      }
    }
    return true;
  }

  private void writeNull(int column, boolean missing) throws BadMessageException {
    DataField field = lake.field(column);
    if (key[column]) {
      throw new BadMessageException(
          Reason.KEY,
          "Column "
              + field.name()
              + " is in the key, and the message "
              + (missing ? "has no field for it." : "has null for it."));
    }
    if (!field.type().nullable()) {
      throw new BadMessageException(
          Reason.VALUE,
          "Column "
              + field.name()
              + " is "
              + field.type()
              + ", and the message has no value for it.");
    }
    writers[column].writeNull(out, column);
  }

  private Outcome misfit(int column, FieldRow from, int field, @Nullable MessageColumns declared)
      throws BadMessageException {
    DataField lakeField = lake.field(column);
    BadMessageException why =
        new BadMessageException(
            Reason.VALUE,
            "Field "
                + from.name(field)
                + ": "
                + shown(from, field)
                + " can't be held exactly by column "
                + lakeField.name()
                + " ("
                + lakeField.type()
                + ").");
    boolean mayGrow =
        !fixed[column]
            && !key[column]
            && factOf[column] < 0
            && columns.rest() == RowColumns.Rest.BY_NAME;
    DataType type = lakeField.type().withNullable(true);
    if (mayGrow) {
      DataType wanted =
          declared != null
              ? declaredType(declared, from.name(field))
              : ValueTypes.mayGrow(type) ? ValueTypes.of(from, field, type) : null;
      DataType joined = wanted == null ? null : TypeLattice.join(type, wanted);
      if (joined != null && !joined.equals(type)) {
        misfit = why;
        return Outcome.NEEDS_SCHEMA;
      }
    }
    throw why;
  }

  private static @Nullable DataType declaredType(MessageColumns declared, String field) {
    for (MessageColumn each : declared.columns()) {
      if (each.name().equals(field)) {
        return each.type();
      }
    }
    return null;
  }

  static String shown(FieldRow row, int field) {
    String text =
        switch (row.kind(field)) {
          case NULL -> "null";
          case BOOLEAN -> Boolean.toString(row.booleanValue(field));
          case LONG, DATE, TIME, TIMESTAMP, INSTANT -> Long.toString(row.longValue(field));
          case DOUBLE -> Double.toString(row.doubleValue(field));
          case BYTES, BINARY_ARRAY -> row.length(field) + " bytes";
          case TEXT, DECIMAL, NESTED -> {
            int length = row.length(field);
            // A character has at most four bytes.
            int cut = Math.min(length, 4 * VALUE_SHOWN_MAX);
            String start = new String(row.buffer(), row.offset(field), cut, StandardCharsets.UTF_8);
            yield start.length() <= VALUE_SHOWN_MAX && cut == length
                ? start
                : start.substring(0, Math.min(start.length(), VALUE_SHOWN_MAX))
                    + "... ("
                    + length
                    + " bytes)";
          }
        };
    return row.kind(field) + " " + text;
  }
}
