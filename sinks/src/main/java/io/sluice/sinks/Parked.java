package io.sluice.sinks;

import org.jspecify.annotations.Nullable;

/**
 * Why and where a table was left behind: it takes no more rows, and stands where it stood, until a
 * resync brings it back. The others go on.
 *
 * @param epoch the last epoch that is known to be in it; 0 if none is
 * @param position where the source stood at that epoch, in the source's words; null if there was
 *     none. Of a table that catches up: its own place in the source, which all its rows are from
 *     before and none from behind
 * @param reason what happened, and what can be done
 * @param sinceMillis epoch milliseconds
 * @param catchingUp it is on its way back: the source is read for it from its own place on, beside
 *     the stream, until it is where the others are
 */
public record Parked(
    long epoch, @Nullable String position, String reason, long sinceMillis, boolean catchingUp) {

  /** Of a table that stands. */
  public Parked(long epoch, @Nullable String position, String reason, long sinceMillis) {
    this(epoch, position, reason, sinceMillis, false);
  }

  /** The same on its way back, with all up to this place in it once the epoch is. */
  public Parked onItsWay(long newEpoch, String newPosition) {
    return new Parked(newEpoch, newPosition, reason, sinceMillis, true);
  }
}
