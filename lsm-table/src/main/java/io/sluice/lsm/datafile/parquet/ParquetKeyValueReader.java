package io.sluice.lsm.datafile.parquet;

import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.KeyValueLayout;
import io.sluice.lsm.datafile.ReadFailures;
import io.sluice.lsm.datafile.RowFilter;
import io.sluice.lsm.datafile.StoredFile;
import io.sluice.lsm.datafile.column.BatchReader;
import io.sluice.lsm.datafile.column.BatchRow;
import io.sluice.lsm.datafile.column.Column.LongColumn;
import io.sluice.lsm.datafile.column.ColumnCast;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TypeRoot;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.Set;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.ColumnReadStore;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.DummyRecordConverter;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.SeekableInputStream;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/**
 * Reads the wanted columns of one file: a row group's compressed pages at a time, decoded a batch
 * at a time. Columns are found by field id in the schema that wrote the file and by the name they
 * have there in the file (format description section 2.5). {@code _KEY_} columns are not needed.
 * Row groups and pages that a filter rules out are skipped.
 */
final class ParquetKeyValueReader implements BatchReader {

  private static final int BATCH = 1024;

  /** Large rows are taken fewer at once: a batch is not much more than this. */
  private static final long BATCH_BYTES = 4 << 20;

  private final String path;
  private final DataFileMeta file;
  private final ParquetStreams.Input input;
  private final ParquetFileReader reader;
  private final ParquetCodecs codecs;
  private final boolean searching;
  private final MessageType projection;
  private final String createdBy;
  private final BatchRow row;
  private final List<Wanted> wanted = new ArrayList<>();
  private final @Nullable ParquetValueReader sequenceReader;
  private final @Nullable ParquetValueReader kindReader;
  private @Nullable PageReadStore group;
  private int groupsSeen;
  private long groupStart;
  private long groupRows;
  private long rowsLeftInGroup;
  private long rowsSeen;
  private int batchRows = BATCH;
  private int batchSize;

  /** Of the batch's first record in the file. */
  private long batchStart;

  /** Of the batch's records in their row group, where some of it are skipped. */
  private final long[] rowIndexes = new long[BATCH];

  private PrimitiveIterator.@Nullable OfLong nextRowIndexes;
  private long[] sequences = new long[0];

  /** A column of the file and where it goes. */
  private record Wanted(int column, DataType stored, ParquetValueReader reader, ColumnCast cast) {}

  private ParquetKeyValueReader(
      String path,
      DataFileMeta file,
      ParquetStreams.Input input,
      ParquetFileReader reader,
      ParquetCodecs codecs,
      boolean searching,
      TableSchema fileSchema,
      RowType readColumns) {
    this.path = path;
    this.file = file;
    this.input = input;
    this.reader = reader;
    this.codecs = codecs;
    this.searching = searching;
    MessageType message = reader.getFileMetaData().getSchema();
    String writer = reader.getFileMetaData().getCreatedBy();
    this.createdBy = writer == null ? "" : writer;
    this.row = new BatchRow(readColumns.size());
    row.position = -1;
    Set<String> names = new LinkedHashSet<>();
    boolean append = KeyValueLayout.full(fileSchema).append();
    if (append) {
      this.sequenceReader = null;
      this.kindReader = null;
    } else {
      this.sequenceReader =
          required(KeyValueLayout.SEQUENCE_NUMBER, DataTypes.BIGINT, message, names);
      this.kindReader = required(KeyValueLayout.VALUE_KIND, DataTypes.TINYINT, message, names);
    }
    for (int i = 0; i < readColumns.size(); i++) {
      DataField field = readColumns.field(i);
      if (field.type().root() == TypeRoot.VARIANT) {
        throw new UnsupportedTableException(
            "Column "
                + field.name()
                + " is of type VARIANT, which this engine does not read. Name the other columns"
                + " instead.");
      }
      int inFile = fileSchema.rowType().positionOfId(field.id());
      if (inFile < 0) {
        row.bindAbsent(i);
        continue;
      }
      DataField stored = fileSchema.rowType().field(inFile);
      wanted.add(
          new Wanted(
              i,
              stored.type(),
              ParquetValueReader.of(stored, message, path),
              ColumnCast.of(stored, field, path)));
      names.add(stored.name());
    }
    if (names.isEmpty()) {
      // Something must be read to know how many rows there are.
      this.projection = message;
    } else {
      List<Type> types = names.stream().map(message::getType).toList();
      this.projection = new MessageType(message.getName(), types);
      reader.setRequestedSchema(projection);
    }
  }

