package io.sluice.lsm.merge;

import io.sluice.lsm.binary.BinaryArray;
import io.sluice.lsm.binary.Boxed;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.Values;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code collect}: the elements of arrays one after the other. With {@code distinct} each once, in
 * the order of Paimon's hash set. A retract takes one element away for each of its own.
 */
final class CollectAggregate extends Aggregate {

  private final ArrayType type;
  private final DataType element;
  private final boolean distinct;
  private final Value value = new Value();

  CollectAggregate(DataField field, int column, ArrayType type, boolean distinct) {
    super(field, column);
    this.type = type;
    this.element = type.element();
    this.distinct = distinct;
  }

  /** Lets go of what the last key had. */
  @Override
  void reset() {
    value.elements = new ArrayList<>();
  }

  @Override
  Row aggregate(Row accumulated, Row input) {
    boolean none = accumulated.isNullAt(column());
    boolean nothing = input.isNullAt(column());
    if (none && nothing || nothing && !distinct) {
      return accumulated;
    }
    if (none && !distinct) {
      return input;
    }
    if (distinct) {
      Set<ElementKey> set = new HashSet<>();
      for (Row row : List.of(accumulated, input)) {
        elements(row).forEach(each -> set.add(ElementKey.of(each, element)));
      }
      List<@Nullable Object> elements = new ArrayList<>();
      set.forEach(key -> elements.add(key.value()));
      return value.of(elements);
    }
    List<@Nullable Object> more = elements(input);
    List<@Nullable Object> elements =
        accumulated == value ? value.elements : new ArrayList<>(elements(accumulated));
    elements.addAll(more);
    return value.of(elements);
  }

  /** What is there already stays in front. */
  @Override
  Row aggregateLate(Row accumulated, Row input) {
    return aggregate(accumulated, input);
  }

  @Override
  Row retract(Row accumulated, Row input) {
    if (element.root().isNested() || element.root().isBytes()) {
      throw irretractable();
    }
    if (accumulated.isNullAt(column()) || input.isNullAt(column())) {
      return accumulated;
    }
    List<ElementKey> gone = new ArrayList<>();
    elements(input).forEach(each -> gone.add(ElementKey.of(each, element)));
    if (gone.isEmpty()) {
      return accumulated;
    }
    List<@Nullable Object> left = new ArrayList<>();
    for (Object each : elements(accumulated)) {
      if (!gone.remove(ElementKey.of(each, element))) {
        left.add(each);
      }
    }
    return value.of(left);
  }

  private List<@Nullable Object> elements(Row row) {
    if (row == value) {
      return value.elements;
    }
    if (row.isNullAt(column())) {
      return List.of();
    }
    Values array = row.getArray(column());
    List<@Nullable Object> elements = new ArrayList<>(array.size());
    for (int i = 0; i < array.size(); i++) {
      elements.add(Boxed.read(array, i, element));
    }
    return elements;
  }

  private final class Value extends ValueRow {
    private List<@Nullable Object> elements = new ArrayList<>();

    Value of(List<@Nullable Object> newElements) {
      elements = newElements;
      return this;
    }

    @Override
    public boolean isNullAt(int column) {
      return false;
    }

    @Override
    public Values getArray(int column) {
      byte[] bytes = Boxed.nested(type, elements);
      return BinaryArray.at(bytes, 0, bytes.length);
    }
  }
}
