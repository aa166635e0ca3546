package io.sluice.replicator.messages.canal;

import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * What Canal's messages don't tell.
 *
 * @param zone of the process that Canal runs in: TIMESTAMP columns are texts in it; null if it
 *     isn't known, then they are refused
 */
public record CanalOptions(@Nullable ZoneId zone, ZeroDates zeroDates) {

  /** What becomes of 0000-00-00 and of dates with a zero month or day. */
  public enum ZeroDates {
    /** The message is refused. */
    FAIL,
    /** They are NULL. */
    NULL
  }
}
