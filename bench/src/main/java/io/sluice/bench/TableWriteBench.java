package io.sluice.bench;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.commit.CommitRequest;
import io.sluice.lsm.compaction.CompactionListener;
import io.sluice.lsm.compaction.CompactionPool;
import io.sluice.lsm.compaction.TableCompactor;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.scan.RowReader;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.table.TableStatistics;
import io.sluice.lsm.write.BucketAssigner;
import io.sluice.lsm.write.BucketWriter;
import io.sluice.lsm.write.MemoryPool;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.StreamTableCommit;
import org.apache.paimon.table.sink.StreamTableWrite;

/**
 * Upserts into one table with compaction, by Sluice's engine and by Paimon's own Java writer, in
 * turn on the same rows: 3 million over 1 million keys, 2 buckets, ORC with zstd, a commit every
 * 200,000 rows. Both take rows from one thread and compact in one other; Sluice's buckets are
 * flushed side by side at a commit, as the workers of a pipeline do. The clock stops when the last
 * commit is there and no compaction is due. Prints rows/s of each round and the medians.
 *
 * <pre>TableWriteBench [rows] [keys] [rows per commit] [rounds] [ours|paimon|both]</pre>
 */
public final class TableWriteBench {

  private static final int BUCKETS = 2;
  private static final String[] STATES = {"new", "paid", "packed", "sent", "delivered", "returned"};
  private static final byte[][] STATE_BYTES =
      Arrays.stream(STATES)
          .map(state -> state.getBytes(StandardCharsets.UTF_8))
          .toArray(byte[][]::new);

  private static final TableSchema SCHEMA =
      new TableSchema(
          0,
          new RowType(
              List.of(
                  new DataField(0, "id", DataTypes.BIGINT.withNullable(false)),
                  new DataField(1, "customer", DataTypes.INT),
                  new DataField(2, "state", DataTypes.STRING),
                  new DataField(3, "amount", DataTypes.decimal(12, 2)),
                  new DataField(4, "quantity", DataTypes.INT),
                  new DataField(5, "note", DataTypes.STRING),
                  new DataField(6, "created", DataTypes.timestamp(3)),
                  new DataField(7, "updated", DataTypes.timestamp(6)))),
          7,
          List.of(),
          List.of("id"),
          Map.of(
              "bucket",
              Integer.toString(BUCKETS),
              "file.format",
              "orc",
              "file.compression",
              "zstd"),
          null,
          0);

  private final int rows;
  private final int keys;
  private final int rowsPerCommit;

  private TableWriteBench(int rows, int keys, int rowsPerCommit) {
    this.rows = rows;
    this.keys = keys;
    this.rowsPerCommit = rowsPerCommit;
  }

