package io.sluice.bench;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.binary.ColumnStats;
import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.paimon.data.BinaryArray;
import org.apache.paimon.io.CompactIncrement;
import org.apache.paimon.io.DataIncrement;
import org.apache.paimon.manifest.FileSource;
import org.apache.paimon.stats.SimpleStats;
import org.apache.paimon.table.sink.CommitMessageImpl;
import org.apache.paimon.utils.SerializationUtils;

/**
 * Descriptions of data files that do not exist, with the statistics that files of eight columns
 * have: a commit, a compaction's commit and the plan of a scan look at descriptions alone, so a
 * table of any size is made of them at once.
 */
final class DescribedFiles {

  /** Keys of one file, and rows. */
  static final int ROWS = 1_000;

  private static final int COLUMNS = 8;

  private DescribedFiles() {}

  /**
   * {@link Orders}, whose compactions are described, too: the table's own would look for the files.
   *
   * @param partitioned by customer
   */
  static TableSchema schema(int buckets, boolean partitioned) {
    TableSchema orders = Orders.schema(buckets);
    Map<String, String> options = new HashMap<>(orders.options());
    options.put("write-only", "true");
    List<DataField> fields =
        orders.rowType().fields().stream()
            .map(
                field ->
                    partitioned && field.name().equals("customer")
                        ? new DataField(field.id(), field.name(), DataTypes.INT.withNullable(false))
                        : field)
            .toList();
    return new TableSchema(
        0,
        new RowType(fields),
        orders.highestFieldId(),
        partitioned ? List.of("customer") : List.of(),
        partitioned ? List.of("customer", "id") : List.of("id"),
        options,
        null,
        0);
  }

  static BinaryRow partition(boolean partitioned, int customer) {
    if (!partitioned) {
      return BinaryRow.EMPTY;
    }
    BinaryRowWriter writer = new BinaryRowWriter(1);
    writer.writeInt(0, customer);
    return writer.finish(RowKind.INSERT).copy();
  }

  private static BinaryRow key(long id) {
    BinaryRowWriter writer = new BinaryRowWriter(1);
    writer.writeLong(0, id);
    return writer.finish(RowKind.INSERT).copy();
  }

  private static BinaryRow values(long id) {
    BinaryRowWriter writer = new BinaryRowWriter(COLUMNS);
    writer.writeLong(0, id);
    writer.writeInt(1, (int) (id * 31 % 100_000));
    writer.writeString(2, "delivered");
    writer.writeDecimalUnscaled(3, id * 977 % 1_000_000);
    writer.writeInt(4, (int) (id % 16));
    writer.writeString(5, "a note of " + id % 100_000);
    writer.writeTimestamp(6, 1_700_000_000_000L + id, 0, 3);
    writer.writeTimestamp(7, 1_760_000_000_000L + id, 0, 6);
    return writer.finish(RowKind.INSERT).copy();
  }

  /**
   * @param slot its keys begin at so many times {@link #ROWS}
   */
  static DataFileMeta file(int level, long slot, long sequence) {
    long min = slot * ROWS;
    long max = min + ROWS - 1;
    byte[] minKey = key(min).serialize();
    byte[] maxKey = key(max).serialize();
    List<Long> noNulls = Collections.nCopies(COLUMNS, 0L);
    return new DataFileMeta(
        "data-" + UUID.randomUUID() + "-0.orc",
        64 << 10,
        ROWS,
        minKey,
        maxKey,
        new ColumnStats(minKey, maxKey, List.of(0L)),
        new ColumnStats(values(min).serialize(), values(max).serialize(), noNulls),
        sequence,
        sequence + ROWS - 1,
        0,
        level,
        List.of(),
        1_768_485_600_000L,
        0L,
        null,
        level == 0 ? DataFileMeta.SOURCE_FLUSH : DataFileMeta.SOURCE_COMPACTION,
        null,
        null,
        null,
        null);
  }

  // ---------------------------------------------------------------- the same for Paimon's commit

  static org.apache.paimon.table.sink.CommitMessage paimon(CommitMessage message) {
    List<org.apache.paimon.io.DataFileMeta> none = List.of();
    return new CommitMessageImpl(
        SerializationUtils.deserializeBinaryRow(message.partition().serialize()),
        message.bucket(),
        message.totalBuckets(),
        new DataIncrement(paimon(message.newFiles()), none, none),
        new CompactIncrement(
            paimon(message.compactBefore()), paimon(message.compactAfter()), none));
  }

  private static List<org.apache.paimon.io.DataFileMeta> paimon(List<DataFileMeta> files) {
    List<org.apache.paimon.io.DataFileMeta> result = new ArrayList<>();
    for (DataFileMeta file : files) {
      result.add(
          org.apache.paimon.io.DataFileMeta.create(
              file.fileName(),
              file.fileSize(),
              file.rowCount(),
              SerializationUtils.deserializeBinaryRow(file.minKey()),
              SerializationUtils.deserializeBinaryRow(file.maxKey()),
              paimon(file.keyStats()),
              paimon(file.valueStats()),
              file.minSequenceNumber(),
              file.maxSequenceNumber(),
              file.schemaId(),
              file.level(),
              List.of(),
              0L,
              null,
              file.level() == 0 ? FileSource.APPEND : FileSource.COMPACT,
              null,
              null,
              null,
              null));
    }
    return result;
  }

  private static SimpleStats paimon(ColumnStats stats) {
    return new SimpleStats(
        SerializationUtils.deserializeBinaryRow(stats.minValues()),
        SerializationUtils.deserializeBinaryRow(stats.maxValues()),
        BinaryArray.fromLongArray(stats.nullCounts().toArray(new Long[0])));
  }
}
