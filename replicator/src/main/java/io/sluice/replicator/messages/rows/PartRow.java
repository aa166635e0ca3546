package io.sluice.replicator.messages.rows;

import io.sluice.evolution.SourceColumn;
import io.sluice.lsm.binary.BinaryArray;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.RowType;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.MessageColumn;
import io.sluice.replicator.messages.MessageColumns;
import io.sluice.replicator.messages.rows.RowColumns.NumbersAsTimes;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A change as one part of a wide table sees it: a change of its own whose fields are that table's
 * columns. Used again for the next; one thread.
 */
public final class PartRow {

  /** Which values of a change a row is made of. */
  public enum Image {
    /** As they are now (of a DELETE as they were). */
    NOW,
    /** As they were before, where the message tells it. */
    BEFORE
  }

  /** What becomes of columns that are neither key nor sequence. */
  public enum Members {
    /** They get their values. */
    VALUES,
    /** The same, but a sum gets what it changes by from the former value to that now. */
    DIFFERENCES,
    /** They become NULL; a sum gets what takes its value back. */
    TAKEN_BACK,
    /** They are left out. */
    NONE
  }

  /**
   * The part's columns.
   *
   * @param fields names of the message's fields by column: key, sequence and all others
   * @param key columns among them
   * @param sequence columns among them that say which of two rows is newer
   * @param sums columns among them that a function adds up
   * @param counter column that gets a number of its own, so that no two rows are equally new
   * @param elements the column whose elements are the source's rows; null: there is none
   */
  public record Columns(
      Map<String, String> fields,
      List<String> key,
      List<String> sequence,
      List<String> sums,
      String counter,
      @Nullable Elements elements) {
    public Columns {
      fields = java.util.Collections.unmodifiableMap(new java.util.LinkedHashMap<>(fields));
      key = List.copyOf(key);
      sequence = List.copyOf(sequence);
      sums = List.copyOf(sums);
    }
  }

  /**
   * An array column whose elements are the source's rows.
   *
   * @param fields of an element; the last says whether it is gone
   * @param sources names of the message's fields by name of the others
   * @param key names of those that tell the elements of a wide row apart
   */
  public record Elements(
      String column, List<DataField> fields, Map<String, String> sources, List<String> key) {
    public Elements {
      fields = List.copyOf(fields);
      sources = Map.copyOf(sources);
      key = List.copyOf(key);
    }
  }

  private static final int DIGITS_MAX = 400;

  private final String counter;
  private final String[] names;
  private final String[] fields;
  private final boolean[] isKey;
  private final boolean[] isSequence;
  private final boolean[] isSum;

  // Where each field was in the last row: messages of one topic look alike.
  private final int[] lastNow;
  private final int[] lastBefore;

  private final Change result = new Change();
  private @Nullable MessageColumns told;
  private @Nullable MessageColumns renamed;

  private final @Nullable Elements elements;
  private final @Nullable ElementWriter elementWriter;

  /**
   * @param numbers what a number means in a field of an element that is a point in time
   */
  public PartRow(Columns columns, NumbersAsTimes numbers) {
    this.elements = columns.elements();
    this.elementWriter = elements == null ? null : new ElementWriter(elements, numbers);
    int size = columns.fields().size();
    this.counter = columns.counter();
    this.names = columns.fields().keySet().toArray(new String[0]);
    this.fields = columns.fields().values().toArray(new String[0]);
    this.isKey = new boolean[size];
    this.isSequence = new boolean[size];
    this.isSum = new boolean[size];
    this.lastNow = new int[size];
    this.lastBefore = new int[size];
    for (int i = 0; i < size; i++) {
      names[i] = names[i].intern();
      isKey[i] = columns.key().contains(names[i]);
      isSequence[i] = columns.sequence().contains(names[i]);
      isSum[i] = columns.sums().contains(names[i]);
    }
  }

