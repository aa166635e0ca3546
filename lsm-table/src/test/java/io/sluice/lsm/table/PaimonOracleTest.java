package io.sluice.lsm.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.CommitKind;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.PaimonOracle;
import io.sluice.lsm.testing.TestFiles;
import io.sluice.lsm.testing.TestIds;
import io.sluice.lsm.testing.TestTable;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Clock;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What we write Paimon 1.4.2 reads, and the other way round, also when both write in turn. */
class PaimonOracleTest {

  /** UTF-16 and UTF-8 order them differently. */
  private static final List<String> KEY_ENDS =
      List.of("", "\uD83D\uDE00", "\uFFFF", "\u4e2d", "longer than eight bytes");

  @TempDir Path folder;
  private Path root;
  private LocalFileIO fileIO;
  private PaimonOracle paimon;

  @BeforeEach
  void prepare() {
    root = folder.resolve("w.db").resolve("t");
    fileIO = new LocalFileIO(new TestIds("tmp"));
    paimon = new PaimonOracle(root);
  }

  private static TableSchema schema(
      List<String> partitionKeys,
      List<String> primaryKeys,
      Map<String, String> more,
      DataField... fields) {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("bucket", "2");
    options.put("file.format", "orc");
    options.putAll(more);
    return new TableSchema(
        0,
        new RowType(List.of(fields)),
        fields.length - 1,
        partitionKeys,
        primaryKeys,
        options,
        null,
        0);
  }

  private static DataField field(int id, String name, DataType type) {
    return new DataField(id, name, type);
  }

  private static BinaryRow row(RowKind kind, TableSchema schema, Object... values) {
    BinaryRow row = TestRows.row(schema.rowType(), values);
    row.setKind(kind);
    return row;
  }

  /** Every snapshot there is (of very many the last ones) reads the same by both. */
  private void assertAgree(LsmTable table) throws Exception {
    List<Long> ids = table.snapshots().listIds();
    for (long id : ids.subList(Math.max(0, ids.size() - 25), ids.size())) {
      assertThat(CanonicalRows.sorted(CanonicalRows.read(table.newScan(id))))
          .as("snapshot %d", id)
          .isEqualTo(paimon.read(id));
    }
    assertThat(CanonicalRows.sorted(CanonicalRows.read(table.newScan())))
        .isEqualTo(paimon.readLatest());
  }

  @Test
  void paimonReadsEverySnapshotOfAllTypes() throws Exception {
    TableSchema schema =
        schema(
            List.of(),
            List.of("k2", "k1"),
            Map.of("orc.timestamp-ltz.legacy.type", "false"),
            field(0, "k1", DataTypes.BIGINT.withNullable(false)),
            field(1, "k2", DataTypes.STRING.withNullable(false)),
            field(2, "bool", DataTypes.BOOLEAN),
            field(3, "tiny", DataTypes.TINYINT),
            field(4, "small", DataTypes.SMALLINT),
            field(5, "int", DataTypes.INT),
            field(6, "float", DataTypes.FLOAT),
            field(7, "double", DataTypes.DOUBLE),
            field(8, "dec18", DataTypes.decimal(18, 4)),
            field(9, "dec38", DataTypes.decimal(38, 10)),
            field(10, "char", DataTypes.character(5)),
            field(11, "varchar", DataTypes.varchar(20)),
            field(12, "binary", DataTypes.binary(4)),
            field(13, "bytes", DataTypes.BYTES),
            field(14, "date", DataTypes.DATE),
            field(15, "time", DataTypes.time(3)),
            field(16, "ts3", DataTypes.timestamp(3)),
            field(17, "ts6", DataTypes.timestamp(6)),
            field(18, "ltz6", DataTypes.timestampLtz(6)));
    try (TestTable t = TestTable.create(fileIO, root.toString(), schema, Clock.systemUTC())) {
      Random random = new Random(5);
      for (int commit = 0; commit < 7; commit++) {
        for (int i = 0; i < 60; i++) {
          t.write(allTypes(schema, random));
        }
        t.commit();
        if (commit == 4) {
          t.compactFully();
        } else if (commit > 4) {
          t.compactAsNeeded();
        }
      }
      assertAgree(t.table());
      paimon.compactFully();
      assertAgree(t.table());
    }
  }

