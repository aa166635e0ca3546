package io.sluice.config;

import java.time.Duration;

/**
 * How long each table keeps its snapshots.
 *
 * @param time younger ones are kept, within {@code snapshotsMax}
 * @param snapshotsMax more are never kept
 * @param snapshotsMin fewer are never kept, however old
 */
public record RetentionConfig(Duration time, int snapshotsMax, int snapshotsMin) {}
