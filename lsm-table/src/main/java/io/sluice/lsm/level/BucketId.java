package io.sluice.lsm.level;

import io.sluice.lsm.binary.BinaryRow;

/**
 * Names one bucket of a table.
 *
 * @param partition never a view that moves
 */
public record BucketId(BinaryRow partition, int bucket) {}
