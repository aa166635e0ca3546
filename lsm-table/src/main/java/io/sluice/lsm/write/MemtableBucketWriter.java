package io.sluice.lsm.write;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.FileFormat;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.datafile.KeyValueWriter;
import io.sluice.lsm.datafile.NewFile;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.merge.MergeRules;
import io.sluice.lsm.merge.RetractCheck;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.MergeOptions;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The {@link BucketWriter}: a memtable, and the level-0 files flushed since the last drain. */
public final class MemtableBucketWriter implements BucketWriter {

  /**
   * A memtable of this size flushes by itself, so that level-0 files stay well below the target.
   */
  static final long MEMTABLE_BYTES_MAX = 64L << 20;

  private final FileIO fileIO;
  private final FileFormat format;
  private final String folder;
  private final String filePrefix;
  private final MemoryPool memory;
  private final List<DataFileMeta> waiting = new ArrayList<>();

  private TableSchema schema;
  private MergeRules rules;
  private RetractCheck retracts;
  private Memtable memtable;
  private long waitingRecords;
  private int nextFile;

  /**
   * @param folder of the bucket
   * @param freshId part of all file names of this writer; nobody else uses it
   */
  public MemtableBucketWriter(
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
    this.rules = MergeRules.of(schema);
    this.retracts = new RetractCheck(rules, schema.rowType());
    this.memtable = new Memtable(schema.rowType(), rules, memory);
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
      if (drops(rules.options(), row.kind())) {
        return;
      }
      retracts.check(row);
    }
    memtable.add(row, sequenceNumber);
    if (memtable.bytes() >= MEMTABLE_BYTES_MAX) {
      flush();
    }
  }

  /** Whether a writer drops records of a kind without a word, as its table wants it. */
  static boolean drops(MergeOptions options, RowKind kind) {
    return kind.isRetract()
        && (options.ignoreDelete()
            || kind == RowKind.UPDATE_BEFORE && options.ignoreUpdateBefore());
  }

  @Override
  public long memtableBytes() {
    return memtable.bytes();
  }

  @Override
  public long pendingRecords() {
    return memtable.count() + waitingRecords;
  }

  @Override
  public void flush() throws IOException {
    if (memtable.count() == 0) {
      return;
    }
    DataFileMeta file = writeFile();
    if (file != null) {
      waiting.add(file);
      waitingRecords += file.rowCount();
    }
    memtable.clear();
  }

  /** One level-0 file; null if merging left nothing. The memtable stays until it is complete. */
  private @Nullable DataFileMeta writeFile() throws IOException {
    KeyValueWriter writer = null;
    boolean finished = false;
    try (KeyValueReader records = memtable.sorted()) {
      while (records.advance()) {
        if (writer == null) {
          String path = folder + "/" + filePrefix + nextFile++ + "." + format.suffix(schema, 0);
          writer =
              format.createWriter(
                  fileIO,
                  new NewFile(path, schema, 0, DataFileMeta.SOURCE_FLUSH, memtable.count()));
          if (memtable.keepsValues()) {
            writer.bytesStay();
          }
        }
        writer.write(records.row(), records.sequenceNumber(), records.kind());
      }
      DataFileMeta file = writer == null ? null : writer.finish();
      finished = true;
      return file;
    } finally {
      if (writer != null && !finished) {
        writer.abort();
      }
    }
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
    rules = MergeRules.of(newSchema);
    retracts = new RetractCheck(rules, newSchema.rowType());
    memtable = new Memtable(newSchema.rowType(), rules, memory);
  }

  @Override
  public long schemaId() {
    return schema.id();
  }

  @Override
  public void discard() {
    memtable.clear();
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
