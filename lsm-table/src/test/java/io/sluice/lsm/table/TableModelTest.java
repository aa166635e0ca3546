package io.sluice.lsm.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.expire.Retention;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.scan.PredicateParser;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.PaimonOracle;
import io.sluice.lsm.testing.TestIds;
import io.sluice.lsm.testing.TestTable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random histories of a table against a TreeMap: writes in and out of order, flushes, commits,
 * compactions by us and by Paimon, writes by Paimon, expiry, reopening. After each commit all rows,
 * now and then older snapshots and conditions, are compared. {@code -Dtest.seed=} replays one
 * history, {@code -Dtest.histories=} runs more.
 */
class TableModelTest {

  private static final int PAIMON_EVERY = 8;

  @TempDir Path folder;

  @Test
  void anyHistoryReadsAsTheModel() throws Exception {
    String seed = System.getProperty("test.seed");
    int histories = seed != null ? 1 : Integer.getInteger("test.histories", 50);
    long first = seed != null ? Long.parseLong(seed) : 20_261_129L;
    for (long s = first; s < first + histories; s++) {
      History history = new History(s, folder.resolve("h" + s));
      try {
        history.run();
      } catch (Throwable e) {
        throw new AssertionError(
            "History failed; replay with -Dtest.seed="
                + s
                + "\n"
                + history.options
                + "\n"
                + String.join("\n", history.log),
            e);
      }
    }
  }

  /**
   * What the model knows of a key.
   *
   * @param sequence negative if Paimon has given it: not known here
   */
  private record Entry(long sequence, boolean live, int value) {}

  private static final class History {
    final List<String> log = new ArrayList<>();
    final Map<String, String> options = new LinkedHashMap<>();
    private final Random random;
    private final boolean withPaimon;
    private final boolean partitioned;
    private final boolean textKey;
    private final Path root;
    private final FileIO fileIO;
    private final FakeClock clock = new FakeClock();
    private final TableSchema schema;
    private final PaimonOracle paimon;
    private final BinaryRowWriter rows = new BinaryRowWriter(3);

    /** Key -> what was written last; and how it was at each commit. */
    private final Map<Integer, Entry> written = new TreeMap<>();

    private Map<Integer, Entry> committed = new TreeMap<>();
    private final Map<Long, Map<Integer, Entry>> bySnapshot = new HashMap<>();
    private long nextSequence = 100;
    private TestTable table;

    History(long seed, Path root) throws IOException {
      this.random = new Random(seed);
      this.withPaimon = seed % PAIMON_EVERY == 0;
      this.partitioned = random.nextBoolean();
      this.textKey = random.nextBoolean();
      this.root = root;
      this.fileIO = withPaimon ? new LocalFileIO(new TestIds("tmp" + seed)) : new MemoryFileIO();
      options.put("bucket", Integer.toString(1 + random.nextInt(3)));
      options.put("file.format", "orc");
      options.put("num-sorted-run.compaction-trigger", Integer.toString(2 + random.nextInt(4)));
      options.put("target-file-size", random.nextBoolean() ? "2 kb" : "64 mb");
      options.put("compaction.size-ratio", Integer.toString(random.nextInt(30)));
      this.schema =
          new TableSchema(
              0,
              new RowType(
                  List.of(
                      new DataField(0, "value", DataTypes.INT),
                      new DataField(
                          1,
                          "id",
                          (textKey ? DataTypes.STRING : DataTypes.BIGINT).withNullable(false)),
                      new DataField(2, "part", DataTypes.INT.withNullable(false)))),
              2,
              partitioned ? List.of("part") : List.of(),
              partitioned ? List.of("part", "id") : List.of("id"),
              options,
              null,
              0);
      this.paimon = new PaimonOracle(root);
      this.table = TestTable.create(fileIO, root.toString(), schema, clock);
    }

