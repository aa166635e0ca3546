package io.sluice.lsm.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.TestTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A scan reads the numbers of records where they are asked for, and the same rows without. */
class SequenceNumbersTest {

  private static final RowType TYPE =
      new RowType(
          List.of(
              new DataField(0, "id", DataTypes.INT.withNullable(false)),
              new DataField(1, "v", DataTypes.STRING)));

  private static TestTable create(String format) throws Exception {
    return TestTable.create(
        new MemoryFileIO(),
        "/lake/w.db/t",
        new TableSchema(
            0,
            TYPE,
            1,
            List.of(),
            List.of("id"),
            Map.of("bucket", "1", "file.format", format),
            null,
            0),
        new FakeClock());
  }

  private static List<Long> numbers(TableScan scan) throws Exception {
    List<Long> numbers = new ArrayList<>();
    try (RowReader reader = scan.withSequenceNumbers().open()) {
      while (reader.advance()) {
        numbers.add(reader.sequenceNumber());
      }
    }
    return numbers;
  }

  @ParameterizedTest
  @ValueSource(strings = {"orc", "parquet", "avro"})
  void areThoseOfTheRecordsAndOnlyForThoseWhoAsk(String format) throws Exception {
    try (TestTable table = create(format)) {
      for (int id = 0; id < 3000; id++) {
        table.write(TestRows.row(TYPE, id, "v" + id));
      }
      table.commit();
      TableScan scan = table.table().newScan();
      assertThat(numbers(scan)).hasSize(3000).isSorted().startsWith(0L, 1L);
      assertThat(numbers(scan.columns(List.of("v")))).isEqualTo(numbers(scan));
      try (RowReader reader = scan.open()) {
        assertThat(reader.advance()).isTrue();
        assertThatThrownBy(reader::sequenceNumber)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("withSequenceNumbers");
        assertThat(reader.row().kind()).isEqualTo(RowKind.INSERT);
      }
      assertThat(CanonicalRows.read(scan))
          .isEqualTo(CanonicalRows.read(scan.withSequenceNumbers()))
          .hasSize(3000);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"orc", "parquet", "avro"})
  void deletesFallAwayWhetherNumbersAreReadOrNot(String format) throws Exception {
    try (TestTable table = create(format)) {
      for (int id = 0; id < 3000; id++) {
        var row = TestRows.row(TYPE, id, "v" + id);
        row.setKind(id % 3 == 0 ? RowKind.DELETE : RowKind.UPDATE_AFTER);
        table.write(row);
      }
      table.commit();
      TableScan scan = table.table().newScan();
      assertThat(numbers(scan)).hasSize(2000).startsWith(1L, 2L, 4L);
      assertThat(CanonicalRows.read(scan))
          .isEqualTo(CanonicalRows.read(scan.withSequenceNumbers()))
          .hasSize(2000);
    }
  }
}