  private ParquetValueReader required(
      String name, DataType type, MessageType message, Set<String> names) {
    names.add(name);
    return ParquetValueReader.of(new DataField(0, name, type.withNullable(false)), message, path);
  }

  /** Sizes that a damaged footer makes up must not be believed. */
  private static void checkFooter(ParquetMetadata footer, String path, DataFileMeta file) {
    long rows = 0;
    for (BlockMetaData block : footer.getBlocks()) {
      rows += block.getRowCount();
      for (ColumnChunkMetaData column : block.getColumns()) {
        long start = column.getStartingPos();
        long size = column.getTotalSize();
        if (start < 0 || size < 0 || size > file.fileSize() || start > file.fileSize() - size) {
          throw new CorruptTableException(
              path
                  + ": the footer places the column "
                  + column.getPath()
                  + " at bytes "
                  + start
                  + " to "
                  + (start + size)
                  + " of "
                  + file.fileSize());
        }
      }
    }
    if (rows != file.rowCount()) {
      throw ReadFailures.count(path, rows, file.rowCount());
    }
  }

  static ParquetKeyValueReader open(FileIO fileIO, StoredFile stored) {
    String path = stored.path();
    DataFileMeta file = stored.meta();
    ParquetStreams.Input input = new ParquetStreams.Input(fileIO, path, file.fileSize());
    ParquetCodecs codecs = new ParquetCodecs(1);
    SeekableInputStream stream = null;
    ParquetFileReader reader = null;
    boolean opened = false;
    try {
      ParquetReadOptions.Builder options =
          ParquetReadOptions.builder(new PlainParquetConfiguration())
              .usePageChecksumVerification(true)
              .withUseHadoopVectoredIo(false)
              .withCodecFactory(codecs);
      stream = input.newStream();
      ParquetMetadata footer = ParquetFileReader.readFooter(input, options.build(), stream);
      checkFooter(footer, path, file);
      RowFilter filter = stored.filter();
      RowFilter inFile = filter == null ? null : filter.inFile(stored.schema());
      FilterCompat.Filter search =
          inFile == null
              ? FilterCompat.NOOP
              : ParquetSearch.of(inFile, footer.getFileMetaData().getSchema());
      reader =
          ParquetFileReader.open(input, footer, options.withRecordFilter(search).build(), stream);
      ParquetKeyValueReader result =
          new ParquetKeyValueReader(
              path,
              file,
              input,
              reader,
              codecs,
              FilterCompat.isFilteringRequired(search),
              stored.schema(),
              stored.wanted());
      opened = true;
      return result;
    } catch (IOException | RuntimeException e) {
      throw ReadFailures.of(path, ReadFailures.METADATA, input.failure(), e);
    } finally {
      if (!opened) {
        codecs.release();
        if (reader != null) {
          closeQuietly(reader);
        } else if (stream != null) {
          closeQuietly(stream);
        }
      }
    }
  }

  private static void closeQuietly(Closeable opened) {
    try {
      opened.close();
    } catch (IOException e) {
      ParquetFormat.LOG.debug("Closing a file that can't be read", e);
    }
  }

  @Override
  public boolean advance() throws IOException {
    if (++row.position >= batchSize) {
      if (!nextBatch()) {
        return false;
      }
      row.position = 0;
    }
    return true;
  }

  @Override
  public BatchRow batch() {
    return row;
  }

  @Override
  public int batchSize() {
    return batchSize;
  }

