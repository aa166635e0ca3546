package io.sluice.lsm.datafile.avro;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowProjection;
import io.sluice.lsm.binary.ColumnStatsCollector;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.FileSummary;
import io.sluice.lsm.datafile.KeyValueLayout;
import io.sluice.lsm.datafile.KeyValueWriter;
import io.sluice.lsm.datafile.NewFile;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.Nullable;

/** Encodes records one after the other into Avro's blocks. */
final class AvroKeyValueWriter implements KeyValueWriter {

  private static final int BLOCK_BYTES = 64 << 10;

  /** Few rows of this size may fill a file. */
  private static final int LARGE_ROW_BYTES = 32 << 10;

  private final FileIO fileIO;
  private final String path;
  private final TableSchema schema;
  private final KeyValueLayout layout;
  private final Schema avro;
  private final CodecFactory codec;
  private final AvroValueWriter[] keyColumns;
  private final int[] keys;
  private final AvroValueWriter[] columns;
  private final boolean[] inKey;
  private final FileSummary summary;
  private final ColumnStatsCollector stats;
  private final @Nullable BinaryRowProjection key;
  private final Bytes record = new Bytes();
  private final BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(record, null);

  private @Nullable Output output;
  private byte[] minKey = FileSummary.noKey();
  private @Nullable BinaryRow maxKey;
  private boolean largeRows;
  private boolean ended;

  /** The Avro side of a file that has begun. */
  private record Output(Counting stream, DataFileWriter<Object> writer) {}

  /** A buffer that shows its bytes. */
  private static final class Bytes extends ByteArrayOutputStream {
    ByteBuffer view() {
      return ByteBuffer.wrap(buf, 0, count);
    }
  }

  private static final class Counting extends FilterOutputStream {
    long count;

    Counting(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int b) throws IOException {
      out.write(b);
      count++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
      count += length;
    }
  }

  AvroKeyValueWriter(FileIO fileIO, NewFile file, Clock clock) {
    this.fileIO = fileIO;
    this.path = file.path();
    this.schema = file.schema();
    this.summary = new FileSummary(file, clock);
    this.stats = new ColumnStatsCollector(schema.rowType());
    this.layout = KeyValueLayout.of(schema);
    this.avro = AvroTypes.record(layout.fields());
    this.keys = layout.keyPositions();
    List<DataField> stored = layout.fields();
    this.keyColumns = new AvroValueWriter[layout.keyColumns()];
    for (int i = 0; i < keyColumns.length; i++) {
      keyColumns[i] = AvroValueWriter.of(stored.get(i).name(), stored.get(i).type());
    }
    this.columns = new AvroValueWriter[schema.rowType().size()];
    this.inKey = new boolean[columns.length];
    for (int i = 0; i < columns.length; i++) {
      DataField field = stored.get(layout.firstValuePosition() + i);
      columns[i] = AvroValueWriter.of(field.name(), field.type());
    }
    for (int column : keys) {
      inKey[column] = true;
    }
    this.key = layout.append() ? null : new BinaryRowProjection(schema.rowType(), keys);
    TableOptions.DataFiles options = TableOptions.of(schema).dataFiles();
    this.codec = codec(options.compression(file.level()), options.zstdLevel());
  }

  /** zstd with a checksum: the container has none. */
  private static CodecFactory codec(String compression, int zstdLevel) {
    return switch (compression) {
      case "zstd" -> CodecFactory.zstandardCodec(zstdLevel, true);
      case "deflate" -> CodecFactory.deflateCodec(CodecFactory.DEFAULT_DEFLATE_LEVEL);
      case "snappy" -> CodecFactory.snappyCodec();
      case "none", "null" -> CodecFactory.nullCodec();
      default ->
          throw new UnsupportedTableException(
              "The compression "
                  + compression
                  + " of Avro files is not supported; there are zstd, deflate, snappy and none");
    };
  }

  @Override
  public void write(Row value, long sequenceNumber, RowKind kind) throws IOException {
    record.reset();
    for (int i = 0; i < keyColumns.length; i++) {
      keyColumns[i].write(value, keys[i], encoder);
    }
    if (!layout.append()) {
      encoder.writeLong(sequenceNumber);
      encoder.writeInt(kind.toByte());
    }
    for (int i = 0; i < columns.length; i++) {
      if (!value.isNullAt(i)) {
        columns[i].write(value, i, encoder);
        continue;
      }
      DataField field = schema.rowType().field(i);
      if (FileSummary.refusesNull(field, inKey[i], kind)) {
        throw FileSummary.nullRefused(field);
      }
      columns[i].writeNone(encoder);
    }
    encoder.flush();
    output().writer().appendEncoded(record.view());
    if (record.size() >= LARGE_ROW_BYTES) {
      largeRows = true;
    }
    if (key != null) {
      BinaryRow keyRow = key.apply(value);
      if (maxKey == null) {
        minKey = keyRow.serialize();
        maxKey = keyRow;
      }
    }
    stats.add(value);
    summary.add(sequenceNumber, kind);
  }

  private Output output() throws IOException {
    Output begun = output;
    if (begun == null) {
      Counting stream = new Counting(summary.create(fileIO, path));
      DataFileWriter<Object> writer = new DataFileWriter<>(new GenericDatumWriter<>(avro));
      begun = new Output(stream, writer);
      output = begun;
      writer.setCodec(codec);
      writer.setSyncInterval(BLOCK_BYTES);
      writer.create(avro, stream);
    }
    return begun;
  }

  @Override
  public boolean hasLargeRows() {
    return largeRows;
  }

  @Override
  public long bytesSoFar() {
    Output begun = output;
    return begun == null ? 0 : begun.stream().count;
  }

  @Override
  public long rowCount() {
    return summary.rows();
  }

  @Override
  public DataFileMeta finish() throws IOException {
    Output begun = output;
    if (ended || begun == null) {
      throw new IllegalStateException(
          "The file " + path + (ended ? " has ended" : " has no record"));
    }
    begun.writer().close();
    ended = true;
    BinaryRow last = maxKey;
    return summary.meta(
        path,
        begun.stream().count,
        minKey,
        last == null ? FileSummary.noKey() : last.serialize(),
        stats::bounds);
  }

  @Override
  public void abort() {
    if (ended) {
      return;
    }
    ended = true;
    Output begun = output;
    if (begun != null) {
      try {
        begun.stream().close();
      } catch (IOException e) {
        AvroFormat.LOG.debug("Closing a file that is given up", e);
      }
      fileIO.deleteQuietly(path);
    }
  }
}
