package io.sluice.sinks.pipeline;

import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowProjection;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.scan.RowReader;
import io.sluice.lsm.scan.TableScan;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.write.BucketAssigner;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.ChunkOutdatedException;
import io.sluice.sinks.ChunkOutdatedException.Cause;
import io.sluice.sinks.KeyStretch;
import io.sluice.sinks.Liveness;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.SourceCallbacks;
import io.sluice.sinks.epoch.LakeTable;
import io.sluice.sinks.shard.Bucket;
import io.sluice.sinks.shard.OpenChunk;
import io.sluice.sinks.shard.RowBatch;
import io.sluice.sinks.shard.ShardMessage.ChunkClosed;
import io.sluice.sinks.shard.ShardMessage.ChunkOpened;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The backfill's entrance. A chunk sorts its rows into batches on its own thread; the pipeline's
 * lock is taken once a batch. All rows of a chunk have its number r, which is drawn in one step
 * with what the stream had delivered.
 */
final class Chunks implements BackfillInput {

  private static final long COMPACTION_LOOK_MILLIS = 200;

  /** A minute a chunk. */
  private static final int COMPACTION_LOOKS_MAX = 300;

  private final PipelineMonitor monitor;
  private final SourceCallbacks source;
  private final TableRegistry tables;
  private final Parking parking;
  private final CompactionWait compaction;

  /** Waits while a table's compaction is behind. */
  interface CompactionWait {
    /** At most so long; whether the table may go on now. */
    boolean await(LakeTable table, long millis) throws InterruptedException;
  }

  Chunks(
      PipelineMonitor monitor,
      SourceCallbacks source,
      TableRegistry tables,
      Parking parking,
      CompactionWait compaction) {
    this.monitor = monitor;
    this.source = source;
    this.tables = tables;
    this.parking = parking;
    this.compaction = compaction;
  }

  @Override
  public Chunk openChunk(RoutedTable table) {
    awaitCompaction(table);
    return monitor.locked(
        () -> {
          monitor.requireOpen();
          TableState state = tables.find(table.source().id());
          if (state == null) {
            throw new IllegalStateException("Table " + table.source().id() + " is not routed");
          }
          String delivered = source.deliveredMark();
          return open(state, table, new OpenChunk(state.sink(), monitor.nextNumber()), delivered);
        });
  }

