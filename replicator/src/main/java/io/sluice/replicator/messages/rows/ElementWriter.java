package io.sluice.replicator.messages.rows;

import io.sluice.lsm.binary.BinaryArray;
import io.sluice.lsm.binary.BinaryArrayWriter;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowProjection;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.RowType;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.rows.RowColumns.NumbersAsTimes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a source as elements of an array. One that is gone is an element, too, with its key,
 * NULLs and the last field true: a retract would be lost where a merge begins with it (decision
 * 0012). One thread.
 */
final class ElementWriter {

  private final PartRow.Elements elements;
  private final int fields;
  private final String[] sources;
  private final boolean[] isKey;
  private final ValueWriter[] writers;
  private final BinaryRowWriter row;
  private final BinaryRowProjection key;
  private final BinaryArrayWriter array;

  ElementWriter(PartRow.Elements elements, NumbersAsTimes numbers) {
    List<DataField> all = elements.fields();
    this.elements = elements;
    this.fields = all.size() - 1;
    this.sources = new String[fields];
    this.isKey = new boolean[fields];
    this.writers = new ValueWriter[fields];
    for (int i = 0; i < fields; i++) {
      String name = all.get(i).name();
      String source = elements.sources().get(name);
      if (source == null) {
        throw new IllegalArgumentException("Field " + name + " of an element has no source");
      }
      sources[i] = source;
      isKey[i] = elements.key().contains(name);
      writers[i] = new ValueWriter(all.get(i).type(), numbers);
    }
    this.row = new BinaryRowWriter(all.size());
    this.key = new BinaryRowProjection(new RowType(all), elements.key());
    this.array = new BinaryArrayWriter(new NestedRowType(all, true));
  }

  /**
   * The array for a row as it is now.
   *
   * @param before its former values, or those of them that changed; null: there are none, or they
   *     don't matter
   * @throws BadMessageException a key field has no value, or a value doesn't fit
   */
  BinaryArray present(FieldRow now, @Nullable FieldRow before) throws BadMessageException {
    BinaryRow element = element(now, null, false).copy();
    if (before != null) {
      BinaryRow former = element(now, before, true).copy();
      BinaryRow formerKey = key.apply(former).copy();
      if (!formerKey.equals(key.apply(element))) {
        return arrayOf(former, element);
      }
    }
    return arrayOf(element);
  }

  /**
   * The array for a row that is gone.
   *
   * @param before values to be looked at first; null: only those of {@code now}
   */
  BinaryArray gone(FieldRow now, @Nullable FieldRow before) throws BadMessageException {
    return arrayOf(element(now, before, true));
  }

  private BinaryArray arrayOf(BinaryRow... rows) {
    array.reset(rows.length);
    for (int i = 0; i < rows.length; i++) {
      array.writeNested(i, rows[i].array(), rows[i].offset(), rows[i].length());
    }
    return array.finish();
  }

  private BinaryRow element(FieldRow now, @Nullable FieldRow before, boolean deleted)
      throws BadMessageException {
    row.reset();
    for (int i = 0; i < fields; i++) {
      if (deleted && !isKey[i]) {
        writers[i].writeNull(row, i);
        continue;
      }
      FieldRow from = now;
      int field = -1;
      if (before != null) {
        from = before;
        field = before.position(sources[i]);
      }
      if (field < 0) {
        from = now;
        field = now.position(sources[i]);
      }
      write(i, from, field);
    }
    row.writeBoolean(fields, deleted);
    return row.finish(RowKind.INSERT);
  }

  private void write(int i, FieldRow from, int field) throws BadMessageException {
    if (field < 0 || from.kind(field) == FieldRow.Kind.NULL) {
      if (isKey[i]) {
        throw new BadMessageException(
            Reason.KEY,
            name(i) + " tells elements apart, and field " + sources[i] + " " + absence(field));
      }
      writers[i].writeNull(row, i);
    } else if (!writers[i].write(row, i, from, field)) {
      throw new BadMessageException(
          Reason.VALUE,
          "Field "
              + sources[i]
              + ": "
              + RowWriter.shown(from, field)
              + " can't be held exactly by "
              + name(i)
              + " ("
              + writers[i].type()
              + "). Give it a wider type in nested of a new table.");
    }
  }

  private static String absence(int field) {
    return field < 0 ? "is not in the message." : "is null.";
  }

  private String name(int i) {
    return elements.column() + "." + elements.fields().get(i).name();
  }
}
