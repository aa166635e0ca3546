package io.sluice.lsm.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.scan.Predicate.Literal;
import io.sluice.lsm.scan.Predicate.Operator;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.Golden;
import io.sluice.lsm.testing.PaimonOracle;
import io.sluice.lsm.testing.TestIds;
import io.sluice.lsm.testing.TestTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A condition gives the rows that a scan without it gives and that fulfil it: none is lost. */
class PruningTest {

  private static final long SEED = Long.getLong("test.seed", new Random().nextLong());
  private static final int CONDITIONS = Integer.getInteger("test.conditions", 120);

  @TempDir Path folder;

  static Random random(String what) {
    System.out.println("PruningTest " + what + " seed " + SEED);
    return new Random(SEED);
  }

  static List<Map<String, String>> filtered(TableScan scan, Predicate condition)
      throws IOException {
    Filter filter = condition.bind(scan.rowType());
    List<Map<String, String>> rows = new ArrayList<>();
    try (RowReader reader = scan.open()) {
      while (reader.advance()) {
        if (filter.test(reader.row())) {
          rows.add(CanonicalRows.of(reader.rowType(), reader.row()));
        }
      }
    }
    return rows;
  }

  /** Values of the rows, and some beside them, as literals of each comparable column. */
  static Map<String, List<Literal>> literals(TableScan scan) throws IOException {
    Map<String, Set<Literal>> found = new LinkedHashMap<>();
    for (Map<String, String> row : CanonicalRows.read(scan)) {
      for (DataField field : scan.rowType().fields()) {
        String value = row.get(field.name());
        boolean quoted =
            switch (field.type().root()) {
              case CHAR, VARCHAR, BINARY, VARBINARY, DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ -> true;
              default -> false;
            };
        if (value != null && !field.type().root().isNested()) {
          found
              .computeIfAbsent(field.name(), name -> new LinkedHashSet<>())
              .add(new Literal(value, quoted));
        }
      }
    }
    Map<String, List<Literal>> result = new LinkedHashMap<>();
    found.forEach((name, values) -> result.put(name, List.copyOf(values)));
    return result;
  }

