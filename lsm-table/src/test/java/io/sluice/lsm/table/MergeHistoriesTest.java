package io.sluice.lsm.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.schema.MergeEngine;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.PaimonMerge;
import io.sluice.lsm.testing.PaimonOracle;
import io.sluice.lsm.testing.RandomMergeTable;
import io.sluice.lsm.testing.RandomMergeTable.Nature;
import io.sluice.lsm.testing.TestFiles;
import io.sluice.lsm.testing.TestIds;
import io.sluice.lsm.testing.TestTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.paimon.memory.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random histories of tables with any merge engine: writes, flushes, commits, compactions by us and
 * by Paimon, writes by Paimon, reopening.
 *
 * <ul>
 *   <li>Of tame tables all records are kept in memory and merged in one go by Paimon's merge
 *       function: that must be the table's rows, wherever flushes and compactions lie.
 *   <li>Of wild ones the result depends on what was merged with what. Paimon's reader must see the
 *       rows that we see, and its full compaction of a copy give the rows that ours gives.
 *   <li>Any selection of columns shows the same rows.
 * </ul>
 *
 * {@code -Dtest.seed=} replays one history, {@code -Dtest.histories=} runs more.
 */
class MergeHistoriesTest {

  private static final int PAIMON_EVERY = 5;

  @TempDir Path folder;

  @Test
  void anyHistoryReadsAsPaimonMergesIt() throws Exception {
    String seed = System.getProperty("test.seed");
    int histories = seed != null ? 1 : Integer.getInteger("test.histories", 15);
    long first = seed != null ? Long.parseLong(seed) : 20_261_130L;
    for (long s = first; s < first + histories; s++) {
      History history = new History(s, folder.resolve("h" + s));
      try {
        history.run();
      } catch (Throwable e) {
        throw new AssertionError(
            "History failed; replay with -Dtest.seed="
                + s
                + "\n"
                + history.random
                + "\n"
                + String.join("\n", history.log),
            e);
      }
    }
  }

  private static final class History {
    final List<String> log = new ArrayList<>();
    final RandomMergeTable random;
    private final Random dice;
    private final boolean withPaimon;
    private final Nature nature;
    private final Path root;
    private final FileIO fileIO;
    private final FakeClock clock = new FakeClock();
    private final PaimonOracle paimon;

    /** All records of each key of a tame table, and as many as are committed. */
    private final Map<Integer, List<PaimonMerge.Record>> written = new TreeMap<>();

    private Map<Integer, List<PaimonMerge.Record>> committed = new TreeMap<>();

    /** Of a first-row table: what was committed when level 0 was compacted last. */
    private Map<Integer, List<PaimonMerge.Record>> visible = new TreeMap<>();

    private final Set<Integer> takenAway = new HashSet<>();
    private final Set<Long> lateNumbers = new HashSet<>();
    private long nextSequence;
    private TestTable table;
    private int copies;

    History(long seed, Path root) throws IOException {
      this.dice = new Random(seed);
      this.withPaimon = seed % PAIMON_EVERY == 0;
      this.nature = withPaimon && dice.nextBoolean() ? Nature.WILD : Nature.TAME;
      this.root = root.resolve("w.db").resolve("t");
      this.fileIO = withPaimon ? new LocalFileIO(new TestIds("tmp" + seed)) : new MemoryFileIO();
      Map<String, String> options = new HashMap<>();
      options.put("bucket", Integer.toString(1 + dice.nextInt(2)));
      options.put("file.format", List.of("orc", "orc", "parquet", "avro").get(dice.nextInt(4)));
      options.put("num-sorted-run.compaction-trigger", Integer.toString(2 + dice.nextInt(4)));
      options.put("num-levels", Integer.toString(3 + dice.nextInt(4)));
      options.put("compaction.size-ratio", Integer.toString(dice.nextInt(30)));
      options.put("target-file-size", dice.nextBoolean() ? "2 kb" : "64 mb");
      this.random = new RandomMergeTable(dice, nature, options);
      this.paimon = new PaimonOracle(this.root);
      this.table = TestTable.create(fileIO, this.root.toString(), random.schema(), clock);
    }

    void run() throws Exception {
      int steps = 15 + dice.nextInt(20);
      for (int i = 0; i < steps; i++) {
        step(dice.nextInt(100));
      }
      commit();
      check();
      table.close();
      assertThat(table.memory().bytesUsed()).isZero();
    }

    private void step(int step) throws Exception {
      if (step < 45) {
        write(1 + dice.nextInt(25));
      } else if (step < 52) {
        flush();
      } else if (step < 72) {
        commit();
        check();
      } else if (step < 82) {
        log.add("compact as needed");
        table.compactAsNeeded();
        visible = committed;
        check();
      } else if (step < 86) {
        log.add("compact fully");
        table.compactFully();
        visible = committed;
        check();
      } else if (step < 90) {
        reopen();
      } else if (withPaimon) {
        paimonStep();
      }
    }

