package io.sluice.lsm.testing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.DataGetters;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.memory.MemorySegment;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeRoot;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.TimestampType;

/**
 * Paimon 1.4.2 itself, over one table folder: reads any snapshot into {@link CanonicalRows},
 * writes, compacts. Every call opens the table anew, so nothing is remembered between calls. The
 * JVM's zone must be UTC.
 */
public final class PaimonOracle {

  /**
   * Options under which Paimon loses no sign of a zero, but within arrays and maps. A batch of an
   * ORC file whose FLOATs or DOUBLEs are all zeros reads, in Paimon, as its first value: ORC calls
   * them repeating, since 0.0 == -0.0. A batch of one row does not repeat. Paimon's compactions
   * read, and so store the wrong sign.
   */
  public static final Map<String, String> ROW_BY_ROW = Map.of("read.batch-size", "1");

  private final FileIO fileIO;
  private final org.apache.paimon.fs.Path folder;
  private final Map<String, String> options;

  /** Of a table on the local disk. */
  public PaimonOracle(Path folder) {
    this(folder.toString());
  }

  /** Of a table on the local disk. */
  public PaimonOracle(String folder) {
    this(LocalFileIO.create(), "file://" + folder);
  }

  public PaimonOracle(FileIO fileIO, String folder) {
    this(fileIO, new org.apache.paimon.fs.Path(folder), Map.of());
  }

  private PaimonOracle(
      FileIO fileIO, org.apache.paimon.fs.Path folder, Map<String, String> options) {
    this.fileIO = fileIO;
    this.folder = folder;
    this.options = options;
  }

  /** The same with options besides those of the table. */
  public PaimonOracle with(Map<String, String> newOptions) {
    return new PaimonOracle(fileIO, folder, newOptions);
  }

  /** A row of ours, with its kind, for Paimon: the bytes are the same. */
  public static BinaryRow theirs(io.sluice.lsm.binary.BinaryRow row) {
    BinaryRow result = new BinaryRow(row.size());
    byte[] bytes = row.toByteArray();
    result.pointTo(MemorySegment.wrap(bytes), 0, bytes.length);
    return result;
  }

  /** The table as Paimon sees it, for what this class lacks. */
  public FileStoreTable table() {
    FileStoreTable table = FileStoreTableFactory.create(fileIO, folder);
    return options.isEmpty() ? table : table.copy(options);
  }

  /** All rows of the newest snapshot, sorted by text. */
  public List<Map<String, String>> readLatest() throws Exception {
    return read(table());
  }

  /** All rows of a snapshot with the schema it had, sorted by text. */
  public List<Map<String, String>> read(long snapshotId) throws Exception {
    Map<String, String> options = new HashMap<>();
    options.put("scan.snapshot-id", Long.toString(snapshotId));
    return read(table().copy(options));
  }

  /** All rows that Paimon reads of a table with these options, sorted by text. */
  public static List<Map<String, String>> read(FileStoreTable table) throws Exception {
    List<DataField> fields = table.rowType().getFields();
    List<Map<String, String>> rows = new ArrayList<>();
    ReadBuilder builder = table.newReadBuilder();
    List<Split> splits = builder.newScan().plan().splits();
    for (Split split : splits) {
      try (RecordReader<InternalRow> reader = builder.newRead().createReader(split)) {
        reader.forEachRemaining(row -> rows.add(render(fields, row)));
      }
    }
    return CanonicalRows.sorted(rows);
  }

  /** Writes rows with their kinds as one batch commit of Paimon's, which may compact, too. */
  public void write(List<? extends InternalRow> rows) throws Exception {
    write(table(), rows);
  }

  /** Writes rows with their kinds as one batch commit of Paimon's, to level 0 alone. */
  public void writeOnly(List<? extends InternalRow> rows) throws Exception {
    write(table().copy(Map.of("write-only", "true")), rows);
  }

  private static void write(FileStoreTable table, List<? extends InternalRow> rows)
      throws Exception {
    BatchWriteBuilder builder = table.newBatchWriteBuilder();
    try (BatchTableWrite write = builder.newWrite();
        IOManager spill = spill();
        BatchTableCommit commit = builder.newCommit()) {
      write.withIOManager(spill);
      for (InternalRow row : rows) {
        write.write(row);
      }
      commit.commit(write.prepareCommit());
    }
  }

  /** Lets Paimon compact every bucket fully. */
  public void compactFully() throws Exception {
    compact(true);
  }