  public static void main(String[] args) throws Exception {
    TableWriteBench bench =
        new TableWriteBench(
            argument(args, 0, 3_000_000), argument(args, 1, 1_000_000), argument(args, 2, 200_000));
    int rounds = argument(args, 3, 3);
    String who = args.length > 4 ? args[4] : "both";
    List<Double> ours = new ArrayList<>();
    List<Double> paimon = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      String oursSum = "";
      if (!who.equals("paimon")) {
        oursSum = bench.round(round, "sluice", ours, bench::writeOurs);
      }
      if (!who.equals("ours")) {
        String paimonSum = bench.round(round, "paimon", paimon, bench::writePaimon);
        if (!oursSum.isEmpty() && !oursSum.equals(paimonSum)) {
          throw new AssertionError("Different rows: " + oursSum + " and " + paimonSum);
        }
      }
    }
    System.out.printf(
        Locale.ROOT,
        "median rows/s: sluice %,.0f, paimon %,.0f%s%n",
        median(ours),
        median(paimon),
        ours.isEmpty() || paimon.isEmpty()
            ? ""
            : String.format(Locale.ROOT, ", ratio %.2f", median(ours) / median(paimon)));
    System.exit(0);
  }

  private static int argument(String[] args, int index, int byDefault) {
    return args.length > index ? Integer.parseInt(args[index]) : byDefault;
  }

  private static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
  }

  private interface Writer {
    void write(Path folder) throws Exception;
  }

  /** Writes one table, prints its figures; returns a sum over its rows. */
  private String round(int round, String name, List<Double> results, Writer writer)
      throws Exception {
    Path folder = Files.createTempDirectory("table-write-bench");
    try {
      Path root = folder.resolve("bench.db").resolve("t");
      LsmTable.create(
          new LocalFileIO(TableWriteBench::id),
          root.toString(),
          SCHEMA,
          Clock.systemUTC(),
          TableWriteBench::id);
      long start = System.nanoTime();
      long cpuStart = cpuNanos();
      writer.write(root);
      double seconds = (System.nanoTime() - start) / 1e9;
      double cpuSeconds = (cpuNanos() - cpuStart) / 1e9;
      results.add(rows / seconds);
      LsmTable table = open(root);
      TableStatistics statistics = table.statistics(table.snapshots().findLatest());
      long scanStart = System.nanoTime();
      String sum = sum(table);
      System.out.printf(
          Locale.ROOT,
          "round %d %s: %,.0f rows/s (%.2f s, CPU %.2f s); then %d files, %d records, scan %.2f s, rows %s%n",
          round,
          name,
          rows / seconds,
          seconds,
          cpuSeconds,
          statistics.files(),
          statistics.records(),
          (System.nanoTime() - scanStart) / 1e9,
          sum);
      return sum;
    } finally {
      delete(folder);
    }
  }

  /** Of all threads; steadier than the clock where others use the machine, too. */
  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
        .getProcessCpuTime();
  }

  private static String id() {
    return UUID.randomUUID().toString();
  }

  private static LsmTable open(Path root) throws IOException {
    return LsmTable.open(
        new LocalFileIO(TableWriteBench::id),
        root.toString(),
        Clock.systemUTC(),
        TableWriteBench::id);
  }

  private static String sum(LsmTable table) throws IOException {
    long count = 0;
    long sum = 0;
    try (RowReader reader = table.newScan().open()) {
      while (reader.advance()) {
        Row row = reader.row();
        count++;
        sum +=
            row.getLong(0) * 31
                + row.getInt(1) * 7L
                + row.getDecimalUnscaled(3) * 3
                + row.getTimestampMillis(7, 6);
      }
    }
    return count + "/" + Long.toHexString(sum);
  }

  // ---------------------------------------------------------------- ours

  private void writeOurs(Path root) throws Exception {
    LsmTable table = open(root);
    MemoryPool memory = new MemoryPool(256L << 20);
    ExecutorService workers = Executors.newFixedThreadPool(BUCKETS);
    try (CompactionPool pool = new CompactionPool(1, task -> new Thread(task, "compaction"));
        TableCompactor compactor =
            table.newCompactor(
                TableCompactor.Settings.of("bench-compaction"),
                pool,
                CompactionListener.logging("bench"))) {
      BucketAssigner assigner = new BucketAssigner(SCHEMA);
      BucketWriter[] writers = new BucketWriter[BUCKETS];
      for (int bucket = 0; bucket < BUCKETS; bucket++) {
        writers[bucket] = table.newBucketWriter(SCHEMA, BinaryRow.EMPTY, bucket, memory);
      }
      SplittableRandom random = new SplittableRandom(42);
      OurRows source = new OurRows();
      long commits = 0;
      for (int i = 0; i < rows; i++) {
        BinaryRow row = source.next(random, keys);
        writers[assigner.bucket(row)].write(row, i);
        if ((i + 1) % rowsPerCommit == 0 || i + 1 == rows) {
          commit(table, writers, ++commits, compactor, workers);
        }
      }
      while (compactor.pendingBytes() > 0) {
        Thread.onSpinWait();
        java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
      }
    } finally {
      workers.shutdown();
    }
  }

  private static void commit(
      LsmTable table,
      BucketWriter[] writers,
      long identifier,
      TableCompactor compactor,
      ExecutorService workers)
      throws Exception {
    List<Future<CommitMessage>> flushes = new ArrayList<>();
    for (int i = 0; i < writers.length; i++) {
      int bucket = i;
      flushes.add(
          workers.submit(
              () -> {
                compactor.awaitBelowStop(BinaryRow.EMPTY, bucket);
                return new CommitMessage(
                    BinaryRow.EMPTY,
                    bucket,
                    BUCKETS,
                    writers[bucket].drain(),
                    List.of(),
                    List.of());
              }));
    }
    List<CommitMessage> messages = new ArrayList<>();
    for (Future<CommitMessage> flush : flushes) {
      messages.add(flush.get());
    }
    table
        .committer()
        .commit(
            new CommitRequest(
                "bench",
                identifier,
                new CommitRequest.Append(table.committer().prepare(messages)),
                Map.of()),
            CommitRequest.AttemptGuard.ALWAYS);
    compactor.wake();
  }

  /** One row after another as a binary row, as a source would make it. */
  private static final class OurRows {
    private final BinaryRowWriter writer = new BinaryRowWriter(8);
    private final byte[] note = new byte[40];

    BinaryRow next(SplittableRandom random, int keys) {
      long id = random.nextInt(keys);
      long r = random.nextLong();
      writer.reset();
      writer.writeLong(0, id);
      writer.writeInt(1, (int) (r & 0xffff));
      byte[] state = STATE_BYTES[(int) ((r >>> 16) & 0xff) % STATES.length];
      writer.writeBytes(2, state, 0, state.length);
      writer.writeDecimalUnscaled(3, (r >>> 24) & 0xfffff);
      writer.writeInt(4, (int) ((r >>> 44) & 0xf));
      note(r, note);
      writer.writeBytes(5, note, 0, note.length);
      writer.writeTimestamp(6, 1_700_000_000_000L + id * 1000, 0, 3);
      writer.writeTimestamp(7, 1_760_000_000_000L + (r >>> 32), 0, 6);
      return writer.finish(RowKind.INSERT);
    }
  }

  /** Text of 40 characters that compresses about as well as such notes do. */
  private static void note(long r, byte[] into) {
    for (int i = 0; i < into.length; i++) {
      into[i] = (byte) ('a' + (i < 16 ? (r >>> (i * 4)) & 0xf : i % 13));
    }
  }

  // ---------------------------------------------------------------- Paimon

  private void writePaimon(Path root) throws Exception {
    FileStoreTable table =
        FileStoreTableFactory.create(
            org.apache.paimon.fs.local.LocalFileIO.create(),
            new org.apache.paimon.fs.Path("file://" + root));
    String user = "bench";
    try (IOManager spill = IOManager.create(root.resolveSibling("spill").toString());
        StreamTableWrite write = table.newWrite(user);
        StreamTableCommit commit = table.newCommit(user)) {
      write.withIOManager(spill);
      SplittableRandom random = new SplittableRandom(42);
      byte[] note = new byte[40];
      long commits = 0;
      for (int i = 0; i < rows; i++) {
        write.write(paimonRow(random, keys, note));
        boolean last = i + 1 == rows;
        if ((i + 1) % rowsPerCommit == 0 || last) {
          commits++;
          commit.commit(commits, write.prepareCommit(last, commits));
        }
      }
    }
  }

  private static GenericRow paimonRow(SplittableRandom random, int keys, byte[] note) {
    long id = random.nextInt(keys);
    long r = random.nextLong();
    note(r, note);
    return GenericRow.of(
        id,
        (int) (r & 0xffff),
        BinaryString.fromBytes(STATE_BYTES[(int) ((r >>> 16) & 0xff) % STATES.length]),
        Decimal.fromUnscaledLong((r >>> 24) & 0xfffff, 12, 2),
        (int) ((r >>> 44) & 0xf),
        BinaryString.fromBytes(note.clone()),
        Timestamp.fromEpochMillis(1_700_000_000_000L + id * 1000),
        Timestamp.fromEpochMillis(1_760_000_000_000L + (r >>> 32)));
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
