package io.sluice.lsm.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.check.TableCheck.Depth;
import io.sluice.lsm.expire.Retention;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A random history of one table in memory: writes, flushes, commits, compactions by us and by
 * Paimon, writes by Paimon, changes of the schema, expiry, restarts. After every commit our reader,
 * Paimon's and the model that the subclass keeps have the same rows; now and then this is asked of
 * every snapshot there is, and the table is checked record by record.
 *
 * <p>{@code -Dtest.seed=} runs one history again, {@code -Dtest.histories=} more of them.
 */
public abstract class TableHistory {

  /** Makes the history of a seed. */
  @FunctionalInterface
  public interface Maker {
    TableHistory make(long seed) throws Exception;
  }

  protected static final String ROOT = "/lake/w.db/t";

  private static final int STEPS_MIN = 15;

  protected final Random dice;
  protected final MemoryFileIO files = new MemoryFileIO();
  protected final FakeClock clock = new FakeClock();
  protected final PaimonOracle paimon = new PaimonOracle(new PaimonStorage(files), ROOT);

  /** What it compacts keeps the signs of zeros, which the model has. */
  private final PaimonOracle exactPaimon = paimon.with(PaimonOracle.ROW_BY_ROW);

  private final TestIds ids = new TestIds();
  private final List<String> log = new ArrayList<>();
  private final Map<Long, List<Map<String, String>>> bySnapshot = new TreeMap<>();
  private @Nullable TestTable opened;
  private long nextSequence = 100;

  protected TableHistory(long seed) {
    this.dice = new Random(seed);
  }

  /** Runs histories one after the other; a failure tells its seed and all that happened. */
  public static void runAll(int histories, long firstSeed, Maker maker) {
    String seed = System.getProperty("test.seed");
    int count = seed != null ? 1 : Integer.getInteger("test.histories", histories);
    long first = seed != null ? Long.parseLong(seed) : firstSeed;
    for (long s = first; s < first + count; s++) {
      TableHistory history = null;
      try {
        history = maker.make(s);
        history.run();
      } catch (Throwable e) {
        throw new AssertionError(
            "History failed; replay with -Dtest.seed="
                + s
                + (history == null ? "" : "\n" + history + "\n" + String.join("\n", history.log)),
            e);
      }
    }
  }

  // ---------------------------------------------------------------- what a subclass does

  /** Writes some rows through {@link #table()}, and remembers them as not committed. */
  protected abstract void write(int count) throws IOException;

  /** Some rows for Paimon to write and commit; what is remembered is committed with them. */
  protected abstract List<BinaryRow> rowsForPaimon();

  /** Memtables have become files. */
  protected void flushed() {}

  /** What was written is committed. */
  protected abstract void committed();

  /** What was not committed is forgotten. */
  protected abstract void restarted();

  /** Level 0 was compacted, wholly. */
  protected void compacted() {}

  /** Paimon has written rows: in a first-row table it compacts level 0 of their buckets. */
  protected void compactedByWriting(List<BinaryRow> rows) {}

  /**
   * The next schema, what is remembered being fitted to it; null if the table has had enough of
   * them.
   */
  protected abstract @Nullable TableSchema changeSchema();

  /**
   * The rows that are committed, in any order.
   *
   * @return null if nobody but the readers knows
   */
  protected abstract @Nullable List<Map<String, String>> expected();

  /**
   * Further looks at the newest snapshot.
   *
   * @param rows of it, as all have found them
   */
  protected abstract void checkMore(List<Map<String, String>> rows) throws Exception;

  protected final void log(String what) {
    log.add(what);
  }

  protected final TestTable table() {
    return java.util.Objects.requireNonNull(opened, "opened");
  }

  protected final void create(TableSchema schema) throws IOException {
    opened = TestTable.create(files, ROOT, schema, clock, ids);
  }

  /** A number for the next record: larger than all before, with a gap below. */
  protected final long nextSequence() {
    long sequence = nextSequence;
    nextSequence += 10;
    return sequence;
  }

  // ---------------------------------------------------------------- steps

  private void run() throws Exception {
    int steps = STEPS_MIN + dice.nextInt(25);
    for (int i = 0; i < steps; i++) {
      clock.advance(Duration.ofSeconds(dice.nextInt(600)));
      step(dice.nextInt(100));
    }
    commit();
    checkAll();
    table().close();
    assertThat(table().memory().bytesUsed()).isZero();
  }

