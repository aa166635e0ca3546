package io.sluice.replicator.metrics;

import io.sluice.evolution.SourceTableId;
import io.sluice.sinks.PipelineStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a daemon knows of itself at one moment.
 *
 * @param state what it is doing
 * @param problem what it waits for to go away, in one line; never a secret
 * @param startedMillis epoch milliseconds
 * @param nowMillis epoch milliseconds, when this was taken
 * @param pipeline empty before the lake was read
 * @param sourceLagSeconds now minus commit time of the newest change read; 0 when all is read;
 *     empty if it isn't known
 * @param estimatedRows the source's estimate for tables that are being copied
 * @param topics that are read; empty for a source without any
 * @param deadLetters records set aside since the daemon's start
 */
public record DaemonStatus(
    String pipelineName,
    State state,
    Optional<String> problem,
    long startedMillis,
    long nowMillis,
    Optional<PipelineStatus> pipeline,
    OptionalDouble sourceLagSeconds,
    Map<SourceTableId, Long> estimatedRows,
    List<Topic> topics,
    long deadLetters) {

  public DaemonStatus {
    estimatedRows = Map.copyOf(estimatedRows);
    topics = List.copyOf(topics);
  }

  /** Of a source without topics. */
  public DaemonStatus(
      String pipelineName,
      State state,
      Optional<String> problem,
      long startedMillis,
      long nowMillis,
      Optional<PipelineStatus> pipeline,
      OptionalDouble sourceLagSeconds,
      Map<SourceTableId, Long> estimatedRows) {
    this(
        pipelineName,
        state,
        problem,
        startedMillis,
        nowMillis,
        pipeline,
        sourceLagSeconds,
        estimatedRows,
        List.of(),
        0);
  }

  /**
   * A topic that is read.
   *
   * @param lagMessages that were not read yet
   */
  public record Topic(String name, int partitions, long lagMessages) {}

  /** What a daemon is doing. */
  public enum State {
    /** Reads the lake, connects to the source. */
    STARTING,
    /** Follows the source. */
    RUNNING,
    /** Waits for a fault that may pass, and tries again. */
    RETRYING,
    /** Commits a last epoch. */
    STOPPING,
    STOPPED
  }

  /** Of a daemon that has only just begun. */
  public static DaemonStatus starting(String pipelineName, long nowMillis) {
    return new DaemonStatus(
        pipelineName,
        State.STARTING,
        Optional.empty(),
        nowMillis,
        nowMillis,
        Optional.empty(),
        OptionalDouble.empty(),
        Map.of());
  }

  /** Seconds that the change waits that has waited longest to become visible; 0 if none does. */
  public double freshnessSeconds() {
    return pipeline.map(PipelineStatus::freshnessSeconds).orElse(0.0);
  }
}
