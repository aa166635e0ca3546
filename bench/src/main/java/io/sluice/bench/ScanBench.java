package io.sluice.bench;

import io.sluice.bench.TableSession.Compaction;
import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.scan.RowReader;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.schema.TableSchema;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.ReadBuilder;

/**
 * Scans of one table folder, by Sluice's reader and by Paimon's own (table.newReadBuilder()), five
 * at a turn and with one thread each; every value of every column read goes into a sum. The table
 * has 2 buckets, ORC with zstd, and 4 sorted runs in each: all keys, compacted, then three times 30
 * %. First these are merged; then the table is compacted into one run a bucket, and all columns, or
 * 2 of 8, are read. Prints each turn and the medians: rows/s (as the scan gives them) and CPU
 * seconds.
 *
 * <pre>ScanBench [keys] [rounds] [sluice|paimon|both] [written by: sluice|paimon]</pre>
 */
public final class ScanBench {

  /** A decimal and a text among eight columns of five types. */
  private static final List<String> TWO = List.of("amount", "state");

  private static final int[] TWO_POSITIONS = {3, 2};

  private static final int SCANS_PER_TURN = 5;

  private final Path root;
  private final int rounds;
  private final String who;

  private ScanBench(Path root, int rounds, String who) {
    this.root = root;
    this.rounds = rounds;
    this.who = who;
  }

  public static void main(String[] args) throws Exception {
    Arguments arguments = new Arguments(args);
    int keys = arguments.number(0, 2_000_000);
    TableSession.Engine engine =
        arguments.text(3, "sluice").equals("paimon") ? PaimonSession::new : SluiceSession::new;
    TableSchema schema = Orders.schema(2);
    try (BenchFolder folder = BenchFolder.create("scan-bench")) {
      Path root = folder.table("t");
      SluiceSession.create(root, schema);
      ScanBench bench = new ScanBench(root, arguments.number(1, 5), arguments.text(2, "both"));
      try (TableSession session = engine.open(root, schema, Compaction.NONE)) {
        run(session, Orders.Source.ascending(1, keys), keys);
      }
      compactFully(engine, root, schema);
      try (TableSession session = engine.open(root, schema, Compaction.NONE)) {
        for (int seed = 2; seed <= 4; seed++) {
          run(session, Orders.Source.random(seed, keys), keys / 10 * 3);
        }
      }
      bench.scanAll("merge of 4 runs, 8 columns");
      compactFully(engine, root, schema);
      bench.scanAll("compacted, 8 columns");
      bench.scanTwo("compacted, 2 columns");
    }
    System.exit(0);
  }

  private static void compactFully(TableSession.Engine engine, Path root, TableSchema schema)
      throws Exception {
    try (TableSession session = engine.open(root, schema, Compaction.IN_BACKGROUND)) {
      session.compactFully();
    }
  }

