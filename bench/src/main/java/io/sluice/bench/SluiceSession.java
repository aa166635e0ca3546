package io.sluice.bench;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.commit.CommitRequest;
import io.sluice.lsm.compaction.CompactionListener;
import io.sluice.lsm.compaction.CompactionPool;
import io.sluice.lsm.compaction.TableCompactor;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.write.BucketAssigner;
import io.sluice.lsm.write.BucketWriter;
import io.sluice.lsm.write.MemoryPool;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Sluice's engine as a pipeline uses it: rows come from one thread, buckets are flushed side by
 * side at a commit, one thread compacts; 256 MiB for memtables. Unlike a pipeline's, and like
 * Paimon's, its writers wait at the stop trigger.
 */
final class SluiceSession implements TableSession {

  private static final String USER = "bench";

  private final LsmTable table;
  private final MemoryPool memory = new MemoryPool(256L << 20);
  private final CompactionPool pool;
  private final TableCompactor compactor;
  private final Compaction compaction;
  private final ExecutorService workers;
  private final BucketAssigner assigner;
  private final BucketWriter[] writers;
  private long sequenceNumber;
  private long commits;

  /** One compaction thread, as Paimon's writer has. */
  SluiceSession(Path root, TableSchema schema, Compaction compaction) throws IOException {
    this(root, schema, compaction, 1);
  }

  private SluiceSession(Path root, TableSchema schema, Compaction compaction, int compactionThreads)
      throws IOException {
    this.table = open(root);
    this.pool = new CompactionPool(compactionThreads, task -> new Thread(task, "compaction"));
    this.compaction = compaction;
    this.compactor =
        table.newCompactor(
            TableCompactor.Settings.of(USER + "-compaction"),
            pool,
            CompactionListener.logging("bench"));
    this.assigner = new BucketAssigner(schema);
    this.writers = new BucketWriter[assigner.totalBuckets()];
    this.workers = Executors.newFixedThreadPool(writers.length);
    for (int bucket = 0; bucket < writers.length; bucket++) {
      writers[bucket] = table.newBucketWriter(schema, BinaryRow.EMPTY, bucket, memory);
    }
    this.sequenceNumber = table.statistics(table.snapshots().findLatest()).maxSequenceNumber();
  }

  static Engine withCompactionThreads(int count) {
    return (root, schema, compaction) -> new SluiceSession(root, schema, compaction, count);
  }

  static LsmTable open(Path root) throws IOException {
    return LsmTable.open(
        new LocalFileIO(SluiceSession::id), root.toString(), Clock.systemUTC(), SluiceSession::id);
  }

  /** A table that either engine then writes. */
  static void create(Path root, TableSchema schema) throws IOException {
    LsmTable.create(
        new LocalFileIO(SluiceSession::id),
        root.toString(),
        schema,
        Clock.systemUTC(),
        SluiceSession::id);
  }

  private static String id() {
    return UUID.randomUUID().toString();
  }

  @Override
  public void write(RowSource rows) throws IOException {
    BinaryRow row = rows.sluice();
    writers[assigner.bucket(row)].write(row, ++sequenceNumber);
  }

  @Override
  public void commit() throws Exception {
    List<Future<CommitMessage>> flushes = new ArrayList<>();
    for (int i = 0; i < writers.length; i++) {
      int bucket = i;
      flushes.add(workers.submit(() -> flush(bucket)));
    }
    List<CommitMessage> messages = new ArrayList<>();
    for (Future<CommitMessage> flush : flushes) {
      messages.add(flush.get());
    }
    table
        .committer()
        .commit(
            new CommitRequest(
                USER,
                ++commits,
                new CommitRequest.Append(table.committer().prepare(messages)),
                Map.of()),
            CommitRequest.AttemptGuard.ALWAYS);
    if (compaction == Compaction.IN_BACKGROUND) {
      compactor.wake();
    }
  }

  private CommitMessage flush(int bucket) throws Exception {
    if (compaction == Compaction.IN_BACKGROUND) {
      compactor.awaitBelowStop(BinaryRow.EMPTY, bucket);
    }
    return new CommitMessage(
        BinaryRow.EMPTY, bucket, writers.length, writers[bucket].drain(), List.of(), List.of());
  }

  @Override
  public void commitLast() throws Exception {
    commit();
    compactor.awaitIdle();
  }

  @Override
  public void compactFully() throws Exception {
    compactor.compactFully();
  }

  @Override
  public void close() {
    try (pool;
        compactor) {
      for (BucketWriter writer : writers) {
        writer.close();
      }
      workers.shutdown();
    }
  }
}
