package io.sluice.bench;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.datafile.KeyValueWriter;
import io.sluice.lsm.datafile.NewFile;
import io.sluice.lsm.datafile.StoredFile;
import io.sluice.lsm.datafile.orc.OrcFormat;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.BytesView;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/**
 * Rows per second (and CPU time of the thread, steadier on a busy machine) of the ORC writer and
 * reader on an orders table: 8 columns, about 100 bytes, 11 columns in the file. Arguments: rows
 * (2,000,000), rounds (5), rows of a small file (0: large files only). Small files are what
 * frequent commits write.
 */
public final class OrcBench {

  private static final int ROWS_IN_MEMORY = 200_000;

  private OrcBench() {}

  public static void main(String[] args) throws IOException {
    int rows = args.length > 0 ? Integer.parseInt(args[0]) : 2_000_000;
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 5;
    int small = args.length > 2 ? Integer.parseInt(args[2]) : 0;
    TableSchema schema = orders();
    BinaryRow[] data = data(schema.rowType());
    OrcFormat format = new OrcFormat(Clock.systemDefaultZone());
    Path folder = Files.createTempDirectory("orc-bench");
    try (FileIO io = new LocalFileIO(() -> UUID.randomUUID().toString())) {
      for (int round = 0; round < rounds; round++) {
        String path = folder + "/data-" + round + ".orc";
        long start = System.nanoTime();
        long cpuStart = cpuNanos();
        KeyValueWriter writer =
            format.createWriter(
                io, new NewFile(path, schema, 0, DataFileMeta.SOURCE_FLUSH, NewFile.UNKNOWN));
        for (int i = 0; i < rows; i++) {
          BinaryRow row = data[i % data.length];
          writer.write(row, i, RowKind.INSERT);
        }
        long estimate = writer.bytesSoFar();
        DataFileMeta file = writer.finish();
        long written = System.nanoTime();
        long cpuWritten = cpuNanos();
        long sum =
            read(format.createReader(io, new StoredFile(path, file, schema, schema.rowType())));
        long read = System.nanoTime();
        long cpuRead = cpuNanos();
        System.out.printf(
            "write %.2f M rows/s (%.0f ns of CPU a row), read %.2f M rows/s (%.0f ns), %.1f bytes a row (estimated %.1f; %x)%n",
            rows * 1e3 / (written - start),
            (double) (cpuWritten - cpuStart) / rows,
            rows * 1e3 / (read - written),
            (double) (cpuRead - cpuWritten) / rows,
            (double) file.fileSize() / rows,
            (double) estimate / rows,
            sum);
        Files.delete(Path.of(path));
      }
      for (int round = 0; small > 0 && round < rounds; round++) {
        smallFiles(format, io, folder, schema, data, small);
      }
    } finally {
      Files.delete(folder);
    }
  }

  private static void smallFiles(
      OrcFormat format, FileIO io, Path folder, TableSchema schema, BinaryRow[] data, int rows)
      throws IOException {
    int files = 500;
    long bytes = 0;
    long allocated = allocatedBytes();
    long start = System.nanoTime();
    DataFileMeta[] written = new DataFileMeta[files];
    for (int i = 0; i < files; i++) {
      KeyValueWriter writer =
          format.createWriter(
              io,
              new NewFile(
                  folder + "/small-" + i + ".orc",
                  schema,
                  0,
                  DataFileMeta.SOURCE_FLUSH,
                  NewFile.UNKNOWN));
      for (int row = 0; row < rows; row++) {
        writer.write(data[row], row, RowKind.INSERT);
      }
      written[i] = writer.finish();
      bytes += written[i].fileSize();
    }
    long writing = System.nanoTime() - start;
    long allocatedWriting = allocatedBytes() - allocated;
    start = System.nanoTime();
    for (int i = 0; i < files; i++) {
      String path = folder + "/small-" + i + ".orc";
      read(format.createReader(io, new StoredFile(path, written[i], schema, schema.rowType())));
    }
    long reading = System.nanoTime() - start;
    long allocatedReading = allocatedBytes() - allocated - allocatedWriting;
    System.out.printf(
        "files of %d rows, %d bytes: write %.2f ms and %d KiB of garbage, read %.2f ms and %d KiB%n",
        rows,
        bytes / files,
        writing / 1e6 / files,
        allocatedWriting / files >> 10,
        reading / 1e6 / files,
        allocatedReading / files >> 10);
    for (int i = 0; i < files; i++) {
      Files.delete(folder.resolve("small-" + i + ".orc"));
    }
  }