  /** One commit: a sorted run in each bucket. */
  private static void run(TableSession session, RowSource rows, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      rows.advance();
      session.write(rows);
    }
    session.commit();
  }

  private void scanAll(String task) throws Exception {
    new Duel(task, rounds, who).fight(() -> scans(this::sluiceAll), () -> scans(this::paimonAll));
  }

  private void scanTwo(String task) throws Exception {
    new Duel(task, rounds, who).fight(() -> scans(this::sluiceTwo), () -> scans(this::paimonTwo));
  }

  /** One turn: a single scan takes half a second, in which much else may happen. */
  private static Duel.Turn scans(Duel.Contender scan) throws Exception {
    Duel.Turn sum = scan.run();
    for (int i = 1; i < SCANS_PER_TURN; i++) {
      sum = sum.plus(scan.run());
    }
    return sum;
  }

  private static Duel.Turn turn(long count, long sum, Stopwatch stopwatch) {
    return Duel.Turn.of(count, stopwatch).with(count + "/" + Long.toHexString(sum), Map.of());
  }

  private Duel.Turn sluiceAll() throws Exception {
    Stopwatch stopwatch = new Stopwatch();
    long count = 0;
    long sum = 0;
    BytesView text = new BytesView();
    try (RowReader reader = SluiceSession.open(root).newScan().open()) {
      while (reader.advance()) {
        Row row = reader.row();
        count++;
        sum += row.getLong(0);
        sum += row.isNullAt(1) ? 0 : row.getInt(1);
        sum += row.isNullAt(2) ? 0 : text(row, 2, text);
        sum += row.isNullAt(3) ? 0 : row.getDecimalUnscaled(3);
        sum += row.isNullAt(4) ? 0 : row.getInt(4);
        sum += row.isNullAt(5) ? 0 : text(row, 5, text);
        sum += row.isNullAt(6) ? 0 : row.getTimestampMillis(6, 3);
        sum += row.isNullAt(7) ? 0 : row.getTimestampMillis(7, 6) + row.getNanoOfMilli(7, 6);
      }
    }
    return turn(count, sum, stopwatch);
  }

  private static int text(Row row, int column, BytesView view) {
    row.getBytes(column, view);
    return view.length + view.array[view.offset] + view.array[view.offset + view.length - 1];
  }

  private Duel.Turn sluiceTwo() throws Exception {
    Stopwatch stopwatch = new Stopwatch();
    long count = 0;
    long sum = 0;
    BytesView text = new BytesView();
    TableScan scan = SluiceSession.open(root).newScan().columns(TWO);
    try (RowReader reader = scan.open()) {
      while (reader.advance()) {
        Row row = reader.row();
        count++;
        sum += row.isNullAt(0) ? 0 : row.getDecimalUnscaled(0);
        sum += row.isNullAt(1) ? 0 : text(row, 1, text);
      }
    }
    return turn(count, sum, stopwatch);
  }

  private Duel.Turn paimonAll() throws Exception {
    Stopwatch stopwatch = new Stopwatch();
    long count = 0;
    long sum = 0;
    FileStoreTable table = PaimonSession.open(root);
    try (RecordReader<InternalRow> reader = reader(table.newReadBuilder())) {
      RecordReader.RecordIterator<InternalRow> batch;
      while ((batch = reader.readBatch()) != null) {
        InternalRow row;
        while ((row = batch.next()) != null) {
          count++;
          sum += row.getLong(0);
          sum += row.isNullAt(1) ? 0 : row.getInt(1);
          sum += row.isNullAt(2) ? 0 : text(row, 2);
          sum += row.isNullAt(3) ? 0 : row.getDecimal(3, 12, 2).toUnscaledLong();
          sum += row.isNullAt(4) ? 0 : row.getInt(4);
          sum += row.isNullAt(5) ? 0 : text(row, 5);
          sum += row.isNullAt(6) ? 0 : row.getTimestamp(6, 3).getMillisecond();
          if (!row.isNullAt(7)) {
            Timestamp updated = row.getTimestamp(7, 6);
            sum += updated.getMillisecond() + updated.getNanoOfMillisecond();
          }
        }
        batch.releaseBatch();
      }
    }
    return turn(count, sum, stopwatch);
  }

  private static RecordReader<InternalRow> reader(ReadBuilder builder) throws Exception {
    return builder.newRead().createReader(builder.newScan().plan());
  }

  private static int text(InternalRow row, int column) {
    BinaryString text = row.getString(column);
    int length = text.getSizeInBytes();
    return length + text.byteAt(0) + text.byteAt(length - 1);
  }

  private Duel.Turn paimonTwo() throws Exception {
    Stopwatch stopwatch = new Stopwatch();
    long count = 0;
    long sum = 0;
    FileStoreTable table = PaimonSession.open(root);
    try (RecordReader<InternalRow> reader =
        reader(table.newReadBuilder().withProjection(TWO_POSITIONS))) {
      RecordReader.RecordIterator<InternalRow> batch;
      while ((batch = reader.readBatch()) != null) {
        InternalRow row;
        while ((row = batch.next()) != null) {
          count++;
          sum += row.isNullAt(0) ? 0 : row.getDecimal(0, 12, 2).toUnscaledLong();
          sum += row.isNullAt(1) ? 0 : text(row, 1);
        }
        batch.releaseBatch();
      }
    }
    return turn(count, sum, stopwatch);
  }
}
