package io.sluice.evolution;

import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.TypeRoot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which lake type holds the values of two others, each exactly as it was. A step is here only if
 * readers of the table format read files of the old type under the new one. Pure.
 */
public final class TypeLattice {

  private static final List<TypeRoot> INTEGERS =
      List.of(TypeRoot.TINYINT, TypeRoot.SMALLINT, TypeRoot.INT, TypeRoot.BIGINT);

  private TypeLattice() {}

  /** The least type for the values of both, nullable; null if there is none. */
  public static @Nullable DataType join(DataType one, DataType other) {
    DataType a = one.withNullable(true);
    DataType b = other.withNullable(true);
    if (a.equals(b)) {
      return a;
    }
    int first = INTEGERS.indexOf(a.root());
    int second = INTEGERS.indexOf(b.root());
    if (first >= 0 && second >= 0) {
      return first > second ? a : b;
    }
    if (a.root() == b.root() && (a.root() == TypeRoot.VARCHAR || a.root() == TypeRoot.VARBINARY)) {
      return ((LengthType) a).length() > ((LengthType) b).length() ? a : b;
    }
    return null;
  }
}
