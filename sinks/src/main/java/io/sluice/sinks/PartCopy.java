package io.sluice.sinks;

/**
 * A new copy of some rows of a table that is wholly copied.
 *
 * @param keys which rows
 * @param copied the backfill's progress by which the table is wholly copied; a table that has
 *     another one by now is refused
 */
public record PartCopy(KeyStretch keys, String copied) {}
