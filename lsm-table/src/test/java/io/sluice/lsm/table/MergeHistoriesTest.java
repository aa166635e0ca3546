package io.sluice.lsm.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowProjection;
import io.sluice.lsm.binary.BucketHash;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.MergeEngine;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.PaimonMerge;
import io.sluice.lsm.testing.PaimonOracle;
import io.sluice.lsm.testing.PaimonStorage;
import io.sluice.lsm.testing.RandomMergeTable;
import io.sluice.lsm.testing.RandomMergeTable.Nature;
import io.sluice.lsm.testing.TableHistory;
import io.sluice.lsm.testing.TestFiles;
import io.sluice.lsm.testing.TestTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random histories of tables with any merge engine and data file format.
 *
 * <ul>
 *   <li>Of tame tables all records are kept in memory and merged in one go by Paimon's merge
 *       function: that must be the table's rows, wherever flushes and compactions lie.
 *   <li>Of wild ones, a third, the result depends on what was merged with what. Paimon's reader
 *       must see the same as ours, and a compaction by us give the same rows as one by Paimon.
 * </ul>
 */
class MergeHistoriesTest {

  @Test
  void anyHistoryReadsAsPaimonMergesIt() {
    TableHistory.runAll(50, 20_261_130L, History::new);
  }

  private static final class History extends TableHistory {
    private final RandomMergeTable random;
    private final Nature nature;

    /** All records of each key of a tame table, and as many as are committed. */
    private Map<Integer, List<PaimonMerge.Record>> written = new TreeMap<>();

    private Map<Integer, List<PaimonMerge.Record>> committed = new TreeMap<>();

    /** Of a first-row table: what was committed when level 0 was compacted last. */
    private Map<Integer, List<PaimonMerge.Record>> visible = new TreeMap<>();

    private final Set<Integer> takenAway = new HashSet<>();
    private final Set<Long> lateNumbers = new HashSet<>();

    History(long seed) throws IOException {
      super(seed);
      this.nature = seed % 3 == 0 ? Nature.WILD : Nature.TAME;
      Map<String, String> options = new HashMap<>();
      options.put("bucket", Integer.toString(1 + dice.nextInt(2)));
      options.put("file.format", List.of("orc", "parquet", "avro").get(dice.nextInt(3)));
      options.put("num-sorted-run.compaction-trigger", Integer.toString(2 + dice.nextInt(4)));
      options.put("num-levels", Integer.toString(3 + dice.nextInt(4)));
      options.put("compaction.size-ratio", Integer.toString(dice.nextInt(30)));
      options.put("target-file-size", dice.nextBoolean() ? "2 kb" : "64 mb");
      options.put("data-file.thin-mode", Boolean.toString(dice.nextBoolean()));
      this.random = new RandomMergeTable(dice, nature, options);
      create(random.schema());
    }

    @Override
    public String toString() {
      return random.toString();
    }

    @Override
    protected void write(int count) throws IOException {
      StringBuilder text = new StringBuilder("write");
      for (int i = 0; i < count; i++) {
        int key = dice.nextInt(20);
        if (takenAway.contains(key)) {
          table().flush();
          takenAway.clear();
        }
        long sequence = nextSequence();
        if (nature == Nature.WILD && dice.nextInt(5) == 0) {
          // Late, under a number of its own: records of one key and number have no order.
          long late = sequence - 10 * dice.nextInt(30) - 1;
          sequence = late > 0 && lateNumbers.add(late) ? late : sequence;
        }
        table().write(next(key, sequence, text), sequence);
      }
      log(text.toString());
    }

    /** A row, which is remembered. */
    private BinaryRow next(int key, long sequence, StringBuilder text) {
      RowKind kind =
          nature == Nature.WILD
              ? random.kind()
              : random.tameKind(
                  written.getOrDefault(key, List.of()).stream()
                      .anyMatch(record -> !record.kind().isRetract()));
      BinaryRow row = random.row(kind, key, sequence);
      remember(kind, key, sequence, row);
      text.append("\n  ").append(kind.shortText()).append(" @").append(sequence).append(' ');
      text.append(CanonicalRows.of(random.schema().rowType(), row));
      return row;
    }

    private void remember(RowKind kind, int key, long sequence, BinaryRow row) {
      if (random.partsFlushes(kind)) {
        takenAway.add(key);
      }
      Map<String, String> options = random.schema().options();
      boolean dropped =
          kind.isRetract()
              && ("true".equals(options.get("ignore-delete"))
                  || "true".equals(options.get("partial-update.ignore-delete"))
                  || (kind == RowKind.UPDATE_BEFORE
                      && "true".equals(options.get("ignore-update-before"))));
      if (!dropped) {
        written
            .computeIfAbsent(key, k -> new ArrayList<>())
            .add(new PaimonMerge.Record(kind, sequence, row));
      }
    }

