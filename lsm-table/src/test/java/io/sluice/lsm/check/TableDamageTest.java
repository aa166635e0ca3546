package io.sluice.lsm.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.check.TableCheck.Depth;
import io.sluice.lsm.error.LsmException;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.UnsupportedFeatures;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.Golden;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.TestIds;
import io.sluice.lsm.testing.TestTable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Files of whole tables, damaged at random: bytes changed, cut, exchanged for another file of the
 * same kind, removed. Whoever reads the table then gets an error or the right rows, in bounded time
 * and memory. What no reader can notice, since nothing on storage contradicts it, is counted by
 * kind of file, and whether a check of the table ({@code fsck}) notices it.
 *
 * <p>{@code -Dtest.damages=N} makes more of them, {@code -Dtest.damages.kind=orc} only those of
 * files whose kind begins so; {@code -Dtest.seed=S -Dtest.damages=1} makes the one of a report
 * again. What goes wrong is printed at once.
 */
class TableDamageTest {

  private static final String ROOT = "/lake/w.db/t";

  /** The check reads all of a table: it looks at one of so many damages, and at all other rows. */
  private static final int CHECKED_ONE_OF = 4;

  /** Tables of more files come less often. */
  private static final int LARGE = 50;

  private static final int FAILURES_MAX = 20;
  private static final long SECONDS_MAX = 30;
  private static final long ALLOCATED_MAX = 256L << 20;

  /** So many changes of bytes may go unnoticed: values in Paimon's ORC files, and names in JSON. */
  private static final int CHANGES_UNNOTICED_PER_THOUSAND = 20;

  private enum Damage {
    BYTE,
    BYTES,
    CUT,
    EXCHANGE,
    REMOVE
  }

  /**
   * A table and what it holds.
   *
   * @param kinds paths by the kind of their file
   * @param latest rows of the newest snapshot
   * @param before what is read when the newest snapshot's file is gone, as after a roll-back
   * @param older rows by snapshot
   */
  private record Subject(
      String name,
      MemoryFileIO files,
      Map<String, List<String>> kinds,
      List<Map<String, String>> latest,
      List<Map<String, String>> before,
      Map<Long, List<Map<String, String>>> older) {
    boolean ours() {
      return name.startsWith("own ");
    }
  }

  /** What became of some damages. */
  private static final class Count {
    int damages;
    int refused;
    int right;

    /** Other rows. */
    int other;

    int checked;
    int found;
    int otherUnfound;
  }

  // ---------------------------------------------------------------- tables

  private static TableSchema schema(long id, String format, Map<String, String> more) {
    List<DataField> fields = new ArrayList<>();
    fields.add(new DataField(0, "k", DataTypes.INT.withNullable(false)));
    fields.add(new DataField(1, "v", DataTypes.STRING));
    fields.add(new DataField(2, "n", DataTypes.BIGINT));
    fields.add(new DataField(3, "d", DataTypes.decimal(10, 2)));
    if (id > 0) {
      fields.add(new DataField(4, "added", DataTypes.timestamp(6)));
    }
    Map<String, String> options = new HashMap<>(Map.of("bucket", "2", "file.format", format));
    options.putAll(more);
    return new TableSchema(
        id,
        new RowType(fields),
        fields.size() - 1,
        List.of(),
        more.containsKey("bucket") ? List.of() : List.of("k"),
        options,
        null,
        0);
  }

  private static BinaryRow row(Random random, TableSchema schema, boolean deletes) {
    Object[] values = new Object[schema.rowType().size()];
    values[0] = random.nextInt(20);
    values[1] = random.nextInt(5) == 0 ? null : "value " + random.nextInt(1000);
    values[2] = random.nextInt(5) == 0 ? null : random.nextLong() >> random.nextInt(60);
    values[3] = java.math.BigDecimal.valueOf(random.nextInt(100_000), 2);
    if (values.length > 4) {
      values[4] = java.time.LocalDateTime.of(2026, 1, 1 + random.nextInt(28), 0, 0);
    }
    BinaryRow row = TestRows.row(schema.rowType(), values);
    row.setKind(deletes && random.nextInt(5) == 0 ? RowKind.DELETE : RowKind.INSERT);
    return row;
  }

