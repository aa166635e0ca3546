package io.sluice.config;

/**
 * The first full copy of a table.
 *
 * @param readers connections that read at once, 1 to 64
 * @param chunkRows rows of one SELECT, 1 to 10,000,000
 */
public record BackfillConfig(int readers, int chunkRows) {}
