package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.binary.BinaryRowProjection;
import io.sluice.lsm.binary.ColumnBounds;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.FileSummary;
import io.sluice.lsm.datafile.KeyValueLayout;
import io.sluice.lsm.datafile.KeyValueWriter;
import io.sluice.lsm.datafile.NewFile;
import io.sluice.lsm.datafile.column.BatchRow;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TypeRoot;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.MultiValuedColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.StructColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.TimestampColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.TypeDescription;
import org.apache.orc.Writer;
import org.jspecify.annotations.Nullable;

/**
 * Fills column vectors from rows and hands them to ORC a batch at a time. The ORC writer is made
 * with the first batch, when it is known which text columns repeat enough for a dictionary.
 *
 * <p>Memory is bounded by bytes as well as by rows: a batch ends when it holds {@link
 * OrcFormat#BATCH_BYTES}, and a stripe when its large rows do {@link #STRIPE_LARGE_BYTES_MAX}, so
 * that a reader that takes a batch of it at once is bounded, too, however well they compress.
 */
final class OrcKeyValueWriter implements KeyValueWriter {

  /** A batch of smaller rows is no burden. */
  private static final long LARGE_ROW_BYTES = 8 * OrcFormat.BATCH_BYTES / OrcFormat.BATCH;

  /** Of a column that has no text: few numbers take all their bytes. */
  private static final int ROW_BYTES = 4;

  private static final long STRIPE_LARGE_BYTES_MAX = 8 * OrcFormat.BATCH_BYTES;

  private final FileIO fileIO;
  private final NewFile file;
  private final TableSchema schema;
  private final TableOptions options;
  private final OrcFormat format;
  private final TypeDescription type;
  private final KeyValueLayout layout;
  private final VectorizedRowBatch batch;
  private final OrcColumnWriter[] columns;
  private final boolean[] inKey;
  private final @Nullable LongColumnVector sequences;
  private final @Nullable LongColumnVector kinds;
  private final TimestampEncoder timestamps = new TimestampEncoder();
  private final BatchRow batchRow;
  private final BinaryRowProjection key;
  private final FileSummary summary;
  private final CharBounds charBounds;
  private final OrcColumnWriter.Volume volume = new OrcColumnWriter.Volume();

  private long largeBytesOfStripe;
  private boolean largeRows;
  private @Nullable Output output;
  private byte @Nullable [] minKey;
  private byte[] maxKey = new byte[0];
  private boolean ended;

  /**
   * What is known of a file when it begins.
   *
   * @param directColumns text columns without a dictionary
   * @param streamBytesMax of the largest column, about, before it is compressed
   */
  record Shape(TypeDescription type, List<String> directColumns, long streamBytesMax) {}

  /** The ORC side of a file that has begun. */
  record Output(FSDataOutputStream stream, ZonedPhysicalWriter physical, Writer writer) {}

  OrcKeyValueWriter(OrcFormat format, FileIO fileIO, NewFile file, Clock clock) {
    this.format = format;
    this.fileIO = fileIO;
    this.file = file;
    this.schema = file.schema();
    this.options = TableOptions.of(schema);
    this.summary = new FileSummary(file, clock);
    this.layout = KeyValueLayout.of(schema);
    this.type = OrcTypes.struct(layout.fields());
    this.batch =
        type.createRowBatch(TypeDescription.RowBatchVersion.USE_DECIMAL64, OrcFormat.BATCH);
    int first = layout.firstValuePosition();
    int width = schema.rowType().size();
    int[] keys = layout.keyPositions();
    for (int i = 0; i < layout.keyColumns(); i++) {
      // A key column and its _KEY_ twin hold the same values: ORC only reads them.
      batch.cols[i] = batch.cols[first + keys[i]];
    }
    this.sequences =
        layout.append() ? null : (LongColumnVector) batch.cols[layout.sequenceNumberPosition()];
    this.kinds = layout.append() ? null : (LongColumnVector) batch.cols[layout.valueKindPosition()];
    this.columns = new OrcColumnWriter[width];
    this.inKey = new boolean[width];
    for (int column : keys) {
      inKey[column] = true;
    }
    this.batchRow = new BatchRow(width);
    for (int i = 0; i < width; i++) {
      DataField field = schema.rowType().field(i);
      ColumnVector vector = batch.cols[first + i];
      columns[i] = OrcColumnWriter.create(field, i, vector, volume);
      TypeRoot root = field.type().root();
      if (root == TypeRoot.TIMESTAMP) {
        timestamps.addTimestamp(field.name(), (TimestampColumnVector) vector);
      } else if (root == TypeRoot.TIMESTAMP_LTZ) {
        timestamps.addInstant(field.name(), (TimestampColumnVector) vector);
      } else if (root.isNested()) {
        new OrcNestedWriter(field, volume).addTimestamps(vector, () -> batch.size, timestamps);
      }
    }
    this.key = new BinaryRowProjection(schema.rowType(), keys);
    this.charBounds = new CharBounds(schema.rowType(), batch, first);
    clearBatch();
  }

