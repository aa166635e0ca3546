package io.sluice.lsm.write;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.FileFormat;
import io.sluice.lsm.datafile.NewFile;
import io.sluice.lsm.datafile.RollingWriter;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.MergeOptions;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The {@link BucketWriter} of a table without a primary key (format description section 15): rows
 * wait in memory in the order in which they came and go to files in that order, all of them.
 */
public final class AppendBucketWriter implements BucketWriter {

  /** Beside the bytes of a row. */
  private static final int ROW_OVERHEAD_BYTES = 40;

  private final FileIO fileIO;
  private final FileFormat format;
  private final String folder;
  private final String filePrefix;
  private final MemoryPool memory;
  private final List<DataFileMeta> waiting = new ArrayList<>();
  private final List<byte[]> rows = new ArrayList<>();
  private final List<Long> sequences = new ArrayList<>();

  private TableSchema schema;
  private boolean bucketed;
  private MergeOptions mergeOptions;
  private long bytes;
  private long waitingRecords;
  private int nextFile;

  /**
   * @param folder of the bucket
   * @param freshId part of all file names of this writer; nobody else uses it
   */
  public AppendBucketWriter(
      FileIO fileIO,
      FileFormat format,
      String folder,
      String freshId,
      TableSchema schema,
      MemoryPool memory) {
    this.fileIO = fileIO;
    this.format = format;
    this.folder = folder;
    this.filePrefix = TableOptions.of(schema).dataFiles().prefix() + freshId + "-";
    this.memory = memory;
    this.schema = schema;
    this.bucketed = TableOptions.of(schema).bucket() > 0;
    this.mergeOptions = MergeOptions.of(schema);
  }

  @Override
  public void write(BinaryRow row, long sequenceNumber) throws IOException {
    if (row.size() != schema.rowType().size()) {
      throw new IllegalArgumentException(
          "A row of "
              + row.size()
              + " columns for schema-"
              + schema.id()
              + " with "
              + schema.rowType().size());
    }
    if (row.kind().isRetract()) {
      if (MemtableBucketWriter.drops(mergeOptions, row.kind())) {
        return;
      }
      throw new UnsupportedTableException(
          "A table without a primary key takes no "
              + row.kind().shortText()
              + ": it can't tell which row to take away ("
              + folder
              + "). Give the table a key; or set ignore-delete = true, which drops such records.");
    }
    rows.add(row.toByteArray());
    sequences.add(sequenceNumber);
    long more = row.length() + (long) ROW_OVERHEAD_BYTES;
    bytes += more;
    memory.reserve(more);
    if (bytes >= MemtableBucketWriter.MEMTABLE_BYTES_MAX) {
      flush();
    }
  }

  @Override
  public long memtableBytes() {
    return bytes;
  }

  @Override
  public long pendingRecords() {
    return rows.size() + waitingRecords;
  }

  @Override
  public void flush() throws IOException {
    if (rows.isEmpty()) {
      return;
    }
    RollingWriter writer =
        new RollingWriter(
            format,
            fileIO,
            () -> new NewFile(nextPath(), schema, 0, DataFileMeta.SOURCE_FLUSH, rows.size()),
            TableOptions.of(schema).dataFiles().targetSizeBytes());
    boolean finished = false;
    List<DataFileMeta> files;
    try {
      BinaryRow row = new BinaryRow(schema.rowType().size());
      for (int i = 0; i < rows.size(); i++) {
        row.pointTo(rows.get(i), 0, rows.get(i).length);
        writer.write(row, sequences.get(i), RowKind.INSERT);
      }
      files = writer.finish();
      finished = true;
    } finally {
      if (!finished) {
        writer.abort();
      }
    }
    for (DataFileMeta file : files) {
      waiting.add(bucketed ? file : file.withSequenceNumbers(0, file.rowCount() - 1));
      waitingRecords += file.rowCount();
    }
    forgetRows();
  }

  private String nextPath() {
    return folder + "/" + filePrefix + nextFile++ + "." + format.suffix(schema, 0);
  }

  private void forgetRows() {
    rows.clear();
    sequences.clear();
    memory.release(bytes);
    bytes = 0;
  }

  @Override
  public List<DataFileMeta> drain() throws IOException {
    flush();
    List<DataFileMeta> drained = List.copyOf(waiting);
    waiting.clear();
    waitingRecords = 0;
    return drained;
  }

  @Override
  public void changeSchema(TableSchema newSchema) throws IOException {
    flush();
    schema = newSchema;
    bucketed = TableOptions.of(newSchema).bucket() > 0;
    mergeOptions = MergeOptions.of(newSchema);
  }

  @Override
  public long schemaId() {
    return schema.id();
  }

  @Override
  public void discard() {
    forgetRows();
    for (DataFileMeta file : waiting) {
      fileIO.deleteQuietly(folder + "/" + file.fileName());
    }
    waiting.clear();
    waitingRecords = 0;
  }

  @Override
  public void close() {
    discard();
  }
}
