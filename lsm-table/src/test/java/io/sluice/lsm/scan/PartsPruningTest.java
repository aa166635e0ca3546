package io.sluice.lsm.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowProjection;
import io.sluice.lsm.binary.ColumnBounds.Moment;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.scan.Predicate.Literal;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypeText;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TableSchemaJson;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.CountingFileIO;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.PaimonOracle;
import io.sluice.lsm.testing.RandomValues;
import io.sluice.lsm.testing.TestIds;
import io.sluice.lsm.testing.TestTable;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files of several row groups, parts of which a condition leaves out: no row is lost, whoever wrote
 * the file, and less is read. {@code -Dtest.seed=} replays, {@code -Dtest.parts.conditions=} tries
 * more.
 */
class PartsPruningTest {

  private static final int CONDITIONS = Integer.getInteger("test.parts.conditions", 8);
  private static final int KEYS = 5_000;

  /** Columns whose values go up with the row's number, more or less. */
  private static final List<String> COLUMNS =
      List.of(
          "id INT NOT NULL",
          "name STRING NOT NULL",
          "big BIGINT",
          "small SMALLINT",
          "price DECIMAL(10,2)",
          "wide DECIMAL(30,4)",
          "word STRING",
          "code CHAR(6)",
          "day DATE",
          "at TIMESTAMP(6)",
          "finest TIMESTAMP(9)",
          "instant TIMESTAMP_LTZ(3)",
          "clock TIME(3)",
          "real DOUBLE",
          "yes BOOLEAN",
          "5 INT",
          "a.b INT",
          "pad BYTES");

  @TempDir Path folder;

  private static RowType rowType() {
    List<DataField> fields = new ArrayList<>();
    for (String column : COLUMNS) {
      int space = column.indexOf(' ');
      fields.add(
          new DataField(
              fields.size(),
              column.substring(0, space),
              DataTypeText.parse(column.substring(space + 1))));
    }
    return new RowType(fields);
  }

  /** Makes rows whose columns are nearly sorted, with what statistics get wrong strewn in. */
  private static final class Rows {
    private final Random random;
    private final boolean oldTimes;
    private final List<String> beginnings =
        List.of("", "z", "\u00e9", "\ue000", "\uff01", "\ud83d\ude00", "long ".repeat(300));

    Rows(Random random) {
      this.random = random;
      this.oldTimes = random.nextBoolean();
    }

    /** Values as {@link io.sluice.lsm.binary.Boxed} has them. */
    List<Object> values(int id, int width) {
      List<Object> values = new ArrayList<>();
      long near = Math.max(0, id + random.nextInt(300) - 150);
      boolean block = (id / 500) % 5 == 3;
      values.add((long) id);
      values.add(name(id));
      values.add(nullable(block, near * 1_000_000_007L));
      values.add(nullable(block, near / 2));
      values.add(nullable(false, near * 100 + 25 - 30_000));
      values.add(nullable(block, new BigDecimal(BigInteger.valueOf(near - 1000), 4)));
      String beginning = beginnings.get(id / 450 % beginnings.size());
      // A long beginning is rare: it makes a file large.
      boolean shorter = beginning.length() > 10 && random.nextInt(40) > 0;
      values.add(nullable(block, utf8((shorter ? "long" : beginning) + near / 20)));
      values.add(nullable(block, utf8(String.valueOf((char) ('a' + near / 300)) + near % 7)));
      boolean old = oldTimes && random.nextInt(900) == 0;
      values.add(nullable(block, old ? -250_000L - near : near));
      values.add(nullable(block, moment(near, old, 1_000)));
      values.add(nullable(block, moment(near, old, 1)));
      values.add(nullable(block, moment(near, false, 1_000_000)));
      values.add(nullable(block, near * 10_000 % 86_400_000));
      values.add(
          nullable(
              block,
              switch (random.nextInt(200)) {
                case 0 -> Double.NaN;
                case 1 -> -0.0;
                case 2 -> 0.0;
                default -> near / 8.0 - 100;
              }));
      values.add(nullable(block, near / 1000 % 2));
      values.add(nullable(block, near));
      values.add(nullable(block, -near));
      byte[] pad = new byte[150];
      random.nextBytes(pad);
      values.add(pad);
      while (values.size() < width) {
        values.add(nullable(false, near));
      }
      return values;
    }

    private Object nullable(boolean block, Object value) {
      return random.nextInt(block ? 2 : 60) == 0 ? null : value;
    }

    private Moment moment(long near, boolean old, int unitNanos) {
      long millis = old ? -1500 - near * 3_600_000 : near * 3_600_000 + random.nextInt(1000);
      return new Moment(millis, random.nextInt(1_000_000) / unitNanos * unitNanos);
    }

