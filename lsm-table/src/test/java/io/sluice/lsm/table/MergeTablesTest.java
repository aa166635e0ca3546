package io.sluice.lsm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.datafile.StoredFile;
import io.sluice.lsm.datafile.formats.DataFileFormats;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TableSchemaJson;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.PaimonOracle;
import io.sluice.lsm.testing.TestFiles;
import io.sluice.lsm.testing.TestIds;
import io.sluice.lsm.testing.TestTable;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Single facts of tables with merge engines, each also as Paimon 1.4.2 sees it. */
class MergeTablesTest {

  private static final org.apache.paimon.types.RowKind PAIMONS_DELETE =
      org.apache.paimon.types.RowKind.DELETE;

  @TempDir Path folder;
  private Path root;
  private LocalFileIO fileIO;
  private PaimonOracle paimon;

  @BeforeEach
  void prepare() {
    use("t");
    fileIO = new LocalFileIO(new TestIds("tmp"));
  }

  private void use(String name) {
    root = folder.resolve("w.db").resolve(name);
    paimon = new PaimonOracle(root);
  }

  private static TableSchema schema(Map<String, String> more, DataField... fields) {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("bucket", "1");
    options.put("file.format", "orc");
    options.putAll(more);
    return new TableSchema(
        0,
        new RowType(List.of(fields)),
        fields.length - 1,
        List.of(),
        List.of("k"),
        options,
        null,
        0);
  }

  private static DataField field(int id, String name, DataType type) {
    return new DataField(id, name, type);
  }

  private static DataField key() {
    return field(0, "k", DataTypes.INT.withNullable(false));
  }

  private TestTable create(TableSchema schema) throws Exception {
    return TestTable.create(fileIO, root.toString(), schema, Clock.systemUTC());
  }

  private static BinaryRow row(RowKind kind, TableSchema schema, Object... values) {
    BinaryRow row = TestRows.row(schema.rowType(), values);
    row.setKind(kind);
    return row;
  }

  /** Every snapshot there is reads the same by both. */
  private void assertAgree(LsmTable table) throws Exception {
    for (long id : table.snapshots().listIds()) {
      assertThat(CanonicalRows.sorted(CanonicalRows.read(table.newScan(id))))
          .as("snapshot %d", id)
          .isEqualTo(paimon.read(id));
    }
    assertThat(CanonicalRows.sorted(CanonicalRows.read(table.newScan())))
        .isEqualTo(paimon.readLatest());
  }

  // ------------------------------------------------------------ golden tables, written further

  private void copyGolden(String path) throws Exception {
    TestFiles.copy(Path.of(MergeTablesTest.class.getResource("/golden/" + path).toURI()), root);
  }

  @Test
  void continuesAGoldenPartialUpdateTable() throws Exception {
    copyGolden("partial-update/warehouse/default.db/profile");
    Random random = new Random(3);
    for (int round = 0; round < 6; round++) {
      try (TestTable t = TestTable.open(fileIO, root.toString(), Clock.systemUTC())) {
        TableSchema schema = t.table().newestSchema();
        for (int i = 0; i < 12; i++) {
          t.write(profile(random, schema));
        }
        t.commit();
        assertAgree(t.table());
        if (round % 3 == 0) {
          t.compactFully();
        } else if (round % 3 == 1) {
          paimon.compactFully();
        } else {
          t.compactAsNeeded();
        }
        assertAgree(t.table());
      }
    }
  }

  private static BinaryRow profile(Random random, TableSchema schema) {
    Integer g1 = random.nextInt(3) == 0 ? null : random.nextInt(12);
    Integer g2a = random.nextInt(3) == 0 ? null : random.nextInt(4);
    int dice = random.nextInt(6);
    return row(
        dice == 0 ? RowKind.DELETE : dice == 1 ? RowKind.UPDATE_BEFORE : RowKind.INSERT,
        schema,
        random.nextInt(9),
        random.nextBoolean() ? null : "name" + random.nextInt(9),
        random.nextBoolean() ? null : "city" + random.nextInt(9),
        g1,
        (long) random.nextInt(100),
        random.nextInt(4) == 0 ? null : (long) random.nextInt(100),
        g2a,
        random.nextInt(4),
        random.nextBoolean() ? null : "free" + random.nextInt(9),
        random.nextBoolean() ? null : "seen" + random.nextInt(9));
  }

