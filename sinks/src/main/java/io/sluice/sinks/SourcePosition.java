package io.sluice.sinks;

/**
 * Where a source stands; only the source reads it. The pipeline stores it verbatim in epoch files
 * and snapshots and gives it back at recovery.
 *
 * @param text one line of JSON
 */
public record SourcePosition(String text) {}
