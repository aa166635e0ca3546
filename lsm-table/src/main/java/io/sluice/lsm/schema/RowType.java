package io.sluice.lsm.schema;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/** An ordered list of columns. Names are unique; a position is an index into {@link #fields()}. */
public final class RowType {

  private final List<DataField> fields;
  private final Map<String, Integer> positions;

  public RowType(List<DataField> fields) {
    this.fields = List.copyOf(fields);
    this.positions = new HashMap<>();
    for (int i = 0; i < fields.size(); i++) {
      if (positions.put(fields.get(i).name(), i) != null) {
        throw new IllegalArgumentException("Two columns are named " + fields.get(i).name());
      }
    }
  }

  public List<DataField> fields() {
    return fields;
  }

  public int size() {
    return fields.size();
  }

  public DataField field(int position) {
    return fields.get(position);
  }

  public DataType type(int position) {
    return fields.get(position).type();
  }

  /** Position of a column, or -1. */
  public int position(String name) {
    Integer position = positions.get(name);
    return position == null ? -1 : position;
  }

  /** Position of a column by its id, or -1. */
  public int positionOfId(int id) {
    for (int i = 0; i < fields.size(); i++) {
      if (fields.get(i).id() == id) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Positions of columns in the order asked for; throws NoSuchElementException on an unknown one.
   */
  public int[] positions(List<String> names) {
    int[] result = new int[names.size()];
    for (int i = 0; i < result.length; i++) {
      result[i] = position(names.get(i));
      if (result[i] < 0) {
        throw new NoSuchElementException(
            "No column " + names.get(i) + "; there are " + positions.keySet());
      }
    }
    return result;
  }

  /** The columns at these positions, in this order. */
  public RowType project(int[] wanted) {
    return new RowType(java.util.Arrays.stream(wanted).mapToObj(fields::get).toList());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RowType that && fields.equals(that.fields);
  }

  @Override
  public int hashCode() {
    return fields.hashCode();
  }

  @Override
  public String toString() {
    return fields.toString();
  }
}
