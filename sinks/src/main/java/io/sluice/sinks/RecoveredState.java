package io.sluice.sinks;

import io.sluice.evolution.SourceTableId;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a start found in the lake, after rolling forward: the pipeline goes on from here.
 *
 * @param epoch highest epoch, 0 if there is none
 * @param position empty for a new pipeline
 * @param history the source's history records up to the position, oldest first, possibly folded
 * @param backfillProgress by source table
 */
public record RecoveredState(
    long epoch,
    Optional<SourcePosition> position,
    List<String> history,
    Map<SourceTableId, String> backfillProgress) {

  public RecoveredState {
    history = List.copyOf(history);
    backfillProgress = Map.copyOf(backfillProgress);
  }
}
