package io.sluice.lsm.table;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.check.TableCheck;
import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.commit.CommitRequest;
import io.sluice.lsm.compaction.CompactionListener;
import io.sluice.lsm.compaction.TableCompactor;
import io.sluice.lsm.expire.Retention;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.scan.PredicateParser;
import io.sluice.lsm.scan.RowReader;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.write.BucketAssigner;
import io.sluice.lsm.write.BucketWriter;
import io.sluice.lsm.write.MemoryPool;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/** A table without the daemon. The code stands in docs/open-table.md, too. */
final class OpenTableExample {

  private OpenTableExample() {}

  /**
   * Creates a table, writes, scans and looks after it.
   *
   * @return what the scan found
   */
  static List<String> run(String folder) throws Exception {
    // example begins
    Supplier<String> freshIds = () -> UUID.randomUUID().toString();
    FileIO fileIO = FileIOs.forUri(folder, freshIds);
    RowType columns =
        new RowType(
            List.of(
                new DataField(0, "id", DataTypes.BIGINT.withNullable(false)),
                new DataField(1, "name", DataTypes.STRING)));
    Map<String, String> options = Map.of("bucket", "1", "file.format", "orc");
    TableSchema schema =
        new TableSchema(0, columns, 1, List.of(), List.of("id"), options, "people", 0);
    LsmTable table = LsmTable.create(fileIO, folder, schema, Clock.systemUTC(), freshIds);

    // Write: each record has a sequence number, larger than those of the bucket before it.
    long next = table.statistics(table.snapshots().findLatest()).maxSequenceNumber() + 1;
    BucketAssigner buckets = new BucketAssigner(schema);
    BinaryRowWriter row = new BinaryRowWriter(2);
    BucketWriter writer =
        table.newBucketWriter(schema, BinaryRow.EMPTY, 0, new MemoryPool(64 << 20));
    for (String name : List.of("Ada", "Grace", "Edsger")) {
      row.reset();
      row.writeLong(0, name.length());
      row.writeString(1, name);
      writer.write(row.finish(RowKind.INSERT), next++);
    }
    CommitMessage message =
        new CommitMessage(
            BinaryRow.EMPTY, 0, buckets.totalBuckets(), writer.drain(), List.of(), List.of());
    writer.close();
    var append = new CommitRequest.Append(table.committer().prepare(List.of(message)));
    table
        .committer()
        .commit(new CommitRequest("me", 1, append, Map.of()), CommitRequest.AttemptGuard.ALWAYS);

    // Scan: the newest snapshot, those of the rows that fulfil a condition.
    List<String> found = new ArrayList<>();
    try (RowReader rows = table.newScan().where(PredicateParser.parse("id > 3")).open()) {
      while (rows.advance()) {
        found.add(rows.row().getString(1));
      }
    }

    // Look after it: merge sorted runs, drop old snapshots, check every record.
    var settings = TableCompactor.Settings.of("me-compaction");
    try (var compactor =
        table.newCompactor(settings, Runnable::run, CompactionListener.logging("people"))) {
      compactor.compactFully();
    }
    table.newExpiry().expire(Retention.DEFAULT);
    List<?> faults = table.newCheck().run(TableCheck.Depth.RECORDS).findings();
    // example ends
    if (!faults.isEmpty()) {
      throw new AssertionError(faults);
    }
    return found;
  }
}
