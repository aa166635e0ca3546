package io.sluice.lsm.merge;

import io.sluice.lsm.binary.BinaryArray;
import io.sluice.lsm.binary.BinaryArrayWriter;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowProjection;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.binary.ValueCopier;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.row.Values;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.MergeOptions.NestedRows;
import io.sluice.lsm.schema.RowType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code nested_update} and {@code nested_partial_update}: the rows of arrays one after the other,
 * of one nested key the newest (or what all have set that was not NULL), in the order of Paimon's
 * hash map. A retract takes the rows of its keys away; without a nested key those that are equal.
 *
 * <p>A value that meets no other stays as it is, with NULL elements and rows of equal keys.
 */
final class NestedAggregate extends Aggregate {

  /** What becomes of two rows of one nested key. */
  enum Newer {
    REPLACES,
    /** Fields of the newer one that are NULL leave those of the older one. */
    FILLS
  }

  private final RowType element;
  private final Newer newer;
  private final boolean retractable;
  private final int countLimit;
  private final @Nullable BinaryRowProjection key;
  private final BinaryArrayWriter array;
  private final BinaryRowProjection whole;
  private final ValueCopier[] copiers;
  private final BinaryRowWriter filled;
  private final Value value = new Value();

  /**
   * @param retractable whether equal rows can be told, or keys, so that a retract finds its own
   */
  NestedAggregate(
      DataField field, int column, NestedRows options, Newer newer, boolean retractable) {
    super(field, column);
    DataType type = ((ArrayType) field.type()).element();
    this.element = new RowType(((NestedRowType) type).fields());
    this.newer = newer;
    this.retractable = retractable;
    this.countLimit = options.countLimit();
    this.key = options.key().isEmpty() ? null : new BinaryRowProjection(element, options.key());
    this.array = new BinaryArrayWriter(type);
    this.whole = new BinaryRowProjection(element);
    this.copiers = new ValueCopier[element.size()];
    for (int i = 0; i < copiers.length; i++) {
      copiers[i] = ValueCopier.of(element.type(i));
    }
    this.filled = new BinaryRowWriter(element.size());
  }

  /** Lets go of what the last key had. */
  @Override
  void reset() {
    value.take(new ArrayList<>(), null);
  }

  @Override
  Row aggregate(Row accumulated, Row input) {
    if (input.isNullAt(column())) {
      return accumulated;
    }
    if (accumulated.isNullAt(column())) {
      return input;
    }
    int count = accumulated == value ? value.count() : accumulated.getArray(column()).size();
    if (count >= countLimit) {
      return accumulated;
    }
    List<BinaryRow> more = rows(input, countLimit - count);
    if (key == null) {
      List<BinaryRow> all =
          accumulated == value ? value.list : rows(accumulated, Integer.MAX_VALUE);
      all.addAll(more);
      return value.take(all, null);
    }
    Map<BinaryRow, BinaryRow> byKey = accumulated == value ? value.byKey : null;
    if (byKey == null) {
      byKey = new HashMap<>();
      put(byKey, rows(accumulated, Integer.MAX_VALUE));
    }
    put(byKey, more);
    return newer == Newer.REPLACES
        ? value.take(List.of(), byKey)
        : value.take(new ArrayList<>(byKey.values()), null);
  }

  private void put(Map<BinaryRow, BinaryRow> byKey, List<BinaryRow> rows) {
    for (BinaryRow row : rows) {
      BinaryRow keyOfRow = keyOf(row);
      if (newer == Newer.REPLACES) {
        byKey.put(keyOfRow, row);
      } else {
        // As Paimon does: such a new key goes before others of its place in the map, not behind.
        BinaryRow older = byKey.computeIfAbsent(keyOfRow, absent -> row);
        byKey.put(keyOfRow, fill(older, row));
      }
    }
  }

  private BinaryRow keyOf(BinaryRow row) {
    if (key == null) {
      throw new IllegalStateException("no nested key");
    }
    return key.apply(row).copy();
  }

  private BinaryRow fill(BinaryRow older, BinaryRow row) {
    filled.reset();
    for (int i = 0; i < copiers.length; i++) {
      copiers[i].copy(row.isNullAt(i) ? older : row, i, filled, i);
    }
    return filled.finish(RowKind.INSERT).copy();
  }

  @Override
  Row retract(Row accumulated, Row input) {
    if (!retractable) {
      throw irretractable();
    }
    if (accumulated.isNullAt(column()) || input.isNullAt(column())) {
      return accumulated;
    }
    List<BinaryRow> gone = rows(input, Integer.MAX_VALUE);
    if (key == null) {
      Set<BinaryRow> equal = new HashSet<>(gone);
      List<BinaryRow> left = rows(accumulated, Integer.MAX_VALUE);
      left.removeIf(equal::contains);
      return value.take(left, null);
    }
    Map<BinaryRow, BinaryRow> byKey = new HashMap<>();
    put(byKey, rows(accumulated, Integer.MAX_VALUE));
    for (BinaryRow row : gone) {
      byKey.remove(keyOf(row));
    }
    // As a list: this map has grown for rows that are gone, and the next one puts its own in order.
    return value.take(new ArrayList<>(byKey.values()), null);
  }

  /** Rows of the array that are not NULL, at most so many. */
  private List<BinaryRow> rows(Row row, int max) {
    if (row == value) {
      List<BinaryRow> rows = value.rows();
      return new ArrayList<>(rows.subList(0, Math.min(max, rows.size())));
    }
    Values from = row.getArray(column());
    List<BinaryRow> rows = new ArrayList<>();
    for (int i = 0; i < from.size() && rows.size() < max; i++) {
      if (!from.isNullAt(i)) {
        Row each = from.getRow(i, element.size());
        rows.add(each instanceof BinaryRow binary ? binary : whole.apply(each).copy());
      }
    }
    return rows;
  }

  private final class Value extends ValueRow {
    private List<BinaryRow> list = new ArrayList<>();

    /** Instead of the list, if there is one. */
    private @Nullable Map<BinaryRow, BinaryRow> byKey;

    Value take(List<BinaryRow> newList, @Nullable Map<BinaryRow, BinaryRow> newByKey) {
      list = newList;
      byKey = newByKey;
      return this;
    }

    int count() {
      return byKey == null ? list.size() : byKey.size();
    }

    List<BinaryRow> rows() {
      return byKey == null ? list : new ArrayList<>(byKey.values());
    }

    @Override
    public boolean isNullAt(int column) {
      return false;
    }

    @Override
    public Values getArray(int column) {
      List<BinaryRow> rows = rows();
      array.reset(rows.size());
      for (int i = 0; i < rows.size(); i++) {
        BinaryRow row = rows.get(i);
        array.writeNested(i, row.array(), row.offset(), row.length());
      }
      byte[] bytes = array.finish().toByteArray();
      return BinaryArray.at(bytes, 0, bytes.length);
    }
  }
}
