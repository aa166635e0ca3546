package io.sluice.replicator.values;

import io.sluice.evolution.SourceKind;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.schema.TypeRoot;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * FLOAT and DOUBLE. A FLOAT is four bytes in the binlog; as text the server prints six digits of
 * it, so a SELECT reads it widened to a DOUBLE, whose text is exact.
 */
final class FloatingEncoder extends TextRowEncoder {

  private final boolean toFloat;
  private final boolean fromFloat;
  private final boolean driverParses;

  FloatingEncoder(ColumnContext context) {
    super(context);
    this.toFloat = context.field().type().root() == TypeRoot.FLOAT;
    this.fromFloat = context.kind() == SourceKind.FLOAT;
    this.driverParses = context.flavor() == MySqlFlavor.MARIADB;
  }

  @Override
  public void encode(ResultSet row, int index, BinaryRowWriter writer, int field)
      throws SQLException {
    if (!driverParses) {
      super.encode(row, index, writer, field);
      return;
    }
    double value = row.getDouble(index);
    if (value == 0 && row.wasNull()) {
      context.writeNull(writer, field);
    } else {
      write(value, writer, field);
    }
  }

  @Override
  void encodeStream(Object value, BinaryRowWriter writer, int field) {
    // FLOAT(M,D) comes as a Double that holds the four bytes' value.
    if (value instanceof Double || value instanceof Float) {
      write(((Number) value).doubleValue(), writer, field);
    } else {
      throw context.wrongClass(value);
    }
  }

  @Override
  void encodeText(byte[] text, BinaryRowWriter writer, int field) {
    try {
      write(Double.parseDouble(new String(text, StandardCharsets.ISO_8859_1)), writer, field);
    } catch (NumberFormatException e) {
      throw context.unencodable("the server sent text that is not a number");
    }
  }

  private void write(double value, BinaryRowWriter writer, int field) {
    if (fromFloat && (double) (float) value != value) {
      throw context.unencodable("the value is not the one that four bytes hold");
    }
    if (toFloat) {
      writer.writeFloat(field, (float) value);
    } else {
      writer.writeDouble(field, value);
    }
  }
}
