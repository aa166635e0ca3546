package io.sluice.lsm.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.check.TableCheck.Depth;
import io.sluice.lsm.error.CommitConflictException;
import io.sluice.lsm.expire.Retention;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.table.LsmTable;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Writers that race on one table of sums, the same keys and buckets, and a reader beside them. Each
 * commit adds to some sums, so that none can be lost or doubled unseen, ever. Writers compact
 * between their commits; one that loses a race tries again, or reports a conflict that was true:
 * one of a compaction, whose rows are there as before.
 *
 * <p>{@code -Dtest.race.seconds=N} makes a race longer.
 */
public final class SumRace {

  /** One who writes. One thread. */
  public interface Writer extends AutoCloseable {
    /** One commit, which adds the amounts; it is there when this returns. */
    void add(Map<Integer, Long> amounts) throws Exception;

    /**
     * Compacts.
     *
     * @return false if others were in the way
     */
    boolean compact(boolean fully) throws Exception;

    @Override
    void close() throws Exception;
  }

  /** What happened. */
  public record Result(List<Long> commits, long compactions, long conflicts, long readings) {}

  private static final int KEYS = 40;
  private static final int SECONDS = 5;

  /** Each has so many at least, however busy the machine. */
  private static final int COMMITS_MIN = 10;

  private static final int SNAPSHOTS = 300;

  private final FileIO files;
  private final String root;
  private final AtomicLongArray begun = new AtomicLongArray(KEYS);
  private final AtomicLongArray done = new AtomicLongArray(KEYS);
  private final AtomicLong compactions = new AtomicLong();
  private final AtomicLong conflicts = new AtomicLong();

  /** Makes the table. */
  public SumRace(FileIO files, String root) throws IOException {
    this.files = files;
    this.root = root;
    TableSchema schema =
        new TableSchema(
            0,
            new RowType(
                List.of(
                    new DataField(0, "k", DataTypes.INT.withNullable(false)),
                    new DataField(1, "n", DataTypes.BIGINT))),
            1,
            List.of(),
            List.of("k"),
            Map.of(
                "bucket", "2",
                "file.format", "avro",
                "merge-engine", "aggregation",
                "fields.n.aggregate-function", "sum",
                "num-sorted-run.compaction-trigger", "4",
                // Paimon expires when it commits; its default would be too far ahead of a reader.
                "snapshot.num-retained.min", "200"),
            null,
            0);
    LsmTable.create(files, root, schema, Clock.systemUTC(), SumRace::freshId);
  }

  private static String freshId() {
    return UUID.randomUUID().toString();
  }

  /** A writer of ours with a table, stores and caches of its own. */
  public static Writer ours(FileIO files, String root, String user) throws IOException {
    TestTable table = TestTable.open(files, root, Clock.systemUTC(), user, SumRace::freshId);
    RowType type = table.table().newestSchema().rowType();
    return new Writer() {
      @Override
      public void add(Map<Integer, Long> amounts) throws Exception {
        for (Map.Entry<Integer, Long> amount : amounts.entrySet()) {
          table.write(TestRows.row(type, amount.getKey(), amount.getValue()));
        }
        assertThat(table.commit()).isNotNull();
      }

      @Override
      public boolean compact(boolean fully) throws Exception {
        if (!fully) {
          table.compactAsNeeded();
          return true;
        }
        try {
          table.compactFully();
          return true;
        } catch (CommitConflictException e) {
          return false;
        }
      }

      @Override
      public void close() {
        table.close();
      }
    };
  }

  /** Runs all writers at once for the time that is set, and looks whether all is there. */
  public Result run(List<Writer> writers) throws Exception {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("SumRace seed " + seed);
    long end =
        System.nanoTime()
            + TimeUnit.SECONDS.toNanos(Integer.getInteger("test.race.seconds", SECONDS));
    ExecutorService threads = Executors.newFixedThreadPool(writers.size() + 1);
    List<Long> commits = new ArrayList<>();
    long readings;
    try {
      List<Future<Long>> writing = new ArrayList<>();
      for (int i = 0; i < writers.size(); i++) {
        Writer writer = writers.get(i);
        Random random = new Random(seed + i);
        writing.add(threads.submit(() -> write(writer, random, end)));
      }
      Future<Long> reading = threads.submit(() -> read(end));
      for (Future<Long> one : writing) {
        commits.add(one.get());
      }
      readings = reading.get();
    } finally {
      threads.shutdownNow();
    }
    for (Writer writer : writers) {
      writer.close();
    }
    assertThat(sums()).isEqualTo(committed());
    assertThat(open().newCheck().run(Depth.RECORDS).findings()).isEmpty();
    return new Result(commits, compactions.get(), conflicts.get(), readings);
  }

  private LsmTable open() throws IOException {
    return LsmTable.open(files, root, Clock.systemUTC(), SumRace::freshId);
  }

  /** What each key's sum must be, of those that have one. */
  public Map<Integer, Long> committed() {
    Map<Integer, Long> result = new LinkedHashMap<>();
    for (int key = 0; key < KEYS; key++) {
      if (done.get(key) != 0) {
        result.put(key, done.get(key));
      }
    }
    return result;
  }

  private Map<Integer, Long> sums() throws IOException {
    Map<Integer, Long> result = new LinkedHashMap<>();
    for (Map<String, String> row : CanonicalRows.read(open().newScan())) {
      result.put(Integer.valueOf(row.get("k")), Long.valueOf(row.get("n")));
    }
    return result;
  }

  private long write(Writer writer, Random random, long end) throws Exception {
    long commits = 0;
    while (System.nanoTime() < end || commits < COMMITS_MIN) {
      Map<Integer, Long> amounts = new LinkedHashMap<>();
      for (int i = 0; i <= random.nextInt(6); i++) {
        amounts.put(random.nextInt(KEYS), 1L + random.nextInt(100));
      }
      amounts.forEach((key, amount) -> begun.addAndGet(key, amount));
      writer.add(amounts);
      amounts.forEach((key, amount) -> done.addAndGet(key, amount));
      commits++;
      if (random.nextInt(4) == 0) {
        boolean alone = writer.compact(random.nextInt(5) == 0);
        (alone ? compactions : conflicts).incrementAndGet();
      }
    }
    return commits;
  }

  /** Each look sees all that was committed before, and nothing that was not begun. */
  private long read(long end) throws Exception {
    long readings = 0;
    while (System.nanoTime() < end) {
      long[] before = new long[KEYS];
      for (int key = 0; key < KEYS; key++) {
        before[key] = done.get(key);
      }
      Map<Integer, Long> seen = sums();
      for (int key = 0; key < KEYS; key++) {
        assertThat(seen.getOrDefault(key, 0L))
            .as("sum of %d, read beside the writers", key)
            .isBetween(before[key], begun.get(key));
      }
      if (++readings % 20 == 0) {
        open().newExpiry().expire(new Retention(Duration.ZERO, SNAPSHOTS, SNAPSHOTS, 1000));
      }
    }
    return readings;
  }
}
