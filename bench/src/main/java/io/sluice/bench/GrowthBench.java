package io.sluice.bench;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.commit.CommitRequest;
import io.sluice.lsm.commit.CommitRequest.Append;
import io.sluice.lsm.commit.CommitRequest.AttemptGuard;
import io.sluice.lsm.commit.CommitRequest.Compaction;
import io.sluice.lsm.commit.CommitRequest.Seen;
import io.sluice.lsm.compaction.CompactionListener;
import io.sluice.lsm.compaction.TableCompactor;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.expire.Retention;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.scan.Predicate;
import io.sluice.lsm.scan.PredicateParser;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.StreamTableCommit;
import org.jspecify.annotations.Nullable;

/**
 * What a commit, the opening of a table and the plan of a scan cost as a table grows: by rows, live
 * files, snapshots kept and partitions, each at three sizes a factor of ten apart. All else stays
 * as it is: a commit brings two small files, every fifth is followed by a compaction of these two
 * buckets. Paimon's own Java committer does the very same to a copy of the table, by turns.
 *
 * <p>The files are described, not written, but for the growth by rows ({@link DescribedFiles}). On
 * a disk most of a commit is waiting for it; with {@code -Djava.io.tmpdir} in memory the work
 * itself shows.
 *
 * <pre>GrowthBench [SVG file to write, or -] [commits (200)] [ROWS|FILES|SNAPSHOTS|PARTITIONS ...]
 * </pre>
 */
public final class GrowthBench {

  private static final int COMMITS_A_COMPACTION = 5;
  private static final int WARM_UP = 30;
  private static final int TURN = 10;
  private static final int PLANS = 25;

  private static final com.sun.management.ThreadMXBean THREADS =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** What grows. */
  private enum Dimension {
    ROWS("rows", 100_000, 1_000_000, 10_000_000),
    FILES("live files", 200, 2_000, 20_000),
    SNAPSHOTS("snapshots kept", 20, 200, 2_000),
    PARTITIONS("partitions", 10, 100, 1_000);

    final String label;
    final int[] sizes;

    Dimension(String label, int... sizes) {
      this.label = label;
      this.sizes = sizes;
    }
  }

  /**
   * A table.
   *
   * @param partitions 0: not partitioned
   * @param filesPerBucket in the deepest level
   * @param snapshots commits that bring nothing more
   * @param rows really written; 0: described files alone
   */
  private record Shape(int partitions, int buckets, int filesPerBucket, int snapshots, int rows) {
    boolean partitioned() {
      return partitions > 0;
    }

    static Shape of(Dimension dimension, int size) {
      return switch (dimension) {
        case ROWS -> new Shape(0, 4, 0, 0, size);
        case FILES -> new Shape(0, size / 10, 10, 0, 0);
        case SNAPSHOTS -> new Shape(0, 4, 5, size, 0);
        case PARTITIONS -> new Shape(size, 2, 3, 0, 0);
      };
    }
  }

  /**
   * Milliseconds of several runs of one thing by the clock and by the processor (of the whole
   * process: Paimon's commit has threads), and the bytes that the calling thread allocated.
   */
  private static final class Times {
    private final List<Double> millis = new ArrayList<>();
    private final List<Double> cpuMillis = new ArrayList<>();
    private final List<Double> kibibytes = new ArrayList<>();

    interface Step {
      void run() throws Exception;
    }

    void time(Step step) throws Exception {
      long thread = Thread.currentThread().getId();
      long allocated = THREADS.getThreadAllocatedBytes(thread);
      Stopwatch watch = new Stopwatch();
      step.run();
      millis.add(watch.seconds() * 1e3);
      cpuMillis.add(watch.cpuSeconds() * 1e3);
      kibibytes.add((THREADS.getThreadAllocatedBytes(thread) - allocated) / 1024.0);
    }

    void clear() {
      millis.clear();
      cpuMillis.clear();
      kibibytes.clear();
    }

    /** The mean: the processor's clock ticks in hundredths of a second, and rare work counts. */
    double cpu() {
      return cpuMillis.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
    }

    double median() {
      return Sample.of(millis).median();
    }

    double p99() {
      return Sample.of(millis).percentile(99);
    }

