package io.sluice.sinks.pipeline;

import io.sluice.evolution.SourceTableId;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.epoch.EpochFile.SourceFacts;
import io.sluice.sinks.shard.EpochBarrier;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was cut off for one epoch: its barrier is in the queues, the rest stands here.
 *
 * @param position null before the source's first
 * @param watermark record time up to which all is there, epoch milliseconds; null: unknown
 * @param history records since the last cut
 * @param cutNanos of the monotonic clock
 */
record CutJob(
    EpochBarrier barrier,
    @Nullable SourcePosition position,
    long sourceTimeMicros,
    @Nullable Long watermark,
    long nextSequence,
    List<TableState.Cut> tables,
    Map<SourceTableId, SourceFacts> sources,
    List<String> history,
    long cutNanos) {}
