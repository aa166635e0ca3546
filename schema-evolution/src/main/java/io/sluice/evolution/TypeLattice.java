package io.sluice.evolution;

import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.DecimalType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.DataType.TemporalType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.TypeRoot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which lake type holds the values of two others, each exactly as it was. A step is here only if
 * readers of the table format read files of the old type under the new one. Pure.
 *
 * <pre>
 * TINYINT &lt; SMALLINT &lt; INT &lt; BIGINT
 * TINYINT, SMALLINT &lt; FLOAT;  TINYINT, SMALLINT, INT, FLOAT &lt; DOUBLE
 * integers, DECIMAL(p, s) &lt; DECIMAL with the digits of both before and behind the point, up to 38
 * DATE &lt; TIMESTAMP(p);  TIMESTAMP(p) &lt; TIMESTAMP(q), the same of TIMESTAMP_LTZ
 * VARCHAR(n) &lt; VARCHAR(m), VARBINARY(n) &lt; VARBINARY(m)
 * BOOLEAN, all numbers, VARCHAR, DATE, TIMESTAMP &lt; STRING
 * </pre>
 *
 * <p>Where two types have no lesser one in common it is STRING, for instance for BIGINT and DOUBLE,
 * of which neither holds the other, nor does DECIMAL; or it is none: TIMESTAMP_LTZ (whose text
 * hangs on a time zone), TIME (for which Paimon has no casts), bytes, CHAR, and nested types of
 * other fields.
 */
public final class TypeLattice {

  private static final List<TypeRoot> INTEGERS =
      List.of(TypeRoot.TINYINT, TypeRoot.SMALLINT, TypeRoot.INT, TypeRoot.BIGINT);

  /** Digits of the largest value. */
  private static final int[] INTEGER_DIGITS = {3, 5, 10, 19};

  private TypeLattice() {}

  /** The least type for the values of both, nullable; null if there is none. */
  public static @Nullable DataType join(DataType one, DataType other) {
    DataType a = one.withNullable(true);
    DataType b = other.withNullable(true);
    if (a.equals(b) || NestedIds.same(a, b)) {
      return a;
    }
    if (a.root().isNumeric() && b.root().isNumeric()) {
      return numbers(a, b);
    }
    if (a.root() == b.root()) {
      return switch (a.root()) {
        case VARCHAR, VARBINARY -> ((LengthType) a).length() > ((LengthType) b).length() ? a : b;
        case TIMESTAMP, TIMESTAMP_LTZ ->
            ((TemporalType) a).precision() > ((TemporalType) b).precision() ? a : b;
        default -> null;
      };
    }
    if (a.root() == TypeRoot.DATE && b.root() == TypeRoot.TIMESTAMP) {
      return b;
    }
    if (a.root() == TypeRoot.TIMESTAMP && b.root() == TypeRoot.DATE) {
      return a;
    }
    return hasText(a.root()) && hasText(b.root()) ? DataTypes.STRING : null;
  }

  private static DataType numbers(DataType a, DataType b) {
    int first = INTEGERS.indexOf(a.root());
    int second = INTEGERS.indexOf(b.root());
    if (first >= 0 && second >= 0) {
      return first > second ? a : b;
    }
    if (isFloating(a) || isFloating(b)) {
      return floating(a, b);
    }
    int whole = Math.max(wholeDigits(a), wholeDigits(b));
    int scale = Math.max(scale(a), scale(b));
    return whole + scale <= DecimalType.MAX_PRECISION
        ? DataTypes.decimal(whole + scale, scale)
        : DataTypes.STRING;
  }

  private static DataType floating(DataType a, DataType b) {
    if (isFloating(a) && isFloating(b)) {
      return DataTypes.DOUBLE;
    }
    DataType floating = isFloating(a) ? a : b;
    TypeRoot exact = (isFloating(a) ? b : a).root();
    return switch (exact) {
      // 24 bits of a FLOAT hold 16, the 53 of a DOUBLE hold 32, but not 64.
      case TINYINT, SMALLINT -> floating;
      case INT -> DataTypes.DOUBLE;
      default -> DataTypes.STRING;
    };
  }

  private static boolean isFloating(DataType type) {
    return type.root() == TypeRoot.FLOAT || type.root() == TypeRoot.DOUBLE;
  }

  private static int wholeDigits(DataType type) {
    return type instanceof DecimalType decimal
        ? decimal.precision() - decimal.scale()
        : INTEGER_DIGITS[INTEGERS.indexOf(type.root())];
  }

  private static int scale(DataType type) {
    return type instanceof DecimalType decimal ? decimal.scale() : 0;
  }

  private static boolean hasText(TypeRoot root) {
    return root == TypeRoot.BOOLEAN
        || root.isNumeric()
        || root == TypeRoot.VARCHAR
        || root == TypeRoot.DATE
        || root == TypeRoot.TIMESTAMP;
  }
}