    double allocatedKibibytes() {
      return Sample.of(kibibytes).median();
    }
  }

  private final int commits;

  private GrowthBench(int commits) {
    this.commits = commits;
  }

  /** Runs it. */
  public static void main(String[] args) throws Exception {
    Arguments arguments = new Arguments(args);
    String svg = arguments.text(0, "-");
    int commits = arguments.number(1, 200);
    List<Dimension> dimensions =
        args.length > 2
            ? Arrays.stream(args).skip(2).map(Dimension::valueOf).toList()
            : List.of(Dimension.values());
    List<LogLogChart.Panel> panels = new ArrayList<>();
    GrowthBench bench = new GrowthBench(commits);
    new GrowthBench(2 * commits).measure("warm-up", new Shape(0, 4, 5, 0, 0));
    for (Dimension dimension : dimensions) {
      panels.add(bench.grow(dimension));
    }
    if (!svg.equals("-")) {
      Path file = Path.of(svg).toAbsolutePath();
      Files.createDirectories(file.getParent());
      Files.writeString(file, LogLogChart.svg("CPU time as a table grows, milliseconds", panels));
    }
    System.exit(0);
  }

  private LogLogChart.Panel grow(Dimension dimension) throws Exception {
    Map<String, List<LogLogChart.Point>> series = new LinkedHashMap<>();
    for (int size : dimension.sizes) {
      measure(
              String.format(Locale.ROOT, "%,d %s", size, dimension.label),
              Shape.of(dimension, size))
          .forEach(
              (name, millis) ->
                  series
                      .computeIfAbsent(name, n -> new ArrayList<>())
                      .add(new LogLogChart.Point(size, millis)));
    }
    return new LogLogChart.Panel(dimension.label, "CPU, ms", series);
  }

