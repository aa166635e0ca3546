package io.sluice.sinks;

/**
 * Where a table that was left behind goes on from.
 *
 * @param epoch the newest one that its folder has of this pipeline; -1: none
 * @param position all its rows are from before this place in the source, and none from behind
 * @param rolledBack rows that the pipeline once committed to it are not in it any more
 */
public record TablePlace(long epoch, SourcePosition position, boolean rolledBack) {}
