package io.sluice.lsm.datafile.parquet;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowProjection;
import io.sluice.lsm.binary.ColumnBounds;
import io.sluice.lsm.binary.ColumnStatsCollector;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.FileSummary;
import io.sluice.lsm.datafile.KeyValueLayout;
import io.sluice.lsm.datafile.KeyValueWriter;
import io.sluice.lsm.datafile.NewFile;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Clock;
import java.util.Map;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor;
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Hands the columns of each record to Parquet's column writers. Pages wait in memory, compressed,
 * until their row group is complete.
 */
final class ParquetKeyValueWriter implements KeyValueWriter {

  /** Bytes of a row group, before compression, unless the table says otherwise. */
  private static final long ROW_GROUP_BYTES = 32L << 20;

  private static final int RECORDS_BETWEEN_CHECKS = 512;

  private static final int PAGE_RECORDS_BETWEEN_CHECKS = 128;

  /** The size of a row group is asked for after so many bytes of text and binary values. */
  private static final long BYTES_BETWEEN_CHECKS = 4 << 20;

  /** Few rows of this size may fill a file. */
  private static final long LARGE_ROW_BYTES = 32 << 10;

  private final FileIO fileIO;
  private final String path;
  private final TableSchema schema;
  private final KeyValueLayout layout;
  private final MessageType message;
  private final ParquetValueWriter[] keyColumns;
  private final int[] keys;
  private final ParquetValueWriter[] columns;
  private final boolean[] inKey;
  private final ParquetProperties properties;
  private final ParquetCodecs codecs;
  private final CompressionCodecName codec;
  private final long rowGroupBytes;
  private final FileSummary summary;
  private final ColumnStatsCollector texts;
  private final ParquetValueWriter.Volume volume = new ParquetValueWriter.Volume();
  private final @Nullable BinaryRowProjection key;

  private @Nullable Output output;
  private @Nullable RowGroup group;
  private byte[] minKey = FileSummary.noKey();
  private @Nullable BinaryRow maxKey;
  private boolean largeRows;
  private boolean ended;

  /** The Parquet side of a file that has begun. */
  private record Output(ParquetStreams.Output stream, ParquetFileWriter writer) {}

  /** A row group that has begun. */
  private static final class RowGroup {
    final ColumnChunkPageWriteStore pages;
    final ColumnWriteStore columns;
    final @Nullable ColumnWriter sequences;
    final @Nullable ColumnWriter kinds;
    long rows;

    RowGroup(
        ColumnChunkPageWriteStore pages,
        ColumnWriteStore columns,
        @Nullable ColumnWriter sequences,
        @Nullable ColumnWriter kinds) {
      this.pages = pages;
      this.columns = columns;
      this.sequences = sequences;
      this.kinds = kinds;
    }
  }

  ParquetKeyValueWriter(FileIO fileIO, NewFile file, Clock clock) {
    this.fileIO = fileIO;
    this.path = file.path();
    this.schema = file.schema();
    this.summary = new FileSummary(file, clock);
    this.texts = new ColumnStatsCollector(schema.rowType(), type -> type.root().isText());
    this.layout = KeyValueLayout.of(schema);
    this.message = ParquetTypes.message(layout.fields());
    this.keys = layout.keyPositions();
    this.keyColumns = new ParquetValueWriter[layout.keyColumns()];
    for (int i = 0; i < keyColumns.length; i++) {
      keyColumns[i] = ParquetValueWriter.of(layout.fields().get(i), message, volume);
    }
    int width = schema.rowType().size();
    this.columns = new ParquetValueWriter[width];
    this.inKey = new boolean[width];
    for (int i = 0; i < width; i++) {
      DataField field = layout.fields().get(layout.firstValuePosition() + i);
      columns[i] = ParquetValueWriter.of(field, message, volume);
    }
    for (int column : keys) {
      inKey[column] = true;
    }
    this.key = layout.append() ? null : new BinaryRowProjection(schema.rowType(), keys);
    TableOptions.DataFiles options = TableOptions.of(schema).dataFiles();
    Long block = options.blockSizeBytes();
    this.rowGroupBytes = block == null ? ROW_GROUP_BYTES : block;
    this.codec = ParquetCodecs.named(options.compression(file.level()));
    this.codecs = new ParquetCodecs(options.zstdLevel());
    TableOptions.ParquetPages pages = options.parquetPages();
    ParquetProperties.Builder builder =
        ParquetProperties.builder()
            .withWriterVersion(ParquetProperties.WriterVersion.PARQUET_1_0)
            .withAllocator(new HeapByteBufferAllocator())
            .withPageSize(Math.toIntExact(Math.min(pages.bytes(), Integer.MAX_VALUE)))
            .withPageRowCountLimit(pages.rowsMax())
            // A page ends near its size also where rows are large.
            .withMinRowCountForPageSizeCheck(1)
            .withMaxRowCountForPageSizeCheck(PAGE_RECORDS_BETWEEN_CHECKS)
            .withPageWriteChecksumEnabled(true);
    if (!layout.append()) {
      // Numbers do not repeat: a dictionary would only be given up later.
      builder.withDictionaryEncoding(KeyValueLayout.SEQUENCE_NUMBER, false);
    }
    for (ColumnDescriptor column : message.getColumns()) {
      if (column.getPrimitiveType().getPrimitiveTypeName() == PrimitiveTypeName.BINARY) {
        builder.withStatisticsEnabled(String.join(".", column.getPath()), false);
      }
    }
    this.properties = builder.build();
  }