  private Map<String, Double> measure(String what, Shape shape) throws Exception {
    try (BenchFolder folder = BenchFolder.create("growth-bench")) {
      Path root = folder.table("ours");
      Path copy = folder.table("paimon");
      TableSchema schema = DescribedFiles.schema(shape.buckets(), shape.partitioned());
      SluiceSession.create(root, schema);
      if (shape.rows() > 0) {
        write(root, schema, shape.rows());
      }
      fill(SluiceSession.open(root), shape);
      copy(root, copy);
      return measure(what, shape, root, copy);
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.toList()) {
        Path target = to.resolve(from.relativize(path).toString());
        Files.createDirectories(target.getParent());
        if (Files.isRegularFile(path) && !path.getFileName().toString().endsWith(".orc")) {
          Files.copy(path, target);
        }
      }
    }
  }

  private static void write(Path root, TableSchema schema, int rows) throws Exception {
    int rowsPerCommit = 1_000_000;
    Orders.Source source = Orders.Source.ascending(42, rows);
    try (SluiceSession session = new SluiceSession(root, schema, SluiceSession.Compaction.NONE)) {
      for (int i = 1; i <= rows; i++) {
        source.advance();
        session.write(source);
        if (i % rowsPerCommit == 0 || i == rows) {
          session.commit();
        }
      }
      session.compactFully();
    }
  }

  private Map<String, Double> measure(String what, Shape shape, Path root, Path copy)
      throws Exception {
    double heapBefore = heapMebibytes();
    LsmTable table = SluiceSession.open(root);
    double heap;
    Times append = new Times();
    Times compact = new Times();
    Times follow = new Times();
    Times paimonAppend = new Times();
    Times paimonCompact = new Times();
    try (TableCompactor compactor =
            table.newCompactor(
                TableCompactor.Settings.of("bench-compaction"),
                Runnable::run,
                CompactionListener.logging("bench"));
        StreamTableCommit commit =
            FileStoreTableFactory.create(
                    org.apache.paimon.fs.local.LocalFileIO.create(),
                    new org.apache.paimon.fs.Path("file://" + copy))
                .newCommit("bench")) {
      compactor.wake();
      Load ours = new Load(shape, table);
      Load theirs = new Load(shape, SluiceSession.open(copy));
      for (int i = 0; i < WARM_UP + commits; i += TURN) {
        if (i == WARM_UP) {
          List.of(append, compact, follow, paimonAppend, paimonCompact).forEach(Times::clear);
        }
        for (int j = 0; j < TURN; j++) {
          ours.step(
              (identifier, messages) ->
                  append.time(
                      () ->
                          commit(
                              table,
                              "bench",
                              identifier,
                              new Append(table.committer().prepare(messages)))),
              (identifier, messages) -> {
                Compaction compaction = new Compaction(messages, ours.seen());
                compact.time(() -> commit(table, "bench-compaction", identifier, compaction));
              });
          follow.time(compactor::wake);
        }
        for (int j = 0; j < TURN; j++) {
          theirs.step(
              (identifier, messages) -> {
                List<org.apache.paimon.table.sink.CommitMessage> all =
                    messages.stream().map(DescribedFiles::paimon).toList();
                paimonAppend.time(() -> commit.commit(identifier, all));
              },
              (identifier, messages) -> {
                List<org.apache.paimon.table.sink.CommitMessage> all =
                    messages.stream().map(DescribedFiles::paimon).toList();
                paimonCompact.time(() -> commit.commit(identifier, all));
              });
        }
      }
      heap = heapMebibytes() - heapBefore;
      LsmTable copied = SluiceSession.open(copy);
      if (table.liveFileCount(latest(table)) != copied.liveFileCount(latest(copied))) {
        throw new AssertionError("Ours and Paimon's table differ after the same commits");
      }
    }
    Times planAll = plans(root, null);
    String condition = shape.partitioned() ? "customer = 3 and id = 5" : "id = 5";
    Times planOne = plans(root, condition);
    Times expire = new Times();
    if (shape.snapshots() == 0) {
      Retention retention = new Retention(Duration.ZERO, 10, 10, 50);
      LsmTable expired = SluiceSession.open(root);
      for (int i = 0; i < 3; i++) {
        expire.time(() -> expired.newExpiry().expire(retention));
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%-24s heap %.1f MiB, expiry of 50 snapshots %.1f ms CPU%n",
        what,
        heap,
        expire.cpu());
    Map<String, Times> all = new LinkedHashMap<>();
    all.put("append commit", append);
    all.put("compaction commit", compact);
    all.put("compactor follows", follow);
    all.put("open, plan a scan of one key", planOne);
    all.put("open, plan a scan of all", planAll);
    all.put("Paimon: append commit", paimonAppend);
    all.put("Paimon: compaction commit", paimonCompact);
    Map<String, Double> result = new LinkedHashMap<>();
    all.forEach(
        (name, times) -> {
          System.out.printf(
              Locale.ROOT,
              "    %-30s median %8.2f ms, p99 %8.2f ms; CPU %8.2f ms; %,8.0f KiB allocated%n",
              name,
              times.median(),
              times.p99(),
              times.cpu(),
              times.allocatedKibibytes());
          result.put(name, times.cpu());
        });
    // Too little to be seen on a chart.
    result.remove("compactor follows");
    return result;
  }

  private static Times plans(Path root, @Nullable String condition) throws Exception {
    Times times = new Times();
    for (int i = 0; i < PLANS; i++) {
      times.time(
          () -> {
            TableScan scan = SluiceSession.open(root).newScan();
            if (condition != null) {
              Predicate predicate = PredicateParser.parse(condition);
              scan = scan.where(predicate);
            }
            if (scan.splits().isEmpty()) {
              throw new AssertionError("Nothing to read where " + condition);
            }
          });
    }
    return times;
  }

  // ---------------------------------------------------------------- tables

  private static void fill(LsmTable table, Shape shape) throws IOException {
    long identifier = 0;
    List<CommitMessage> messages = new ArrayList<>();
    int files = 0;
    for (int p = 0; p < Math.max(1, shape.partitions()); p++) {
      BinaryRow partition = DescribedFiles.partition(shape.partitioned(), p);
      for (int bucket = 0; bucket < shape.buckets() && shape.filesPerBucket() > 0; bucket++) {
        List<DataFileMeta> deepest = new ArrayList<>();
        for (int i = 0; i < shape.filesPerBucket(); i++) {
          deepest.add(DescribedFiles.file(5, i, 0));
        }
        files += deepest.size();
        messages.add(
            new CommitMessage(partition, bucket, shape.buckets(), deepest, List.of(), List.of()));
        if (files >= 5_000) {
          commit(table, "fill", ++identifier, new Append(table.committer().prepare(messages)));
          messages.clear();
          files = 0;
        }
      }
    }
    if (!messages.isEmpty()) {
      commit(table, "fill", ++identifier, new Append(table.committer().prepare(messages)));
    }
    for (int i = 0; i < shape.snapshots(); i++) {
      commit(table, "fill", ++identifier, new Append(table.committer().prepare(List.of())));
    }
  }

  private static Snapshot commit(
      LsmTable table, String user, long identifier, CommitRequest.Change change)
      throws IOException {
    Snapshot snapshot =
        table
            .committer()
            .commit(new CommitRequest(user, identifier, change, Map.of()), AttemptGuard.ALWAYS);
    if (snapshot == null) {
      throw new AssertionError("A commit that was not made");
    }
    return snapshot;
  }

  private static Snapshot latest(LsmTable table) throws IOException {
    Snapshot latest = table.snapshots().findLatest();
    if (latest == null) {
      throw new AssertionError("A table without a snapshot");
    }
    return latest;
  }

  /** Commits two small files at a time, and compacts these now and then into level 4. */
  private static final class Load {
    interface Committing {
      void commit(long identifier, List<CommitMessage> messages) throws Exception;
    }

    private static final int TOUCHED = 2;

    private final Shape shape;
    private final LsmTable table;
    private final BinaryRow partition;
    private final List<List<DataFileMeta>> below = new ArrayList<>();
    private final List<List<DataFileMeta>> upper = new ArrayList<>();
    private long identifier;

    Load(Shape shape, LsmTable table) throws IOException {
      this.shape = shape;
      this.table = table;
      this.partition =
          DescribedFiles.partition(shape.partitioned(), Math.max(0, shape.partitions() - 1));
      List<ManifestEntry> live = table.liveFiles(latest(table));
      for (int bucket = 0; bucket < TOUCHED; bucket++) {
        int number = bucket;
        below.add(
            live.stream()
                .filter(e -> e.bucket() == number && e.partition().equals(partition))
                .map(ManifestEntry::file)
                .toList());
        upper.add(new ArrayList<>());
      }
    }

    void step(Committing append, Committing compact) throws Exception {
      identifier++;
      List<CommitMessage> messages = new ArrayList<>();
      for (int bucket = 0; bucket < TOUCHED; bucket++) {
        DataFileMeta file = DescribedFiles.file(0, 0, identifier * DescribedFiles.ROWS);
        upper.get(bucket).add(file);
        messages.add(
            new CommitMessage(
                partition, bucket, shape.buckets(), List.of(file), List.of(), List.of()));
      }
      append.commit(identifier, messages);
      if (identifier % COMMITS_A_COMPACTION == 0) {
        messages.clear();
        List<DataFileMeta> after = new ArrayList<>();
        for (int bucket = 0; bucket < TOUCHED; bucket++) {
          after.add(DescribedFiles.file(4, 0, identifier * DescribedFiles.ROWS));
          messages.add(
              new CommitMessage(
                  partition,
                  bucket,
                  shape.buckets(),
                  List.of(),
                  upper.get(bucket),
                  List.of(after.get(bucket))));
        }
        compact.commit(identifier, messages);
        for (int bucket = 0; bucket < TOUCHED; bucket++) {
          upper.get(bucket).clear();
          upper.get(bucket).add(after.get(bucket));
        }
      }
    }

    /** What a compactor knows of its buckets when it commits. */
    Seen seen() throws IOException {
      List<ManifestEntry> files = new ArrayList<>();
      for (int bucket = 0; bucket < TOUCHED; bucket++) {
        int number = bucket;
        Stream.concat(below.get(bucket).stream(), upper.get(bucket).stream())
            .forEach(
                file ->
                    files.add(
                        new ManifestEntry(
                            ManifestEntry.Kind.ADD, partition, number, shape.buckets(), file)));
      }
      return new Seen(latest(table), files);
    }
  }

  private static double heapMebibytes() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1048576.0;
  }
}