  private void step(int step) throws Exception {
    if (step < 44) {
      write(1 + dice.nextInt(30));
    } else if (step < 50) {
      log("flush");
      table().flush();
      flushed();
    } else if (step < 67) {
      commit();
    } else if (step < 75) {
      log("compact as needed");
      table().compactAsNeeded();
      compacted();
      check();
    } else if (step < 79) {
      log("compact fully");
      table().compactFully();
      compacted();
      check();
    } else if (step < 83) {
      int max = 1 + dice.nextInt(8);
      log("expire to " + max);
      table().table().newExpiry().expire(new Retention(Duration.ofHours(100), 1, max, 50));
      check();
    } else if (step < 87) {
      restart();
    } else if (step < 94) {
      paimonStep();
    } else if (step < 97) {
      alter();
    } else {
      checkAll();
    }
  }

  private void commit() throws Exception {
    log("commit");
    table().commit();
    flushed();
    committed();
    check();
  }

  private void restart() throws IOException {
    log("restart, forgetting what is not committed");
    table().close();
    flushed();
    restarted();
    opened = TestTable.open(files, ROOT, clock, TestTable.USER, ids);
    // Numbers never restart: those of uncommitted rows stay unused.
    nextSequence += 1000;
  }

  private void paimonStep() throws Exception {
    commit();
    restart();
    switch (dice.nextInt(4)) {
      case 0 -> {
        log("paimon compacts fully");
        exactPaimon.compactFully();
      }
      case 1 -> {
        log("paimon compacts as needed");
        exactPaimon.compactAsNeeded();
      }
      default -> {
        log("paimon writes");
        List<BinaryRow> rows = rowsForPaimon();
        exactPaimon.write(rows.stream().map(PaimonOracle::theirs).toList());
        // It numbers its records from the largest of each bucket on; ours must stay above.
        nextSequence += 1000;
        committed();
        compactedByWriting(rows);
        check();
        return;
      }
    }
    compacted();
    check();
  }

  private void alter() throws Exception {
    TableSchema next = changeSchema();
    if (next == null) {
      return;
    }
    log("schema-" + next.id() + ": " + next.rowType().fields() + " " + next.options());
    table().changeSchema(next);
    flushed();
    // Of the newest snapshot with the newest schema.
    compare(expected());
  }

  // ---------------------------------------------------------------- checks

  /** Paimon's commits expire snapshots, too. */
  private void check() throws Exception {
    List<Map<String, String>> rows = compare(expected());
    List<Long> ids = table().table().snapshots().listIds();
    bySnapshot.keySet().retainAll(ids);
    for (long id : ids) {
      if (!bySnapshot.containsKey(id)) {
        // The schema may be newer than the snapshot.
        boolean newest = id == ids.get(ids.size() - 1);
        bySnapshot.put(id, newest ? rows : exactPaimon.read(id));
      }
    }
  }

  /** The rows of the newest snapshot, on which all agree. */
  private List<Map<String, String>> compare(@Nullable List<Map<String, String>> model)
      throws Exception {
    List<Map<String, String>> ours =
        CanonicalRows.sorted(CanonicalRows.read(table().table().newScan()));
    if (model != null) {
      assertThat(ours).as("our reader and the model").isEqualTo(CanonicalRows.sorted(model));
    }
    assertSame("our reader and Paimon's", ours, PaimonOracle::readLatest);
    checkMore(ours);
    return ours;
  }

  /** What a Paimon reads. */
  @FunctionalInterface
  private interface Reading {
    List<Map<String, String>> rows(PaimonOracle paimon) throws Exception;
  }

  /** Signs of zeros may be lost to {@link PaimonOracle#ROW_BY_ROW}'s fault, and to nothing else. */
  private void assertSame(String what, List<Map<String, String>> ours, Reading reading)
      throws Exception {
    List<Map<String, String>> theirs = reading.rows(paimon);
    if (!theirs.equals(ours)) {
      assertThat(unsigned(ours)).as(what).isEqualTo(unsigned(theirs));
      assertThat(ours).as(what + " row by row").isEqualTo(reading.rows(exactPaimon));
    }
  }

  private static List<Map<String, String>> unsigned(List<Map<String, String>> rows) {
    List<Map<String, String>> result = new ArrayList<>();
    for (Map<String, String> row : rows) {
      Map<String, String> copy = new LinkedHashMap<>(row);
      copy.replaceAll((column, value) -> "-0.0".equals(value) ? "0.0" : value);
      result.add(copy);
    }
    return CanonicalRows.sorted(result);
  }

  private void checkAll() throws Exception {
    log("check all");
    check();
    for (Map.Entry<Long, List<Map<String, String>>> then : bySnapshot.entrySet()) {
      long id = then.getKey();
      assertThat(CanonicalRows.sorted(CanonicalRows.read(table().table().newScan(id))))
          .as("our reader at snapshot %d, and as it was then", id)
          .isEqualTo(then.getValue());
      assertSame(
          "as snapshot " + id + " was then, and Paimon's reader now",
          then.getValue(),
          reader -> reader.read(id));
    }
    assertThat(table().table().newCheck().run(Depth.RECORDS).findings()).isEmpty();
  }
}
