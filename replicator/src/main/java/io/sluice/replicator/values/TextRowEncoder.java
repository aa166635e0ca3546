package io.sluice.replicator.values;

import io.sluice.lsm.binary.BinaryRowWriter;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * An encoder whose SELECT value is the text (or the raw bytes) that the server sent. The drivers
 * hand these out untouched by {@code getBytes}: no object, no zone and no charset in between.
 */
abstract class TextRowEncoder implements ValueEncoder {

  final ColumnContext context;

  TextRowEncoder(ColumnContext context) {
    this.context = context;
  }

  @Override
  public final void encode(@Nullable Object streamValue, BinaryRowWriter writer, int field) {
    if (streamValue == null) {
      encodeStreamNull(writer, field);
    } else {
      encodeStream(streamValue, writer, field);
    }
  }

  @Override
  public void encode(ResultSet row, int index, BinaryRowWriter writer, int field)
      throws SQLException {
    byte[] text = row.getBytes(index);
    if (text == null) {
      context.writeNull(writer, field);
    } else {
      encodeText(text, writer, field);
    }
  }

  void encodeStreamNull(BinaryRowWriter writer, int field) {
    context.writeNull(writer, field);
  }

  abstract void encodeStream(Object value, BinaryRowWriter writer, int field);

  abstract void encodeText(byte[] text, BinaryRowWriter writer, int field);
}