  private static long cpuNanos() {
    return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static long allocatedBytes() {
    return ((com.sun.management.ThreadMXBean)
            java.lang.management.ManagementFactory.getThreadMXBean())
        .getCurrentThreadAllocatedBytes();
  }

  private static long read(KeyValueReader reader) throws IOException {
    long sum = 0;
    BytesView view = new BytesView();
    try (reader) {
      while (reader.advance()) {
        Row row = reader.row();
        sum += reader.sequenceNumber();
        for (int i = 0; i < 8; i++) {
          if (row.isNullAt(i)) {
            continue;
          }
          switch (i) {
            case 0 -> sum += row.getLong(i);
            case 1, 5 -> sum += row.getInt(i);
            case 2, 4 -> {
              row.getBytes(i, view);
              sum += view.length;
            }
            case 3 -> sum += row.getDecimalUnscaled(i);
            default -> sum += row.getTimestampMillis(i, 6) + row.getNanoOfMilli(i, 6);
          }
        }
      }
    }
    return sum;
  }

  private static TableSchema orders() {
    RowType type =
        new RowType(
            List.of(
                new DataField(0, "id", DataTypes.BIGINT.withNullable(false)),
                new DataField(1, "customer", DataTypes.INT),
                new DataField(2, "status", DataTypes.varchar(16)),
                new DataField(3, "amount", DataTypes.decimal(12, 2)),
                new DataField(4, "note", DataTypes.varchar(80)),
                new DataField(5, "quantity", DataTypes.INT),
                new DataField(6, "created", DataTypes.timestamp(6)),
                new DataField(7, "updated", DataTypes.timestampLtz(6))));
    return new TableSchema(
        0,
        type,
        7,
        List.of(),
        List.of("id"),
        Map.of("bucket", "1", "file.format", "orc", "orc.timestamp-ltz.legacy.type", "false"),
        null,
        0);
  }

  private static BinaryRow[] data(RowType type) {
    Random random = new Random(7);
    String[] states = {"new", "paid", "packed", "shipped", "delivered", "returned"};
    BinaryRow[] rows = new BinaryRow[ROWS_IN_MEMORY];
    BinaryRowWriter writer = new BinaryRowWriter(type.size());
    byte[] note = new byte[48];
    for (int i = 0; i < rows.length; i++) {
      writer.reset();
      writer.writeLong(0, i);
      writer.writeInt(1, random.nextInt(100_000));
      writer.writeString(2, states[random.nextInt(states.length)]);
      writer.writeDecimalUnscaled(3, random.nextInt(1_000_000));
      for (int b = 0; b < note.length; b++) {
        note[b] = (byte) ('a' + random.nextInt(26));
      }
      byte[] text = new String(note, StandardCharsets.US_ASCII).getBytes(StandardCharsets.UTF_8);
      writer.writeBytes(4, text, 0, 30 + random.nextInt(18));
      writer.writeInt(5, 1 + random.nextInt(9));
      writer.writeTimestamp(6, 1_700_000_000_000L + i * 1000L, random.nextInt(1000) * 1000, 6);
      writer.writeTimestamp(7, 1_700_000_000_000L + random.nextInt(1 << 30), 0, 6);
      rows[i] = writer.finish(RowKind.INSERT).copy();
    }
    return rows;
  }
}
