package io.sluice.lsm.schema;

import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.LengthType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the values of one column: the options {@code fields.<column>.aggregate-function}
 * and {@code fields.default-aggregate-function}. Source: Paimon 1.4.2, {@code
 * FieldAggregatorFactory} and its implementations; there is no {@code count} among them.
 */
public enum AggregateFunction {
  SUM("sum", Retract.TAKES_AWAY),
  PRODUCT("product", Retract.TAKES_AWAY),
  MAX("max", Retract.REFUSED),
  MIN("min", Retract.REFUSED),
  LAST_VALUE("last_value", Retract.TAKES_AWAY),
  LAST_NON_NULL_VALUE("last_non_null_value", Retract.TAKES_AWAY),
  FIRST_VALUE("first_value", Retract.REFUSED),
  FIRST_NON_NULL_VALUE("first_non_null_value", Retract.REFUSED),
  LISTAGG("listagg", Retract.REFUSED),
  BOOL_AND("bool_and", Retract.REFUSED),
  BOOL_OR("bool_or", Retract.REFUSED),
  /** The newest record's value, that of a retract too: what key columns have. */
  PRIMARY_KEY("primary-key", Retract.TAKES_AWAY),
  COLLECT("collect", Retract.TAKES_AWAY),
  MERGE_MAP("merge_map", Retract.TAKES_AWAY),
  MERGE_MAP_WITH_KEYTIME("merge_map_with_keytime", Retract.REFUSED),
  NESTED_UPDATE("nested_update", Retract.TAKES_AWAY),
  NESTED_PARTIAL_UPDATE("nested_partial_update", Retract.REFUSED),
  HLL_SKETCH("hll_sketch", Retract.REFUSED),
  THETA_SKETCH("theta_sketch", Retract.REFUSED),
  RBM32("rbm32", Retract.REFUSED),
  RBM64("rbm64", Retract.REFUSED);

  /** What a -U or -D does to the value. */
  public enum Retract {
    TAKES_AWAY,
    /** Such a record can't be merged, unless {@code ignore-retract} is set. */
    REFUSED
  }

  private final String text;
  private final Retract retract;

  AggregateFunction(String text, Retract retract) {
    this.text = text;
    this.retract = retract;
  }

  /** The word of the option. */
  public String text() {
    return text;
  }

  /** What a retract does to a column of a type. */
  Retract retract(DataType type, MergeOptions.NestedRows nested) {
    if (type instanceof ArrayType array) {
      // Equal bytes and nested values are different ones to Paimon: nothing could be found.
      if (this == COLLECT && !comparable(array.element())) {
        return Retract.REFUSED;
      }
      // Nor does it find a NaN; it takes 0.0 for -0.0.
      if (this == NESTED_UPDATE
          && nested.key().isEmpty()
          && array.element() instanceof NestedRowType row
          && !row.fields().stream().map(DataField::type).allMatch(AggregateFunction::exact)) {
        return Retract.REFUSED;
      }
    }
    return retract;
  }

  private static boolean exact(DataType type) {
    return comparable(type) && type.root() != TypeRoot.FLOAT && type.root() != TypeRoot.DOUBLE;
  }

  /** The function of that name, an older name too; null if Paimon 1.4 has none. */
  static @Nullable AggregateFunction named(String name) {
    if (name.equals("first_not_null_value")) {
      return FIRST_NON_NULL_VALUE;
    }
    for (AggregateFunction function : values()) {
      if (function.text.equals(name)) {
        return function;
      }
    }
    return null;
  }

  /** Why this engine does not compute it, to be read after its name; null if it does. */
  @Nullable String lacking(DataType type, boolean distinct) {
    return switch (this) {
      case HLL_SKETCH, THETA_SKETCH, RBM32, RBM64 -> "needs a sketch library";
      case MERGE_MAP_WITH_KEYTIME -> "keeps a time for each key of a map";
      case COLLECT ->
          distinct && type instanceof ArrayType array && !comparable(array.element())
              ? "has to tell elements of type " + array.element().root() + " apart"
              : null;
      case MERGE_MAP ->
          type instanceof MapType map && !comparable(map.key())
              ? "has to tell keys of type " + map.key().root() + " apart"
              : null;
      case SUM,
          PRODUCT,
          MAX,
          MIN,
          LAST_VALUE,
          LAST_NON_NULL_VALUE,
          FIRST_VALUE,
          FIRST_NON_NULL_VALUE,
          LISTAGG,
          BOOL_AND,
          BOOL_OR,
          PRIMARY_KEY,
          NESTED_UPDATE,
          NESTED_PARTIAL_UPDATE ->
          null;
    };
  }

  private static boolean comparable(DataType type) {
    return !type.root().isBytes() && !type.root().isNested();
  }

  /** The types it works on, if the given one is not among them; null if it is. */
  @Nullable String otherTypesThan(DataType type) {
    return switch (this) {
      case SUM, PRODUCT -> type.root().isNumeric() ? null : "a numeric column";
      // Paimon takes BOOLEAN here, but then can't compare two values.
      case MAX, MIN ->
          type.root().isNested() || type.root() == TypeRoot.BOOLEAN
              ? "a column whose values have an order"
              : null;
      case BOOL_AND, BOOL_OR -> type.root() == TypeRoot.BOOLEAN ? null : "a BOOLEAN column";
      case LISTAGG ->
          type.root() == TypeRoot.VARCHAR && ((LengthType) type).length() == DataType.MAX_LENGTH
              ? null
              : "a STRING column";
      case COLLECT -> type.root() == TypeRoot.ARRAY ? null : "an ARRAY column";
      case NESTED_UPDATE, NESTED_PARTIAL_UPDATE ->
          type instanceof ArrayType array && array.element() instanceof NestedRowType
              ? null
              : "an ARRAY of ROW column";
      case MERGE_MAP, MERGE_MAP_WITH_KEYTIME -> type.root() == TypeRoot.MAP ? null : "a MAP column";
      case HLL_SKETCH, THETA_SKETCH, RBM32, RBM64 ->
          type.root() == TypeRoot.VARBINARY ? null : "a VARBINARY column";
      case LAST_VALUE, LAST_NON_NULL_VALUE, FIRST_VALUE, FIRST_NON_NULL_VALUE, PRIMARY_KEY -> null;
    };
  }
}
