package io.sluice.lsm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.Tag;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.PaimonOracle;
import io.sluice.lsm.testing.RandomValues;
import io.sluice.lsm.testing.TestFiles;
import io.sluice.lsm.testing.TestIds;
import io.sluice.lsm.testing.TestTable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tables of all formats, flat and nested columns, written and compacted by us and by Paimon in
 * turns: both read the same rows.
 */
class FormatsTableTest {

  @TempDir Path folder;

  private final LocalFileIO io = new LocalFileIO(new TestIds());

  private static long seed() {
    return Long.getLong("test.seed", System.nanoTime());
  }

  private void assertAgree(LsmTable table, String what) throws Exception {
    assertThat(CanonicalRows.sorted(CanonicalRows.read(table.newScan())))
        .as(what)
        .isEqualTo(new PaimonOracle(folder).readLatest());
  }

  private static List<BinaryRow> rows(Random random, TableSchema schema, RandomValues values) {
    List<BinaryRow> rows = new ArrayList<>();
    for (int i = 1 + random.nextInt(30); i > 0; i--) {
      List<Object> row = values.row(schema.rowType());
      for (String key : schema.primaryKeys()) {
        int at = schema.rowType().position(key);
        long value = random.nextInt(40);
        boolean text = schema.rowType().type(at).root().isText();
        row.set(
            at,
            text
                ? (Object) ("k" + value).getBytes(java.nio.charset.StandardCharsets.UTF_8)
                : (Object) value);
      }
      RowKind kind =
          random.nextInt(5) == 0
              ? RowKind.DELETE
              : random.nextBoolean() ? RowKind.INSERT : RowKind.UPDATE_AFTER;
      rows.add(RandomValues.binary(schema.rowType(), row, kind));
    }
    return rows;
  }

  /** Random steps; after each both agree. */
  private void run(Random random, String format, int steps, String replay) throws Exception {
    PaimonOracle paimon = new PaimonOracle(folder);
    for (int step = 0; step < steps; step++) {
      String what = "step " + step + ". " + replay;
      try (TestTable table = TestTable.open(io, folder.toString(), Clock.systemUTC())) {
        TableSchema schema = table.table().newestSchema();
        RandomValues values = new RandomValues(random, format);
        switch (random.nextInt(6)) {
          case 0 ->
              paimon.write(
                  rows(random, schema, values).stream().map(PaimonOracle::theirs).toList());
          case 1 -> paimon.compactFully();
          case 2 -> table.compactFully();
          default -> {
            for (BinaryRow row : rows(random, schema, values)) {
              table.write(row);
            }
            table.commit();
            table.compactAsNeeded();
          }
        }
        assertAgree(table.table(), what);
      } catch (Exception e) {
        throw new AssertionError(what, e);
      }
    }
  }

  /** Partial updates, aggregations and sequence fields: {@code MergeTablesTest}. */
  @ParameterizedTest
  @CsvSource({
    "dedup-orc/warehouse/default.db/orders,orc",
    "partitioned/warehouse/default.db/events,orc",
    "file-index/warehouse/default.db/indexed,orc",
    "file-index/warehouse/default.db/embedded,orc",
    "tags-branches/warehouse/default.db/tb,orc",
    "all-types/warehouse/default.db/alltypes,orc",
    "thin-mode/warehouse/default.db/thin,orc",
    "avro/warehouse/default.db/av,avro",
    "schema-evolution/warehouse/default.db/evolving,orc"
  })
  void continuesGoldenTables(String name, String format) throws Exception {
    TestFiles.copy(Path.of("src/test/resources/golden").resolve(name), folder);
    Map<String, List<Map<String, String>>> before = tagsAndBranches();
    long seed = seed();
    run(new Random(seed), format, 8, "Replay with -Dtest.seed=" + seed);
    assertThat(tagsAndBranches()).isEqualTo(before);
  }

  private Map<String, List<Map<String, String>>> tagsAndBranches() throws IOException {
    LsmTable table = LsmTable.open(io, folder.toString(), Clock.systemUTC(), new TestIds("reader"));
    Map<String, List<Map<String, String>>> rows = new HashMap<>();
    for (Tag tag : table.tags().list()) {
      rows.put("tag " + tag.name(), CanonicalRows.read(table.newScan(tag.snapshot())));
    }
    for (String branch : table.branches().names()) {
      rows.put("branch " + branch, CanonicalRows.read(table.branch(branch).newScan()));
    }
    return rows;
  }

