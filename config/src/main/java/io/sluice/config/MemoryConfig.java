package io.sluice.config;

import java.util.OptionalLong;

/**
 * Bounds of what the pipeline keeps in memory.
 *
 * @param memtableBytes for all memtables together; empty: a quarter of the heap
 * @param queueBytes rows on their way to one worker
 * @param rememberedDeletes keys that one table may remember while its backfill has chunks open
 */
public record MemoryConfig(OptionalLong memtableBytes, long queueBytes, int rememberedDeletes) {

  /** Bytes for all memtables in a heap of at most {@code heapBytes}. */
  public long memtableBytes(long heapBytes) {
    return memtableBytes.orElse(heapBytes / 4);
  }
}
