package io.sluice.replicator.backfill;

/**
 * @param readers connections that read at once, at least 1
 * @param chunkRows rows of one SELECT, at least 1; fewer when the stream deletes more than can be
 *     remembered
 */
public record BackfillSettings(int readers, int chunkRows) {
  public BackfillSettings {
    if (readers < 1 || chunkRows < 1) {
      throw new IllegalArgumentException(
          "At least one reader and one row a chunk, not " + readers + " and " + chunkRows);
    }
  }
}