  /** Lets Paimon compact every bucket as its own picker wants. */
  public void compactAsNeeded() throws Exception {
    compact(false);
  }

  private void compact(boolean full) throws Exception {
    FileStoreTable table = table();
    BatchWriteBuilder builder = table.newBatchWriteBuilder();
    Map<List<Object>, DataSplit> buckets = new LinkedHashMap<>();
    // Level 0 of first-row tables, too.
    FileStoreTable all = table.copy(Map.of("batch-scan-mode", "compact"));
    for (Split split : all.newReadBuilder().newScan().plan().splits()) {
      DataSplit data = (DataSplit) split;
      buckets.put(List.of(data.partition(), data.bucket()), data);
    }
    try (BatchTableWrite write = builder.newWrite();
        IOManager spill = spill();
        BatchTableCommit commit = builder.newCommit()) {
      write.withIOManager(spill);
      for (DataSplit bucket : buckets.values()) {
        BinaryRow partition = bucket.partition();
        write.compact(partition, bucket.bucket(), full);
      }
      commit.commit(write.prepareCommit());
    }
  }

  private static IOManager spill() {
    return IOManager.create(System.getProperty("java.io.tmpdir"));
  }

  /** A row of Paimon's in the way of {@link CanonicalRows}. */
  public static Map<String, String> render(List<DataField> fields, InternalRow row) {
    Map<String, String> result = new LinkedHashMap<>();
    for (int i = 0; i < fields.size(); i++) {
      DataType type = fields.get(i).type();
      result.put(fields.get(i).name(), row.isNullAt(i) ? null : text(type, row, i));
    }
    return result;
  }

  private static List<String> texts(DataType type, InternalArray array) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < array.size(); i++) {
      texts.add(array.isNullAt(i) ? null : text(type, array, i));
    }
    return texts;
  }

  private static String entries(DataType key, DataType value, InternalMap map) {
    return CanonicalRows.entries(texts(key, map.keyArray()), texts(value, map.valueArray()));
  }

  private static String text(DataType type, DataGetters row, int i) {
    DataTypeRoot root = type.getTypeRoot();
    switch (root) {
      case BOOLEAN:
        return Boolean.toString(row.getBoolean(i));
      case TINYINT:
        return Byte.toString(row.getByte(i));
      case SMALLINT:
        return Short.toString(row.getShort(i));
      case INTEGER:
        return Integer.toString(row.getInt(i));
      case BIGINT:
        return Long.toString(row.getLong(i));
      case FLOAT:
        return Float.toString(row.getFloat(i));
      case DOUBLE:
        return Double.toString(row.getDouble(i));
      case DECIMAL:
        DecimalType decimal = (DecimalType) type;
        return row.getDecimal(i, decimal.getPrecision(), decimal.getScale())
            .toBigDecimal()
            .toPlainString();
      case CHAR:
      case VARCHAR:
        return row.getString(i).toString();
      case BINARY:
      case VARBINARY:
        return HexFormat.of().formatHex(row.getBinary(i));
      case DATE:
        return java.time.LocalDate.ofEpochDay(row.getInt(i)).toString();
      case TIME_WITHOUT_TIME_ZONE:
        return CanonicalRows.time(row.getInt(i));
      case TIMESTAMP_WITHOUT_TIME_ZONE:
        return timestamp(row, i, ((TimestampType) type).getPrecision());
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
        return timestamp(row, i, ((LocalZonedTimestampType) type).getPrecision()) + "Z";
      case ARRAY:
        return CanonicalRows.json(texts(((ArrayType) type).getElementType(), row.getArray(i)));
      case MAP:
        return entries(
            ((MapType) type).getKeyType(), ((MapType) type).getValueType(), row.getMap(i));
      case MULTISET:
        return entries(
            ((MultisetType) type).getElementType(),
            org.apache.paimon.types.DataTypes.INT(),
            row.getMap(i));
      case ROW:
        List<DataField> fields = ((RowType) type).getFields();
        return CanonicalRows.json(render(fields, row.getRow(i, fields.size())));
      default:
        return "(" + root + " is not rendered)";
    }
  }

  private static String timestamp(DataGetters row, int i, int precision) {
    Timestamp value = row.getTimestamp(i, precision);
    return CanonicalRows.timestamp(value.getMillisecond(), value.getNanoOfMillisecond(), precision);
  }
}
