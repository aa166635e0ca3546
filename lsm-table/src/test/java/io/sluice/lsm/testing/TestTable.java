package io.sluice.lsm.testing;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.commit.CommitRequest;
import io.sluice.lsm.compaction.CompactionListener;
import io.sluice.lsm.compaction.TableCompactor;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.level.BucketId;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.write.BucketAssigner;
import io.sluice.lsm.write.BucketWriter;
import io.sluice.lsm.write.MemoryPool;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * A table with a writer for each bucket, as a pipeline of one thread would drive it: rows go where
 * they belong, {@link #commit} makes one APPEND snapshot of all buckets.
 */
public final class TestTable implements AutoCloseable {

  public static final String USER = "test";

  private final LsmTable table;
  private final String user;
  private final MemoryPool memory = new MemoryPool(256L << 20);
  private final Map<BucketId, BucketWriter> writers = new LinkedHashMap<>();
  private TableSchema schema;
  private BucketAssigner assigner;
  private long nextSequence;
  private long nextIdentifier = 1;

  private TestTable(LsmTable table, TableSchema schema, long nextSequence, String user) {
    this.table = table;
    this.user = user;
    this.schema = schema;
    this.assigner = new BucketAssigner(schema);
    this.nextSequence = nextSequence;
  }

  public static TestTable create(FileIO fileIO, String root, TableSchema schema, Clock clock)
      throws IOException {
    return create(fileIO, root, schema, clock, TestTable::randomId);
  }

  /** With names of files from the given ids. */
  public static TestTable create(
      FileIO fileIO, String root, TableSchema schema, Clock clock, Supplier<String> ids)
      throws IOException {
    return new TestTable(LsmTable.create(fileIO, root, schema, clock, ids), schema, 0, USER);
  }

  /** Goes on after the largest number in the table. */
  public static TestTable open(FileIO fileIO, String root, Clock clock) throws IOException {
    return open(fileIO, root, clock, USER, TestTable::randomId);
  }

  /**
   * Goes on after the largest number in the table.
   *
   * @param user of its commits; that of its compactions ends in {@code -compaction}
   * @param ids for the names of files
   */
  public static TestTable open(
      FileIO fileIO, String root, Clock clock, String user, Supplier<String> ids)
      throws IOException {
    LsmTable table = LsmTable.open(fileIO, root, clock, ids);
    long max = table.statistics(table.snapshots().findLatest()).maxSequenceNumber();
    return new TestTable(table, table.newestSchema(), max + 1, user);
  }

  private static String randomId() {
    return UUID.randomUUID().toString();
  }

  public LsmTable table() {
    return table;
  }

  public MemoryPool memory() {
    return memory;
  }

  /** Rows from now on are of this schema, which is put on storage. */
  public void changeSchema(TableSchema newSchema) throws IOException {
    table
        .schemas()
        .createExclusively(
            newSchema.id(),
            new String(
                io.sluice.lsm.schema.TableSchemaJson.write(newSchema),
                java.nio.charset.StandardCharsets.UTF_8));
    for (BucketWriter writer : writers.values()) {
      writer.changeSchema(newSchema);
    }
    schema = newSchema;
    assigner = new BucketAssigner(newSchema);
  }

  /** Takes a row, whose kind stands in it, with the next sequence number. */
  public void write(BinaryRow row) throws IOException {
    write(row, nextSequence++);
  }

  public void write(BinaryRow row, long sequenceNumber) throws IOException {
    writerOf(row).write(row, sequenceNumber);
  }

  private BucketWriter writerOf(BinaryRow row) {
    BinaryRow partition = assigner.partition(row);
    BucketId id =
        new BucketId(
            partition.size() == 0 ? BinaryRow.EMPTY : partition.copy(), assigner.bucket(row));
    return writers.computeIfAbsent(
        id, key -> table.newBucketWriter(schema, key.partition(), key.bucket(), memory));
  }

  /** Flushes all memtables into files that wait for the commit. */
  public void flush() throws IOException {
    for (BucketWriter writer : writers.values()) {
      writer.flush();
    }
  }

  /** One APPEND snapshot of what was written since the last; null if nothing was. */
  public Snapshot commit() throws IOException {
    List<CommitMessage> messages = new ArrayList<>();
    for (Map.Entry<BucketId, BucketWriter> writer : writers.entrySet()) {
      List<DataFileMeta> files = writer.getValue().drain();
      if (!files.isEmpty()) {
        messages.add(
            new CommitMessage(
                writer.getKey().partition(),
                writer.getKey().bucket(),
                assigner.totalBuckets(),
                files,
                List.of(),
                List.of()));
      }
    }
    if (messages.isEmpty()) {
      return null;
    }
    return table
        .committer()
        .commit(
            new CommitRequest(
                user,
                nextIdentifier++,
                new CommitRequest.Append(table.committer().prepare(messages)),
                Map.of()),
            CommitRequest.AttemptGuard.ALWAYS);
  }

  public TableCompactor newCompactor(Executor executor) {
    return table.newCompactor(
        TableCompactor.Settings.of(user + "-compaction"),
        executor,
        CompactionListener.logging(table.paths().root()));
  }

  /** Compacts what the picker wants, in this thread, until it wants nothing. */
  public void compactAsNeeded() {
    try (TableCompactor compactor = newCompactor(Runnable::run)) {
      compactor.wake();
    }
  }

  public void compactFully() throws IOException, InterruptedException {
    try (TableCompactor compactor = newCompactor(Runnable::run)) {
      compactor.compactFully();
    }
  }

  @Override
  public void close() {
    writers.values().forEach(BucketWriter::close);
  }
}
