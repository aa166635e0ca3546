package io.sluice.lsm.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.merge.KeyComparator;
import io.sluice.lsm.merge.MergeRules;
import io.sluice.lsm.merge.RecordOrder;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.MergeEngine;
import io.sluice.lsm.schema.MergeOptions;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MemtableTest {

  private static final long SEED = Long.getLong("test.seed", 7);

  private final MemoryPool memory = new MemoryPool(1 << 20);

  private static MergeRules rules(int keyColumns) {
    return new MergeRules(
        IntStream.range(0, keyColumns).mapToObj(i -> "f" + i).toList(),
        List.of(),
        RecordOrder.Direction.ASCENDING,
        new MergeOptions(MergeEngine.DEDUPLICATE, false, false, false, List.of(), Map.of()),
        MergeRules.Older.APART);
  }

  /** Key types whose prefixes decide, partly decide and don't, each against a sorted map. */
  @Test
  void sortsAndMergesKeysOfEveryType() throws IOException {
    check(r -> r.nextInt(500) - 250, DataTypes.INT);
    check(r -> r.nextLong() >> r.nextInt(64), DataTypes.BIGINT);
    check(r -> (short) r.nextInt(), DataTypes.SMALLINT);
    check(r -> (byte) r.nextInt(), DataTypes.TINYINT);
    check(Random::nextBoolean, DataTypes.BOOLEAN);
    check(r -> r.nextInt(9) / 4.0 - 1, DataTypes.DOUBLE);
    check(r -> BigDecimal.valueOf(r.nextInt(1000) - 500, 2), DataTypes.decimal(10, 2));
    check(r -> BigDecimal.valueOf(r.nextInt(1000) - 500, 2), DataTypes.decimal(30, 2));
    check(
        r -> LocalDateTime.of(1960 + r.nextInt(20), 1, 1, 0, 0, 0, r.nextInt(3) * 1000),
        DataTypes.timestamp(6));
    check(MemtableTest::text, DataTypes.STRING);
    check(r -> text(r).getBytes(StandardCharsets.UTF_8), DataTypes.BYTES);
  }

  private static String text(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> "x".repeat(random.nextInt(12));
      case 1 -> "same beginning " + random.nextInt(50);
      case 2 -> "\uD83D\uDE00" + random.nextInt(3);
      default -> "\uFFFF\u0000".substring(0, random.nextInt(3));
    };
  }

  private void check(Function<Random, Object> keys, DataType type) throws IOException {
    Random random = new Random(SEED);
    DataType required = type.withNullable(false);
    for (int keyColumns = 1; keyColumns <= 3; keyColumns++) {
      DataType[] types = new DataType[keyColumns + 1];
      Arrays.fill(types, required);
      types[keyColumns] = DataTypes.INT;
      RowType rowType = TestRows.type(types);
      for (int size : new int[] {1, 10, 3000}) {
        List<Object[]> rows = new ArrayList<>();
        for (int i = 0; i < size; i++) {
          Object[] row = new Object[keyColumns + 1];
          for (int k = 0; k < keyColumns; k++) {
            row[k] = keys.apply(random);
          }
          row[keyColumns] = i;
          rows.add(row);
        }
        checkRows(rowType, keyColumns, rows, random);
      }
    }
  }

  private record Numbered(BinaryRow row, long sequence) {}

  private void checkRows(RowType rowType, int keyColumns, List<Object[]> rows, Random random)
      throws IOException {
    int[] columns = IntStream.range(0, keyColumns).toArray();
    Map<BinaryRow, Numbered> expected = new TreeMap<>(new KeyComparator(rowType, columns));
    Memtable memtable = new Memtable(rowType, rules(keyColumns), memory);
    for (Object[] values : rows) {
      BinaryRow row = TestRows.row(rowType, values);
      long sequence = random.nextInt(1000);
      memtable.add(row, sequence);
      Numbered before = expected.get(row);
      if (before == null || sequence >= before.sequence()) {
        expected.remove(row);
        expected.put(row, new Numbered(row, sequence));
      }
    }
    try (KeyValueReader reader = memtable.sorted()) {
      for (Numbered wanted : expected.values()) {
        assertThat(reader.advance()).isTrue();
        assertThat(TestRows.values(rowType, reader.row()))
            .as("seed %d, %s", SEED, rowType)
            .isEqualTo(TestRows.values(rowType, wanted.row()));
        assertThat(reader.sequenceNumber()).isEqualTo(wanted.sequence());
      }
      assertThat(reader.advance()).isFalse();
    }
    assertThat(memory.bytesUsed()).isEqualTo(memtable.bytes()).isPositive();
    memtable.clear();
    assertThat(memory.bytesUsed()).isZero();
  }

  @Test
  void aKeyWithVeryManyRecordsBecomesOne() throws IOException {
    RowType rowType = TestRows.type(DataTypes.INT.withNullable(false), DataTypes.INT);
    Memtable memtable = new Memtable(rowType, rules(1), memory);
    for (int i = 0; i < 100_000; i++) {
      BinaryRow row = TestRows.row(rowType, 5, i);
      row.setKind(i == 99_999 ? RowKind.DELETE : RowKind.UPDATE_AFTER);
      memtable.add(row, i);
    }
    try (KeyValueReader reader = memtable.sorted()) {
      assertThat(reader.advance()).isTrue();
      assertThat(reader.row().getInt(1)).isEqualTo(99_999);
      assertThat(reader.kind()).isEqualTo(RowKind.DELETE);
      assertThat(reader.advance()).isFalse();
    }
  }

  /** More records of a key than there are views that are used again. */
  @Test
  void veryManyRecordsOfAKeyAreAggregatedOneByOne() throws IOException {
    RowType rowType = TestRows.type(DataTypes.INT.withNullable(false), DataTypes.BIGINT);
    TableSchema schema =
        new TableSchema(
            0,
            rowType,
            1,
            List.of(),
            List.of("f0"),
            Map.of("merge-engine", "aggregation", "fields.f1.aggregate-function", "sum"),
            null,
            0);
    Memtable memtable = new Memtable(rowType, MergeRules.of(schema), memory);
    for (int i = 0; i < 30_000; i++) {
      memtable.add(TestRows.row(rowType, i % 3, (long) i), i);
    }
    memtable.add(TestRows.row(rowType, 9, 1L), 30_000);
    try (KeyValueReader reader = memtable.sorted()) {
      for (long key = 0; key < 3; key++) {
        assertThat(reader.advance()).isTrue();
        // key, key + 3, ... : 10,000 numbers
        assertThat(reader.row().getLong(1)).isEqualTo(10_000 * key + 3L * 10_000 * 9_999 / 2);
        assertThat(reader.sequenceNumber()).isEqualTo(29_997 + key);
      }
      assertThat(reader.advance()).isTrue();
      assertThat(reader.row().getLong(1)).isEqualTo(1);
      assertThat(reader.advance()).isFalse();
    }
  }

  @Test
  void aFewRowsTakeLittleMemory() {
    RowType rowType = TestRows.type(DataTypes.INT.withNullable(false), DataTypes.INT);
    Memtable memtable = new Memtable(rowType, rules(1), memory);
    memtable.add(TestRows.row(rowType, 5, 1), 1);
    assertThat(memtable.bytes()).isLessThan(16 << 10);
  }
}
