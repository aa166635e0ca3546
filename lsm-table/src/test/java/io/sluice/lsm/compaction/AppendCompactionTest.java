package io.sluice.lsm.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.check.TableCheck;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.level.Levels;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.merge.SerializedKeyComparator;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.CommitKind;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.PaimonOracle;
import io.sluice.lsm.testing.RandomValues;
import io.sluice.lsm.testing.TestIds;
import io.sluice.lsm.testing.TestTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.paimon.append.AppendCompactCoordinator;
import org.apache.paimon.append.AppendCompactTask;
import org.apache.paimon.table.source.EndOfScanException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables without a key: small files become larger ones, rows stay as they are. */
class AppendCompactionTest {

  @TempDir Path folder;

  private long next;

  private static TableSchema schema(long id, Map<String, String> options) {
    List<DataField> fields = new ArrayList<>();
    fields.add(new DataField(0, "n", DataTypes.BIGINT));
    fields.add(new DataField(1, "pad", DataTypes.BYTES));
    if (id > 0) {
      fields.add(new DataField(2, "more", DataTypes.INT));
    }
    return new TableSchema(
        id, new RowType(fields), fields.size() - 1, List.of(), List.of(), options, null, 0);
  }

  private static Map<String, String> options(String format, int bucket) {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("bucket", Integer.toString(bucket));
    if (bucket > 0) {
      options.put("bucket-key", "n");
    }
    options.put("file.format", format);
    options.put("target-file-size", "60 kb");
    options.put("source.split.open-file-cost", "1 kb");
    options.put("compaction.min.file-num", "4");
    return options;
  }

  private TestTable table(TableSchema schema) throws IOException {
    return TestTable.create(
        new LocalFileIO(new TestIds()), folder.resolve("t").toString(), schema, new FakeClock());
  }

  /** One commit of so many rows of a hundred bytes. */
  private void append(TestTable table, Random random, TableSchema schema, int rows)
      throws IOException {
    for (int i = 0; i < rows; i++) {
      byte[] pad = new byte[100];
      random.nextBytes(pad);
      List<Object> values = new ArrayList<>(List.of(next++, pad));
      if (schema.rowType().size() > 2) {
        values.add(next);
      }
      table.write(RandomValues.binary(schema.rowType(), values, RowKind.INSERT));
    }
    table.commit();
  }

  private static List<DataFileMeta> files(TestTable table) throws IOException {
    return table.table().liveFiles(table.table().snapshots().findLatest()).stream()
        .map(ManifestEntry::file)
        .toList();
  }

  @ParameterizedTest
  @CsvSource({"orc,-1", "orc,2", "parquet,-1", "avro,1"})
  void joinsSmallFilesAndKeepsTheRows(String format, int bucket) throws Exception {
    long seed = Long.getLong("test.seed", new Random().nextLong());
    System.out.println("AppendCompactionTest " + format + " " + bucket + " seed " + seed);
    Random random = new Random(seed);
    TableSchema schema = schema(0, options(format, bucket));
    TestTable table = table(schema);
    PaimonOracle paimon = new PaimonOracle(folder.resolve("t"));
    int commits = 0;
    for (int round = 0; round < 5; round++) {
      if (round == 2) {
        schema = schema(1, schema.options());
        table.changeSchema(schema);
      }
      for (int i = 0; i < 4; i++) {
        append(table, random, schema, 1 + random.nextInt(round % 2 == 0 ? 60 : 900));
        commits++;
      }
      List<Map<String, String>> before = CanonicalRows.read(table.table().newScan());
      List<Map<String, String>> theirs = paimon.readLatest();
      table.compactAsNeeded();
      assertSame(table, paimon, before, theirs, bucket);
      if (round == 4 && bucket > 0) {
        // Paimon goes on with what we have left, and we with what it leaves; by hand it does not
        // keep the order.
        paimon.compactFully();
        assertSame(table, paimon, before, theirs, -1);
      }
    }
    List<Map<String, String>> before = CanonicalRows.read(table.table().newScan());
    List<Map<String, String>> theirs = paimon.readLatest();
    int files = files(table).size();
    assertThat(files).isLessThan(commits);
    table.compactFully();
    assertSame(table, paimon, before, theirs, -1);
    assertThat(before).hasSize((int) next);
    assertThat(
            table.table().snapshots().listIds().stream()
                .map(id -> kind(table, id))
                .filter(CommitKind.COMPACT::equals)
                .count())
        .isPositive();
    table.close();
  }

