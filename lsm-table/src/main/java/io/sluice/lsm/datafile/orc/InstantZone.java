package io.sluice.lsm.datafile.orc;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/**
 * Undoes what a writer's time zone did to TIMESTAMP_LTZ values. With {@code
 * orc.timestamp-ltz.legacy.type} (the default) Paimon takes the UTC wall clock of an instant for
 * the wall clock of its JVM's zone and stores the instant that this would be. The zone stands in
 * the footer of each stripe, so the instant can be had back, whatever zone this process runs in.
 * Files of ours hold the instant itself and say so ({@link #MARK}). One thread.
 */
final class InstantZone {

  /** Name of the user metadata of files whose TIMESTAMP_LTZ values are true instants. */
  static final String MARK = "sluice.instants";

  private final boolean trueInstants;
  private @Nullable TimeZone zone;

  /**
   * @param trueInstants whether the file holds the instants themselves
   */
  InstantZone(boolean trueInstants) {
    this.trueInstants = trueInstants;
  }

  /**
   * Turns to a stripe.
   *
   * @param writer the zone that its footer names, empty if none
   */
  void moveTo(String writer) throws IOException {
    zone = trueInstants ? null : zone(writer);
  }

  /** Null for UTC. As java.sql.Timestamp knows it, by which Paimon goes: before 1900 it differs. */
  private static @Nullable TimeZone zone(String name) throws IOException {
    if (name.isEmpty()) {
      return null;
    }
    try {
      ZoneId id = ZoneId.of(name, ZoneId.SHORT_IDS);
      ZoneRules rules = id.getRules();
      boolean utc = rules.isFixedOffset() && rules.getOffset(Instant.EPOCH).equals(ZoneOffset.UTC);
      return utc ? null : TimeZone.getTimeZone(id);
    } catch (java.time.DateTimeException e) {
      throw new IOException("A stripe was written in the unknown time zone " + name, e);
    }
  }

  /** Whether the stripe's values are not the instants themselves. */
  boolean shifts() {
    return zone != null;
  }

  /** The instant, in epoch milliseconds, of a stored value. */
  long instant(long storedMillis) {
    TimeZone of = zone;
    return of == null ? storedMillis : storedMillis + of.getOffset(storedMillis);
  }
}
