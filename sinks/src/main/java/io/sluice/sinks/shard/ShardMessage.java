package io.sluice.sinks.shard;

/** What goes through a worker's queue, in order. */
public sealed interface ShardMessage
    permits RowBatch,
        ShardMessage.ChunkOpened,
        ShardMessage.ChunkClosed,
        ShardMessage.Discard,
        ShardMessage.Dismiss,
        ShardMessage.Barrier,
        ShardMessage.Shrink {

  /** Bytes that it holds back from the queue's bound. */
  default int bytes() {
    return 0;
  }

  /** From here on the stream's deletes in this table are remembered for the chunk. */
  record ChunkOpened(OpenChunk chunk) implements ShardMessage {}

  /** No row of the chunk comes any more. */
  record ChunkClosed(OpenChunk chunk) implements ShardMessage {}

  /** TRUNCATE: what this epoch has gathered of the table is dropped. */
  record Discard(SinkTable table) implements ShardMessage {}

  /** The table is parked: as {@link Discard}, and nothing is kept for it; no row of it comes. */
  record Dismiss(SinkTable table) implements ShardMessage {}

  /** Everything before it belongs to this barrier's epoch. */
  record Barrier(EpochBarrier epoch) implements ShardMessage {}

  /** Memory is short and this worker holds most of it: it flushes its largest memtable. */
  record Shrink() implements ShardMessage {}
}