  private static Subject ours(String format, Map<String, String> more) throws Exception {
    MemoryFileIO files = new MemoryFileIO();
    Random random = new Random(1);
    boolean keyed = !more.containsKey("bucket");
    TableSchema schema = schema(0, format, more);
    try (TestTable table = TestTable.create(files, ROOT, schema, new FakeClock(), new TestIds())) {
      for (int commit = 0; commit < 5; commit++) {
        if (commit == 3) {
          schema = schema(1, format, more);
          table.changeSchema(schema);
        }
        for (int i = 0; i < 12; i++) {
          table.write(row(random, schema, keyed));
        }
        table.commit();
        if (commit == 2 && keyed) {
          table.compactFully();
        }
      }
    }
    return subject((keyed ? "own keyed " : "own append ") + format, files);
  }

  private static Subject golden(String name, boolean second) throws Exception {
    Golden golden = second ? Golden.of(name).second() : Golden.of(name);
    MemoryFileIO files = new MemoryFileIO();
    try (Stream<Path> all = Files.walk(golden.folder())) {
      for (Path path : all.filter(Files::isRegularFile).toList()) {
        files.put(ROOT + "/" + golden.folder().relativize(path), Files.readAllBytes(path));
      }
    }
    return subject("Paimon's " + name, files);
  }

  private static Subject subject(String name, MemoryFileIO files) throws IOException {
    Map<String, List<String>> kinds = new TreeMap<>();
    for (String path : files.paths()) {
      String kind = kind(path.substring(ROOT.length()));
      if (kind != null) {
        kinds.computeIfAbsent(kind, k -> new ArrayList<>()).add(path);
      }
    }
    LsmTable table = open(files);
    Map<Long, List<Map<String, String>>> older = new TreeMap<>();
    for (long id : table.snapshots().listIds()) {
      older.put(id, rows(table.newScan(id)));
    }
    MemoryFileIO without = files.copy();
    without.delete(table.paths().snapshot(table.snapshots().findLatest().id()));
    return new Subject(
        name, files, kinds, rows(table.newScan()), rows(open(without).newScan()), older);
  }

  /** Null for hints, changelogs and what else a scan doesn't read. */
  private static @Nullable String kind(String path) {
    if (path.matches("/(schema|snapshot)/\\w+-\\d+")) {
      return path.startsWith("/schema") ? "schema" : "snapshot";
    }
    if (path.startsWith("/manifest/")) {
      return path.contains("index-manifest")
          ? "index manifest"
          : path.contains("manifest-list") ? "manifest list" : "manifest";
    }
    if (path.startsWith("/index/")) {
      return "deletion vectors";
    }
    return path.matches(".*/bucket-\\d+/data-[^/]*\\.(orc|parquet|avro)")
        ? path.substring(path.lastIndexOf('.') + 1) + " file"
        : null;
  }

  private static LsmTable open(MemoryFileIO files) throws IOException {
    return LsmTable.open(files, ROOT, new FakeClock(), new TestIds(), LsmTable.Waits.NONE);
  }

  private static List<Map<String, String>> rows(TableScan scan) throws IOException {
    List<String> readable =
        scan.rowType().fields().stream()
            .filter(field -> !UnsupportedFeatures.holdsVariant(field.type()))
            .map(DataField::name)
            .toList();
    return CanonicalRows.sorted(CanonicalRows.read(scan.columns(readable)));
  }

  /** Those of which some file is to be damaged. */
  private static List<Subject> subjects(String kind) throws Exception {
    List<Subject> subjects = new ArrayList<>();
    for (String format : List.of("orc", "parquet", "avro")) {
      subjects.add(ours(format, Map.of()));
      subjects.add(ours(format, Map.of("bucket", "-1")));
    }
    for (String name : List.of("dedup-orc", "deletion-vectors", "schema-evolution", "thin-mode")) {
      subjects.add(golden(name, false));
    }
    subjects.add(golden("parquet", false));
    subjects.add(golden("avro", false));
    subjects.add(golden("append", true));
    for (Subject subject : subjects) {
      subject.kinds().keySet().removeIf(name -> !name.startsWith(kind));
    }
    subjects.removeIf(subject -> subject.kinds().isEmpty());
    return subjects;
  }

  // ---------------------------------------------------------------- damages

  private static <T> T any(Random random, List<T> among) {
    return among.get(random.nextInt(among.size()));
  }

