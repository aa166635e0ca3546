package io.sluice.lsm.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.TestRows;
import io.sluice.lsm.datafile.DecodingThreads;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.testing.CanonicalRows;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.TestTable;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Scans that decode ahead give the same rows in the same order. */
class AheadScanTest {

  private static final int KEYS = 40_000;

  private static final RowType TYPE =
      new RowType(
          List.of(
              new DataField(0, "id", DataTypes.INT.withNullable(false)),
              new DataField(1, "amount", DataTypes.decimal(12, 2)),
              new DataField(2, "state", DataTypes.STRING),
              new DataField(3, "at", DataTypes.timestamp(6))));

  private final Random random = new Random(11);

  /** Two buckets, each of several sorted runs with deletes. */
  private TestTable create() throws Exception {
    TestTable table =
        TestTable.create(
            new MemoryFileIO(),
            "/lake/w.db/t",
            new TableSchema(
                0,
                TYPE,
                3,
                List.of(),
                List.of("id"),
                Map.of("bucket", "2", "file.format", "orc"),
                null,
                0),
            new FakeClock());
    for (int id = 0; id < KEYS; id++) {
      table.write(row(id, RowKind.INSERT));
    }
    table.commit();
    for (int run = 0; run < 2; run++) {
      for (int i = 0; i < KEYS; i++) {
        int id = random.nextInt(KEYS);
        table.write(row(id, id % 10 == run ? RowKind.DELETE : RowKind.UPDATE_AFTER));
      }
      table.commit();
    }
    return table;
  }

  private BinaryRow row(int id, RowKind kind) {
    BinaryRow row =
        TestRows.row(
            TYPE,
            id,
            random.nextInt(5) == 0 ? null : BigDecimal.valueOf(random.nextInt(10_000), 2),
            "state " + random.nextInt(20),
            LocalDateTime.of(2026, 1, 1, 0, 0).plusSeconds(id));
    row.setKind(kind);
    return row;
  }

  private static List<String> rows(TableScan scan, boolean numbered) throws Exception {
    List<String> rows = new ArrayList<>();
    try (RowReader reader = scan.open()) {
      while (reader.advance()) {
        rows.add(
            CanonicalRows.of(scan.rowType(), reader.row())
                + (numbered ? " " + reader.sequenceNumber() : ""));
      }
    }
    return rows;
  }

  private static void compare(TableScan scan, DecodingThreads threads) throws Exception {
    assertThat(rows(scan.ahead(threads), false)).isEqualTo(rows(scan, false)).isNotEmpty();
    assertThat(rows(scan.withSequenceNumbers().ahead(threads), true))
        .isEqualTo(rows(scan.ahead(threads).withSequenceNumbers(), true))
        .isEqualTo(rows(scan.withSequenceNumbers(), true));
  }

  @Test
  void giveTheSameRowsInTheSameOrder() throws Exception {
    try (TestTable table = create();
        DecodingThreads threads = new DecodingThreads(2)) {
      for (String state : List.of("merging", "compacted")) {
        TableScan scan = table.table().newScan();
        compare(scan, threads);
        compare(scan.columns(List.of("state", "id")), threads);
        compare(scan.where(PredicateParser.parse("state = 'state 7'")), threads);
        compare(
            scan.columns(List.of("amount")).where(PredicateParser.parse("id >= 30000")), threads);
        if (state.equals("merging")) {
          table.compactFully();
        }
      }
    }
  }

  @Test
  void mayShareTheThreads() throws Exception {
    try (TestTable table = create();
        DecodingThreads threads = new DecodingThreads(2)) {
      TableScan scan = table.table().newScan();
      List<String> expected = rows(scan, false);
      ExecutorService readers = Executors.newFixedThreadPool(4);
      try {
        List<Callable<List<String>>> scans = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
          scans.add(() -> rows(scan.ahead(threads), false));
        }
        for (Future<List<String>> read : readers.invokeAll(scans)) {
          assertThat(read.get()).isEqualTo(expected);
        }
      } finally {
        readers.shutdownNow();
      }
    }
  }
}