  /**
   * The copy of a table can wait for its compaction, as the stream can't. Not for ever: the reader
   * that waits is one of few, and other tables are to be copied, too.
   */
  private void awaitCompaction(RoutedTable table) {
    TableState state = monitor.locked(() -> tables.find(table.source().id()));
    if (state == null) {
      return;
    }
    try (Liveness.Wait wait = monitor.waiting()) {
      for (int look = 0; look < COMPACTION_LOOKS_MAX; look++) {
        if (compaction.await(state.lake(), COMPACTION_LOOK_MILLIS)) {
          return;
        }
        monitor.lock();
        try {
          monitor.requireOpen();
        } finally {
          monitor.unlock();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PipelineStoppedException(
          Reason.CLOSED, "Interrupted while compaction was behind", e);
    }
  }

  private RoutedChunk open(TableState state, RoutedTable table, OpenChunk chunk, String delivered) {
    Cause outdated = state.outdated(table);
    if (outdated != null) {
      chunk.outdate(outdated);
    } else {
      state.sink().openChunks().add(chunk);
      monitor.pushToAll(new ChunkOpened(chunk));
    }
    return new RoutedChunk(state, table, chunk, delivered);
  }

  @Override
  public boolean progress(RoutedTable table, String progress) {
    return monitor.locked(
        () -> {
          monitor.requireOpen();
          TableState state = tables.find(table.source().id());
          if (state == null || state.outdated(table) != null) {
            return false;
          }
          tables.progress(table.source().id(), progress);
          monitor.contentTaken();
          return true;
        });
  }

  @Override
  public boolean park(SourceTableId table, String reason) {
    return parking.park(table, reason, Parking.By.OTHERS);
  }

  @Override
  public boolean mustSweep(SourceTableId table) {
    return monitor.locked(() -> tables.staleBelow(table) > 0);
  }

  /**
   * The deletes carry the number that was drawn when the copy began: above all that was there,
   * below all that came since, so that they may come late and do no harm to any row that the source
   * has.
   */
  @Override
  public long sweep(RoutedTable table, @Nullable KeyStretch keys)
      throws ChunkOutdatedException, InterruptedException, IOException {
    monitor.awaitFinished(monitor.locked(monitor::epochOfAll));
    long below = monitor.locked(() -> tables.staleBelow(table.source().id()));
    RoutedChunk chunk =
        monitor.locked(
            () -> {
              TableState state = tables.find(table.source().id());
              if (state == null) {
                throw new IllegalStateException("Table " + table.source().id() + " is not routed");
              }
              return open(state, table, new OpenChunk(state.sink(), below), "");
            });
    try {
      long deleted = below == 0 ? 0 : deleteStale(chunk, below, keys);
      chunk.finish(() -> tables.swept(table.source().id()));
      return deleted;
    } finally {
      chunk.abandon();
    }
  }

  private static long deleteStale(RoutedChunk chunk, long below, @Nullable KeyStretch keys)
      throws ChunkOutdatedException, InterruptedException, IOException {
    TableSchema schema = chunk.table.lakeSchema();
    TableScan all = chunk.state.sink().lsm().newScan();
    if (all.schema().id() != schema.id()) {
      throw chunk.outdated(Cause.ALTERED);
    }
    if (keys != null) {
      all = all.where(keys.condition());
    }
    BinaryRowProjection row = BinaryRowProjection.ofPart(schema.rowType(), schema.primaryKeys());
    long deleted = 0;
    try (RowReader reader = all.columns(schema.primaryKeys()).withSequenceNumbers().open()) {
      while (reader.advance()) {
        if (reader.sequenceNumber() < below) {
          chunk.row(row.apply(reader.row(), RowKind.DELETE));
          deleted++;
        }
      }
    }
    return deleted;
  }

  @Override
  public Map<SourceTableId, String> progress() {
    return monitor.locked(tables::progress);
  }

  private final class RoutedChunk implements Chunk {
    private final TableState state;
    private final RoutedTable table;
    private final OpenChunk chunk;
    private final String delivered;
    private final BucketAssigner assigner;
    private final Map<Bucket, RowBatch> filling = new LinkedHashMap<>();
    private @Nullable RowBatch last;
    private boolean ended;

    RoutedChunk(TableState state, RoutedTable table, OpenChunk chunk, String delivered) {
      this.state = state;
      this.table = table;
      this.chunk = chunk;
      this.delivered = delivered;
      this.assigner = new BucketAssigner(table.lakeSchema());
    }

    @Override
    public long readNumber() {
      return chunk.readNumber();
    }

    @Override
    public String delivered() {
      return delivered;
    }

    @Override
    public RoutedTable table() {
      return table;
    }

    @Override
    public void row(BinaryRow row) throws ChunkOutdatedException {
      Bucket bucket = state.sink().bucket(assigner.partition(row), assigner.bucket(row));
      RowBatch batch = last;
      if (batch == null || batch.bucket() != bucket) {
        batch = filling.get(bucket);
        if (batch == null) {
          requireCurrent();
          batch = new RowBatch(bucket, table.lakeSchema(), chunk, 0);
          filling.put(bucket, batch);
        }
        last = batch;
      }
      batch.add(row, chunk.readNumber());
      if (batch.full()) {
        monitor.awaitRoom(bucket.worker());
        push(batch);
        // The next one will be full too: begin large.
        RowBatch next =
            new RowBatch(
                bucket, table.lakeSchema(), chunk, RowBatch.BYTES_MAX + RowBatch.BYTES_MAX / 16);
        filling.put(bucket, next);
        last = next;
      }
    }

    private void push(RowBatch batch) throws ChunkOutdatedException {
      monitor.lock();
      try {
        monitor.requireOpen();
        requireCurrent();
        pushLocked(batch);
      } finally {
        monitor.unlock();
      }
    }

    private void pushLocked(RowBatch batch) {
      batch.bucket().worker().push(batch);
      tables.changed(state);
      state.countBackfill(batch.count());
      monitor.contentTaken();
    }

    private void requireCurrent() throws ChunkOutdatedException {
      Cause cause = chunk.outdated();
      if (cause != null) {
        throw outdated(cause);
      }
    }

    private ChunkOutdatedException outdated(Cause cause) {
      String why =
          switch (cause) {
            case ALTERED -> "was altered";
            case TRUNCATED -> "was truncated";
            case PARKED -> "was parked";
            case DELETES_OUTGREW_MEMORY -> "had more deletes than are remembered";
          };
      return new ChunkOutdatedException(
          cause, "Table " + table.source().id() + " " + why + " while a chunk of it was read");
    }

    @Override
    public void done(String progress) throws ChunkOutdatedException {
      finish(() -> tables.progress(table.source().id(), progress));
    }

    /**
     * @param store under the lock, in one step with the last rows
     */
    void finish(Runnable store) throws ChunkOutdatedException {
      for (RowBatch batch : filling.values()) {
        if (batch.bucket().worker().full()) {
          monitor.awaitRoom(batch.bucket().worker());
        }
      }
      monitor.lock();
      try {
        monitor.requireOpen();
        if (!chunk.finish()) {
          Cause cause = chunk.outdated();
          if (cause == null) {
            throw new IllegalStateException("The chunk has ended before");
          }
          throw outdated(cause);
        }
        for (RowBatch batch : filling.values()) {
          if (batch.count() > 0) {
            pushLocked(batch);
          }
        }
        store.run();
        monitor.contentTaken();
        end();
      } finally {
        monitor.unlock();
      }
    }

    @Override
    public void abandon() {
      monitor.lock();
      try {
        if (!ended) {
          end();
        }
      } finally {
        monitor.unlock();
      }
    }

    /** Under the lock. The message comes behind all rows handed over. */
    private void end() {
      ended = true;
      filling.clear();
      last = null;
      if (state.sink().openChunks().remove(chunk)) {
        monitor.pushToAll(new ChunkClosed(chunk));
      }
    }
  }
}
