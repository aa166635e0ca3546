package io.sluice.lsm.merge;

import io.sluice.lsm.binary.BinaryMap;
import io.sluice.lsm.binary.Boxed;
import io.sluice.lsm.row.MapValues;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.Values;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType.MapType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code merge_map}: the entries of all maps, of one key the newest. A retract takes the entries of
 * its keys away.
 */
final class MapAggregate extends NullSafeAggregate {

  private final MapType type;
  private final Value value = new Value();

  MapAggregate(DataField field, int column, MapType type) {
    super(field, column);
    this.type = type;
  }

  /** Lets go of what the last key had. */
  @Override
  void reset() {
    value.entries = Map.of();
  }

  @Override
  Row combine(Row accumulated, Row input) {
    Map<ElementKey, @Nullable Object> merged = new LinkedHashMap<>(entries(accumulated));
    merged.putAll(entries(input));
    return value.of(merged);
  }

  @Override
  Row retract(Row accumulated, Row input) {
    if (isNull(accumulated) || isNull(input)) {
      return accumulated;
    }
    Map<ElementKey, @Nullable Object> gone = entries(input);
    if (gone.isEmpty()) {
      return accumulated;
    }
    Map<ElementKey, @Nullable Object> left = new LinkedHashMap<>(entries(accumulated));
    left.keySet().removeAll(gone.keySet());
    return value.of(left);
  }

  private Map<ElementKey, @Nullable Object> entries(Row row) {
    if (row == value) {
      return value.entries;
    }
    MapValues map = row.getMap(column());
    Values keys = map.keys();
    Values values = map.values();
    Map<ElementKey, @Nullable Object> entries = new LinkedHashMap<>();
    for (int i = 0; i < map.size(); i++) {
      entries.put(
          ElementKey.of(Boxed.read(keys, i, type.key()), type.key()),
          Boxed.read(values, i, type.value()));
    }
    return entries;
  }

  private final class Value extends ValueRow {
    private Map<ElementKey, @Nullable Object> entries = Map.of();

    Value of(Map<ElementKey, @Nullable Object> newEntries) {
      entries = newEntries;
      return this;
    }

    @Override
    public boolean isNullAt(int column) {
      return false;
    }

    @Override
    public MapValues getMap(int column) {
      List<@Nullable Object> keys = new ArrayList<>();
      entries.keySet().forEach(key -> keys.add(key.value()));
      byte[] bytes = Boxed.nested(type, new Boxed.Entries(keys, new ArrayList<>(entries.values())));
      return BinaryMap.at(bytes, 0, bytes.length);
    }
  }
}
