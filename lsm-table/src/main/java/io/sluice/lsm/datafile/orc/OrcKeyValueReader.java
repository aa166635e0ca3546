package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.KeyValueLayout;
import io.sluice.lsm.datafile.KeyValueReader;
import io.sluice.lsm.datafile.orc.OrcConversions.Conversion;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.StorageException;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TypeRoot;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.orc.BinaryColumnStatistics;
import org.apache.orc.ColumnStatistics;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.StringColumnStatistics;
import org.apache.orc.StripeStatistics;
import org.apache.orc.TypeDescription;

/**
 * Reads the wanted columns of one file, a batch at a time. Columns are found by field id in the
 * schema that wrote the file and by the name they have there in the file (format description
 * section 2.5). {@code _KEY_} columns are not needed.
 */
final class OrcKeyValueReader implements KeyValueReader {

  private static final int KIND_MAX = 3;

  private final String path;
  private final OrcStreams streams;
  private final Reader reader;
  private final RecordReader records;
  private final VectorizedRowBatch batch;
  private final OrcRow row;

  /** Of a wanted column: its vector in the batch, or -1 where the file lacks it. */
  private final int[] vectors;

  private final Conversion[] conversions;
  private final int sequenceVector;
  private final int kindVector;
  private final long rowsExpected;
  private long rowsSeen;
  private long[] sequences = new long[0];
  private long[] kinds = new long[0];
  private int position = -1;

  private OrcKeyValueReader(
      String path,
      OrcStreams streams,
      Reader reader,
      DataFileMeta file,
      TableSchema fileSchema,
      RowType readColumns)
      throws IOException {
    this.path = path;
    this.streams = streams;
    this.reader = reader;
    this.rowsExpected = file.rowCount();
    int width = readColumns.size();
    this.row = new OrcRow(width);
    this.vectors = new int[width];
    this.conversions = new Conversion[width];
    TypeDescription type = reader.getSchema();
    boolean[] include = new boolean[type.getMaximumId() + 1];
    include[0] = true;
    this.sequenceVector = require(type, KeyValueLayout.SEQUENCE_NUMBER, include);
    this.kindVector = require(type, KeyValueLayout.VALUE_KIND, include);
    for (int i = 0; i < width; i++) {
      DataField wanted = readColumns.field(i);
      if (wanted.type().root().isNested()) {
        OrcTypes.type(wanted);
      }
      int inFile = fileSchema.rowType().positionOfId(wanted.id());
      vectors[i] = -1;
      conversions[i] = OrcConversions.SAME;
      if (inFile < 0) {
        row.bindAbsent(i);
        continue;
      }
      DataField stored = fileSchema.rowType().field(inFile);
      vectors[i] = require(type, stored.name(), include);
      checkCategory(type.getChildren().get(vectors[i]), stored);
      conversions[i] = OrcConversions.of(stored, wanted, path);
    }
    this.batch =
        type.createRowBatch(
            TypeDescription.RowBatchVersion.USE_DECIMAL64, batchRows(reader, include));
    this.records = reader.rows(reader.options().include(include).schema(type));
  }

  static OrcKeyValueReader open(
      OrcFormat format,
      FileIO fileIO,
      String path,
      DataFileMeta file,
      TableSchema fileSchema,
      RowType readColumns)
      throws IOException {
    TableOptions options = TableOptions.of(fileSchema);
    for (DataField wanted : readColumns.fields()) {
      if (wanted.type().root() == TypeRoot.TIMESTAMP_LTZ) {
        format.checkTimestampLtz(options, wanted, path);
      }
    }
    OrcStreams streams = new OrcStreams(fileIO, path, format.configuration());
    Reader reader = null;
    try {
      reader =
          OrcFile.createReader(
              OrcStreams.PATH,
              OrcFile.readerOptions(format.configuration())
                  .filesystem(streams)
                  .maxLength(file.fileSize())
                  .useUTCTimestamp(true)
                  .convertToProlepticGregorian(false));
      return new OrcKeyValueReader(path, streams, reader, file, fileSchema, readColumns);
    } catch (IOException | RuntimeException e) {
      if (reader != null) {
        closeQuietly(reader);
      }
      throw failure(path, streams, e);
    }
  }

  /** Rows to take at once, so that they are not much more than BATCH_BYTES. */
  private static int batchRows(Reader reader, boolean[] include) throws IOException {
    if (volume(reader.getStatistics(), include) <= 8 * OrcFormat.BATCH_BYTES) {
      return OrcFormat.BATCH;
    }
    long rowBytesMax = 1;
    List<StripeStatistics> stripes = reader.getStripeStatistics(include);
    for (int i = 0; i < stripes.size(); i++) {
      long rows = Math.max(1, reader.getStripes().get(i).getNumberOfRows());
      rowBytesMax =
          Math.max(rowBytesMax, volume(stripes.get(i).getColumnStatistics(), include) / rows);
    }
    return (int) Math.max(1, Math.min(OrcFormat.BATCH, OrcFormat.BATCH_BYTES / rowBytesMax));
  }