    @Override
    protected List<BinaryRow> rowsForPaimon() {
      List<BinaryRow> batch = new ArrayList<>();
      StringBuilder text = new StringBuilder();
      Set<Integer> keys = new HashSet<>();
      for (int i = 0; i < 10; i++) {
        int key = dice.nextInt(20);
        if (nature == Nature.WILD || keys.add(key)) {
          batch.add(next(key, nextSequence(), text));
        }
      }
      log(text.toString());
      return batch;
    }

    @Override
    protected void flushed() {
      takenAway.clear();
    }

    @Override
    protected void committed() {
      committed = copy(written);
    }

    @Override
    protected void restarted() {
      written = copy(committed);
    }

    @Override
    protected void compacted() {
      visible = copy(committed);
    }

    @Override
    protected void compactedByWriting(List<BinaryRow> rows) {
      Set<Integer> buckets = new HashSet<>();
      int key = random.schema().rowType().positions(List.of("k"))[0];
      for (BinaryRow row : rows) {
        // Retracts, which such a table ignores, come to no bucket.
        if (!row.kind().isRetract()) {
          buckets.add(bucket(row.getInt(key)));
        }
      }
      copy(committed)
          .forEach(
              (k, records) -> {
                if (buckets.contains(bucket(k))) {
                  visible.put(k, records);
                }
              });
    }

    private int bucket(int key) {
      int buckets = Integer.parseInt(random.schema().options().get("bucket"));
      return BucketHash.bucket(TestFiles.key(key), buckets);
    }

    private static Map<Integer, List<PaimonMerge.Record>> copy(
        Map<Integer, List<PaimonMerge.Record>> records) {
      Map<Integer, List<PaimonMerge.Record>> copy = new TreeMap<>();
      records.forEach((key, list) -> copy.put(key, new ArrayList<>(list)));
      return copy;
    }

    @Override
    protected @Nullable TableSchema changeSchema() {
      List<String> before =
          random.schema().rowType().fields().stream().map(DataField::name).toList();
      TableSchema next = random.changeSchema();
      if (next == null) {
        return null;
      }
      BinaryRowProjection fitted = BinaryRowProjection.ofPart(next.rowType(), before);
      for (Map<Integer, List<PaimonMerge.Record>> records : List.of(written, committed, visible)) {
        // A list may be in two of them.
        records.replaceAll(
            (key, list) ->
                new ArrayList<>(list.stream().map(record -> fit(record, fitted, next)).toList()));
      }
      return next;
    }

    private static PaimonMerge.Record fit(
        PaimonMerge.Record record, BinaryRowProjection fitted, TableSchema next) {
      BinaryRow row = fitted.apply(record.row(), record.kind()).copy();
      assertThat(row.size()).isEqualTo(next.rowType().size());
      return new PaimonMerge.Record(record.kind(), record.sequence(), row);
    }

    // -------------------------------------------------------------- checks

    @Override
    protected @Nullable List<Map<String, String>> expected() {
      if (nature == Nature.WILD) {
        return null;
      }
      PaimonMerge merge = new PaimonMerge(random.schema());
      List<Map<String, String>> rows = new ArrayList<>();
      Map<Integer, List<PaimonMerge.Record>> state =
          random.engine() == MergeEngine.FIRST_ROW ? visible : committed;
      for (List<PaimonMerge.Record> records : state.values()) {
        Map<String, String> row = merge.merge(records);
        if (row != null && row.get("_kind").startsWith("+")) {
          row.remove("_kind");
          row.remove("_sequence");
          rows.add(row);
        }
      }
      return rows;
    }

    @Override
    protected void checkMore(List<Map<String, String>> rows) throws Exception {
      List<String> columns = random.someColumns();
      TableScan some = table().table().newScan().columns(columns);
      assertThat(CanonicalRows.sorted(CanonicalRows.read(some)))
          .as("selecting %s", columns)
          .isEqualTo(CanonicalRows.sorted(projected(rows, columns)));
      if (nature == Nature.WILD && dice.nextInt(4) == 0) {
        compactCopies();
      }
    }

    private static List<Map<String, String>> projected(
        List<Map<String, String>> rows, List<String> columns) {
      return rows.stream()
          .map(
              row -> {
                Map<String, String> part = new LinkedHashMap<>();
                columns.forEach(column -> part.put(column, row.get(column)));
                return part;
              })
          .toList();
    }

    private void compactCopies() throws Exception {
      PaimonOracle theirs = rowByRow(files.copy());
      theirs.compactFully();
      MemoryFileIO ours = files.copy();
      try (TestTable byUs = TestTable.open(ours, ROOT, clock)) {
        byUs.compactFully();
        List<Map<String, String>> rows =
            CanonicalRows.sorted(CanonicalRows.read(byUs.table().newScan()));
        assertThat(rows).as("compacted by us and by Paimon").isEqualTo(theirs.readLatest());
        assertThat(rows).isEqualTo(rowByRow(ours).readLatest());
      }
    }

    private static PaimonOracle rowByRow(MemoryFileIO of) {
      return new PaimonOracle(new PaimonStorage(of), ROOT).with(PaimonOracle.ROW_BY_ROW);
    }
  }
}
