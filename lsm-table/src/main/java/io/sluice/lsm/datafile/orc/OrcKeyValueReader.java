package io.sluice.lsm.datafile.orc;

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
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.MapType;
import io.sluice.lsm.schema.DataType.MultisetType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hive.ql.exec.vector.VectorizedRowBatch;
import org.apache.hadoop.hive.ql.io.sarg.SearchArgument;
import org.apache.orc.BinaryColumnStatistics;
import org.apache.orc.ColumnStatistics;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;
import org.apache.orc.StringColumnStatistics;
import org.apache.orc.StripeStatistics;
import org.apache.orc.TypeDescription;
import org.apache.orc.impl.ReaderImpl;

/**
 * Reads the wanted columns of one file, a batch at a time. Columns are found by field id in the
 * schema that wrote the file and by the name they have there in the file (format description
 * section 2.5). {@code _KEY_} columns are not needed. Row groups that a filter rules out are
 * skipped.
 */
final class OrcKeyValueReader implements BatchReader {

  private static final int KIND_MAX = 3;

  /** What is read of a file: all of its records, or their values without number and kind. */
  enum Part {
    RECORDS,
    VALUES
  }

  private final String path;
  private final DataFileMeta file;
  private final boolean append;
  private final OrcStreams streams;
  private final ReaderImpl reader;
  private final OrcRecords records;
  private final VectorizedRowBatch batch;
  private final BatchRow row;
  private final List<Wanted> wanted = new ArrayList<>();
  private final InstantZone zone;
  private final int sequenceVector;
  private final int kindVector;
  private final boolean searching;
  private int stripe = -1;
  private long rowsSeen;
  private long batchStart;
  private long[] sequences = new long[0];

  /** A column of the file and where it goes. */
  private record Wanted(int column, int vector, OrcColumns reader, ColumnCast cast) {}

  private OrcKeyValueReader(
      StoredFile stored, OrcStreams streams, ReaderImpl reader, boolean trusted, Part part)
      throws IOException {
    this.path = stored.path();
    this.file = stored.meta();
    TableSchema fileSchema = stored.schema();
    RowType readColumns = stored.wanted();
    this.streams = streams;
    this.reader = reader;
    int width = readColumns.size();
    this.row = new BatchRow(width);
    row.position = -1;
    TypeDescription type = reader.getSchema();
    boolean[] include = new boolean[type.getMaximumId() + 1];
    include[0] = true;
    this.append = KeyValueLayout.full(fileSchema).append();
    // A file of whose values none is wanted is still counted by something that is read.
    boolean values =
        part == Part.VALUES
            && readColumns.fields().stream()
                .anyMatch(field -> fileSchema.rowType().positionOfId(field.id()) >= 0);
    if (append || values) {
      this.sequenceVector = -1;
      this.kindVector = -1;
    } else {
      this.sequenceVector = require(type, KeyValueLayout.SEQUENCE_NUMBER, include);
      this.kindVector = require(type, KeyValueLayout.VALUE_KIND, include);
    }
    boolean trueInstants =
        !TableOptions.of(fileSchema).dataFiles().timestampLtzLegacy()
            || reader.hasMetadataValue(InstantZone.MARK)
            || !holdsInstants(fileSchema.rowType(), readColumns);
    this.zone = new InstantZone(trueInstants);
    for (int i = 0; i < width; i++) {
      DataField field = readColumns.field(i);
      // Refuses what no file can give.
      OrcTypes.type(field);
      int inFile = fileSchema.rowType().positionOfId(field.id());
      if (inFile < 0) {
        row.bindAbsent(i);
        continue;
      }
      DataField inColumn = fileSchema.rowType().field(inFile);
      int vector = require(type, inColumn.name(), include);
      TypeDescription found = type.getChildren().get(vector);
      wanted.add(
          new Wanted(
              i,
              vector,
              OrcColumns.of(inColumn, found, zone, path),
              ColumnCast.of(inColumn, field, path)));
    }
    this.batch =
        type.createRowBatch(
            TypeDescription.RowBatchVersion.USE_DECIMAL64, batchRows(reader, include));
    RowFilter filter = stored.filter();
    RowFilter inFile = filter == null ? null : filter.inFile(fileSchema);
    SearchArgument search =
        inFile == null ? null : OrcSearch.of(inFile, type, reader.getStatistics());
    this.searching = search != null;
    this.records = new OrcRecords(reader, streams, trusted, include, search);
  }

