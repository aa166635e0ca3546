package io.sluice.config;

import java.time.Duration;
import java.util.OptionalInt;

/**
 * Everything a pipeline's config file says; {@code reference.conf} describes each key.
 *
 * @param pipeline 1 to 64 letters, digits, {@code -} and {@code _}: names commits and the folder
 *     {@code _sluice/<pipeline>}
 * @param warehouse path of the lake on the local file system, absolute, no slash at its end
 * @param commitInterval how long an epoch gathers, 50 ms to 1 h
 * @param idleInterval at most how often an idle pipeline moves its position
 * @param workers writer threads; empty: one for each core
 * @param compactionThreads of the pool shared by all tables; empty: half of the cores, at least one
 */
public record SluiceConfig(
    String pipeline,
    String warehouse,
    Duration commitInterval,
    Duration idleInterval,
    OptionalInt workers,
    OptionalInt compactionThreads,
    MemoryConfig memory,
    SourceConfig source,
    TablesConfig tables,
    BadRecordPolicy onBadRecord,
    TableErrorPolicy onTableError,
    RetentionConfig retention,
    HttpConfig http) {

  /** Writer threads on a machine with so many cores. */
  public int workers(int cores) {
    return workers.orElse(Math.max(1, cores));
  }

  /** Compaction threads on a machine with so many cores. */
  public int compactionThreads(int cores) {
    return compactionThreads.orElse(Math.max(1, cores / 2));
  }

  /** Which source tables are captured, and where they go. */
  public TableRouting routing() {
    return new TableRouting(source.include(), source.exclude(), tables);
  }
}