  /** Text and binary bytes of the included columns. */
  private static long volume(ColumnStatistics[] columns, boolean[] include) {
    long bytes = 0;
    for (int id = 0; id < Math.min(columns.length, include.length); id++) {
      if (include[id] && columns[id] instanceof StringColumnStatistics text) {
        bytes += text.getSum();
      } else if (include[id] && columns[id] instanceof BinaryColumnStatistics binary) {
        bytes += binary.getSum();
      }
    }
    return bytes;
  }

  private int require(TypeDescription type, String name, boolean[] include) {
    int at = type.getFieldNames().indexOf(name);
    if (at < 0) {
      throw new CorruptTableException(
          path + " lacks the column " + name + "; it has " + type.getFieldNames());
    }
    TypeDescription child = type.getChildren().get(at);
    for (int id = child.getId(); id <= child.getMaximumId(); id++) {
      include[id] = true;
    }
    return at;
  }

  private void checkCategory(TypeDescription found, DataField stored) {
    TypeDescription expected = OrcTypes.type(stored);
    boolean same =
        stored.type().root().isText()
            ? isText(found.getCategory())
            : found.getCategory() == expected.getCategory()
                && found.getPrecision() == expected.getPrecision()
                && found.getScale() == expected.getScale();
    if (!same) {
      throw new CorruptTableException(
          path
              + " holds the column "
              + stored.name()
              + " as "
              + found
              + ", its schema says "
              + expected);
    }
  }

  private static boolean isText(TypeDescription.Category category) {
    return category == TypeDescription.Category.STRING
        || category == TypeDescription.Category.VARCHAR
        || category == TypeDescription.Category.CHAR;
  }

  @Override
  public boolean advance() throws IOException {
    if (++position >= batch.size) {
      if (!nextBatch()) {
        return false;
      }
      position = 0;
    }
    row.position = position;
    return true;
  }

  private boolean nextBatch() throws IOException {
    try {
      do {
        if (!records.nextBatch(batch)) {
          batch.size = 0;
          if (rowsSeen != rowsExpected) {
            throw new CorruptTableException(
                path + " has " + rowsSeen + " records, its manifest says " + rowsExpected);
          }
          return false;
        }
      } while (batch.size == 0);
      rowsSeen += batch.size;
      sequences = longs(sequenceVector);
      kinds = longs(kindVector);
      for (int i = 0; i < batch.size; i++) {
        if (kinds[i] < 0 || kinds[i] > KIND_MAX) {
          throw new CorruptTableException(
              path + ": a record has the kind " + kinds[i] + "; there are 0 to " + KIND_MAX);
        }
      }
      for (int i = 0; i < vectors.length; i++) {
        if (vectors[i] >= 0) {
          row.bind(i, conversions[i].apply(flat(vectors[i]), batch.size));
        }
      }
      return true;
    } catch (IOException | RuntimeException e) {
      throw failure(path, streams, e);
    }
  }

  private ColumnVector flat(int vector) {
    ColumnVector result = batch.cols[vector];
    if (result.isRepeating) {
      result.flatten(false, batch.selected, batch.size);
    }
    return result;
  }

  private long[] longs(int vector) {
    ColumnVector flat = flat(vector);
    if (!flat.noNulls) {
      for (int i = 0; i < batch.size; i++) {
        if (flat.isNull[i]) {
          throw new CorruptTableException(
              path + ": record " + (rowsSeen - batch.size + i) + " has no sequence number or kind");
        }
      }
    }
    return ((LongColumnVector) flat).vector;
  }

  @Override
  public long sequenceNumber() {
    return sequences[position];
  }

  @Override
  public RowKind kind() {
    return RowKind.of((byte) kinds[position]);
  }

  @Override
  public Row row() {
    row.kind = kind();
    return row;
  }

  @Override
  public void close() throws IOException {
    try {
      records.close();
    } finally {
      reader.close();
    }
  }

  private static void closeQuietly(Reader reader) {
    try {
      reader.close();
    } catch (IOException e) {
      OrcFormat.LOG.debug("Closing a file that can't be read", e);
    }
  }

  /** What to tell the caller: storage that failed, a file that is gone, or bytes that are wrong. */
  private static RuntimeException failure(String path, OrcStreams streams, Exception e) {
    if (e instanceof CorruptTableException corrupt) {
      return corrupt;
    }
    if (e instanceof UnsupportedTableException unsupported) {
      return unsupported;
    }
    if (streams.failure() instanceof FileNotFoundException) {
      return new CorruptTableException(
          "The data file "
              + path
              + " is gone although a snapshot names it. Either the snapshot has"
              + " expired while it was read (read a newer one), or the file was deleted by hand"
              + " (restore it, or roll back to a snapshot without it).",
          e);
    }
    if (streams.failure() != null) {
      return new StorageException("Cannot read " + path + ": " + streams.failure(), e);
    }
    return new CorruptTableException(
        "The data file " + path + " is damaged: " + e + ". Restore it from a copy.", e);
  }
}