  @Override
  public void write(Row value, long sequenceNumber, RowKind kind) throws IOException {
    if (batch.size == OrcFormat.BATCH || volume.bytes >= OrcFormat.BATCH_BYTES) {
      flushBatch(false);
    }
    int at = batch.size;
    long volumeBefore = volume.bytes;
    for (OrcColumnWriter column : columns) {
      if (column.write(value, at)
          && column.required
          && FileSummary.refusesNull(column.field, inKey[column.column], kind)) {
        throw FileSummary.nullRefused(column.field);
      }
    }
    if (sequences != null && kinds != null) {
      sequences.vector[at] = sequenceNumber;
      kinds.vector[at] = kind.toByte();
    }
    summary.add(sequenceNumber, kind);
    batch.size = at + 1;
    long rowBytes = volume.bytes - volumeBefore;
    if (rowBytes >= LARGE_ROW_BYTES) {
      largeRows = true;
      largeBytesOfStripe += rowBytes;
    }
  }

  @Override
  public void bytesStay() {
    volume.bytesStay = true;
  }

  @Override
  public boolean hasLargeRows() {
    return largeRows;
  }

  private void clearBatch() {
    for (ColumnVector vector : batch.cols) {
      vector.noNulls = true;
      vector.isRepeating = false;
      if (vector instanceof BytesColumnVector bytes) {
        bytes.initBuffer();
      }
    }
    batch.size = 0;
    volume.bytes = 0;
  }

  private void flushBatch(boolean last) throws IOException {
    int size = batch.size;
    if (size == 0) {
      return;
    }
    for (int column : layout.keyPositions()) {
      batchRow.bind(
          column, OrcColumns.flat(batch.cols[layout.firstValuePosition() + column], size));
    }
    if (minKey == null) {
      batchRow.position = 0;
      minKey = key.apply(batchRow).serialize();
    }
    batchRow.position = size - 1;
    maxKey = key.apply(batchRow).serialize();
    charBounds.add(size);
    Output out = output;
    if (out == null) {
      out =
          format.open(
              fileIO,
              file,
              options,
              new Shape(type, directColumns(), streamBytesMax(last ? size : file.rowsMax())),
              summary,
              timestamps);
      output = out;
    }
    if (timestamps.isEmpty()) {
      out.writer().addRowBatch(batch);
    } else {
      timestamps.checkInstants(size);
      addRows(out.writer(), 0, size);
      batch.selectedInUse = false;
    }
    if (largeBytesOfStripe >= STRIPE_LARGE_BYTES_MAX) {
      out.writer().writeIntermediateFooter();
      largeBytesOfStripe = 0;
    }
    for (int i = 0; i < columns.length; i++) {
      ColumnVector vector = batch.cols[layout.firstValuePosition() + i];
      if (columns[i].field.type().root().isNested()) {
        OrcNestedWriter.clear(vector);
      } else if (!vector.noNulls) {
        java.util.Arrays.fill(vector.isNull, 0, size, false);
      }
    }
    clearBatch();
  }

