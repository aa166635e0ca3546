package io.sluice.replicator.sources.debezium;

import io.sluice.config.WidePart;
import io.sluice.config.WidePart.OnDelete;
import io.sluice.evolution.SourceColumn;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.RowType;
import io.sluice.replicator.backfill.CopiedTable.Version;
import io.sluice.replicator.values.UnencodableValueException;
import io.sluice.replicator.values.ValueEncoder;
import io.sluice.replicator.values.ValueEncoders;
import io.sluice.replicator.wide.tables.TablePart;
import io.sluice.sinks.ChangeInput;
import java.util.Objects;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.jspecify.annotations.Nullable;

/**
 * A source table's row images as rows of one part of a wide table, compiled for one version of both
 * schemas. Each row sets all columns of the part, NULLs too, if its sequence columns are not below
 * those of the wide row. A row whose key has a NULL belongs to no wide row. One thread.
 */
final class PartWriter {

  private final TablePart table;
  private final WidePart part;
  private final Version version;
  private final RowType lake;
  private final @Nullable String[] names;
  private final @Nullable ValueEncoder[] encoders;
  private final boolean[] stays;
  private final BinaryRowWriter writer;

  /**
   * @param image schema of the before and after images
   * @throws UnencodableValueException if a column can't be written to the wide table's
   */
  PartWriter(Schema image, TablePart table, Version version, ValueEncoders compiler) {
    this.table = table;
    this.part = table.part();
    this.version = version;
    this.lake = version.target().lakeSchema().rowType();
    this.names = new String[lake.size()];
    this.encoders = new ValueEncoder[lake.size()];
    this.stays = new boolean[lake.size()];
    for (int i = 0; i < names.length; i++) {
      SourceColumn column = version.fillers().get(i);
      if (column == null) {
        continue;
      }
      if (image.field(column.name()) == null) {
        throw new IllegalStateException(
            "The rows of " + table + " have no column " + column.name());
      }
      names[i] = column.name();
      encoders[i] = compiler.compile(table.source(), column, version.field(i));
    }
    version.rows().keyFields().forEach(i -> stays[i] = true);
    version.rows().neededFields().forEach(i -> stays[i] = true);
    this.writer = new BinaryRowWriter(lake.size());
  }

  TablePart table() {
    return table;
  }

  void inserted(Struct after, long micros, ChangeInput input) {
    add(after, RowKind.INSERT, true, micros, input);
  }

  void updated(Struct before, Struct after, long micros, ChangeInput input) {
    if (part.onDelete() != OnDelete.IGNORE && movesKey(before, after)) {
      ended(before, micros, input);
    }
    add(after, RowKind.UPDATE_AFTER, true, micros, input);
  }

  void deleted(Struct before, long micros, ChangeInput input) {
    if (part.onDelete() != OnDelete.IGNORE) {
      ended(before, micros, input);
    }
  }

  /** The part's columns become NULL, by a row like any other; or the wide row goes. */
  private void ended(Struct before, long micros, ChangeInput input) {
    RowKind kind = part.onDelete() == OnDelete.DELETE_ROW ? RowKind.DELETE : RowKind.UPDATE_AFTER;
    add(before, kind, false, micros, input);
  }

  private boolean movesKey(Struct before, Struct after) {
    for (int i : version.rows().keyFields()) {
      String name = Objects.requireNonNull(names[i]);
      if (!Objects.deepEquals(before.getWithoutDefault(name), after.getWithoutDefault(name))) {
        return true;
      }
    }
    return false;
  }

  private void add(Struct image, RowKind kind, boolean members, long micros, ChangeInput input) {
    writer.reset();
    int counter = version.rows().counterField();
    for (int i = 0; i < names.length; i++) {
      ValueEncoder encoder = encoders[i];
      if (encoder != null && (members || stays[i])) {
        encoder.encode(image.getWithoutDefault(names[i]), writer, i);
      } else if (i == counter) {
        writer.writeLong(i, input.nextNumber());
      } else {
        ValueEncoders.writeNull(writer, i, lake.type(i));
      }
    }
    BinaryRow row = writer.finish(kind);
    for (int field : version.rows().keyFields()) {
      if (row.isNullAt(field)) {
        return;
      }
    }
    for (int field : version.rows().neededFields()) {
      if (row.isNullAt(field)) {
        throw new UnencodableValueException(
            table.source(),
            Objects.requireNonNull(names[field]),
            "A row of "
                + table
                + " has NULL in "
                + names[field]
                + ", which has to tell which of two rows is newer.");
      }
    }
    input.row(version.target(), row, micros);
  }
}
