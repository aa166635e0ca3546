package io.sluice.sinks;

import org.jspecify.annotations.Nullable;

/**
 * Why and where a table was left behind: it takes no more rows, and stands where it stood, until a
 * resync brings it back. The others go on.
 *
 * @param epoch the last epoch that is known to be in it; 0 if none is
 * @param position where the source stood at that epoch, in the source's words; null if there was
 *     none
 * @param reason what happened, and what can be done
 * @param sinceMillis epoch milliseconds
 */
public record Parked(long epoch, @Nullable String position, String reason, long sinceMillis) {}