  private boolean nextBatch() {
    try {
      batchSize = 0;
      while (rowsLeftInGroup == 0) {
        if (!nextGroup()) {
          if (!searching && rowsSeen != file.rowCount()) {
            throw ReadFailures.count(path, rowsSeen, file.rowCount());
          }
          return false;
        }
      }
      int size = (int) Math.min(batchRows, rowsLeftInGroup);
      if (sequenceReader != null && kindReader != null) {
        sequences = longs(sequenceReader, DataTypes.BIGINT, size);
        long[] kinds = longs(kindReader, DataTypes.TINYINT, size);
        for (int i = 0; i < size; i++) {
          if (kinds[i] < 0 || kinds[i] > 3) {
            throw ReadFailures.kind(path, kinds[i]);
          }
        }
        row.bindKinds(kinds);
      }
      for (Wanted column : wanted) {
        row.bind(
            column.column(),
            column.cast().apply(column.reader().read(column.stored(), size), size));
      }
      PrimitiveIterator.OfLong indexes = nextRowIndexes;
      if (indexes == null) {
        batchStart = groupStart + groupRows - rowsLeftInGroup;
      } else {
        for (int i = 0; i < size; i++) {
          rowIndexes[i] = indexes.nextLong();
        }
      }
      rowsLeftInGroup -= size;
      rowsSeen += size;
      batchSize = size;
      return true;
    } catch (IOException | RuntimeException e) {
      throw ReadFailures.of(path, ReadFailures.records(rowsSeen), input.failure(), e);
    }
  }

  private long[] longs(ParquetValueReader of, DataType type, int size) {
    LongColumn column = (LongColumn) of.read(type, size);
    if (column.nulls != null) {
      throw new CorruptTableException(path + ": a record has no sequence number or kind");
    }
    return column.values;
  }

  private boolean nextGroup() throws IOException {
    PageReadStore before = group;
    group = null;
    if (before != null) {
      before.close();
    }
    List<BlockMetaData> groups = reader.getRowGroups();
    PageReadStore next = null;
    while (next == null) {
      if (groupsSeen == groups.size()) {
        return false;
      }
      // Null where no page may hold a wanted row.
      next = reader.readFilteredRowGroup(groupsSeen++);
    }
    BlockMetaData of = groups.get(groupsSeen - 1);
    group = next;
    groupStart = of.getRowIndexOffset();
    rowsLeftInGroup = next.getRowCount();
    groupRows = rowsLeftInGroup;
    nextRowIndexes = next.getRowIndexes().orElse(null);
    batchRows = batchRows(of);
    ColumnReadStore store =
        new ColumnReadStoreImpl(
            new CheckedPages(next),
            new DummyRecordConverter(projection).getRootConverter(),
            projection,
            createdBy);
    if (sequenceReader != null && kindReader != null) {
      sequenceReader.bind(store, rowsLeftInGroup, nextRowIndexes == null);
      kindReader.bind(store, rowsLeftInGroup, nextRowIndexes == null);
    }
    for (Wanted column : wanted) {
      column.reader().bind(store, rowsLeftInGroup, nextRowIndexes == null);
    }
    return true;
  }

  /**
   * Rows to take at once, so that they are not much more than BATCH_BYTES. A batch refers to the
   * values of dictionaries: they are there once.
   */
  private int batchRows(BlockMetaData of) {
    double bytes = 1;
    for (ColumnChunkMetaData column : of.getColumns()) {
      if (projection.containsPath(column.getPath().toArray())) {
        bytes += Math.max(0, column.getTotalUncompressedSize());
      }
    }
    return (int) Math.max(1, Math.min(BATCH, BATCH_BYTES * (double) of.getRowCount() / bytes));
  }

  @Override
  public long positionInFile() {
    return nextRowIndexes == null
        ? batchStart + row.position
        : groupStart + rowIndexes[row.position];
  }

  @Override
  public long sequenceNumber() {
    return sequenceReader == null
        ? file.minSequenceNumber() + positionInFile()
        : sequences[row.position];
  }

  @Override
  public RowKind kind() {
    return row.kind();
  }

  @Override
  public Row row() {
    return row;
  }

  @Override
  public void close() throws IOException {
    try {
      reader.close();
    } finally {
      codecs.release();
    }
  }
}