  private static BinaryRow allTypes(TableSchema schema, Random random) {
    boolean nulls = random.nextInt(6) == 0;
    LocalDateTime time =
        LocalDateTime.of(1971 + random.nextInt(80), 1 + random.nextInt(12), 3, 4, 5, 6)
            .plusNanos(random.nextInt(1_000_000) * 1000L);
    return row(
        random.nextInt(5) == 0 ? RowKind.DELETE : RowKind.INSERT,
        schema,
        (long) random.nextInt(12) - 6,
        "key " + KEY_ENDS.get(random.nextInt(KEY_ENDS.size())),
        nulls ? null : random.nextBoolean(),
        nulls ? null : (byte) random.nextInt(),
        nulls ? null : (short) random.nextInt(),
        nulls ? null : random.nextInt(),
        nulls ? null : random.nextFloat(),
        nulls ? null : random.nextDouble(),
        nulls ? null : BigDecimal.valueOf(random.nextLong() % 1_000_000_000_000L, 4),
        nulls ? null : new BigDecimal(new java.math.BigInteger(100, random), 10),
        nulls ? null : "c" + random.nextInt(1000),
        nulls ? null : "v" + random.nextInt(),
        nulls ? null : new byte[] {1, 0, (byte) random.nextInt(), 0},
        nulls ? null : new byte[random.nextInt(100)],
        nulls ? null : LocalDate.of(1900 + random.nextInt(300), 2, 3),
        nulls ? null : LocalTime.of(random.nextInt(24), 1, 2, 3_000_000),
        nulls ? null : time.withNano(time.getNano() / 1_000_000 * 1_000_000),
        nulls ? null : time,
        nulls ? null : time);
  }

  @Test
  void paimonReadsPartitionsOfOddValues() throws Exception {
    TableSchema schema =
        schema(
            List.of("kind", "dt"),
            List.of("kind", "dt", "id"),
            Map.of(),
            field(0, "id", DataTypes.INT.withNullable(false)),
            field(1, "v", DataTypes.STRING),
            field(2, "dt", DataTypes.DATE.withNullable(false)),
            field(3, "kind", DataTypes.STRING.withNullable(false)));
    try (TestTable t = TestTable.create(fileIO, root.toString(), schema, Clock.systemUTC())) {
      for (int commit = 0; commit < 6; commit++) {
        for (String kind : List.of("a/b=c", "", "  ", "100% sure?", "\u4e2d\u6587")) {
          for (int id = commit; id < 8; id++) {
            t.write(
                row(
                    RowKind.INSERT,
                    schema,
                    id,
                    "c" + commit,
                    LocalDate.of(1969, 12, 30).plusDays(id % 3),
                    kind));
          }
        }
        t.commit();
      }
      t.compactAsNeeded();
      assertAgree(t.table());
      paimon.compactFully();
      t.write(row(RowKind.DELETE, schema, 3, "x", LocalDate.of(1969, 12, 30), ""));
      t.commit();
      assertAgree(t.table());
      assertThat(CanonicalRows.read(t.table().newScan())).hasSize(5 * 8 - 1);
    }
  }

  @Test
  void goesOnAfterPaimonCompactedAndWrote() throws Exception {
    TableSchema schema =
        schema(
            List.of(),
            List.of("id"),
            Map.of("bucket", "1"),
            field(0, "id", DataTypes.INT.withNullable(false)),
            field(1, "v", DataTypes.STRING));
    TestTable.create(fileIO, root.toString(), schema, Clock.systemUTC()).close();
    for (int round = 0; round < 4; round++) {
      try (TestTable t = TestTable.open(fileIO, root.toString(), Clock.systemUTC())) {
        for (int i = 0; i < 50; i++) {
          t.write(row(RowKind.INSERT, schema, i * (round + 1), "ours " + round));
        }
        t.write(row(RowKind.DELETE, schema, round, "gone"));
        t.commit();
      }
      paimon.write(
          List.of(
              org.apache.paimon.data.GenericRow.of(
                  round * 7, org.apache.paimon.data.BinaryString.fromString("theirs " + round)),
              org.apache.paimon.data.GenericRow.ofKind(
                  org.apache.paimon.types.RowKind.DELETE,
                  round * 7 + 1,
                  org.apache.paimon.data.BinaryString.fromString("x"))));
      if (round % 2 == 0) {
        paimon.compactFully();
      }
      try (TestTable t = TestTable.open(fileIO, root.toString(), Clock.systemUTC())) {
        t.compactAsNeeded();
        assertAgree(t.table());
      }
    }
  }

