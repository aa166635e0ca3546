package io.sluice.it.lake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.evolution.TypeLattice;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypeText;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TypeRoot;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.PaimonOracle;
import io.sluice.lsm.testing.RandomValues;
import io.sluice.lsm.testing.TestIds;
import io.sluice.lsm.testing.TestTable;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every step of {@link TypeLattice}: files that were written with the old type are read with the
 * new one by our reader and by Paimon's, and no value is another than before; also once a
 * compaction has written them anew.
 */
class WidenedColumnsTest {

  private static final List<String> TYPES =
      List.of(
          "BOOLEAN",
          "TINYINT",
          "SMALLINT",
          "INT",
          "BIGINT",
          "FLOAT",
          "DOUBLE",
          "DECIMAL(5, 2)",
          "DECIMAL(18, 4)",
          "DECIMAL(20, 0)",
          "DECIMAL(30, 10)",
          "DECIMAL(38, 0)",
          "DECIMAL(38, 18)",
          "VARCHAR(5)",
          "VARCHAR(40)",
          "STRING",
          "VARBINARY(5)",
          "BYTES",
          "DATE",
          "TIME(0)",
          "TIME(3)",
          "TIMESTAMP(0)",
          "TIMESTAMP(3)",
          "TIMESTAMP(6)",
          "TIMESTAMP(9)",
          "TIMESTAMP_LTZ(0)",
          "TIMESTAMP_LTZ(3)",
          "TIMESTAMP_LTZ(6)",
          "TIMESTAMP_LTZ(9)");

  private record Step(DataType from, DataType to) {}

  @TempDir Path folder;

  private static List<Step> steps(String format) {
    Set<Step> steps = new LinkedHashSet<>();
    for (String one : TYPES) {
      for (String other : TYPES) {
        DataType from = DataTypeText.parse(one);
        DataType to = TypeLattice.join(from, DataTypeText.parse(other));
        // Avro files hold microseconds at most.
        boolean nanos = (from + " " + to).contains("(9)");
        if (to != null && !to.equals(from) && !(nanos && format.equals("avro"))) {
          steps.add(new Step(from, to));
        }
      }
    }
    return List.copyOf(steps);
  }

  private static TableSchema schema(int id, List<DataType> types, String format) {
    List<DataField> fields = new ArrayList<>();
    fields.add(new DataField(0, "id", DataTypes.INT.withNullable(false)));
    for (int i = 0; i < types.size(); i++) {
      fields.add(new DataField(i + 1, "c" + i, types.get(i)));
    }
    return new TableSchema(
        id,
        new RowType(fields),
        types.size(),
        List.of(),
        List.of("id"),
        Map.of("bucket", "1", "file.format", format, "orc.timestamp-ltz.legacy.type", "false"),
        null,
        0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"orc", "parquet", "avro"})
  void noValueIsAnother(String format) throws Exception {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("WidenedColumnsTest seed " + seed);
    Random random = new Random(seed);
    RandomValues values = new RandomValues(random, format);
    List<Step> steps = steps(format);
    assertThat(steps).hasSizeGreaterThan(70);
    TableSchema before = schema(0, steps.stream().map(Step::from).toList(), format);
    TableSchema after = schema(1, steps.stream().map(Step::to).toList(), format);
    LocalFileIO io = new LocalFileIO(new TestIds());
    try (TestTable table = TestTable.create(io, folder.toString(), before, Clock.systemUTC())) {
      for (int i = 0; i < 100; i++) {
        List<Object> row = values.row(before.rowType());
        row.set(0, (long) i);
        table.write(RandomValues.binary(before.rowType(), row, RowKind.INSERT));
      }
      table.commit();
    }
    List<Map<String, String>> old = read(io);
    try (TestTable table = TestTable.open(io, folder.toString(), Clock.systemUTC())) {
      table.changeSchema(after);
      BinaryRow wide = null;
      for (int i = 100; i < 120; i++) {
        List<Object> row = values.row(after.rowType());
        row.set(0, (long) i);
        wide = RandomValues.binary(after.rowType(), row, RowKind.INSERT);
        table.write(wide);
      }
      table.commit();
      assertSame(steps, old, read(io));
      table.compactFully();
    }
    List<Map<String, String>> compacted = read(io);
    assertSame(steps, old, compacted);
    assertThat(compacted).hasSize(120);
  }

  /** By our reader; Paimon's sees the same. */
  private List<Map<String, String>> read(LocalFileIO io) throws Exception {
    try (TestTable table = TestTable.open(io, folder.toString(), Clock.systemUTC())) {
      List<Map<String, String>> rows = CanonicalRows.read(table.table().newScan());
      List<Map<String, String>> theirs = new PaimonOracle(folder).readLatest();
      List<Map<String, String>> ours = CanonicalRows.sorted(rows);
      for (int i = 0; i < ours.size(); i++) {
        assertThat(ours.get(i)).isEqualTo(theirs.get(i));
      }
      return rows.stream()
          .sorted(java.util.Comparator.comparingInt(row -> Integer.parseInt(row.get("id"))))
          .toList();
    }
  }

  private static void assertSame(
      List<Step> steps, List<Map<String, String>> old, List<Map<String, String>> now) {
    List<String> problems = new ArrayList<>();
    for (int c = 0; c < steps.size(); c++) {
      for (int i = 0; i < old.size(); i++) {
        String was = old.get(i).get("c" + c);
        String is = now.get(i).get("c" + c);
        if (!same(steps.get(c), was, is)) {
          problems.add(steps.get(c) + ": " + was + " became " + is);
          break;
        }
      }
    }
    assertThat(problems).isEmpty();
  }

  private static boolean same(Step step, String was, String is) {
    if (was == null || is == null) {
      return Objects.equals(was, is);
    }
    if (was.equals(is)) {
      return true;
    }
    if (step.from().root().isNumeric()) {
      return isNumber(was) && isNumber(is) && new BigDecimal(was).compareTo(new BigDecimal(is)) == 0
          // A float's own digits are fewer than those of the double with its value.
          || step.from().root() == TypeRoot.FLOAT
              && step.to().root() == TypeRoot.DOUBLE
              && Float.parseFloat(was) == Double.parseDouble(is);
    }
    if (step.from().root() == TypeRoot.DATE) {
      return is.startsWith(was + " 00:00:00") && is.substring(19).matches("(\\.0+)?");
    }
    // A timestamp with more digits: zeros.
    String longer = is.replace("Z", "");
    String shorter = was.replace("Z", "");
    return longer.startsWith(shorter) && longer.substring(shorter.length()).matches("\\.?0*");
  }

  private static boolean isNumber(String text) {
    return !text.equals("NaN") && !text.endsWith("Infinity");
  }
}
