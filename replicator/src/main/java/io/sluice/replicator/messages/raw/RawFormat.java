package io.sluice.replicator.messages.raw;

import io.sluice.lsm.schema.DataTypes;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.BadMessageException.Reason;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.FieldRow;
import io.sluice.replicator.messages.Message;
import io.sluice.replicator.messages.MessageColumn;
import io.sluice.replicator.messages.MessageColumns;
import io.sluice.replicator.messages.MessageFormat;
import io.sluice.replicator.messages.json.Utf8;
import java.util.List;

/** The value as it is, in one column; one of no bytes, too. A message without a value is no row. */
public final class RawFormat implements MessageFormat {

  /** What the column holds. */
  public enum Type {
    BYTES,
    /** UTF-8; a value that isn't is refused. */
    STRING
  }

  private final String column;
  private final Type type;
  private final MessageColumns columns;
  private final Change change = new Change();

  public RawFormat(String column, Type type) {
    this.column = column.intern();
    this.type = type;
    this.columns =
        new MessageColumns(
            List.of(
                new MessageColumn(
                    this.column,
                    type == Type.BYTES ? DataTypes.BYTES : DataTypes.STRING,
                    true,
                    null)));
  }

  @Override
  public void read(Message message, Changes changes) throws BadMessageException {
    byte[] value = message.value();
    if (value == null) {
      return;
    }
    if (type == Type.STRING) {
      int invalid = Utf8.firstInvalid(value, 0, value.length);
      if (invalid >= 0) {
        throw new BadMessageException(
            Reason.MALFORMED, "Byte " + invalid + " of the value is not UTF-8.");
      }
    }
    change.reset(Change.Kind.UPSERT);
    change.setColumns(columns);
    change
        .row()
        .addSlice(
            column,
            type == Type.BYTES ? FieldRow.Kind.BYTES : FieldRow.Kind.TEXT,
            value,
            0,
            value.length);
    changes.change(change);
  }
}