  @Override
  public void write(Row value, long sequenceNumber, RowKind kind) throws IOException {
    for (int i = 0; i < columns.length; i++) {
      if (value.isNullAt(i)) {
        DataField field = schema.rowType().field(i);
        if (FileSummary.refusesNull(field, inKey[i], kind)) {
          throw FileSummary.nullRefused(field);
        }
      }
    }
    RowGroup into = group;
    if (into == null) {
      into = begin();
      group = into;
    }
    long before = volume.bytes;
    for (int i = 0; i < keyColumns.length; i++) {
      keyColumns[i].write(value, keys[i], 0);
    }
    if (into.sequences != null && into.kinds != null) {
      into.sequences.write(sequenceNumber, 0, 0);
      into.kinds.write((int) kind.toByte(), 0, 0);
    }
    for (int i = 0; i < columns.length; i++) {
      if (value.isNullAt(i)) {
        columns[i].writeNone(0);
      } else {
        columns[i].writeValue(value, i, 0);
      }
    }
    into.columns.endRecord();
    if (key != null) {
      BinaryRow keyRow = key.apply(value);
      if (maxKey == null) {
        minKey = keyRow.serialize();
        maxKey = keyRow;
      }
    }
    texts.add(value);
    summary.add(sequenceNumber, kind);
    into.rows++;
    if (volume.bytes - before >= LARGE_ROW_BYTES) {
      largeRows = true;
    }
    if (into.rows % RECORDS_BETWEEN_CHECKS == 0 || volume.bytes >= BYTES_BETWEEN_CHECKS) {
      volume.bytes = 0;
      if (into.columns.getBufferedSize() >= rowGroupBytes) {
        endGroup(into);
      }
    }
  }

  @Override
  public boolean hasLargeRows() {
    return largeRows;
  }

  private RowGroup begin() throws IOException {
    if (output == null) {
      output = start(summary.create(fileIO, path));
    }
    BytesInputCompressor compressor = codecs.getCompressor(codec);
    ColumnChunkPageWriteStore pages =
        ColumnChunkPageWriteStore.builder()
            .withCompressorProvider(column -> compressor)
            .withSchema(message)
            .withAllocator(properties.getAllocator())
            .withColumnIndexTruncateLength(properties.getColumnIndexTruncateLength())
            .withPageWriteChecksumEnabled(true)
            .build();
    ColumnWriteStore store = properties.newColumnWriteStore(message, pages);
    for (ParquetValueWriter column : keyColumns) {
      column.bind(store);
    }
    for (ParquetValueWriter column : columns) {
      column.bind(store);
    }
    return new RowGroup(
        pages,
        store,
        layout.append() ? null : store.getColumnWriter(column(KeyValueLayout.SEQUENCE_NUMBER)),
        layout.append() ? null : store.getColumnWriter(column(KeyValueLayout.VALUE_KIND)));
  }

  private Output start(OutputStream file) throws IOException {
    boolean started = false;
    try {
      ParquetStreams.Output stream = new ParquetStreams.Output(file);
      ParquetFileWriter writer =
          new ParquetFileWriter(
              stream, message, ParquetFileWriter.Mode.CREATE, rowGroupBytes, 0, null, properties);
      writer.start();
      started = true;
      return new Output(stream, writer);
    } finally {
      if (!started) {
        try {
          file.close();
        } catch (IOException e) {
          ParquetFormat.LOG.debug("Closing a file that has not begun", e);
        }
        fileIO.deleteQuietly(path);
      }
    }
  }

  private ColumnDescriptor column(String name) {
    return message.getColumnDescription(new String[] {name});
  }

  private void endGroup(RowGroup ending) throws IOException {
    ParquetFileWriter writer = output().writer();
    writer.startBlock(ending.rows);
    ending.columns.flush();
    ending.pages.flushToFileWriter(writer);
    writer.endBlock();
    close(ending);
    group = null;
  }

  private static void close(RowGroup ending) {
    ending.columns.close();
    ending.pages.close();
  }

  private Output output() {
    Output begun = output;
    if (begun == null) {
      throw new IllegalStateException("The file " + path + " has no record");
    }
    return begun;
  }

  @Override
  public long bytesSoFar() {
    Output begun = output;
    RowGroup open = group;
    return (begun == null ? 0 : begun.stream().position())
        + (open == null ? 0 : open.columns.getBufferedSize());
  }

  @Override
  public long rowCount() {
    return summary.rows();
  }

  @Override
  public DataFileMeta finish() throws IOException {
    if (ended) {
      throw new IllegalStateException("The file " + path + " has ended");
    }
    Output begun = output();
    RowGroup open = group;
    if (open != null) {
      endGroup(open);
    }
    begun.writer().end(Map.of());
    begun.writer().close();
    ended = true;
    codecs.release();
    ParquetStats stats = new ParquetStats(begun.writer().getFooter(), schema, texts);
    BinaryRow last = maxKey;
    ColumnBounds[] bounds = new ColumnBounds[schema.rowType().size()];
    for (int i = 0; i < bounds.length; i++) {
      bounds[i] = stats.bounds(i);
    }
    return summary.meta(
        path,
        begun.stream().position(),
        minKey,
        last == null ? FileSummary.noKey() : last.serialize(),
        column -> bounds[column]);
  }

  @Override
  public void abort() {
    if (ended) {
      return;
    }
    ended = true;
    RowGroup open = group;
    group = null;
    if (open != null) {
      close(open);
    }
    codecs.release();
    Output begun = output;
    if (begun != null) {
      try {
        begun.writer().close();
      } catch (IOException | RuntimeException e) {
        ParquetFormat.LOG.debug("Closing a file that is given up", e);
      }
      fileIO.deleteQuietly(path);
    }
  }
}
