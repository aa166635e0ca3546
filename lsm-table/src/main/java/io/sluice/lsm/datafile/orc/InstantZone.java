package io.sluice.lsm.datafile.orc;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.TimeZone;
import org.apache.orc.Reader;
import org.apache.orc.RecordReader;
import org.apache.orc.StripeInformation;
import org.apache.orc.impl.RecordReaderImpl;
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

  private @Nullable RecordReaderImpl records;
  private final List<StripeInformation> stripes;
  private int stripe = -1;
  private long stripeEnd;
  private @Nullable TimeZone zone;

  private InstantZone(List<StripeInformation> stripes) {
    this.stripes = stripes;
  }

  /** Of a file that holds true instants. */
  static InstantZone none() {
    return new InstantZone(List.of());
  }

  /** Of a file whose values are those of its writer's zone; {@link #open} comes next. */
  static InstantZone unopened(Reader reader) {
    return new InstantZone(reader.getStripes());
  }

  /** Says who can read the footers of stripes. */
  void open(RecordReader reader) {
    records = (RecordReaderImpl) reader;
  }

  /** Turns to the stripe of a row; batches do not reach over stripes. */
  void moveTo(long row) throws IOException {
    int before = stripe;
    while (row >= stripeEnd && stripe + 1 < stripes.size()) {
      stripe++;
      stripeEnd += stripes.get(stripe).getNumberOfRows();
    }
    if (records != null && stripe != before) {
      zone = zone(records.readStripeFooter(stripes.get(stripe)).getWriterTimezone());
    }
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
