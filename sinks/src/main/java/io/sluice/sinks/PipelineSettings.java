package io.sluice.sinks;

import java.time.Duration;

/**
 * Settings of one pipeline; components (storage, clock, threads) come beside it.
 *
 * @param name names commits, locks and the folder {@code _sluice/<name>}
 * @param warehouse root path of the lake, without a slash at its end
 * @param commitInterval how long an epoch gathers
 * @param idleInterval at most how often an idle pipeline moves its position
 * @param workers writer threads
 * @param memtableBytesMax for all memtables together
 * @param queueBytesMax rows on their way to one worker
 * @param compactionThreads of the pool shared by all tables
 * @param snapshotTimeRetained and the following two: snapshot expiry of each table
 * @param rememberedDeletesMax keys a table may remember while its backfill has chunks open
 * @param parksTables whether a table that can't go on is left behind; else the pipeline stops
 */
public record PipelineSettings(
    String name,
    String warehouse,
    Duration commitInterval,
    Duration idleInterval,
    int workers,
    long memtableBytesMax,
    long queueBytesMax,
    int compactionThreads,
    Duration snapshotTimeRetained,
    int snapshotsMax,
    int snapshotsMin,
    int rememberedDeletesMax,
    boolean parksTables) {

  /** Of a pipeline that stops when a table can't go on. */
  public PipelineSettings(
      String name,
      String warehouse,
      Duration commitInterval,
      Duration idleInterval,
      int workers,
      long memtableBytesMax,
      long queueBytesMax,
      int compactionThreads,
      Duration snapshotTimeRetained,
      int snapshotsMax,
      int snapshotsMin,
      int rememberedDeletesMax) {
    this(
        name,
        warehouse,
        commitInterval,
        idleInterval,
        workers,
        memtableBytesMax,
        queueBytesMax,
        compactionThreads,
        snapshotTimeRetained,
        snapshotsMax,
        snapshotsMin,
        rememberedDeletesMax,
        false);
  }
}
