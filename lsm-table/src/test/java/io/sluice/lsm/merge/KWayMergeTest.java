package io.sluice.lsm.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.MergeEngine;
import io.sluice.lsm.schema.MergeOptions;
import io.sluice.lsm.schema.RowType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class KWayMergeTest {

  private static final long SEED = Long.getLong("test.seed", 3);
  private static final RowType NUMBERS =
      TestRows.type(DataTypes.INT.withNullable(false), DataTypes.INT);
  private static final RowType LONGS =
      TestRows.type(DataTypes.BIGINT.withNullable(false), DataTypes.INT);
  private static final RowType TEXTS =
      TestRows.type(DataTypes.STRING.withNullable(false), DataTypes.INT);

  private record Item(BinaryRow row, long sequence, RowKind kind) {}

  /** A sorted list as a source; counts closings. */
  private static final class ListReader implements KeyValueReader {
    private final List<Item> items;
    private int at = -1;
    private int closed;

    ListReader(List<Item> items) {
      this.items = items;
    }

    @Override
    public boolean advance() {
      return ++at < items.size();
    }

    @Override
    public long sequenceNumber() {
      return items.get(at).sequence();
    }

    @Override
    public RowKind kind() {
      return items.get(at).kind();
    }

    @Override
    public Row row() {
      return items.get(at).row();
    }

    @Override
    public void close() {
      closed++;
    }
  }

  private static MergeRules rules(DeduplicateMerge.Deletes deletes) {
    boolean ignored = deletes == DeduplicateMerge.Deletes.IGNORED;
    return new MergeRules(
        List.of("f0"),
        List.of(),
        RecordOrder.Direction.ASCENDING,
        new MergeOptions(MergeEngine.DEDUPLICATE, ignored, false, false, List.of(), Map.of()),
        MergeRules.Older.APART);
  }

  @Test
  void mergesAnyNumberOfInputsLikeASortedMap() throws IOException {
    Random random = new Random(SEED);
    for (int inputs = 0; inputs <= 17; inputs++) {
      for (RowType type : List.of(NUMBERS, LONGS, TEXTS)) {
        TreeMap<Integer, Item> newest = new TreeMap<>();
        List<ListReader> readers = new ArrayList<>();
        long sequence = 0;
        for (int i = 0; i < inputs; i++) {
          List<Item> items = new ArrayList<>();
          for (int key = 0; key < 60; key++) {
            // The first input has stretches of keys that no other has.
            if (i == 0 || key % 20 < 12 && random.nextInt(3) == 0) {
              Object id =
                  type == NUMBERS
                      ? (Object) key
                      : type == LONGS
                          ? (Object) (long) (key - 30)
                          : String.format("same beginning %03d", key);
              Item item =
                  new Item(
                      TestRows.row(type, id, (int) sequence),
                      random.nextInt(100_000) * 1000L + sequence++,
                      RowKind.INSERT);
              items.add(item);
              newest.merge(key, item, (a, b) -> a.sequence() > b.sequence() ? a : b);
            }
          }
          readers.add(new ListReader(items));
        }
        List<Long> result = new ArrayList<>();
        try (KWayMerge merge =
            new KWayMerge(readers, rules(DeduplicateMerge.Deletes.HONOURED).engine(type))) {
          while (merge.advance()) {
            result.add(merge.sequenceNumber());
          }
        }
        assertThat(result)
            .as("seed %d, %d inputs", SEED, inputs)
            .isEqualTo(newest.values().stream().map(Item::sequence).toList());
        assertThat(readers).allMatch(reader -> reader.closed == 1);
      }
    }
  }

  private static Item item(int id, int value, RowKind kind) {
    return new Item(TestRows.row(NUMBERS, id, value), value, kind);
  }

  @Test
  void ignoredDeletesLeaveTheRowBeforeThem() throws IOException {
    List<ListReader> readers =
        List.of(
            new ListReader(List.of(item(1, 10, RowKind.INSERT), item(2, 11, RowKind.DELETE))),
            new ListReader(List.of(item(1, 20, RowKind.DELETE), item(2, 21, RowKind.DELETE))),
            new ListReader(List.of(item(3, 30, RowKind.DELETE))));
    List<String> result = new ArrayList<>();
    try (KWayMerge merge =
        new KWayMerge(readers, rules(DeduplicateMerge.Deletes.IGNORED).engine(NUMBERS))) {
      while (merge.advance()) {
        result.add(merge.kind().shortText() + merge.row().getInt(0) + "@" + merge.row().getInt(1));
      }
    }
    // Key 2 has nothing but deletes; a single record (key 3) bypasses the merge.
    assertThat(result).containsExactly("+I1@10", "-D3@30");
  }
}
