package io.sluice.sinks;

import io.sluice.evolution.SourceTableId;
import java.util.Map;

/**
 * Who wants to know what the pipeline does: metrics, logs, tests. Called on the pipeline's own
 * threads, sometimes under its lock: quick, no calls back, no exceptions.
 */
public interface PipelineListener {

  /** Hears nothing. */
  PipelineListener NONE = new PipelineListener() {};

  /**
   * An epoch is in all its tables.
   *
   * @param seconds from its cut to its end
   * @param snapshots of the tables that it changed, by lake table
   */
  default void epochFinished(long epoch, double seconds, Map<String, Long> snapshots) {}

  /**
   * Storage failed and what was tried will be tried again, for long: disk full, network, rights.
   *
   * @param doing what was tried, with its table or file
   * @param attempt counts from 1
   */
  default void storageFailed(String doing, Exception failure, int attempt) {}

  /** What had failed works again. */
  default void storageRecovered(String doing) {}

  /**
   * Rows that were there before a change of schema don't hold what the source has: the table's
   * backfill progress has become {@link BackfillInput#AGAIN}.
   */
  default void backfillAgain(SourceTableId table) {}

  /** A table is left behind, see {@link Parked}; the others go on. */
  default void tableParked(SourceTableId table, String reason) {}

  /**
   * A record was kept as a dead letter.
   *
   * @param table lake table that it was meant for, or its topic where that isn't known
   */
  default void deadLetter(String table, String reason) {}

  /**
   * The schema of a lake table goes on; kind is {@code create}, {@code add-column} or {@code
   * widen-column}.
   */
  default void schemaChanged(String lakeTable, String kind) {}
}