  @Test
  void continuesAGoldenAggregationTable() throws Exception {
    copyGolden("aggregation/warehouse/default.db/stats");
    Random random = new Random(5);
    for (int round = 0; round < 6; round++) {
      try (TestTable t = TestTable.open(fileIO, root.toString(), Clock.systemUTC())) {
        TableSchema schema = t.table().newestSchema();
        for (int i = 0; i < 12; i++) {
          t.write(metrics(random, schema));
        }
        t.commit();
        assertAgree(t.table());
        if (round % 3 == 0) {
          t.compactFully();
        } else if (round % 3 == 1) {
          paimon.compactFully();
        } else {
          t.compactAsNeeded();
        }
        assertAgree(t.table());
      }
    }
  }

  private static BinaryRow metrics(Random random, TableSchema schema) {
    List<Object> tags = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      tags.add(random.nextInt(4) == 0 ? null : TestRows.utf8("tag " + random.nextInt(3)));
    }
    int dice = random.nextInt(6);
    int key = random.nextInt(6);
    // The sum of d stands at the largest DECIMAL(10,2): Paimon would show one digit too many.
    boolean full = key == 3;
    return row(
        dice == 0 ? RowKind.DELETE : dice == 1 ? RowKind.UPDATE_BEFORE : RowKind.INSERT,
        schema,
        "abcdef".substring(key, key + 1),
        random.nextInt(4) == 0 ? null : (long) random.nextInt(100),
        full || random.nextInt(4) == 0 ? null : BigDecimal.valueOf(random.nextInt(10_000), 2),
        random.nextInt(100),
        random.nextDouble(),
        random.nextBoolean() ? null : "lnn" + random.nextInt(9),
        random.nextBoolean() ? null : "name" + random.nextInt(9),
        random.nextBoolean(),
        "fv" + random.nextInt(9),
        random.nextBoolean() ? null : "fnn" + random.nextInt(9),
        random.nextBoolean() ? null : "lv" + random.nextInt(9),
        random.nextInt(4) == 0 ? null : tags,
        random.nextBoolean() ? null : random.nextInt(9));
  }

  @Test
  void continuesAGoldenTableWithSequenceFields() throws Exception {
    copyGolden("sequence-field/warehouse/default.db/seqt");
    Random random = new Random(4);
    for (int round = 0; round < 4; round++) {
      try (TestTable t = TestTable.open(fileIO, root.toString(), Clock.systemUTC())) {
        TableSchema schema = t.table().newestSchema();
        for (int i = 0; i < 12; i++) {
          t.write(
              row(
                  random.nextInt(4) == 0 ? RowKind.DELETE : RowKind.INSERT,
                  schema,
                  random.nextInt(9),
                  random.nextInt(4) == 0 ? null : random.nextInt(12),
                  random.nextInt(4) == 0 ? null : LocalDateTime.of(2024, 1, 1 + round, 0, 0),
                  "v" + i));
        }
        t.commit();
        assertAgree(t.table());
        if (round % 2 == 0) {
          t.compactFully();
        } else {
          paimon.compactFully();
        }
        assertAgree(t.table());
      }
    }
  }

  // ------------------------------------------------------------ partial-update

  @Test
  void aDeleteOfAGroupHoldsForEveryProjection() throws Exception {
    TableSchema schema =
        schema(
            Map.of(
                "merge-engine", "partial-update",
                "fields.s1.sequence-group", "v1",
                "fields.s2.sequence-group", "v2",
                "partial-update.remove-record-on-sequence-group", "s2"),
            key(),
            field(1, "v1", DataTypes.INT),
            field(2, "s1", DataTypes.INT),
            field(3, "v2", DataTypes.INT),
            field(4, "s2", DataTypes.INT));
    try (TestTable t = create(schema)) {
      t.write(row(RowKind.INSERT, schema, 1, 10, 1, null, null));
      t.commit();
      t.write(row(RowKind.INSERT, schema, 1, null, null, 100, 1));
      t.commit();
      t.write(row(RowKind.DELETE, schema, 1, null, null, null, 2));
      t.commit();
      for (String column : List.of("k", "v1", "s1", "v2", "s2")) {
        assertThat(CanonicalRows.read(t.table().newScan().columns(List.of(column)))).isEmpty();
      }
      assertAgree(t.table());
    }
  }

  @Test
  void aNullWinsInAGroupAndNotOutside() throws Exception {
    TableSchema schema =
        schema(
            Map.of("merge-engine", "partial-update", "fields.s.sequence-group", "in"),
            key(),
            field(1, "out", DataTypes.INT),
            field(2, "in", DataTypes.INT),
            field(3, "s", DataTypes.INT));
    try (TestTable t = create(schema)) {
      t.write(row(RowKind.INSERT, schema, 1, 5, 5, 1));
      t.commit();
      t.write(row(RowKind.UPDATE_AFTER, schema, 1, null, null, 2));
      t.commit();
      assertThat(CanonicalRows.read(t.table().newScan()))
          .singleElement()
          .satisfies(r -> assertThat(r).containsEntry("out", "5").containsEntry("in", null));
      assertAgree(t.table());
    }
  }

  /** What a delete lacks stays NULL in its file, and neither reader minds. */
  @ParameterizedTest
  @ValueSource(strings = {"orc", "parquet", "avro"})
  void aDeleteMayLackWhatIsNotNull(String format) throws Exception {
    TableSchema schema =
        schema(
            Map.of("file.format", format),
            key(),
            field(1, "n", DataTypes.BIGINT.withNullable(false)),
            field(2, "t", DataTypes.STRING.withNullable(false)));
    try (TestTable t = create(schema)) {
      t.write(row(RowKind.INSERT, schema, 1, 6L, "six"));
      t.write(row(RowKind.INSERT, schema, 2, 2L, "two"));
      t.commit();
      t.write(row(RowKind.DELETE, schema, 1, null, null));
      t.commit();
      assertThat(CanonicalRows.read(t.table().newScan()))
          .containsExactly(Map.of("k", "2", "n", "2", "t", "two"));
      assertAgree(t.table());
      List<ManifestEntry> files =
          t.table().liveFiles(t.table().snapshots().findLatest()).stream()
              .filter(entry -> entry.file().mayHoldDeletes())
              .toList();
      assertThat(files).hasSize(1);
      ManifestEntry deleting = files.get(0);
      String path =
          t.table()
              .partitionPaths()
              .file(deleting.partition(), deleting.bucket(), deleting.file().fileName());
      try (KeyValueReader records =
          new DataFileFormats(Clock.systemUTC())
              .createReader(
                  fileIO, new StoredFile(path, deleting.file(), schema, schema.rowType()))) {
        assertThat(records.advance()).isTrue();
        assertThat(records.kind()).isEqualTo(RowKind.DELETE);
        assertThat(records.row().isNullAt(1)).isTrue();
        assertThat(records.row().isNullAt(2)).isTrue();
      }
      t.compactFully();
      assertAgree(t.table());
    }
  }

  /** Partition values come from the manifest; the merge needs them as a sequence all the same. */
  @Test
  void aPartitionKeyMayOrderAGroup() throws Exception {
    TableSchema plain =
        schema(
            Map.of(
                "merge-engine", "partial-update",
                "fields.p.sequence-group", "v",
                "fields.v.aggregate-function", "sum"),
            key(),
            field(1, "p", DataTypes.INT.withNullable(false)),
            field(2, "v", DataTypes.INT),
            field(3, "w", DataTypes.INT));
    TableSchema schema =
        new TableSchema(
            0, plain.rowType(), 3, List.of("p"), List.of("p", "k"), plain.options(), null, 0);
    try (TestTable t = create(schema)) {
      for (int commit = 0; commit < 3; commit++) {
        for (int p = 1; p < 3; p++) {
          t.write(row(RowKind.INSERT, schema, 1, p, 10 * p, commit));
        }
        t.commit();
      }
      assertThat(CanonicalRows.read(t.table().newScan().columns(List.of("v", "p"))))
          .containsExactly(Map.of("v", "30", "p", "1"), Map.of("v", "60", "p", "2"));
      assertAgree(t.table());
      t.compactFully();
      assertAgree(t.table());
    }
  }

  // ------------------------------------------------------------ sequence fields

  @Test
  void aRecordOlderThanADroppedDeleteIsBack() throws Exception {
    TableSchema schema = schema(Map.of("sequence.field", "s"), key(), field(1, "s", DataTypes.INT));
    try (TestTable t = create(schema)) {
      t.write(row(RowKind.INSERT, schema, 1, 2));
      t.write(row(RowKind.INSERT, schema, 2, 2));
      t.commit();
      t.write(row(RowKind.DELETE, schema, 1, 9));
      t.write(row(RowKind.DELETE, schema, 2, 9));
      t.commit();
      t.write(row(RowKind.INSERT, schema, 1, 1));
      t.commit();
      assertThat(CanonicalRows.read(t.table().newScan())).isEmpty();
      t.compactFully();
      assertThat(CanonicalRows.read(t.table().newScan())).isEmpty();
      // The deletes are gone: nobody knows of them any more. Documented in table-format.md.
      t.write(row(RowKind.INSERT, schema, 2, 1));
      t.commit();
      assertThat(CanonicalRows.read(t.table().newScan()))
          .containsExactly(Map.of("k", "2", "s", "1"));
      assertAgree(t.table());
    }
  }

  @Test
  void ofEqualSequenceFieldsTheLogsOrderWins() throws Exception {
    TableSchema schema = schema(Map.of("sequence.field", "s"), key(), field(1, "s", DataTypes.INT));
    try (TestTable t = create(schema)) {
      t.write(row(RowKind.INSERT, schema, 1, 5));
      t.write(row(RowKind.DELETE, schema, 1, 5));
      t.write(row(RowKind.DELETE, schema, 2, 5));
      t.write(row(RowKind.INSERT, schema, 2, 5));
      t.commit();
      assertThat(CanonicalRows.read(t.table().newScan()))
          .containsExactly(Map.of("k", "2", "s", "5"));
      assertAgree(t.table());
    }
  }

  // ------------------------------------------------------------ first-row

  @Test
  void aFirstRowShowsOnceItIsCompactedAndStays() throws Exception {
    TableSchema schema =
        schema(
            Map.of("merge-engine", "first-row", "num-sorted-run.compaction-trigger", "3"),
            key(),
            field(1, "v", DataTypes.STRING));
    try (TestTable t = create(schema)) {
      for (int i = 0; i < 3000; i++) {
        t.write(row(RowKind.INSERT, schema, i * 2, "first of many, " + i * 7919));
      }
      t.commit();
      assertThat(CanonicalRows.read(t.table().newScan())).isEmpty();
      assertAgree(t.table());
      t.compactAsNeeded();
      assertThat(CanonicalRows.read(t.table().newScan())).hasSize(3000);
      // A small run: it goes above the large one, without the keys that stand there.
      t.write(row(RowKind.INSERT, schema, -1, "new"));
      t.write(row(RowKind.INSERT, schema, 0, "late"));
      t.write(row(RowKind.INSERT, schema, 2999, "new"));
      t.write(row(RowKind.INSERT, schema, 3000, "late"));
      t.write(row(RowKind.INSERT, schema, 3000, "later"));
      t.write(row(RowKind.INSERT, schema, 5998, "late"));
      t.write(row(RowKind.INSERT, schema, 5999, "new"));
      t.commit();
      t.compactAsNeeded();
      assertThat(levels(t)).containsExactly(2, 3);
      assertThat(t.table().statistics(t.table().snapshots().findLatest()).records())
          .isEqualTo(3003);
      assertAgree(t.table());
      // One that lies alone beside all others is rewritten, too: what is below must be looked up.
      t.write(row(RowKind.INSERT, schema, 4, "late"));
      t.commit();
      t.compactAsNeeded();
      assertAgree(t.table());
      paimon.write(List.of(GenericRow.of(4, BinaryString.fromString("late"))));
      assertAgree(t.table());
      assertThat(CanonicalRows.read(t.table().newScan()))
          .hasSize(3003)
          .noneMatch(r -> r.get("v").startsWith("late"));
      t.compactFully();
      assertThat(CanonicalRows.read(t.table().newScan())).hasSize(3003);
      assertAgree(t.table());
    }
  }

  private static List<Integer> levels(TestTable t) throws Exception {
    return t.table().liveFiles(t.table().snapshots().findLatest()).stream()
        .map(ManifestEntry::file)
        .map(file -> file.level())
        .sorted()
        .distinct()
        .toList();
  }

  @Test
  void aDeleteThatCanNeverBeMergedIsRefusedAtTheDoor() throws Exception {
    TableSchema schema =
        schema(Map.of("merge-engine", "first-row"), key(), field(1, "v", DataTypes.STRING));
    try (TestTable t = create(schema)) {
      assertThatThrownBy(() -> t.write(row(RowKind.DELETE, schema, 1, "x")))
          .isInstanceOf(UnsupportedTableException.class)
          .hasMessageContaining("first-row")
          .hasMessageContaining("ignore-delete");
    }
  }

  // ------------------------------------------------------------ changelog-producer = lookup

  @Test
  void readsTablesWhoseCompactionsLookedTheOlderRowUp() throws Exception {
    List<Map<String, String>> engines =
        List.of(
            Map.of("merge-engine", "aggregation", "fields.n.aggregate-function", "sum"),
            Map.of(
                "merge-engine", "partial-update",
                "fields.s.sequence-group", "n",
                "fields.n.aggregate-function", "sum"),
            Map.of("merge-engine", "deduplicate"));
    for (Map<String, String> engine : engines) {
      use("lookup-" + engine.get("merge-engine"));
      Map<String, String> options = new LinkedHashMap<>(engine);
      options.put("changelog-producer", "lookup");
      TableSchema schema =
          schema(
              options,
              key(),
              field(1, "n", DataTypes.BIGINT),
              field(2, "s", DataTypes.INT),
              field(3, "padding", DataTypes.STRING));
      Files.createDirectories(root.resolve("schema"));
      Files.write(root.resolve("schema").resolve("schema-0"), TableSchemaJson.write(schema));
      Random random = new Random(6);
      for (int commit = 0; commit < 6; commit++) {
        List<GenericRow> batch = new ArrayList<>();
        // The first is large, so that later compactions stay above it.
        for (int i = 0; i < (commit == 0 ? 2000 : 20); i++) {
          GenericRow row =
              GenericRow.of(
                  commit == 0 ? i : random.nextInt(40),
                  (long) random.nextInt(10),
                  random.nextInt(5),
                  BinaryString.fromString("p" + random.nextLong()));
          if (commit > 0 && random.nextInt(6) == 0) {
            row.setRowKind(PAIMONS_DELETE);
          }
          batch.add(row);
        }
        paimon.write(batch);
      }
      LsmTable table =
          LsmTable.open(fileIO, root.toString(), Clock.systemUTC(), new TestIds("file"));
      assertThat(
              table.liveFiles(table.snapshots().findLatest()).stream()
                  .map(entry -> entry.file().level())
                  .distinct())
          .hasSizeGreaterThan(1);
      assertAgree(table);
      TableScan numbers = table.newScan().columns(List.of("n"));
      List<Map<String, String>> theirs = new ArrayList<>();
      for (Map<String, String> row : paimon.readLatest()) {
        Map<String, String> number = new LinkedHashMap<>();
        number.put("n", row.get("n"));
        theirs.add(number);
      }
      assertThat(CanonicalRows.sorted(CanonicalRows.read(numbers)))
          .isEqualTo(CanonicalRows.sorted(theirs));
      assertThatThrownBy(() -> table.newBucketWriter(schema, BinaryRow.EMPTY, 0, null))
          .isInstanceOf(UnsupportedTableException.class)
          .hasMessageContaining("changelog-producer = lookup");
    }
  }

  // ------------------------------------------------------------ options

  @Test
  void refusesContradictionsWhenTheTableIsMadeOrOpened() throws Exception {
    TableSchema schema =
        schema(
            Map.of(
                "merge-engine", "partial-update",
                "fields.s.sequence-group", "v",
                "fields.v.aggregate-function", "count",
                "ignore-delete", "true",
                "partial-update.remove-record-on-sequence-group", "s"),
            key(),
            field(1, "v", DataTypes.INT),
            field(2, "s", DataTypes.INT));
    assertThatThrownBy(() -> create(schema))
        .isInstanceOf(UnsupportedTableException.class)
        .hasMessageContaining("count")
        .hasMessageContaining("contradict");
    Files.createDirectories(root.resolve("schema"));
    Files.write(root.resolve("schema").resolve("schema-0"), TableSchemaJson.write(schema));
    assertThatThrownBy(
            () -> LsmTable.open(fileIO, root.toString(), Clock.systemUTC(), new TestIds("file")))
        .isInstanceOf(UnsupportedTableException.class)
        .hasMessageContaining("count");
  }
}
