package io.sluice.sinks;

/**
 * A chunk may not go on: what it reads has been altered, truncated, parked, or deleted beyond
 * memory.
 */
public final class ChunkOutdatedException extends Exception {

  private static final long serialVersionUID = 1L;

  /** What the backfill does next. */
  public enum Cause {
    /** The table has a new schema: read again in it. */
    ALTERED,
    /** Everything that was there is gone; what is there now comes by the stream. */
    TRUNCATED,
    /** The table takes no more rows: nothing of it is read. */
    PARKED,
    /** Read again in smaller chunks. */
    DELETES_OUTGREW_MEMORY
  }

  private final Cause why;

  public ChunkOutdatedException(Cause why, String message) {
    super(message);
    this.why = why;
  }

  public Cause why() {
    return why;
  }
}
