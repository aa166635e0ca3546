package io.sluice.replicator.backfill;

/**
 * What the backfill asks of the source that follows the binlog. Implemented by the source; thread
 * safe.
 */
public interface StreamPosition {

  /**
   * Whether everything in the binlog before this position has been handed to the pipeline. May say
   * no for a while after it is so, never yes before it.
   *
   * @param binlogFile name as the server lists it, e.g. {@code binlog.000003}
   * @param position bytes from the file's start: the end of a transaction
   */
  boolean passed(String binlogFile, long position);
}
