package io.sluice.lsm.binary;

import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.RowType;
import java.util.List;

/**
 * Copies chosen columns of any {@link Row} into a {@link BinaryRow}: keys, partitions, bucket keys,
 * whole rows. One thread at a time: the result is a view of one reused buffer.
 */
public final class BinaryRowProjection {

  private final int[] sources;
  private final DataType[] types;
  private final BinaryRowWriter writer;
  private final BytesView bytes = new BytesView();

  /**
   * @param type of the rows that are projected
   * @param columns positions in it, in the order wanted
   */
  public BinaryRowProjection(RowType type, int[] columns) {
    this.sources = columns.clone();
    this.types = new DataType[columns.length];
    for (int i = 0; i < columns.length; i++) {
      types[i] = type.type(columns[i]);
      if (types[i].root().isNested()) {
        throw new IllegalArgumentException(
            "Column "
                + type.field(columns[i]).name()
                + " of type "
                + types[i].root()
                + " can't be copied");
      }
    }
    this.writer = new BinaryRowWriter(columns.length);
  }

  public BinaryRowProjection(RowType type, List<String> columns) {
    this(type, type.positions(columns));
  }

  private BinaryRowProjection(int[] sources, DataType[] types) {
    this.sources = sources;
    this.types = types;
    this.writer = new BinaryRowWriter(sources.length);
  }

  /**
   * The other way round: whole rows from rows that hold only these columns, in this order; the
   * others become NULL.
   */
  public static BinaryRowProjection ofPart(RowType type, List<String> columns) {
    int[] sources = new int[type.size()];
    DataType[] types = new DataType[type.size()];
    for (int i = 0; i < sources.length; i++) {
      sources[i] = columns.indexOf(type.field(i).name());
      types[i] = type.type(i);
    }
    return new BinaryRowProjection(sources, types);
  }

  /** All columns. */
  public BinaryRowProjection(RowType type) {
    this(type, java.util.stream.IntStream.range(0, type.size()).toArray());
  }

  /** The chosen columns, kind +I: a view that the next call changes. */
  public BinaryRow apply(Row row) {
    return apply(row, RowKind.INSERT);
  }

  /** The chosen columns with a kind: a view that the next call changes. */
  public BinaryRow apply(Row row, RowKind kind) {
    writer.reset();
    for (int i = 0; i < sources.length; i++) {
      copy(row, sources[i], i, types[i]);
    }
    return writer.finish(kind);
  }

  private void copy(Row row, int from, int to, DataType type) {
    if (from < 0 || row.isNullAt(from)) {
      setNull(to, type);
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
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        if (decimal.compact()) {
          writer.writeDecimalUnscaled(to, row.getDecimalUnscaled(from));
        } else {
          writer.writeDecimal(
              to, row.getDecimal(from, decimal.precision(), decimal.scale()), decimal.precision());
        }
      }
      case CHAR, VARCHAR, BINARY, VARBINARY -> {
        row.getBytes(from, bytes);
        writer.writeBytes(to, bytes.array, bytes.offset, bytes.length);
      }
      case TIMESTAMP, TIMESTAMP_LTZ -> {
        int precision = ((TemporalType) type).precision();
        writer.writeTimestamp(
            to,
            row.getTimestampMillis(from, precision),
            row.getNanoOfMilli(from, precision),
            precision);
      }
      case ARRAY, MAP, MULTISET, ROW, VARIANT -> throw new AssertionError(type.root());
    }
  }

  private void setNull(int to, DataType type) {
    switch (type.root()) {
      case DECIMAL -> writer.setNullDecimal(to, ((DecimalType) type).precision());
      case TIMESTAMP, TIMESTAMP_LTZ ->
          writer.setNullTimestamp(to, ((TemporalType) type).precision());
      default -> writer.setNull(to);
    }
  }
}
