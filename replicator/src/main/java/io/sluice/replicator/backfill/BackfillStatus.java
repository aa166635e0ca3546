package io.sluice.replicator.backfill;

import io.sluice.evolution.SourceTableId;
import java.util.Optional;

/**
 * How one table's copy stands.
 *
 * @param rows copied so far
 * @param rowsEstimated by the server's statistics when the copy began; 0 if unknown
 * @param trouble what holds it up, in words for the operator
 */
public record BackfillStatus(
    SourceTableId table,
    BackfillProgress.State state,
    long rows,
    long rowsEstimated,
    Optional<String> trouble) {}