    private void write(int count) throws IOException {
      StringBuilder text = new StringBuilder("write");
      for (int i = 0; i < count; i++) {
        int key = dice.nextInt(20);
        if (takenAway.contains(key)) {
          flush();
        }
        RowKind kind = kind(key);
        long sequence = nextSequence;
        nextSequence += 2;
        if (nature == Nature.WILD && dice.nextInt(5) == 0) {
          // Late, under a number of its own: records of one key and number have no order.
          long late = sequence - 2 * dice.nextInt(30) - 1;
          sequence = late > 0 && lateNumbers.add(late) ? late : sequence;
        }
        BinaryRow row = random.row(kind, key, sequence);
        remember(kind, key, sequence, row);
        text.append("\n  ").append(kind.shortText()).append(" @").append(sequence).append(' ');
        text.append(CanonicalRows.of(random.schema().rowType(), row));
        table.write(row, sequence);
      }
      log.add(text.toString());
    }

    private RowKind kind(int key) {
      return nature == Nature.WILD
          ? random.kind()
          : random.tameKind(
              written.getOrDefault(key, List.of()).stream().anyMatch(r -> !r.kind().isRetract()));
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
                  || kind == RowKind.UPDATE_BEFORE
                      && "true".equals(options.get("ignore-update-before")));
      if (!dropped) {
        written
            .computeIfAbsent(key, k -> new ArrayList<>())
            .add(new PaimonMerge.Record(kind, sequence, row));
      }
    }

    private void flush() throws IOException {
      log.add("flush");
      table.flush();
      takenAway.clear();
    }

    private void commit() throws IOException {
      log.add("commit");
      table.commit();
      takenAway.clear();
      committed = copy(written);
    }

    private static Map<Integer, List<PaimonMerge.Record>> copy(
        Map<Integer, List<PaimonMerge.Record>> records) {
      Map<Integer, List<PaimonMerge.Record>> copy = new TreeMap<>();
      records.forEach((key, list) -> copy.put(key, new ArrayList<>(list)));
      return copy;
    }

    private void reopen() throws IOException {
      log.add("reopen, forgetting what is not committed");
      table.close();
      takenAway.clear();
      written.clear();
      written.putAll(copy(committed));
      table = TestTable.open(fileIO, root.toString(), clock);
      nextSequence += 100;
    }

    private void paimonStep() throws Exception {
      commit();
      reopen();
      int what = dice.nextInt(3);
      if (what == 0) {
        log.add("paimon compacts fully");
        paimon.compactFully();
      } else if (what == 1) {
        log.add("paimon compacts as needed");
        paimon.compactAsNeeded();
      } else {
        paimonWrites();
      }
      visible = committed;
      check();
    }

    private void paimonWrites() throws Exception {
      // It gives numbers of its own, from the largest of each bucket on; ours must stay above.
      long sequence = nextSequence;
      nextSequence += 100;
      List<org.apache.paimon.data.BinaryRow> batch = new ArrayList<>();
      StringBuilder text = new StringBuilder("paimon writes");
      Set<Integer> keys = new HashSet<>();
      for (int i = 0; i < 10; i++) {
        int key = dice.nextInt(20);
        if (nature == Nature.TAME && !keys.add(key)) {
          continue;
        }
        RowKind kind = kind(key);
        BinaryRow row = random.row(kind, key, sequence);
        remember(kind, key, sequence++, row);
        text.append("\n  ").append(kind.shortText()).append(' ');
        text.append(CanonicalRows.of(random.schema().rowType(), row));
        batch.add(paimons(row));
      }
      takenAway.clear();
      log.add(text.toString());
      paimon.write(batch);
      committed = copy(written);
    }

    private static org.apache.paimon.data.BinaryRow paimons(BinaryRow row) {
      org.apache.paimon.data.BinaryRow copy = new org.apache.paimon.data.BinaryRow(row.size());
      byte[] bytes = row.toByteArray();
      copy.pointTo(MemorySegment.wrap(bytes), 0, bytes.length);
      return copy;
    }

    // -------------------------------------------------------------- checks

    private void check() throws Exception {
      List<Map<String, String>> ours = CanonicalRows.read(table.table().newScan());
      if (nature == Nature.TAME) {
        assertThat(CanonicalRows.sorted(ours)).isEqualTo(CanonicalRows.sorted(expected()));
      }
      List<String> columns = random.someColumns();
      TableScan some = table.table().newScan().columns(columns);
      assertThat(CanonicalRows.sorted(CanonicalRows.read(some)))
          .as("selecting %s", columns)
          .isEqualTo(CanonicalRows.sorted(projected(ours, columns)));
      if (withPaimon) {
        assertThat(CanonicalRows.sorted(ours)).isEqualTo(paimon.readLatest());
      }
      if (nature == Nature.WILD && dice.nextInt(4) == 0) {
        compactCopies();
      }
    }

    private List<Map<String, String>> expected() {
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
      Path copy = root.resolveSibling("copy" + copies++);
      TestFiles.copy(root, copy);
      TestFiles.copy(root, copy.resolveSibling(copy.getFileName() + "p"));
      PaimonOracle byPaimon = new PaimonOracle(copy.resolveSibling(copy.getFileName() + "p"));
      byPaimon.compactFully();
      try (TestTable byUs = TestTable.open(fileIO, copy.toString(), clock)) {
        byUs.compactFully();
        List<Map<String, String>> rows =
            CanonicalRows.sorted(CanonicalRows.read(byUs.table().newScan()));
        assertThat(rows).isEqualTo(byPaimon.readLatest());
        assertThat(rows).isEqualTo(new PaimonOracle(copy).readLatest());
      }
    }
  }
}
