package io.sluice.lsm.write;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TypeRoot;

/** Copies some columns of a row into a binary row of their own, in the order asked for. */
final class ColumnCopier {

  private final int[] columns;
  private final DataType[] types;
  private final BinaryRowWriter writer;
  private final BytesView view = new BytesView();

  ColumnCopier(RowType rowType, int[] columns) {
    this.columns = columns.clone();
    this.types = new DataType[columns.length];
    for (int i = 0; i < columns.length; i++) {
      types[i] = rowType.type(columns[i]);
    }
    this.writer = new BinaryRowWriter(columns.length);
  }

  /** A view, good until the next call. */
  BinaryRow copy(Row row) {
    writer.reset();
    for (int i = 0; i < columns.length; i++) {
      copyColumn(row, columns[i], i);
    }
    return writer.finish(RowKind.INSERT);
  }

  private void copyColumn(Row row, int from, int to) {
    DataType type = types[to];
    if (row.isNullAt(from)) {
      if (type instanceof DecimalType decimal) {
        writer.setNullDecimal(to, decimal.precision());
      } else if (type instanceof TemporalType temporal && temporal.root() != TypeRoot.TIME) {
        writer.setNullTimestamp(to, temporal.precision());
      } else {
        writer.setNull(to);
      }
      return;
    }
    switch (type.root()) {
      case BOOLEAN -> writer.writeBoolean(to, row.getBoolean(from));
      case TINYINT -> writer.writeByte(to, row.getByte(from));
      case SMALLINT -> writer.writeShort(to, row.getShort(from));
      case INT, DATE, TIME -> writer.writeInt(to, row.getInt(from));
      case BIGINT -> writer.writeLong(to, row.getLong(from));
      case FLOAT -> writer.writeFloat(to, row.getFloat(from));
      case DOUBLE -> writer.writeDouble(to, row.getDouble(from));
      case CHAR, VARCHAR, BINARY, VARBINARY -> {
        row.getBytes(from, view);
        writer.writeBytes(to, view.array, view.offset, view.length);
      }
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        if (decimal.compact()) {
          writer.writeDecimalUnscaled(to, row.getDecimalUnscaled(from));
        } else {
          writer.writeDecimal(
              to, row.getDecimal(from, decimal.precision(), decimal.scale()), decimal.precision());
        }
      }
      case TIMESTAMP, TIMESTAMP_LTZ -> {
        int precision = ((TemporalType) type).precision();
        writer.writeTimestamp(
            to,
            row.getTimestampMillis(from, precision),
            row.getNanoOfMilli(from, precision),
            precision);
      }
      case ARRAY, MAP, MULTISET, ROW, VARIANT ->
          throw new IllegalArgumentException(type.root() + " cannot be a key column");
    }
  }
}
