package io.sluice.lsm.datafile.column;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.binary.Boxed;
import io.sluice.lsm.binary.Casts;
import io.sluice.lsm.datafile.column.Column.BytesColumn;
import io.sluice.lsm.datafile.column.Column.DoubleColumn;
import io.sluice.lsm.datafile.column.Column.LongColumn;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.TypeRoot;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * A column of an older schema's type as the reading schema's type. What keeps every value and has a
 * simple loop is done in one; everything else goes value by value through {@link Casts}.
 */
public interface ColumnCast {

  /** Gives the column itself where nothing changes. */
  Column apply(Column column, int size);

  ColumnCast SAME = (column, size) -> column;

  /** The cast of a column; UnsupportedTableException names it where there is none. */
  static ColumnCast of(DataField stored, DataField wanted, String path) {
    ColumnCast fast = Loops.of(stored.type(), wanted.type());
    if (fast != null) {
      return fast;
    }
    Casts.Cast cast = Casts.of(stored.type(), wanted.type());
    if (cast == null) {
      throw new UnsupportedTableException(
          "Column "
              + wanted.name()
              + " of type "
              + wanted.type()
              + " is stored in "
              + path
              + " as "
              + stored.type()
              + ", and this engine does not convert that. Compact the table fully with an engine"
              + " that does.");
    }
    return byValue(cast, stored.type(), wanted.type());
  }

  private static ColumnCast byValue(Casts.Cast cast, DataType from, DataType to) {
    return (column, size) -> {
      BatchRow view = new BatchRow(1);
      view.bind(0, column);
      Column result = Column.allocate(to, size);
      BinaryRowWriter writer = new BinaryRowWriter(1);
      for (int i = 0; i < size; i++) {
        view.position = i;
        Object value = Boxed.read(view, 0, from);
        Object made = value == null ? null : cast.apply(value);
        if (made == null) {
          result.setNull(i, size);
        } else if (to.root().isNested()) {
          byte[] bytes = Boxed.nested(to, made);
          ((BytesColumn) result).set(i, bytes, 0, bytes.length);
        } else {
          writer.reset();
          Boxed.write(writer, 0, to, made);
          BinaryRow row = writer.finish(RowKind.INSERT);
          result.copy(row, 0, i, to);
        }
      }
      return result;
    };
  }

  /** Casts of whole columns. */
  final class Loops {

    private static final int[] INTEGER_DIGITS = {3, 5, 10, 19};

    private Loops() {}

    static @Nullable ColumnCast of(DataType from, DataType to) {
      TypeRoot source = from.root();
      TypeRoot target = to.root();
      int sourceWidth = integerWidth(source);
      int targetWidth = integerWidth(target);
      if (sourceWidth >= 0) {
        if (targetWidth >= sourceWidth) {
          return SAME;
        }
        if (target == TypeRoot.DOUBLE && sourceWidth <= 2
            || target == TypeRoot.FLOAT && sourceWidth <= 1) {
          return integerToDouble();
        }
        if (to instanceof DecimalType decimal
            && decimal.compact()
            && decimal.precision() - decimal.scale() >= INTEGER_DIGITS[sourceWidth]) {
          return scaled(0, decimal);
        }
        return null;
      }
      return switch (source) {
        case BOOLEAN, DATE, TIME -> source == target ? SAME : null;
        case FLOAT -> target == TypeRoot.FLOAT || target == TypeRoot.DOUBLE ? SAME : null;
        case DOUBLE -> target == TypeRoot.DOUBLE ? SAME : null;
        case CHAR, VARCHAR ->
            target == TypeRoot.VARCHAR && notShorter(from, to) || same(from, to) ? SAME : null;
        case BINARY, VARBINARY ->
            target == TypeRoot.VARBINARY && notShorter(from, to) || same(from, to) ? SAME : null;
        case TIMESTAMP, TIMESTAMP_LTZ ->
            source == target && ((TemporalType) to).precision() >= ((TemporalType) from).precision()
                ? SAME
                : null;
        case DECIMAL -> decimal((DecimalType) from, to);
        case ARRAY, MAP, MULTISET, ROW -> same(from, to) ? SAME : null;
        case TINYINT, SMALLINT, INT, BIGINT, VARIANT -> null;
      };
    }

    private static boolean same(DataType from, DataType to) {
      return from.withNullable(true).equals(to.withNullable(true));
    }

    private static int integerWidth(TypeRoot root) {
      return switch (root) {
        case TINYINT -> 0;
        case SMALLINT -> 1;
        case INT -> 2;
        case BIGINT -> 3;
        default -> -1;
      };
    }

    private static boolean notShorter(DataType from, DataType to) {
      return ((LengthType) to).length() >= ((LengthType) from).length();
    }

    private static @Nullable ColumnCast decimal(DecimalType from, DataType to) {
      if (!(to instanceof DecimalType wider)
          || wider.scale() < from.scale()
          || wider.precision() - wider.scale() < from.precision() - from.scale()) {
        return null;
      }
      if (wider.compact()) {
        return wider.scale() == from.scale() ? SAME : scaled(from.scale(), wider);
      }
      // Above 18 digits columns hold numbers without a fixed scale.
      return from.compact() ? null : SAME;
    }

    private static ColumnCast integerToDouble() {
      return (column, size) -> {
        long[] in = ((LongColumn) column).values;
        double[] out = new double[size];
        for (int i = 0; i < size; i++) {
          out[i] = in[i];
        }
        return withNulls(column, new DoubleColumn(out));
      };
    }

    private static ColumnCast scaled(int scale, DecimalType to) {
      long factor = BigDecimal.TEN.pow(to.scale() - scale).longValueExact();
      return (column, size) -> {
        long[] in = ((LongColumn) column).values;
        long[] out = new long[size];
        boolean[] nulls = column.nulls;
        for (int i = 0; i < size; i++) {
          if (nulls == null || !nulls[i]) {
            out[i] = Math.multiplyExact(in[i], factor);
          }
        }
        return withNulls(column, new LongColumn(out));
      };
    }

    private static Column withNulls(Column from, Column to) {
      to.nulls = from.nulls;
      return to;
    }
  }
}