    void run() throws Exception {
      int steps = 15 + random.nextInt(25);
      for (int i = 0; i < steps; i++) {
        clock.advance(Duration.ofSeconds(random.nextInt(600)));
        step(random.nextInt(100));
      }
      commit();
      checkAll();
      table.close();
      assertThat(table.memory().bytesUsed()).isZero();
    }

    private void step(int dice) throws Exception {
      if (dice < 45) {
        write(1 + random.nextInt(40));
      } else if (dice < 50) {
        log.add("flush");
        table.flush();
      } else if (dice < 72) {
        commit();
        check(table.table().newScan(), committed);
      } else if (dice < 80) {
        log.add("compact as needed");
        table.compactAsNeeded();
        remember();
      } else if (dice < 83) {
        log.add("compact fully");
        table.compactFully();
        remember();
      } else if (dice < 87) {
        expire();
      } else if (dice < 91) {
        reopen();
      } else if (dice < 95) {
        paimonStep();
      } else {
        checkAll();
      }
    }

    private String key(int id) {
      // Long common beginnings: prefixes of eight bytes don't decide.
      return textKey ? (id % 3 == 0 ? "k" + id : "customer-" + id) : Integer.toString(id);
    }

    private int part(int id) {
      return id % 3;
    }

    private void write(int count) throws IOException {
      StringBuilder text = new StringBuilder("write");
      for (int i = 0; i < count; i++) {
        int id = random.nextInt(60);
        Entry before = written.get(id);
        boolean delete = random.nextInt(4) == 0;
        boolean late =
            before != null && before.live() && before.sequence() >= 0 && random.nextInt(6) == 0;
        int value = random.nextInt(1000);
        long sequence = late ? before.sequence() - 5 : nextSequence;
        text.append(' ').append(delete ? '-' : '+').append(id).append('=').append(value);
        text.append('@').append(sequence);
        table.write(row(id, value, delete), sequence);
        if (!late) {
          written.put(id, new Entry(sequence, !delete, value));
          nextSequence += 10;
        }
      }
      log.add(text.toString());
    }

    private BinaryRow row(int id, int value, boolean delete) {
      rows.reset();
      rows.writeInt(0, value);
      if (textKey) {
        rows.writeString(1, key(id));
      } else {
        rows.writeLong(1, id);
      }
      rows.writeInt(2, part(id));
      return rows.finish(delete ? RowKind.DELETE : RowKind.INSERT);
    }

    private void commit() throws IOException {
      log.add("commit");
      table.commit();
      committed = new TreeMap<>(written);
      remember();
    }

    /**
     * All snapshots since the last look show what is committed now; Paimon's commits expire, too.
     */
    private void remember() throws IOException {
      List<Long> ids = table.table().snapshots().listIds();
      bySnapshot.keySet().retainAll(ids);
      for (long id : ids) {
        bySnapshot.putIfAbsent(id, committed);
      }
    }

    private void expire() throws IOException {
      int max = 1 + random.nextInt(8);
      log.add("expire to " + max);
      table.table().newExpiry().expire(new Retention(Duration.ofHours(100), 1, max, 50));
      remember();
    }

    private void reopen() throws IOException {
      log.add("reopen, forgetting what is not committed");
      table.close();
      written.clear();
      written.putAll(committed);
      table = TestTable.open(fileIO, root.toString(), clock);
      // Numbers never restart: those of uncommitted rows stay unused.
      nextSequence += 100;
    }

    private void paimonStep() throws Exception {
      if (!withPaimon) {
        return;
      }
      commit();
      reopen();
      int dice = random.nextInt(3);
      if (dice == 0) {
        log.add("paimon compacts fully");
        paimon.compactFully();
      } else if (dice == 1) {
        log.add("paimon compacts as needed");
        paimon.compactAsNeeded();
      } else {
        paimonWrites();
      }
      remember();
      check(table.table().newScan(), committed);
      assertThat(CanonicalRows.sorted(CanonicalRows.read(table.table().newScan())))
          .isEqualTo(paimon.readLatest());
    }

