package io.sluice.sinks.shard;

import io.sluice.sinks.ChunkOutdatedException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A chunk of a backfill as router and workers see it: its number r, and whether it may still go on.
 * It leaves the state "open" once: outdated (its rows are dropped wherever they are met), or done
 * (its rows count, and keys deleted meanwhile are remembered without bound until its last row is
 * written). Thread safe.
 */
public final class OpenChunk {

  /** How a chunk has ended. */
  private record End(ChunkOutdatedException.@Nullable Cause outdated) {}

  private static final End DONE = new End(null);

  private final SinkTable table;
  private final long readNumber;
  private final AtomicReference<@Nullable End> end = new AtomicReference<>();

  public OpenChunk(SinkTable table, long readNumber) {
    this.table = table;
    this.readNumber = readNumber;
  }

  public SinkTable table() {
    return table;
  }

  /** r: the number of all its rows. */
  public long readNumber() {
    return readNumber;
  }

  /** Whether it became outdated by this call. */
  public boolean outdate(ChunkOutdatedException.Cause cause) {
    return end.compareAndSet(null, new End(cause));
  }

  /** Whether it is done now: it was neither outdated nor done before. */
  public boolean finish() {
    return end.compareAndSet(null, DONE);
  }

  /** Why it may not go on; null if it may, or is done. */
  public ChunkOutdatedException.@Nullable Cause outdated() {
    End reached = end.get();
    return reached == null ? null : reached.outdated();
  }
}
