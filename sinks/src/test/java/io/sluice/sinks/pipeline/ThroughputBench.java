package io.sluice.sinks.pipeline;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.sinks.BackfillInput.Chunk;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineSettings;
import io.sluice.sinks.RoutedTable;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * How many rows of about 100 bytes a pipeline takes in a second, and which thread's CPU they cost.
 * Not a test: run {@link #main} with {@code backfill|stream ROWS FOLDER}.
 */
final class ThroughputBench {

  private ThroughputBench() {}

  public static void main(String[] arguments) throws Exception {
    boolean stream = arguments[0].equals("stream");
    long rows = Long.parseLong(arguments[1]);
    Path folder = Files.createTempDirectory(Path.of(arguments[2]), "bench");
    TestLake lake = new TestLake(folder.toString());
    PipelineSettings settings =
        new PipelineSettings(
            "bench",
            folder.toString(),
            Duration.ofSeconds(2),
            Duration.ofSeconds(60),
            2,
            256 << 20,
            8 << 20,
            1,
            Duration.ofHours(1),
            1000,
            10,
            100_000);
    Pipeline pipeline =
        Pipeline.recover(
            settings,
            new LocalFileIO(() -> UUID.randomUUID().toString()),
            lake.clock,
            () -> UUID.randomUUID().toString(),
            new TestLake.Source(),
            PipelineListener.NONE);
    ChangeInput changes = pipeline.changes();
    RoutedTable table = changes.tableChanged(orders(), null).orElseThrow();
    changes.cutPoint(TestLake.position(1), 1);
    BinaryRowWriter writer = new BinaryRowWriter(8);
    long begin = System.nanoTime();
    Chunk chunk = stream ? null : pipeline.backfill().openChunk(table);
    for (long i = 0; i < rows; i++) {
      BinaryRow row = order(writer, i);
      if (chunk == null) {
        changes.row(table, row, 1);
        if (i % 100 == 99) {
          changes.cutPoint(TestLake.position(i), 1);
        }
      } else {
        chunk.row(row);
        if (i % 50_000 == 49_999) {
          chunk.done("{}");
          chunk = pipeline.backfill().openChunk(table);
        }
      }
    }
    if (chunk != null) {
      chunk.done("{}");
    }
    double fed = (System.nanoTime() - begin) / 1e9;
    Map<String, Double> cpu = new TreeMap<>();
    var threads = ManagementFactory.getThreadMXBean();
    for (long id : threads.getAllThreadIds()) {
      var info = threads.getThreadInfo(id);
      if (info != null
          && (info.getThreadName().startsWith("bench") || info.getThreadName().equals("main"))) {
        cpu.merge(info.getThreadName(), threads.getThreadCpuTime(id) / 1e9, Double::sum);
      }
    }
    pipeline.close();
    double all = (System.nanoTime() - begin) / 1e9;
    System.out.printf(
        "%s: %,d rows fed in %.2f s = %,.0f rows/s; visible after %.2f s = %,.0f rows/s%n",
        arguments[0], rows, fed, rows / fed, all, rows / all);
    cpu.forEach((name, seconds) -> System.out.printf("  %-22s %.2f s CPU%n", name, seconds));
  }

  private static SourceTable orders() {
    return new SourceTable(
        TestLake.id("orders"),
        List.of(
            new SourceColumn("id", "BIGINT", null, null, false, null, List.of(), null),
            new SourceColumn("customer", "BIGINT", null, null, true, null, List.of(), null),
            new SourceColumn("status", "VARCHAR", 20, null, true, "utf8mb4", List.of(), null),
            new SourceColumn("amount", "DECIMAL", 12, 2, true, null, List.of(), null),
            new SourceColumn("note", "VARCHAR", 200, null, true, "utf8mb4", List.of(), null),
            new SourceColumn("quantity", "INT", null, null, true, null, List.of(), null),
            new SourceColumn("day", "DATE", null, null, true, null, List.of(), null),
            new SourceColumn("price", "DOUBLE", null, null, true, null, List.of(), null)),
        List.of("id"));
  }

  private static final byte[] NOTE =
      "a note that makes the row about a hundred bytes".getBytes(UTF_8);
  private static final byte[][] STATUS = {
    "new".getBytes(UTF_8), "paid".getBytes(UTF_8), "shipped".getBytes(UTF_8)
  };

  private static BinaryRow order(BinaryRowWriter writer, long i) {
    writer.reset();
    writer.writeLong(0, i);
    writer.writeLong(1, i * 7919 % 100_000);
    byte[] status = STATUS[(int) (i % 3)];
    writer.writeBytes(2, status, 0, status.length);
    writer.writeDecimalUnscaled(3, i * 31 % 1_000_000);
    writer.writeBytes(4, NOTE, (int) (i % 9), NOTE.length - (int) (i % 9));
    writer.writeInt(5, (int) (i % 50));
    writer.writeInt(6, 20_000 + (int) (i % 365));
    writer.writeDouble(7, i * 0.25);
    return writer.finish(RowKind.INSERT);
  }
}
