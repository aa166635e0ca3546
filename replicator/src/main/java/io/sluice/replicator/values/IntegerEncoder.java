package io.sluice.replicator.values;

import io.sluice.evolution.SourceKind;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.schema.TypeRoot;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Integers and YEAR to BOOLEAN and the integer types. */
final class IntegerEncoder extends TextRowEncoder {

  private final TypeRoot root;
  private final boolean year;
  private final boolean driverParses;

  IntegerEncoder(ColumnContext context) {
    super(context);
    this.root = context.field().type().root();
    this.year = context.kind() == SourceKind.YEAR;
    this.driverParses =
        context.flavor() == MySqlFlavor.MARIADB
            && !year
            && context.kind() != SourceKind.BIGINT_UNSIGNED;
  }

  @Override
  public void encode(ResultSet row, int index, BinaryRowWriter writer, int field)
      throws SQLException {
    if (!driverParses) {
      super.encode(row, index, writer, field);
      return;
    }
    long value = row.getLong(index);
    if (value == 0 && row.wasNull()) {
      context.writeNull(writer, field);
    } else {
      write(value, writer, field);
    }
  }

  @Override
  void encodeStream(Object value, BinaryRowWriter writer, int field) {
    long number;
    if (value instanceof Integer
        || value instanceof Long
        || value instanceof Short
        || value instanceof Byte) {
      number = ((Number) value).longValue();
    } else if (value instanceof BigDecimal decimal) {
      try {
        number = decimal.longValueExact();
      } catch (ArithmeticException e) {
        throw context.unencodable("the value is outside the lake type's range");
      }
    } else {
      throw context.wrongClass(value);
    }
    // The binlog holds years since 1900 in a byte, 0 for the year 0000; 1900 itself is no YEAR.
    write(year && number == 1900 ? 0 : number, writer, field);
  }

  @Override
  void encodeText(byte[] text, BinaryRowWriter writer, int field) {
    write(Ascii.parseLong(text, context), writer, field);
  }

  private void write(long value, BinaryRowWriter writer, int field) {
    switch (root) {
      case BIGINT -> writer.writeLong(field, value);
      case INT -> {
        checkRange(value == (int) value);
        writer.writeInt(field, (int) value);
      }
      case SMALLINT -> {
        checkRange(value == (short) value);
        writer.writeShort(field, (short) value);
      }
      case TINYINT -> {
        checkRange(value == (byte) value);
        writer.writeByte(field, (byte) value);
      }
      case BOOLEAN -> {
        if (value != 0 && value != 1) {
          throw context.unencodable(
              "the value is neither 0 nor 1; map this column to an integer type");
        }
        writer.writeBoolean(field, value == 1);
      }
      default -> throw new IllegalStateException("Not an integer type: " + root);
    }
  }

  private void checkRange(boolean fits) {
    if (!fits) {
      throw context.unencodable("the value is outside the lake type's range");
    }
  }
}