    static byte[] name(int id) {
      return utf8(String.format("name-%04d", id / 10));
    }

    private static byte[] utf8(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
  }

  private static Map<String, String> options(String format) {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("file.format", format);
    options.put("orc.row.index.stride", "1000");
    options.put("orc.stripe.row.count", "2000");
    options.put("orc.compress.size", "16384");
    options.put("parquet.page.row.count.limit", "500");
    if (format.equals("parquet")) {
      options.put("file.block-size", "400 kb");
    }
    return options;
  }

  private TestTable table(List<String> keys, Map<String, String> options) throws Exception {
    return TestTable.create(
        new LocalFileIO(new TestIds()),
        folder.resolve("t").toString(),
        new TableSchema(0, rowType(), COLUMNS.size() - 1, List.of(), keys, options, null, 0),
        new FakeClock());
  }

  /**
   * @param about bytes that a scan of conditions may read at most, of those of a full scan
   */
  private void assertNothingIsLost(Random random, Map<String, Double> about) throws Exception {
    CountingFileIO storage = new CountingFileIO(new LocalFileIO(new TestIds()));
    String root = folder.resolve("t").toString();
    LsmTable table = LsmTable.open(storage, root, new FakeClock(), new TestIds());
    TableScan scan = table.newScan();
    List<BinaryRow> rows = rows(scan);
    List<Map<String, String>> texts = new ArrayList<>();
    rows.forEach(row -> texts.add(CanonicalRows.of(scan.rowType(), row)));
    storage.takeBytesRead();
    assertThat(CanonicalRows.read(scan)).isEqualTo(texts);
    long all = storage.takeBytesRead();
    assertThat(CanonicalRows.sorted(texts)).isEqualTo(new PaimonOracle(root).readLatest());
    Map<String, List<Literal>> literals = PruningTest.literals(scan);
    for (int round = 0; round < CONDITIONS; round++) {
      Predicate condition = PruningTest.condition(random, literals, 2);
      assertThat(CanonicalRows.read(scan.where(condition)))
          .as("where " + condition)
          .isEqualTo(passing(scan, condition, rows, texts));
    }
    storage.takeBytesRead();
    for (Map.Entry<String, Double> cheap : about.entrySet()) {
      Predicate condition = PredicateParser.parse(cheap.getKey());
      List<Map<String, String>> found = CanonicalRows.read(scan.where(condition));
      assertThat(storage.takeBytesRead())
          .as("bytes read where " + condition + " of " + all)
          .isLessThan((long) (all * cheap.getValue()));
      assertThat(found).isNotEmpty().isEqualTo(passing(scan, condition, rows, texts));
    }
  }

  private static List<BinaryRow> rows(TableScan scan) throws IOException {
    RowType type = scan.rowType();
    int[] own = new int[type.size()];
    java.util.Arrays.setAll(own, i -> i);
    BinaryRowProjection copier = new BinaryRowProjection(type, own);
    List<BinaryRow> rows = new ArrayList<>();
    try (RowReader reader = scan.open()) {
      while (reader.advance()) {
        rows.add(copier.apply(reader.row()).copy());
      }
    }
    return rows;
  }

  private static List<Map<String, String>> passing(
      TableScan scan, Predicate condition, List<BinaryRow> rows, List<Map<String, String>> texts) {
    Filter filter = condition.bind(scan.rowType());
    List<Map<String, String>> result = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      if (filter.test(rows.get(i))) {
        result.add(texts.get(i));
      }
    }
    return result;
  }

  /** Newer records hide older ones: they may not be left out while older ones are read. */
  @ParameterizedTest
  @ValueSource(strings = {"orc", "parquet"})
  void losesNoRowOfOverlappingRuns(String format) throws Exception {
    Random random = PruningTest.random(format + " runs");
    Map<String, String> options = options(format);
    options.put("bucket", "1");
    TestTable table = table(List.of("id", "name"), options);
    Rows rows = new Rows(random);
    RowType type = rowType();
    for (int commit = 0; commit < 3; commit++) {
      for (int id = 0; id < KEYS; id++) {
        // The newest record of a key has values of another one.
        if (random.nextInt(3) > 0) {
          List<Object> values = rows.values(random.nextInt(4) == 0 ? KEYS - id : id, type.size());
          values.set(0, (long) id);
          values.set(1, Rows.name(id));
          table.write(
              RandomValues.binary(
                  type, values, random.nextInt(8) == 0 ? RowKind.DELETE : RowKind.INSERT));
        }
      }
      table.commit();
      if (commit == 0) {
        table.compactFully();
      }
    }
    table.close();
    assertNothingIsLost(random, Map.of("id >= 100 AND id < 120", 0.6, "name >= 'name-0430'", 0.6));
    table.compactFully();
    assertNothingIsLost(
        random,
        Map.of(
            "id > 100 AND id <= 120", 0.6, "name = 'name-0400'", 0.6, "big > 4900000000000", 0.8));
  }