    private void paimonWrites() throws Exception {
      List<GenericRow> batch = new ArrayList<>();
      StringBuilder text = new StringBuilder("paimon writes");
      for (int i = 0; i < 10; i++) {
        int id = random.nextInt(60);
        int value = random.nextInt(1000);
        boolean delete = random.nextInt(4) == 0;
        text.append(' ').append(delete ? '-' : '+').append(id).append('=').append(value);
        batch.add(
            GenericRow.ofKind(
                delete
                    ? org.apache.paimon.types.RowKind.DELETE
                    : org.apache.paimon.types.RowKind.INSERT,
                value,
                textKey ? BinaryString.fromString(key(id)) : (Object) (long) id,
                part(id)));
        // Its numbers go on from the bucket's largest, below our next ones by the gap.
        written.put(id, new Entry(-1, !delete, value));
      }
      log.add(text.toString());
      paimon.write(batch);
      nextSequence += 100;
      committed = new TreeMap<>(written);
    }

    // -------------------------------------------------------------- checks

    private List<Map<String, String>> expected(Map<Integer, Entry> state) {
      List<Map<String, String>> result = new ArrayList<>();
      state.forEach(
          (id, entry) -> {
            if (entry.live()) {
              Map<String, String> row = new LinkedHashMap<>();
              row.put("value", Integer.toString(entry.value()));
              row.put("id", key(id));
              row.put("part", Integer.toString(part(id)));
              result.add(row);
            }
          });
      return CanonicalRows.sorted(result);
    }

    private void check(TableScan scan, Map<Integer, Entry> state) throws IOException {
      assertThat(CanonicalRows.sorted(CanonicalRows.read(scan))).isEqualTo(expected(state));
    }

    private void checkAll() throws Exception {
      log.add("check all");
      remember();
      for (Map.Entry<Long, Map<Integer, Entry>> then : bySnapshot.entrySet()) {
        check(table.table().newScan(then.getKey()), then.getValue());
        if (withPaimon) {
          assertThat(paimon.read(then.getKey())).isEqualTo(expected(then.getValue()));
        }
      }
      checkConditions();
      Snapshot latest = table.table().snapshots().findLatest();
      TableStatistics statistics = table.table().statistics(latest);
      assertThat(statistics.records()).isEqualTo(latest == null ? 0 : latest.totalRecordCount());
    }

    private void checkConditions() throws IOException {
      int id = random.nextInt(60);
      String literal = textKey ? "'" + key(id) + "'" : Integer.toString(id);
      for (String condition :
          List.of(
              "id = " + literal,
              "id >= " + literal + " AND part = " + part(id),
              "id < " + literal + " OR value > 500",
              "id IN (" + literal + ", " + literal + ") AND value IS NOT NULL",
              "part != 1 AND value <= 500")) {
        TableScan scan = table.table().newScan().where(PredicateParser.parse(condition));
        List<Map<String, String>> wanted = new ArrayList<>(expected(committed));
        wanted.removeIf(row -> !passes(condition, id, row));
        assertThat(CanonicalRows.sorted(CanonicalRows.read(scan))).as(condition).isEqualTo(wanted);
        List<Map<String, String>> values = CanonicalRows.read(scan.columns(List.of("value")));
        assertThat(values).hasSameSizeAs(wanted);
      }
    }

    private boolean passes(String condition, int id, Map<String, String> row) {
      int order =
          textKey
              ? row.get("id").compareTo(key(id))
              : Long.compare(Long.parseLong(row.get("id")), id);
      int value = Integer.parseInt(row.get("value"));
      int part = Integer.parseInt(row.get("part"));
      if (condition.startsWith("id = ") || condition.startsWith("id IN")) {
        return order == 0;
      }
      if (condition.startsWith("id >=")) {
        return order >= 0 && part == part(id);
      }
      if (condition.startsWith("id <")) {
        return order < 0 || value > 500;
      }
      return part != 1 && value <= 500;
    }
  }
}