  private static CommitKind kind(TestTable table, long id) {
    try {
      return table.table().snapshots().read(id).commitKind();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void assertSame(
      TestTable table,
      PaimonOracle paimon,
      List<Map<String, String>> before,
      List<Map<String, String>> theirs,
      int bucket)
      throws Exception {
    List<Map<String, String>> after = CanonicalRows.read(table.table().newScan());
    if (bucket > 0) {
      assertThat(after).as("rows in their order").isEqualTo(before);
    }
    assertThat(CanonicalRows.sorted(after)).isEqualTo(CanonicalRows.sorted(before));
    assertThat(paimon.readLatest()).isEqualTo(theirs);
    assertThat(table.table().newCheck().run(TableCheck.Depth.RECORDS).findings()).isEmpty();
    Snapshot latest = table.table().snapshots().findLatest();
    assertThat(latest.totalRecordCount()).isEqualTo(before.size());
  }

  private static Levels levels(TestTable table, List<DataFileMeta> files) throws IOException {
    return Levels.of(new SerializedKeyComparator(table.table().newestSchema()), 1, files);
  }

  /** Rows that shrink in a file roll it too early, again and again. */
  @ParameterizedTest
  @CsvSource({"-1", "1"})
  void endsWhereFilesStaySmall(int bucket) throws Exception {
    Map<String, String> options = options("parquet", bucket);
    options.put("target-file-size", "20 kb");
    TableSchema schema = schema(0, options);
    TestTable table = table(schema);
    for (int commit = 0; commit < 6; commit++) {
      for (int i = 0; i < 6000; i++) {
        table.write(
            RandomValues.binary(schema.rowType(), List.of(next++, new byte[60]), RowKind.INSERT));
      }
      table.commit();
      table.compactAsNeeded();
    }
    table.compactFully();
    assertThat(CanonicalRows.read(table.table().newScan())).hasSize((int) next);
    assertThat(table.table().snapshots().listIds().size()).isLessThan(100);
    table.close();
  }

  /** The same files as Paimon's coordinator takes first. */
  @Test
  void picksWhatPaimonPicks() throws Exception {
    long seed = Long.getLong("test.seed", new Random().nextLong());
    System.out.println("AppendCompactionTest picks, seed " + seed);
    Random random = new Random(seed);
    TableSchema schema = schema(0, options("orc", -1));
    TestTable table = table(schema);
    int picked = 0;
    for (int round = 0; round < 12; round++) {
      append(table, random, schema, 1 + random.nextInt(round < 4 ? 1000 : 300));
      AppendCompactCoordinator coordinator =
          new AppendCompactCoordinator(new PaimonOracle(folder.resolve("t")).table(), false);
      List<AppendCompactTask> tasks = List.of();
      try {
        tasks = coordinator.run();
      } catch (EndOfScanException e) {
        // No small file at all.
      }
      Optional<CompactionPlan> plan = Picker.of(schema).pick(levels(table, files(table)));
      assertThat(plan.isPresent()).isEqualTo(!tasks.isEmpty());
      if (plan.isPresent()) {
        picked++;
        assertThat(plan.get().files().stream().map(DataFileMeta::fileSize).sorted().toList())
            .isEqualTo(
                tasks.get(0).compactBefore().stream()
                    .map(org.apache.paimon.io.DataFileMeta::fileSize)
                    .sorted()
                    .toList());
      }
    }
    assertThat(picked).isPositive();
    table.close();
  }

  @Test
  void doesNotMakeWritersWait() throws Exception {
    Map<String, String> options = options("orc", 1);
    options.put("compaction.min.file-num", "100");
    TableSchema schema = schema(0, options);
    TestTable table = table(schema);
    Random random = new Random(1);
    try (TableCompactor compactor = table.newCompactor(Runnable::run)) {
      for (int i = 0; i < 20; i++) {
        append(table, random, schema, 1);
      }
      compactor.wake();
      assertThat(files(table)).hasSize(20);
      assertThat(compactor.worstSortedRuns()).isZero();
      assertThat(compactor.belowStop(partition(table), 0)).isDone();
    }
    table.close();
  }

  private static io.sluice.lsm.binary.BinaryRow partition(TestTable table) throws IOException {
    return table.table().liveFiles(table.table().snapshots().findLatest()).get(0).partition();
  }

  @Test
  void dropsRetractsOnlyWhereTheTableWantsIt() throws Exception {
    TableSchema strict = schema(0, options("orc", -1));
    TestTable table = table(strict);
    for (RowKind kind : List.of(RowKind.DELETE, RowKind.UPDATE_BEFORE)) {
      assertThatThrownBy(
              () ->
                  table.write(
                      RandomValues.binary(strict.rowType(), List.of(1L, new byte[1]), kind)))
          .isInstanceOf(UnsupportedTableException.class)
          .hasMessageContaining("ignore-delete = true");
    }
    Map<String, String> options = new LinkedHashMap<>(strict.options());
    options.put("ignore-delete", "true");
    TableSchema lenient = schema(1, options);
    table.changeSchema(lenient);
    for (RowKind kind : RowKind.values()) {
      table.write(
          RandomValues.binary(
              lenient.rowType(), List.of((long) kind.toByte(), new byte[1], 7L), kind));
    }
    table.commit();
    List<Map<String, String>> rows = new PaimonOracle(folder.resolve("t")).readLatest();
    assertThat(rows.stream().map(row -> row.get("n")).toList())
        .containsExactly(
            Byte.toString(RowKind.INSERT.toByte()), Byte.toString(RowKind.UPDATE_AFTER.toByte()));
    table.close();
  }
}
