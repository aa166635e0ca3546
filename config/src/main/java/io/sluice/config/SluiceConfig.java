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

  /**
   * Which source tables are captured, and where they go.
   *
   * <p>REQUIRES: the source is a database
   */
  public TableRouting routing() {
    DatabaseSourceConfig database = database();
    return new TableRouting(database.include(), database.exclude(), tables);
  }

  /**
   * Where the messages of each topic go.
   *
   * <p>REQUIRES: the source is Kafka
   */
  public TopicRouting topicRouting() {
    return new TopicRouting(kafka(), tables);
  }

  /**
   * The source as a database.
   *
   * @throws IllegalStateException if it is none
   */
  public DatabaseSourceConfig database() {
    if (source instanceof DatabaseSourceConfig database) {
      return database;
    }
    throw new IllegalStateException("Pipeline " + pipeline + " has no database as its source");
  }

  /**
   * The source as a Kafka cluster.
   *
   * @throws IllegalStateException if it is none
   */
  public KafkaSourceConfig kafka() {
    if (source instanceof KafkaSourceConfig kafka) {
      return kafka;
    }
    throw new IllegalStateException("Pipeline " + pipeline + " has no Kafka cluster as its source");
  }
}