  /** Damages one file in place; what was done to which, or null if that changes nothing. */
  private static @Nullable String damage(
      Random random, Damage damage, MemoryFileIO files, List<String> among) throws IOException {
    String path = any(random, among);
    byte[] content = files.readAll(path);
    switch (damage) {
      case BYTE -> content[random.nextInt(content.length)] ^= (byte) (1 + random.nextInt(255));
      case BYTES -> {
        int from = random.nextInt(content.length);
        int to = Math.min(content.length, from + 1 + random.nextInt(64));
        boolean zeroed = random.nextBoolean();
        for (int i = from; i < to; i++) {
          content[i] = zeroed ? 0 : (byte) random.nextInt();
        }
      }
      case CUT -> content = Arrays.copyOf(content, random.nextInt(content.length));
      case EXCHANGE -> content = files.readAll(any(random, among));
      case REMOVE -> {
        files.delete(path);
        return path;
      }
    }
    if (Arrays.equals(content, files.readAll(path))) {
      return null;
    }
    files.put(path, content);
    return path;
  }

  /** Rows of a scan; null if it was refused with an error. */
  @FunctionalInterface
  private interface Reading {
    List<Map<String, String>> rows() throws IOException;
  }

  private static @Nullable List<Map<String, String>> read(Reading reading) throws IOException {
    try {
      return reading.rows();
    } catch (LsmException | IOException e) {
      assertThat(e.getMessage())
          .as("what %s says", e.getClass())
          // Options of a schema are looked at where its table is not known.
          .containsAnyOf(ROOT, "schema-")
          .doesNotContain("java.lang.", "Cannot invoke");
      return null;
    }
  }

  /** One damage, read and checked. */
  private static void once(long seed, List<Subject> subjects, Map<String, Count> counts)
      throws IOException {
    Random random = new Random(seed);
    Subject subject = any(random, subjects);
    if (subject.files().paths().size() > LARGE && random.nextInt(3) > 0) {
      subject = any(random, subjects);
    }
    String kind = any(random, List.copyOf(subject.kinds().keySet()));
    Damage damage = any(random, List.of(Damage.values()));
    MemoryFileIO files = subject.files().copy();
    String path = damage(random, damage, files, subject.kinds().get(kind));
    if (path == null) {
      return;
    }
    String what = subject.name() + ": " + damage + " of " + path;
    boolean newest = random.nextBoolean();
    long then = any(random, List.copyOf(subject.older().keySet()));
    List<Map<String, String>> expected = newest ? subject.latest() : subject.older().get(then);
    try {
      List<Map<String, String>> read =
          read(() -> rows(newest ? open(files).newScan() : open(files).newScan(then)));
      boolean other = read != null && !read.equals(expected);
      String whose = kind.endsWith(" file") ? (subject.ours() ? "our " : "Paimon's ") : "";
      Count count = counts.computeIfAbsent(whose + kind + ", " + damage, k -> new Count());
      count.damages++;
      count.refused += read == null ? 1 : 0;
      count.right += read != null && !other ? 1 : 0;
      count.other += other ? 1 : 0;
      if (other || random.nextInt(CHECKED_ONE_OF) == 0) {
        boolean found = !findings(files).isEmpty();
        count.checked++;
        count.found += found ? 1 : 0;
        count.otherUnfound += other && !found ? 1 : 0;
        boolean expired = kind.equals("snapshot") && damage == Damage.REMOVE;
        assertThat(found || expired || read != null)
            .as("a damage that stops a reader is found by the check")
            .isTrue();
      }
      if (other) {
        assertThat(unnoticeable(subject, kind, damage, path, files, read))
            .as("other rows after a damage that can be noticed: %s", read)
            .isTrue();
      }
    } catch (Throwable e) {
      throw new AssertionError(what + ". Replay with -Dtest.seed=" + seed + " -Dtest.damages=1", e);
    }
  }

  /**
   * Whether nothing on storage contradicts the damage: bytes changed in place, or a file is that of
   * another commit and as long as it should be (of an index manifest a snapshot tells the name
   * alone), or the newest snapshot is gone, as it is after a roll-back.
   */
  private static boolean unnoticeable(
      Subject subject,
      String kind,
      Damage damage,
      String path,
      MemoryFileIO files,
      @Nullable List<Map<String, String>> read)
      throws IOException {
    return switch (damage) {
      // Ours have checksums.
      case BYTE, BYTES -> !(subject.ours() && kind.equals("orc file"));
      case CUT -> false;
      case EXCHANGE ->
          kind.equals("index manifest")
              || (!kind.equals("snapshot")
                  && !kind.equals("schema")
                  && files.readAll(path).length == subject.files().readAll(path).length);
      case REMOVE -> kind.equals("snapshot") && subject.before().equals(read);
    };
  }