  /** Columns are found by their ids in each file, and not asked for where the type was another. */
  @ParameterizedTest
  @ValueSource(strings = {"orc", "parquet"})
  void losesNoRowOfTablesThatChanged(String format) throws Exception {
    Random random = PruningTest.random(format + " schemas");
    Map<String, String> options = options(format);
    options.put("bucket", "-1");
    TestTable table = table(List.of(), options);
    Rows rows = new Rows(random);
    RowType type = rowType();
    for (int schema = 0; schema < 2; schema++) {
      for (int id = 0; id < KEYS; id++) {
        table.write(RandomValues.binary(type, rows.values(id, type.size()), RowKind.INSERT));
      }
      table.commit();
      if (schema == 0) {
        type = changed(type);
        table.changeSchema(
            new TableSchema(1, type, COLUMNS.size(), List.of(), List.of(), options, null, 0));
      }
    }
    table.close();
    assertNothingIsLost(
        random,
        Map.of(
            "id >= 2500 AND id < 2600",
            0.6,
            "id = 4990 OR later > 4900",
            0.8,
            "big IS NULL AND id < 200",
            0.7));
  }

  /** The names of two columns are exchanged, another one is wider, one is new. */
  private static RowType changed(RowType before) {
    List<DataField> fields = new ArrayList<>();
    for (DataField field : before.fields()) {
      fields.add(
          switch (field.name()) {
            case "big" -> new DataField(field.id(), "5", field.type());
            case "5" -> new DataField(field.id(), "big", field.type());
            case "small" -> new DataField(field.id(), "small", DataTypeText.parse("BIGINT"));
            case "price" -> new DataField(field.id(), "price", DataTypeText.parse("DECIMAL(16,4)"));
            default -> field;
          });
    }
    fields.add(new DataField(before.size(), "later", DataTypeText.parse("BIGINT")));
    return new RowType(fields);
  }

  /** Files of Paimon's have statistics of their own kind; deleted rows are told by position. */
  @ParameterizedTest
  @ValueSource(strings = {"orc", "parquet"})
  void losesNoRowOfPaimonsFilesWithDeletionVectors(String format) throws Exception {
    Random random = PruningTest.random(format + " of Paimon");
    Map<String, String> options = options(format);
    options.put("bucket", "1");
    options.put("deletion-vectors.enabled", "true");
    RowType type = rowType();
    TableSchema schema =
        new TableSchema(
            0, type, COLUMNS.size() - 1, List.of(), List.of("id", "name"), options, null, 0);
    Path file = folder.resolve("t/schema/schema-0");
    Files.createDirectories(file.getParent());
    Files.write(file, TableSchemaJson.write(schema));
    PaimonOracle paimon = new PaimonOracle(folder.resolve("t"));
    Rows rows = new Rows(random);
    List<org.apache.paimon.data.BinaryRow> all = new ArrayList<>();
    for (int id = 0; id < KEYS; id++) {
      all.add(ofPaimon(RandomValues.binary(type, rows.values(id, type.size()), RowKind.INSERT)));
    }
    paimon.write(all);
    paimon.compactFully();
    List<org.apache.paimon.data.BinaryRow> some = new ArrayList<>();
    for (int id = 0; id < KEYS; id++) {
      if (random.nextInt(12) == 0) {
        some.add(
            ofPaimon(
                RandomValues.binary(
                    type,
                    rows.values(id, type.size()),
                    random.nextBoolean() ? RowKind.DELETE : RowKind.INSERT)));
      }
    }
    paimon.write(some);
    paimon.compactAsNeeded();
    LsmTable table =
        LsmTable.open(
            new LocalFileIO(new TestIds()),
            folder.resolve("t").toString(),
            new FakeClock(),
            new TestIds());
    assertThat(table.snapshots().findLatest().indexManifest()).as("deletion vectors").isNotNull();
    assertNothingIsLost(random, Map.of("id > 4900", 0.7, "name < 'name-0030'", 0.7));
  }

  private static org.apache.paimon.data.BinaryRow ofPaimon(BinaryRow row) {
    org.apache.paimon.data.BinaryRow theirs = new org.apache.paimon.data.BinaryRow(row.size());
    byte[] bytes = row.toByteArray();
    theirs.pointTo(org.apache.paimon.memory.MemorySegment.wrap(bytes), 0, bytes.length);
    return theirs;
  }
}
