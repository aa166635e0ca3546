/**
 * The first full copy of a table's existing rows, beside the stream that is already followed: read
 * in primary-key chunks over plain JDBC, without locks, several at once, resumable (design:
 * backfill by LSM sequence numbers). Knows the pipeline only by {@link
 * io.sluice.sinks.BackfillInput} and the stream only by {@link
 * io.sluice.replicator.backfill.StreamPosition}.
 */
@NullMarked
package io.sluice.replicator.backfill;

import org.jspecify.annotations.NullMarked;