  static Predicate condition(Random random, Map<String, List<Literal>> literals, int depth) {
    if (depth > 0 && random.nextInt(3) > 0) {
      List<Predicate> terms = new ArrayList<>();
      int count = 2 + random.nextInt(2);
      for (int i = 0; i < count; i++) {
        terms.add(condition(random, literals, depth - 1));
      }
      return random.nextBoolean() ? new Predicate.And(terms) : new Predicate.Or(terms);
    }
    List<String> columns = List.copyOf(literals.keySet());
    String column = columns.get(random.nextInt(columns.size()));
    List<Literal> values = literals.get(column);
    switch (random.nextInt(8)) {
      case 0:
        return new Predicate.IsNull(column);
      case 1:
        return new Predicate.IsNotNull(column);
      case 2:
        List<Literal> in = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(3); i++) {
          in.add(values.get(random.nextInt(values.size())));
        }
        return new Predicate.In(column, in);
      default:
        Operator[] operators = Operator.values();
        return new Predicate.Comparison(
            column,
            operators[random.nextInt(operators.length)],
            values.get(random.nextInt(values.size())));
    }
  }

  private static void assertNothingIsLost(LsmTable table, Random random) throws IOException {
    List<Long> ids = table.snapshots().listIds();
    for (int round = 0; round < CONDITIONS; round++) {
      TableScan scan = table.newScan(ids.get(random.nextInt(ids.size())));
      scan =
          scan.columns(
              scan.schema().rowType().fields().stream()
                  .filter(field -> !field.type().root().isNested())
                  .map(DataField::name)
                  .toList());
      Map<String, List<Literal>> literals = literals(scan);
      if (literals.isEmpty()) {
        continue;
      }
      Predicate condition = condition(random, literals, 2);
      assertThat(CanonicalRows.read(scan.where(condition)))
          .as("snapshot " + scan.snapshot().id() + " where " + condition)
          .isEqualTo(filtered(scan, condition));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dedup-orc",
        "partitioned",
        "all-types",
        "sequence-field",
        "partial-update",
        "aggregation",
        "first-row",
        "deletion-vectors",
        "dynamic-bucket",
        "schema-evolution",
        "thin-mode",
        "file-index",
        "parquet",
        "append"
      })
  void losesNoRowOfTablesOfPaimons(String name) throws Exception {
    assertNothingIsLost(Golden.of(name).open(), random(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"deduplicate", "partial-update", "aggregation"})
  void losesNoRowWhateverTheMergeEngine(String engine) throws Exception {
    Random random = random(engine);
    TestTable table = table(engine);
    for (int commit = 0; commit < 12; commit++) {
      int from = random.nextInt(60);
      for (int i = 0; i < 1 + random.nextInt(40); i++) {
        boolean delete = engine.equals("deduplicate") && random.nextInt(6) == 0;
        table.write(row(random, from + random.nextInt(30), delete));
      }
      table.commit();
      if (random.nextInt(4) == 0) {
        table.compactAsNeeded();
      }
      if (random.nextInt(6) == 0) {
        table.compactFully();
      }
    }
    assertNothingIsLost(table.table(), random);
    table.close();
  }

  private TestTable table(String engine) throws IOException {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("bucket", "2");
    options.put("file.format", "orc");
    options.put("merge-engine", engine);
    return TestTable.create(
        new LocalFileIO(new TestIds()),
        folder.resolve("t").toString(),
        new TableSchema(
            0,
            new RowType(
                List.of(
                    new DataField(0, "id", DataTypes.INT.withNullable(false)),
                    new DataField(1, "a", DataTypes.INT),
                    new DataField(2, "s", DataTypes.STRING))),
            2,
            List.of(),
            List.of("id"),
            options,
            null,
            0),
        new FakeClock());
  }

  private static BinaryRow row(Random random, int id, boolean delete) {
    BinaryRowWriter writer = new BinaryRowWriter(3);
    writer.reset();
    writer.writeInt(0, id);
    if (random.nextInt(4) == 0) {
      writer.setNull(1);
    } else {
      writer.writeInt(1, random.nextInt(50));
    }
    if (random.nextInt(4) == 0) {
      writer.setNull(2);
    } else {
      writer.writeString(2, "a long common beginning of " + random.nextInt(50));
    }
    return writer.finish(delete ? RowKind.DELETE : RowKind.INSERT).copy();
  }

  private LsmTable ofPaimon(
      String name, org.apache.paimon.types.DataType second, List<Object> values) throws Exception {
    Path root = folder.resolve(name);
    new SchemaManager(
            org.apache.paimon.fs.local.LocalFileIO.create(),
            new org.apache.paimon.fs.Path("file://" + root))
        .createTable(
            Schema.newBuilder()
                .column("id", org.apache.paimon.types.DataTypes.INT().notNull())
                .column("k", second.notNull())
                .primaryKey("id", "k")
                .option("bucket", "1")
                .option("file.format", "orc")
                .option("write-only", "true")
                .build());
    PaimonOracle paimon = new PaimonOracle(root);
    for (int i = 0; i < values.size(); i++) {
      paimon.write(List.of(GenericRow.of(i, values.get(i))));
    }
    return LsmTable.open(
        new LocalFileIO(new TestIds()), root.toString(), new FakeClock(), new TestIds());
  }

  private static void assertFindsEachRowByItsSecondKey(LsmTable table, int rows) throws Exception {
    List<Map<String, String>> all = CanonicalRows.read(table.newScan());
    assertThat(all).hasSize(rows);
    for (Map<String, String> row : all) {
      Literal value = new Literal(String.valueOf(row.get("k")), true);
      for (Operator operator :
          List.of(Operator.EQUAL, Operator.GREATER_OR_EQUAL, Operator.LESS_OR_EQUAL)) {
        assertThat(
                CanonicalRows.read(
                    table.newScan().where(new Predicate.Comparison("k", operator, value))))
            .as("k " + operator + " " + value)
            .contains(row);
      }
    }
  }

  /** ORC pads the bounds of CHAR with blanks, also where the column is in the key. */
  @Test
  void losesNoRowByACharThatIsTheSecondKey() throws Exception {
    List<Object> values = new ArrayList<>();
    for (String text : List.of("ab", "a", "xyz", "abcde")) {
      values.add(BinaryString.fromString(text));
    }
    assertFindsEachRowByItsSecondKey(
        ofPaimon("char", org.apache.paimon.types.DataTypes.CHAR(5), values), values.size());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void losesNoRowByAnOldTimeThatIsTheSecondKey(boolean zoned) throws Exception {
    List<Object> values = new ArrayList<>();
    for (long millis : List.of(-1L, -500L, -999L, -1000L, -86_400_123L, 0L, 999L, 1_000_000L)) {
      values.add(Timestamp.fromEpochMillis(millis));
    }
    org.apache.paimon.types.DataType type =
        zoned
            ? org.apache.paimon.types.DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(3)
            : org.apache.paimon.types.DataTypes.TIMESTAMP(3);
    assertFindsEachRowByItsSecondKey(ofPaimon("time" + zoned, type, values), values.size());
  }

  /** Pruning is not only harmless: files that can't hold a row are not opened. */
  @Test
  void doesNotOpenFilesThatCannotHoldARow() throws Exception {
    TestTable table = table("deduplicate");
    for (int commit = 0; commit < 4; commit++) {
      BinaryRowWriter writer = new BinaryRowWriter(3);
      for (int i = 0; i < 10; i++) {
        writer.reset();
        writer.writeInt(0, commit * 10 + i);
        writer.writeInt(1, 1000 + commit);
        writer.writeString(2, "s" + commit);
        table.write(writer.finish(RowKind.INSERT).copy());
      }
      table.commit();
    }
    LsmTable read = table.table();
    // All files but those of the third commit are gone: whoever opens one fails.
    for (var entry : read.liveFiles(read.snapshots().findLatest())) {
      if (entry.file().minSequenceNumber() / 10 != 2) {
        java.nio.file.Files.delete(
            Path.of(
                read.partitionPaths()
                    .file(entry.partition(), entry.bucket(), entry.file().fileName())));
      }
    }
    for (String where : List.of("a = 1002", "s = 's2'", "id >= 20 AND id < 30", "id = 25")) {
      List<Map<String, String>> rows =
          CanonicalRows.read(read.newScan().where(PredicateParser.parse(where)));
      assertThat(rows).as(where).hasSize(where.equals("id = 25") ? 1 : 10);
    }
    table.close();
  }
}