  /** Adds rows of the batch to a stripe whose zone suits their timestamps. */
  private void addRows(Writer writer, int start, int end) throws IOException {
    if (!timestamps.fitsStripe(start, end)) {
      writer.writeIntermediateFooter();
      if (!timestamps.beginStripe(start, end)) {
        if (end - start == 1 || !timestamps.canHalve()) {
          throw new IllegalArgumentException(
              "A record, or records beside a nested column, have timestamps in the last second before the epoch of every time zone, as"
                  + " the one in column "
                  + timestamps.columnInGap(start, end)
                  + "; ORC can't store them side by side");
        }
        int middle = (start + end) >>> 1;
        addRows(writer, start, middle);
        addRows(writer, middle, end);
        return;
      }
    }
    timestamps.encode(start, end);
    if (start == 0 && end == batch.size && !batch.selectedInUse) {
      writer.addRowBatch(batch);
      return;
    }
    batch.selectedInUse = true;
    batch.size = end - start;
    for (int i = 0; i < batch.size; i++) {
      batch.selected[i] = start + i;
    }
    writer.addRowBatch(batch);
  }

  /** As the first batch is, so are the others. */
  private long streamBytesMax(long rows) {
    long perRow = ROW_BYTES;
    for (ColumnVector vector : batch.cols) {
      if (vector instanceof BytesColumnVector bytes) {
        perRow = Math.max(perRow, bytesOf(bytes) / batch.size);
      } else if (vector instanceof MultiValuedColumnVector
          || vector instanceof StructColumnVector) {
        perRow = Math.max(perRow, volume.bytes / batch.size);
      }
    }
    return rows > Long.MAX_VALUE / perRow ? Long.MAX_VALUE : rows * perRow;
  }

  private long bytesOf(BytesColumnVector texts) {
    long bytes = 0;
    for (int i = 0; i < batch.size; i++) {
      bytes += texts.isNull[i] ? 0 : texts.length[i];
    }
    return bytes;
  }

  /** Text columns that a dictionary would only slow down: keys, and those that hardly repeat. */
  private List<String> directColumns() {
    List<String> direct = new ArrayList<>();
    List<DataField> fields = layout.fields();
    for (int i = 0; i < fields.size(); i++) {
      if (fields.get(i).type().root().isText()
          && !Repetition.worthDictionary((BytesColumnVector) batch.cols[i], batch.size)) {
        direct.add(fields.get(i).name());
      }
    }
    return direct;
  }

  @Override
  public long bytesSoFar() {
    Output out = output;
    if (out == null) {
      return 0;
    }
    return out.stream().getPos() + out.physical().bufferedBytes();
  }

  @Override
  public long rowCount() {
    return summary.rows();
  }

  @Override
  public DataFileMeta finish() throws IOException {
    if (ended) {
      throw new IllegalStateException("The file " + file.path() + " has ended");
    }
    flushBatch(true);
    Output out = output;
    byte[] firstKey = minKey;
    if (out == null || firstKey == null) {
      throw new IllegalStateException("The file " + file.path() + " has no record");
    }
    out.physical().end();
    out.writer().close();
    ended = true;
    OrcStats stats =
        new OrcStats(
            out.writer().getStatistics(),
            type,
            layout,
            schema,
            charBounds,
            timestamps.shiftedInFile());
    ColumnBounds[] bounds = new ColumnBounds[schema.rowType().size()];
    for (int i = 0; i < bounds.length; i++) {
      bounds[i] = stats.bounds(i);
    }
    return summary.meta(
        file.path(), out.stream().getPos(), firstKey, maxKey, column -> bounds[column]);
  }

  @Override
  public void abort() {
    ended = true;
    Output out = output;
    if (out != null) {
      format.abandon(out);
      fileIO.deleteQuietly(file.path());
    }
  }
}