  /** Whether a key column's former value is another than its value now. */
  public boolean movesKey(Change change) {
    FieldRow before = change.before();
    if (before == null) {
      return false;
    }
    FieldRow now = change.row();
    for (int i = 0; i < names.length; i++) {
      if (isKey[i]) {
        int former = find(before, i, lastBefore);
        int current = find(now, i, lastNow);
        if (former >= 0 && current >= 0 && !RowWriter.same(before, former, now, current)) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Makes the part's change, an UPSERT.
   *
   * <p>REQUIRES: the change has a {@link Change#before} for BEFORE and DIFFERENCES
   *
   * @param number for the counter column
   * @return good until the next call
   * @throws BadMessageException a key or sequence column has no value, a sum is no number, or a
   *     value doesn't fit into an element
   */
  public Change of(Change change, Image image, Members members, long number)
      throws BadMessageException {
    result.reset(Change.Kind.UPSERT);
    result.setColumns(renamed(change.columns()));
    result.setSourceTimeMicros(change.sourceTimeMicros());
    FieldRow now = change.row();
    FieldRow before = change.before();
    for (int i = 0; i < names.length; i++) {
      FieldRow from = now;
      int field = -1;
      if (image == Image.BEFORE && before != null) {
        from = before;
        field = find(before, i, lastBefore);
      }
      if (field < 0) {
        from = now;
        field = find(now, i, lastNow);
      }
      boolean isNull = field < 0 || from.kind(field) == FieldRow.Kind.NULL;
      if (isKey[i] || isSequence[i]) {
        if (isNull) {
          throw missing(i, field < 0);
        }
        result.row().addFrom(names[i], from, field);
      } else if (members == Members.NONE) {
        continue;
      } else if (isSum[i]) {
        addSum(i, from, field, before, members);
      } else if (isNull || members == Members.TAKEN_BACK) {
        result.row().addNull(names[i]);
      } else {
        result.row().addFrom(names[i], from, field);
      }
    }
    if (members != Members.NONE) {
      addElements(change, image, members);
    }
    result.row().addLong(counter, number);
    return result;
  }

  private void addElements(Change change, Image image, Members members) throws BadMessageException {
    if (elements == null || elementWriter == null) {
      return;
    }
    FieldRow now = change.row();
    FieldRow before = change.before();
    BinaryArray array =
        members == Members.TAKEN_BACK
            ? elementWriter.gone(now, image == Image.BEFORE ? before : null)
            : elementWriter.present(now, members == Members.DIFFERENCES ? before : null);
    byte[] bytes = array.toByteArray();
    result.row().addSlice(elements.column(), FieldRow.Kind.BINARY_ARRAY, bytes, 0, bytes.length);
  }

  /**
   * Refuses a table whose array has other elements than are written here.
   *
   * @throws BadMessageException they differ in a name, a type or their order
   */
  public void checkElements(RowType lake) throws BadMessageException {
    int column = elements == null ? -1 : lake.position(elements.column());
    if (elements == null || column < 0) {
      return;
    }
    DataType type = lake.type(column);
    boolean same =
        type instanceof ArrayType array
            && array.element() instanceof NestedRowType row
            && named(row.fields()).equals(named(elements.fields()));
    if (!same) {
      throw new BadMessageException(
          Reason.SCHEMA,
          "Elements of column "
              + elements.column()
              + " have the fields "
              + named(elements.fields())
              + " by the config, and the lake has "
              + (type instanceof ArrayType array && array.element() instanceof NestedRowType row
                  ? named(row.fields())
                  : type.root())
              + ". Fields of elements can't change: give the lake's in nested, or send the rows to"
              + " a new table or column.");
    }
  }

  private static List<String> named(List<DataField> fields) {
    return fields.stream()
        .map(field -> field.name() + " " + field.type().withNullable(true))
        .toList();
  }

  private int find(FieldRow row, int column, int[] last) {
    int guess = last[column];
    if (guess < 0 || guess >= row.size() || !row.name(guess).equals(fields[column])) {
      guess = row.position(fields[column]);
      last[column] = guess;
    }
    return guess;
  }

  private BadMessageException missing(int column, boolean absent) {
    return new BadMessageException(
        isKey[column] ? Reason.KEY : Reason.VALUE,
        (isKey[column] ? "Key column " : "Sequence column ")
            + names[column]
            + ": field "
            + fields[column]
            + (absent ? " is not in the message." : " is null."));
  }

  private void addSum(
      int column, FieldRow from, int field, @Nullable FieldRow before, Members members)
      throws BadMessageException {
    BigDecimal value = number(column, from, field);
    if (members == Members.DIFFERENCES) {
      int former = before == null ? -1 : find(before, column, lastBefore);
      if (before == null || former < 0) {
        // The message tells former values of what has changed: this one hasn't.
        value = null;
      } else {
        BigDecimal old = number(column, before, former);
        value = old == null ? value : value == null ? old.negate() : value.subtract(old);
      }
    } else if (members == Members.TAKEN_BACK) {
      value = value == null ? null : value.negate();
    }
    if (value == null) {
      result.row().addNull(names[column]);
      return;
    }
    Long whole = value.scale() == 0 ? Numbers.integer(value) : null;
    if (whole != null) {
      result.row().addLong(names[column], whole);
    } else {
      result.row().addText(names[column], FieldRow.Kind.DECIMAL, value.toPlainString());
    }
  }

  /** Null for NULL. */
  private @Nullable BigDecimal number(int column, FieldRow row, int field)
      throws BadMessageException {
    if (field < 0 || row.kind(field) == FieldRow.Kind.NULL) {
      return null;
    }
    BigDecimal number =
        switch (row.kind(field)) {
          case LONG -> BigDecimal.valueOf(row.longValue(field));
          case DECIMAL, TEXT -> Numbers.decimal(row.buffer(), row.offset(field), row.length(field));
          case DOUBLE ->
              Double.isFinite(row.doubleValue(field))
                  ? BigDecimal.valueOf(row.doubleValue(field))
                  : null;
          default -> null;
        };
    // 1e999999999 is eleven characters long, and a gigabyte of digits.
    if (number == null || Math.abs((long) number.scale()) > DIGITS_MAX) {
      throw new BadMessageException(
          Reason.VALUE,
          "Field "
              + fields[column]
              + ": "
              + RowWriter.shown(row, field)
              + " can't be added up in column "
              + names[column]
              + ": it is no number, or one without end.");
    }
    return number;
  }

  /** What the message's schema declares, by the wide table's names. */
  private @Nullable MessageColumns renamed(@Nullable MessageColumns declared) {
    if (declared == null || declared == told) {
      return declared == null ? null : renamed;
    }
    List<MessageColumn> columns = new ArrayList<>();
    for (int i = 0; i < names.length; i++) {
      for (MessageColumn column : declared.columns()) {
        if (column.name().equals(fields[i])) {
          SourceColumn source = column.source();
          columns.add(
              new MessageColumn(
                  names[i],
                  column.type(),
                  !isKey[i],
                  source == null ? null : renamed(source, names[i], !isKey[i])));
        }
      }
    }
    told = declared;
    renamed = new MessageColumns(columns);
    return renamed;
  }

  private static SourceColumn renamed(SourceColumn column, String name, boolean nullable) {
    return new SourceColumn(
        name,
        column.typeName(),
        column.length(),
        column.scale(),
        nullable,
        column.charset(),
        column.labels(),
        null,
        column.lakeType());
  }
}
