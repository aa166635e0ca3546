/**
 * Shard workers: rows come through bounded queues, each bucket belongs to one worker thread, a
 * barrier in the queue makes it hand over exactly what came before the barrier. Chunk rows of a
 * backfill are held against the keys deleted meanwhile at the moment of writing.
 *
 * <p>May import {@code io.sluice.sinks}, {@code epoch} and the table engine.
 */
@NullMarked
package io.sluice.sinks.shard;

import org.jspecify.annotations.NullMarked;