  static OrcKeyValueReader open(OrcFormat format, FileIO fileIO, StoredFile file, Part part)
      throws IOException {
    String path = file.path();
    OrcStreams streams = new OrcStreams(fileIO, path, format.configuration());
    ReaderImpl reader = null;
    try {
      reader =
          new ReaderImpl(
              OrcStreams.PATH,
              OrcFile.readerOptions(format.configuration())
                  .filesystem(streams)
                  .maxLength(file.meta().fileSize())
                  .useUTCTimestamp(true)
                  .convertToProlepticGregorian(false));
      boolean trusted = streams.verify(reader.getFileTail());
      return new OrcKeyValueReader(file, streams, reader, trusted, part);
    } catch (IOException | RuntimeException e) {
      if (reader != null) {
        closeQuietly(reader);
      }
      throw ReadFailures.of(path, ReadFailures.METADATA, streams.failure(), e);
    }
  }

  /** Whether a wanted column of the file is or holds a TIMESTAMP_LTZ. */
  private static boolean holdsInstants(RowType inFile, RowType wanted) {
    for (DataField field : wanted.fields()) {
      int at = inFile.positionOfId(field.id());
      if (at >= 0 && holdsInstants(inFile.type(at))) {
        return true;
      }
    }
    return false;
  }

  private static boolean holdsInstants(DataType type) {
    return switch (type.root()) {
      case TIMESTAMP_LTZ -> true;
      case ARRAY -> holdsInstants(((ArrayType) type).element());
      case MAP -> holdsInstants(((MapType) type).key()) || holdsInstants(((MapType) type).value());
      case MULTISET -> holdsInstants(((MultisetType) type).element());
      case ROW ->
          ((NestedRowType) type).fields().stream().anyMatch(field -> holdsInstants(field.type()));
      default -> false;
    };
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

  @Override
  public boolean advance() throws IOException {
    if (++row.position >= batch.size) {
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
    return batch.size;
  }

  private boolean nextBatch() throws IOException {
    try {
      if (!records.advance()) {
        batch.size = 0;
        if (!searching && rowsSeen != file.rowCount()) {
          throw ReadFailures.count(path, rowsSeen, file.rowCount());
        }
        return false;
      }
      if (records.stripe() != stripe) {
        stripe = records.stripe();
        zone.moveTo(records.writerTimezone());
      }
      batchStart = records.rowNumber();
      records.read(batch);
      rowsSeen += batch.size;
      if (sequenceVector >= 0) {
        sequences = longs(sequenceVector);
        long[] kinds = longs(kindVector);
        for (int i = 0; i < batch.size; i++) {
          if (kinds[i] < 0 || kinds[i] > KIND_MAX) {
            throw ReadFailures.kind(path, kinds[i]);
          }
        }
        row.bindKinds(kinds);
      }
      for (Wanted column : wanted) {
        row.bind(
            column.column(),
            column
                .cast()
                .apply(column.reader().read(batch.cols[column.vector()], batch.size), batch.size));
      }
      return true;
    } catch (IOException | RuntimeException e) {
      throw ReadFailures.of(path, ReadFailures.records(rowsSeen), streams.failure(), e);
    }
  }

  private long[] longs(int vector) {
    LongColumn column = (LongColumn) OrcColumns.flat(batch.cols[vector], batch.size);
    boolean[] nulls = column.nulls;
    if (nulls != null) {
      for (int i = 0; i < batch.size; i++) {
        if (nulls[i]) {
          throw new CorruptTableException(
              path + ": record " + (batchStart + i) + " has no sequence number or kind");
        }
      }
    }
    return column.values;
  }

  @Override
  public long positionInFile() {
    return batchStart + row.position;
  }

  @Override
  public long sequenceNumber() {
    if (sequenceVector < 0 && !append) {
      throw new IllegalStateException("The numbers of " + path + " are not read");
    }
    return sequenceVector < 0
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
}
