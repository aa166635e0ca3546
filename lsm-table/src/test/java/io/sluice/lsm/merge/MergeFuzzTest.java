package io.sluice.lsm.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.testing.PaimonMerge;
import io.sluice.lsm.testing.PaimonMerge.Record;
import io.sluice.lsm.testing.RandomMergeTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Random records of one key become what Paimon's own merge functions make of them, under random
 * options of every engine. {@code -Dtest.seed=} replays one table, {@code -Dtest.histories=} tries
 * more.
 */
class MergeFuzzTest {

  private static final int MERGES_PER_TABLE = 30;

  @Test
  void anyRecordsBecomeWhatPaimonMakesOfThem() {
    String seed = System.getProperty("test.seed");
    int tables = seed != null ? 1 : Integer.getInteger("test.histories", 120);
    long first = seed != null ? Long.parseLong(seed) : 77_000L;
    for (long s = first; s < first + tables; s++) {
      Random random = new Random(s);
      RandomMergeTable table = new RandomMergeTable(random, RandomMergeTable.Nature.WILD, Map.of());
      PaimonMerge paimon = new PaimonMerge(table.schema());
      for (int i = 0; i < MERGES_PER_TABLE; i++) {
        List<Record> records = records(random, table);
        assertThat(ours(table, records))
            .as("replay with -Dtest.seed=%d: %s", s, table)
            .isEqualTo(paimons(paimon, records));
      }
    }
  }

  private static List<Record> records(Random random, RandomMergeTable table) {
    List<Record> records = new ArrayList<>();
    List<Long> numbers =
        new ArrayList<>(random.longs(1 + random.nextInt(9), 0, 1000).boxed().toList());
    for (long number : numbers.stream().distinct().toList()) {
      RowKind kind = table.kind();
      records.add(new Record(kind, number, table.row(kind, 7, number)));
    }
    return records;
  }

  private static String ours(RandomMergeTable table, List<Record> records) {
    try {
      return String.valueOf(MergeEnginesTest.merge(table.schema(), records));
    } catch (UnsupportedTableException e) {
      return "refused";
    }
  }

  private static String paimons(PaimonMerge paimon, List<Record> records) {
    try {
      return String.valueOf(paimon.merge(records));
    } catch (IllegalArgumentException | UnsupportedOperationException | ArithmeticException e) {
      return "refused";
    }
  }
}
