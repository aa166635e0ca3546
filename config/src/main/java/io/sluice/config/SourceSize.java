package io.sluice.config;

/**
 * What a server thinks a table holds: an estimate.
 *
 * @param rows 0 if unknown
 * @param bytes of the rows without secondary indexes, as the server stores them; 0 if unknown
 */
public record SourceSize(long rows, long bytes) {

  /** Of a table that is new, or of which the server tells nothing. */
  public static final SourceSize UNKNOWN = new SourceSize(0, 0);

  private static final long BYTES_PER_ROW = 128;

  /** Bytes, estimated by the rows where only these are known. */
  public long bytesAtLeast() {
    return Math.max(0, bytes > 0 ? bytes : Math.multiplyExact(Math.max(0, rows), BYTES_PER_ROW));
  }
}
