package io.sluice.lsm.expire;

import io.sluice.lsm.schema.TableOptions;
import java.time.Duration;

/**
 * Which snapshots stay.
 *
 * @param time younger ones stay, unless there are more than {@code snapshotsMax}
 * @param snapshotsMin the newest ones that stay, however old; at least 1
 * @param snapshotsMax the newest ones that may stay
 * @param snapshotsPerRunMax how many one run removes at most
 */
public record Retention(Duration time, int snapshotsMin, int snapshotsMax, int snapshotsPerRunMax) {

  /** One hour, at least 10 and at most 1,000 snapshots. */
  public static final Retention DEFAULT = new Retention(Duration.ofHours(1), 10, 1000, 500);

  public Retention {
    if (snapshotsMin < 1 || snapshotsMax < snapshotsMin || snapshotsPerRunMax < 1) {
      throw new IllegalArgumentException(
          "Retention needs 1 <= snapshotsMin <= snapshotsMax, not "
              + snapshotsMin
              + " and "
              + snapshotsMax);
    }
    if (time.isNegative()) {
      throw new IllegalArgumentException("Retention time is negative: " + time);
    }
  }

  /** What a table's own options ask for. */
  public static Retention of(TableOptions.Retention options) {
    return new Retention(
        options.time(), options.snapshotsMin(), options.snapshotsMax(), options.expireLimit());
  }
}
