package io.sluice.replicator.values;

import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceKind;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.schema.DataField;

/** What an encoder knows of its column; says it in errors. */
record ColumnContext(
    MySqlFlavor flavor,
    ZeroDates zeroDates,
    ValueListener listener,
    SourceTableId table,
    SourceColumn column,
    DataField field,
    SourceKind kind) {

  ColumnContext(
      MySqlFlavor flavor,
      ZeroDates zeroDates,
      ValueListener listener,
      SourceTableId table,
      SourceColumn column,
      DataField field) {
    this(flavor, zeroDates, listener, table, column, field, SourceKind.of(column));
  }

  /** Declared fraction digits of a temporal column. */
  int fractionDigits() {
    Integer length = column.length();
    return length == null || length < 0 ? 0 : length;
  }

  void writeNull(BinaryRowWriter writer, int position) {
    if (!field.type().nullable()) {
      throw unencodable("the value is null, and the lake column " + field.name() + " is not");
    }
    ValueEncoders.writeNull(writer, position, field.type());
  }

  /** A zero or partial date: by the policy. */
  void writeZeroDate(BinaryRowWriter writer, int position) {
    if (zeroDates == ZeroDates.FAIL) {
      throw unencodable(
          "a date whose year, month or day is zero; correct the row, or let zero dates become null");
    }
    if (!field.type().nullable()) {
      throw unencodable(
          "a date whose year, month or day is zero, which can only become null, and the lake column "
              + field.name()
              + " is not nullable; correct the row");
    }
    listener.zeroDate(table, column.name());
    ValueEncoders.writeNull(writer, position, field.type());
  }

  UnencodableValueException unencodable(String what) {
    return new UnencodableValueException(
        table,
        column.name(),
        "Column "
            + column.name()
            + " of "
            + table
            + " ("
            + declaredType()
            + " to "
            + field.type()
            + "): "
            + what);
  }

  UnencodableValueException wrongClass(Object value) {
    return unencodable(
        "the stream gave a "
            + value.getClass().getName()
            + ", which is not how this type is read; the reader's properties are wrong");
  }

  private String declaredType() {
    StringBuilder text = new StringBuilder(column.typeName());
    if (column.length() != null) {
      text.append('(').append(column.length());
      if (column.scale() != null) {
        text.append(',').append(column.scale());
      }
      text.append(')');
    }
    return text.toString();
  }
}