  private static List<Finding> findings(MemoryFileIO files) throws IOException {
    LsmTable table;
    try {
      table = open(files);
    } catch (LsmException | IOException e) {
      return List.of(new Finding("table", String.valueOf(e.getMessage())));
    }
    List<Finding> findings = table.newCheck().run(Depth.RECORDS).findings();
    assertThat(findings.toString()).doesNotContain("java.lang.", "Cannot invoke");
    return findings;
  }

  @Test
  void givesAnErrorOrTheRightRows() throws Exception {
    long first = Long.getLong("test.seed", 20_261_131L);
    int damages = Integer.getInteger("test.damages", 600);
    System.out.println("TableDamageTest seed " + first);
    String kind = System.getProperty("test.damages.kind", "");
    List<Subject> subjects = subjects(kind);
    Map<String, Count> counts = new TreeMap<>();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    List<Throwable> failures = new ArrayList<>();
    Worker worker = new Worker();
    long most = 0;
    long longest = 0;
    try {
      for (long seed = first; seed < first + damages && failures.size() < FAILURES_MAX; seed++) {
        long current = seed;
        long begin = System.nanoTime();
        Future<Long> done =
            worker.executor.submit(
                () -> {
                  long id = Thread.currentThread().getId();
                  long before = threads.getThreadAllocatedBytes(id);
                  once(current, subjects, counts);
                  return threads.getThreadAllocatedBytes(id) - before;
                });
        try {
          long allocated = done.get(SECONDS_MAX, TimeUnit.SECONDS);
          most = Math.max(most, allocated);
          longest = Math.max(longest, System.nanoTime() - begin);
          assertThat(allocated)
              .as("bytes allocated; replay with -Dtest.seed=%s -Dtest.damages=1", seed)
              .isLessThan(ALLOCATED_MAX);
        } catch (TimeoutException e) {
          throw new AssertionError(
              "It hangs; replay with -Dtest.seed=" + seed + " -Dtest.damages=1", worker.stack());
        } catch (ExecutionException e) {
          failures.add(e.getCause());
          e.getCause().printStackTrace(System.out);
        }
        if ((seed - first + 1) % 10_000 == 0) {
          System.out.println("TableDamageTest: " + (seed - first + 1) + " damages so far");
        }
      }
    } finally {
      worker.executor.shutdown();
    }
    report(damages, counts, most, longest);
    if (!failures.isEmpty()) {
      AssertionError all = new AssertionError(failures.size() + " damages went wrong");
      failures.forEach(all::addSuppressed);
      throw all;
    }
    int changed = 0;
    int unnoticed = 0;
    for (Map.Entry<String, Count> count : counts.entrySet()) {
      if (count.getKey().contains("BYTE")) {
        changed += count.getValue().damages;
        unnoticed += count.getValue().other;
      }
    }
    if (damages >= 500 && kind.isEmpty()) {
      assertThat(unnoticed)
          .as("other rows after %s changes of bytes, seed %s", changed, first)
          .isLessThanOrEqualTo(changed * CHANGES_UNNOTICED_PER_THOUSAND / 1000);
    }
  }

  /** A thread that damages, reads and checks. */
  private static final class Worker {
    private final AtomicReference<Thread> thread = new AtomicReference<>();
    final ExecutorService executor =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread made = new Thread(task, "damage");
              made.setDaemon(true);
              thread.set(made);
              return made;
            });

    /** Where it is. */
    Throwable stack() {
      Throwable at = new IllegalStateException("The reader is here");
      at.setStackTrace(thread.get().getStackTrace());
      return at;
    }
  }

  private static void report(int damages, Map<String, Count> counts, long most, long longest) {
    StringBuilder text = new StringBuilder("TableDamageTest: ").append(damages);
    text.append(" damages, at most ").append(most >> 20).append(" MiB allocated and ");
    text.append(longest / 1_000_000).append(" ms for one\n");
    String line = "%-34s %8s %8s %8s %8s %8s %8s %8s%n";
    text.append(
        String.format(
            line, "", "damages", "refused", "right", "other", "unseen", "checked", "found"));
    counts.forEach(
        (what, count) ->
            text.append(
                String.format(
                    line,
                    what,
                    count.damages,
                    count.refused,
                    count.right,
                    count.other,
                    count.otherUnfound,
                    count.checked,
                    count.found)));
    System.out.print(text);
  }
}