  @ParameterizedTest
  @ValueSource(strings = {"orc", "parquet", "avro", "mixed"})
  void agreesWithPaimonInTurns(String name) throws Exception {
    long seed = seed();
    Random random = new Random(seed);
    boolean mixed = name.equals("mixed");
    List<DataField> fields = new ArrayList<>();
    fields.add(new DataField(0, "id", DataTypes.BIGINT.withNullable(false)));
    fields.addAll(new RandomValues(random, mixed ? "avro" : name).columns(7, 1));
    Map<String, String> options = new HashMap<>();
    options.put("bucket", "2");
    options.put("file.format", mixed ? "parquet" : name);
    options.put("num-sorted-run.compaction-trigger", "3");
    options.put("orc.timestamp-ltz.legacy.type", "false");
    options.put("data-file.thin-mode", String.valueOf(random.nextBoolean()));
    if (mixed) {
      options.put("file.format.per.level", "0:avro,3:orc");
      options.put("file.compression.per.level", "0:snappy,3:lz4");
    }
    TableSchema schema =
        new TableSchema(0, new RowType(fields), 1000, List.of(), List.of("id"), options, null, 0);
    TestTable.create(io, folder.toString(), schema, Clock.systemUTC()).close();
    String replay = "Replay with -Dtest.seed=" + seed;
    run(random, mixed ? "avro" : name, 25, replay);
    if (mixed) {
      try (TestTable table = TestTable.open(io, folder.toString(), Clock.systemUTC())) {
        for (BinaryRow row : rows(random, schema, new RandomValues(random, "avro"))) {
          table.write(row);
        }
        table.commit();
        assertThat(suffixes(table.table())).contains("avro");
        table.compactFully();
        assertThat(suffixes(table.table())).containsOnly("orc");
        assertAgree(table.table(), replay);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "append/warehouse/default.db/log,",
    "append/warehouse/default.db/bucketed,",
    "partitioned/warehouse/default.db/nullpart,",
    ",orc",
    ",parquet",
    ",avro"
  })
  void appendsToTablesWithoutAKey(String golden, String format) throws Exception {
    long seed = seed();
    Random random = new Random(seed);
    String replay = "Replay with -Dtest.seed=" + seed;
    String file = format == null ? "parquet" : format;
    if (golden != null) {
      TestFiles.copy(Path.of("src/test/resources/golden").resolve(golden), folder);
    } else {
      List<DataField> fields = new ArrayList<>();
      fields.add(new DataField(0, "id", DataTypes.INT));
      fields.addAll(new RandomValues(random, file).columns(5, 1));
      Map<String, String> options = new HashMap<>();
      options.put("file.format", file);
      options.put("orc.timestamp-ltz.legacy.type", "false");
      if (random.nextBoolean()) {
        options.put("bucket", "3");
        options.put("bucket-key", "id");
      } else {
        options.put("bucket", "-1");
      }
      TableSchema schema =
          new TableSchema(0, new RowType(fields), 1000, List.of(), List.of(), options, null, 0);
      TestTable.create(io, folder.toString(), schema, Clock.systemUTC()).close();
    }
    PaimonOracle paimon = new PaimonOracle(folder);
    for (int step = 0; step < 8; step++) {
      try (TestTable table = TestTable.open(io, folder.toString(), Clock.systemUTC())) {
        TableSchema schema = table.table().newestSchema();
        RandomValues values = new RandomValues(random, file);
        List<BinaryRow> rows =
            rows(random, schema, values).stream().filter(row -> !row.kind().isRetract()).toList();
        int before = CanonicalRows.read(table.table().newScan()).size();
        if (step % 3 == 2) {
          paimon.write(rows.stream().map(PaimonOracle::theirs).toList());
        } else {
          for (BinaryRow row : rows) {
            table.write(row);
          }
          table.commit();
        }
        assertThat(CanonicalRows.read(table.table().newScan()))
            .as("step %s. %s", step, replay)
            .hasSize(before + rows.size());
        assertAgree(table.table(), "step " + step + ". " + replay);
      }
    }
    if (paimon.table().coreOptions().bucket() > 0) {
      paimon.compactFully();
    }
    try (TestTable table = TestTable.open(io, folder.toString(), Clock.systemUTC())) {
      assertAgree(table.table(), "compacted. " + replay);
      BinaryRow row =
          rows(random, table.table().newestSchema(), new RandomValues(random, file)).get(0);
      row.setKind(RowKind.DELETE);
      assertThatThrownBy(() -> table.write(row))
          .isInstanceOf(UnsupportedTableException.class)
          .hasMessageContaining("-D")
          .hasMessageContaining("bucket-");
      table.compactFully();
      assertAgree(table.table(), "compacted by us. " + replay);
    }
  }

  private static List<String> suffixes(LsmTable table) throws IOException {
    List<String> result = new ArrayList<>();
    for (ManifestEntry entry : table.liveFiles(table.snapshots().findLatest())) {
      String file = entry.file().fileName();
      result.add(file.substring(file.lastIndexOf('.') + 1));
    }
    return result;
  }
}