  @Test
  void continuesAGoldenTable() throws Exception {
    Path golden =
        Path.of(
            PaimonOracleTest.class
                .getResource("/golden/dedup-orc/warehouse/default.db/orders")
                .toURI());
    TestFiles.copy(golden, root);
    try (TestTable t = TestTable.open(fileIO, root.toString(), Clock.systemUTC())) {
      TableSchema schema = t.table().newestSchema();
      List<Map<String, String>> before = CanonicalRows.read(t.table().newScan());
      for (int commit = 0; commit < 5; commit++) {
        for (long id = 0; id < 30; id++) {
          t.write(
              row(
                  id % 7 == 6 ? RowKind.DELETE : RowKind.UPDATE_AFTER,
                  schema,
                  id * 3 + commit,
                  "eu",
                  new BigDecimal("12.50"),
                  "continued " + commit,
                  LocalDateTime.of(2026, 1, 2, 3, 4, 5)));
        }
        t.commit();
        t.compactAsNeeded();
      }
      assertAgree(t.table());
      assertThat(CanonicalRows.sorted(CanonicalRows.read(t.table().newScan())))
          .isNotEqualTo(CanonicalRows.sorted(before));
      Snapshot latest = t.table().snapshots().findLatest();
      assertThat(
              t.table().snapshots().listIds().stream()
                  .map(id -> kind(t.table(), id))
                  .filter(CommitKind.COMPACT::equals))
          .hasSizeGreaterThan(2);
      t.compactFully();
      assertAgree(t.table());
      assertThat(t.table().snapshots().findLatest().id()).isGreaterThan(latest.id());
    }
  }

  private static CommitKind kind(LsmTable table, long id) {
    try {
      return table.snapshots().read(id).commitKind();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void sequenceFieldsDecideAsInPaimon() throws Exception {
    for (String order : List.of("ascending", "descending")) {
      root = folder.resolve("w.db").resolve(order);
      paimon = new PaimonOracle(root);
      TableSchema schema =
          schema(
              List.of(),
              List.of("id"),
              Map.of("bucket", "1", "sequence.field", "a,b", "sequence.field.sort-order", order),
              field(0, "id", DataTypes.INT.withNullable(false)),
              field(1, "a", DataTypes.INT),
              field(2, "b", DataTypes.timestamp(6)),
              field(3, "v", DataTypes.STRING));
      Random random = new Random(11);
      try (TestTable t = TestTable.create(fileIO, root.toString(), schema, Clock.systemUTC())) {
        for (int commit = 0; commit < 12; commit++) {
          for (int i = 0; i < 40; i++) {
            t.write(
                row(
                    random.nextInt(8) == 0 ? RowKind.DELETE : RowKind.INSERT,
                    schema,
                    random.nextInt(25),
                    random.nextInt(4) == 0 ? null : random.nextInt(3),
                    random.nextInt(4) == 0
                        ? null
                        : LocalDateTime.of(2020, 1, 1, 0, 0, 0, random.nextInt(3) * 1000),
                    "v" + commit + "." + i));
          }
          t.commit();
          if (commit % 3 == 2) {
            t.compactAsNeeded();
          }
        }
        assertAgree(t.table());
      }
    }
  }

  @Test
  void rowsLargerThanAPageGoThrough() throws Exception {
    TableSchema schema =
        schema(
            List.of(),
            List.of("id"),
            Map.of("bucket", "1"),
            field(0, "id", DataTypes.INT.withNullable(false)),
            field(1, "blob", DataTypes.BYTES));
    byte[] big = new byte[16 << 20];
    new Random(1).nextBytes(big);
    try (TestTable t = TestTable.create(fileIO, root.toString(), schema, Clock.systemUTC())) {
      t.write(row(RowKind.INSERT, schema, 1, new byte[] {1}));
      t.write(row(RowKind.INSERT, schema, 2, big));
      t.write(row(RowKind.INSERT, schema, 3, new byte[3]));
      t.commit();
      t.compactFully();
      assertAgree(t.table());
      assertThat(t.memory().bytesUsed()).isZero();
    }
  }
}
