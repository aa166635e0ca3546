package io.sluice.bench;

import io.sluice.bench.TableSession.Compaction;
import io.sluice.lsm.datafile.DecodingThreads;
import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.scan.RowReader;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;

/**
 * Scans of one table folder, by Sluice's reader and by Paimon's own (table.newReadBuilder()), five
 * at a turn; every value of every column read goes into a sum. The table has 2 buckets, ORC with
 * zstd, and 4 sorted runs in each: all keys, compacted, then three times 30 %. First these are
 * merged; then the table is compacted into one run a bucket, and all columns, or 2 of 8, are read.
 * Prints each turn and the medians: rows/s (as the scan gives them) and CPU seconds.
 *
 * <p>Sluice decodes ahead on the processors beside the reader's ({@link TableScan#ahead}), and
 * Paimon reads with one thread, as its builder gives it. Two more take turns: Sluice with one
 * thread; and Paimon with two, each of which reads a bucket.
 *
 * <pre>ScanBench [keys] [rounds] [sluice|paimon|both] [written by: sluice|paimon]</pre>
 */
public final class ScanBench {

  /** A decimal and a text among eight columns of five types. */
  private static final List<String> TWO = List.of("amount", "state");

  private static final int[] TWO_POSITIONS = {3, 2};

  private static final int SCANS_PER_TURN = 5;

  private final DecodingThreads threads = DecodingThreads.besideTheReader();
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
    fight(
        task,
        UnaryOperator.identity(),
        ScanBench::addAll,
        UnaryOperator.identity(),
        ScanBench::addAll);
  }

  private void scanTwo(String task) throws Exception {
    fight(
        task,
        scan -> scan.columns(TWO),
        ScanBench::addTwo,
        builder -> builder.withProjection(TWO_POSITIONS),
        ScanBench::addTwo);
  }

  private void fight(
      String task,
      UnaryOperator<TableScan> columns,
      SluiceRows sluiceRows,
      UnaryOperator<ReadBuilder> projection,
      PaimonRows paimonRows)
      throws Exception {
    new Duel(task, rounds, who)
        .with("sluice", () -> scans(() -> sluice(columns, scan -> scan.ahead(threads), sluiceRows)))
        .with("paimon", () -> scans(() -> paimon(projection, 1, paimonRows)))
        .with(
            "sluice with one thread",
            () -> scans(() -> sluice(columns, UnaryOperator.identity(), sluiceRows)))
        .with("paimon with two threads", () -> scans(() -> paimon(projection, 2, paimonRows)))
        .fight();
  }

  /** One turn: a single scan takes half a second, in which much else may happen. */
  private static Duel.Turn scans(Duel.Contender scan) throws Exception {
    Duel.Turn sum = scan.run();
    for (int i = 1; i < SCANS_PER_TURN; i++) {
      sum = sum.plus(scan.run());
    }
    return sum;
  }

  /** What rows add up to. */
  private record Sum(long rows, long values) {

    static final Sum NONE = new Sum(0, 0);

    Sum plus(Sum other) {
      return new Sum(rows + other.rows, values + other.values);
    }

    Duel.Turn turn(Stopwatch stopwatch) {
      return Duel.Turn.of(rows, stopwatch).with(rows + "/" + Long.toHexString(values), Map.of());
    }
  }

  @FunctionalInterface
  private interface SluiceRows {
    Sum add(RowReader reader) throws IOException;
  }

  @FunctionalInterface
  private interface PaimonRows {
    Sum add(RecordReader<InternalRow> reader) throws IOException;
  }

  private Duel.Turn sluice(
      UnaryOperator<TableScan> columns, UnaryOperator<TableScan> threaded, SluiceRows rows)
      throws IOException {
    Stopwatch stopwatch = new Stopwatch();
    TableScan scan = columns.apply(SluiceSession.open(root).newScan());
    try (RowReader reader = threaded.apply(scan).open()) {
      return rows.add(reader).turn(stopwatch);
    }
  }

  private Duel.Turn paimon(UnaryOperator<ReadBuilder> projection, int threadCount, PaimonRows rows)
      throws Exception {
    Stopwatch stopwatch = new Stopwatch();
    ReadBuilder builder = projection.apply(PaimonSession.open(root).newReadBuilder());
    org.apache.paimon.table.source.TableScan.Plan plan = builder.newScan().plan();
    if (threadCount == 1) {
      try (RecordReader<InternalRow> reader = builder.newRead().createReader(plan)) {
        return rows.add(reader).turn(stopwatch);
      }
    }
    ExecutorService executor = Executors.newFixedThreadPool(threadCount);
    try {
      List<Callable<Sum>> parts = new ArrayList<>();
      for (Split split : plan.splits()) {
        parts.add(
            () -> {
              try (RecordReader<InternalRow> reader = builder.newRead().createReader(split)) {
                return rows.add(reader);
              }
            });
      }
      Sum sum = Sum.NONE;
      for (Future<Sum> part : executor.invokeAll(parts)) {
        sum = sum.plus(part.get());
      }
      return sum.turn(stopwatch);
    } finally {
      executor.shutdown();
    }
  }

  private static Sum addAll(RowReader reader) throws IOException {
    long count = 0;
    long sum = 0;
    BytesView text = new BytesView();
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
    return new Sum(count, sum);
  }

  private static Sum addTwo(RowReader reader) throws IOException {
    long count = 0;
    long sum = 0;
    BytesView text = new BytesView();
    while (reader.advance()) {
      Row row = reader.row();
      count++;
      sum += row.isNullAt(0) ? 0 : row.getDecimalUnscaled(0);
      sum += row.isNullAt(1) ? 0 : text(row, 1, text);
    }
    return new Sum(count, sum);
  }

  private static int text(Row row, int column, BytesView view) {
    row.getBytes(column, view);
    return view.length + view.array[view.offset] + view.array[view.offset + view.length - 1];
  }

  private static Sum addAll(RecordReader<InternalRow> reader) throws IOException {
    long count = 0;
    long sum = 0;
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
    return new Sum(count, sum);
  }

  private static Sum addTwo(RecordReader<InternalRow> reader) throws IOException {
    long count = 0;
    long sum = 0;
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
    return new Sum(count, sum);
  }

  private static int text(InternalRow row, int column) {
    BinaryString text = row.getString(column);
    int length = text.getSizeInBytes();
    return length + text.byteAt(0) + text.byteAt(length - 1);
  }
}
