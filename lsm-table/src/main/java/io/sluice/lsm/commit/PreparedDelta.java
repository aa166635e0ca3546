package io.sluice.lsm.commit;

/**
 * A delta manifest list that is written but not yet part of any snapshot. Small enough to stand in
 * an epoch file; whoever holds it can commit it, once.
 *
 * @param manifestList name in the manifest folder
 * @param manifestListSize bytes
 * @param recordCount records added minus records deleted
 * @param addedFiles data files that it adds
 */
public record PreparedDelta(
    String manifestList, long manifestListSize, long recordCount, long addedFiles) {}
