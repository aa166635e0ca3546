package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.TypeRoot;
import java.math.BigDecimal;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DecimalColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;

/**
 * Values of an older schema's type as the reading schema's type. Only conversions that keep every
 * value exactly are made; the others are refused by name.
 */
final class OrcConversions {

  private static final int[] INTEGER_DIGITS = {3, 5, 10, 19};

  private OrcConversions() {}

  /** Turns a vector of the file into one of the reading type; the same one if nothing changes. */
  interface Conversion {
    ColumnVector apply(ColumnVector vector, int size);
  }

  static final Conversion SAME = (vector, size) -> vector;

  /** The conversion of a column; UnsupportedTableException names it where there is none. */
  static Conversion of(DataField from, DataField to, String path) {
    Conversion conversion = find(from.type(), to.type());
    if (conversion == null) {
      throw new UnsupportedTableException(
          "Column "
              + to.name()
              + " of type "
              + to.type()
              + " is stored in "
              + path
              + " as "
              + from.type()
              + ", and this engine does not convert that. Compact the table fully with an engine"
              + " that does.");
    }
    return conversion;
  }

  private static @org.jspecify.annotations.Nullable Conversion find(DataType from, DataType to) {
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
          && decimal.precision() - decimal.scale() >= INTEGER_DIGITS[sourceWidth]) {
        return toDecimal(0, decimal);
      }
      return null;
    }
    return switch (source) {
      case BOOLEAN, DATE, TIME -> source == target ? SAME : null;
      case FLOAT -> target == TypeRoot.FLOAT || target == TypeRoot.DOUBLE ? SAME : null;
      case DOUBLE -> target == TypeRoot.DOUBLE ? SAME : null;
      case CHAR -> target == TypeRoot.CHAR || target == TypeRoot.VARCHAR ? longer(from, to) : null;
      case VARCHAR -> target == TypeRoot.VARCHAR ? longer(from, to) : null;
      case BINARY, VARBINARY ->
          target == source || target == TypeRoot.VARBINARY ? longer(from, to) : null;
      case TIMESTAMP, TIMESTAMP_LTZ ->
          source == target && ((TemporalType) to).precision() >= ((TemporalType) from).precision()
              ? SAME
              : null;
      case DECIMAL -> decimal((DecimalType) from, to);
      case TINYINT, SMALLINT, INT, BIGINT, ARRAY, MAP, MULTISET, ROW, VARIANT -> null;
    };
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

  private static @org.jspecify.annotations.Nullable Conversion longer(DataType from, DataType to) {
    return ((LengthType) to).length() >= ((LengthType) from).length() ? SAME : null;
  }

  private static @org.jspecify.annotations.Nullable Conversion decimal(
      DecimalType from, DataType to) {
    if (!(to instanceof DecimalType wider)
        || wider.scale() < from.scale()
        || wider.precision() - wider.scale() < from.precision() - from.scale()) {
      return null;
    }
    boolean sameForm = wider.scale() == from.scale() && wider.compact() == from.compact();
    // Above 18 digits vectors hold numbers without a fixed scale.
    if (sameForm || !wider.compact() && !from.compact()) {
      return SAME;
    }
    return toDecimal(from.scale(), wider);
  }

  private static Conversion integerToDouble() {
    return (vector, size) -> {
      long[] in = ((LongColumnVector) vector).vector;
      DoubleColumnVector out = new DoubleColumnVector(size);
      for (int i = 0; i < size; i++) {
        out.vector[i] = in[i];
      }
      return withNulls(vector, out);
    };
  }

  private static Conversion toDecimal(int scale, DecimalType to) {
    if (to.compact()) {
      long factor = BigDecimal.TEN.pow(to.scale() - scale).longValueExact();
      return (vector, size) -> {
        long[] in = ((LongColumnVector) vector).vector;
        LongColumnVector out = new LongColumnVector(size);
        for (int i = 0; i < size; i++) {
          if (vector.noNulls || !vector.isNull[i]) {
            out.vector[i] = Math.multiplyExact(in[i], factor);
          }
        }
        return withNulls(vector, out);
      };
    }
    return (vector, size) -> {
      long[] in = ((LongColumnVector) vector).vector;
      DecimalColumnVector out = new DecimalColumnVector(size, to.precision(), to.scale());
      for (int i = 0; i < size; i++) {
        if (vector.noNulls || !vector.isNull[i]) {
          out.vector[i].set(HiveDecimal.create(BigDecimal.valueOf(in[i], scale)));
        }
      }
      return withNulls(vector, out);
    };
  }

  private static ColumnVector withNulls(ColumnVector from, ColumnVector to) {
    to.noNulls = from.noNulls;
    to.isNull = from.isNull;
    return to;
  }
}
