package io.sluice.evolution;

import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.MultisetType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import java.util.ArrayList;
import java.util.List;

/** Ids of fields inside of columns: in a table each is there once, as those of columns are. */
final class NestedIds {

  private int highest;

  /**
   * @param highest the largest id that the table has had
   */
  NestedIds(int highest) {
    this.highest = highest;
  }

  int highest() {
    return highest;
  }

  /** The type with new ids for all fields inside. */
  DataType renumbered(DataType type) {
    if (type instanceof ArrayType array) {
      return new ArrayType(renumbered(array.element()), array.nullable());
    }
    if (type instanceof MultisetType multiset) {
      return new MultisetType(renumbered(multiset.element()), multiset.nullable());
    }
    if (type instanceof MapType map) {
      return new MapType(renumbered(map.key()), renumbered(map.value()), map.nullable());
    }
    if (type instanceof NestedRowType row) {
      List<DataField> fields = new ArrayList<>();
      for (DataField field : row.fields()) {
        int id = ++highest;
        fields.add(
            new DataField(
                id,
                field.name(),
                renumbered(field.type()),
                field.description(),
                field.defaultValue()));
      }
      return new NestedRowType(fields, row.nullable());
    }
    return type;
  }

  /** Whether two types are equal but for ids inside. */
  static boolean same(DataType one, DataType other) {
    return one.root() == other.root()
        && one.root().isNested()
        && new NestedIds(0).renumbered(one).equals(new NestedIds(0).renumbered(other));
  }
}
