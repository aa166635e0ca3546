package io.sluice.lsm.datafile.orc;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import org.apache.hadoop.hive.ql.exec.vector.TimestampColumnVector;
import org.jspecify.annotations.Nullable;

/**
 * Makes ORC give back the timestamps that it was given.
 *
 * <p>ORC stores whole seconds and, apart, the nanoseconds of the second. Every ORC reader then
 * takes one second off when the sum is negative and the nanoseconds are at least a millisecond: the
 * writer is expected to have rounded seconds toward zero. For the last second before the epoch both
 * roundings give 0, and what was 23:59:59.5 comes back as 00:00:00.5. The reader looks at the epoch
 * <em>of the zone that the stripe's footer names</em>, while the stored seconds are those of the
 * wall clock whatever the zone. So:
 *
 * <ol>
 *   <li>a stripe is written for the zone UTC as long as no value falls into its gap;
 *   <li>when one does, the stripe is completed and the next one names another fixed zone ({@code
 *       Etc/GMT+1} and so on), into whose gap no value of the batch falls; the seconds are rounded
 *       for that zone's epoch; a batch with values in all gaps is halved;
 *   <li>each stripe starts at UTC again.
 * </ol>
 *
 * <p>TIMESTAMP_LTZ columns have no zone to move: such a value is refused.
 *
 * <p>Years before 1582: the stored seconds are those of the proleptic Gregorian calendar, and the
 * footer says Julian-Gregorian as Paimon's does, so that no reader converts.
 */
final class TimestampEncoder {

  private static final long MILLIS_PER_SECOND = 1000;
  private static final int NANOS_ROUNDED = 999_999;

  /** Hours east of UTC that {@code Etc/} zones exist for, nearest first. */
  private static final int[] HOURS = hours();

  private final List<TimestampColumnVector> local = new ArrayList<>();
  private final List<String> localNames = new ArrayList<>();
  private final List<TimestampColumnVector> instants = new ArrayList<>();
  private final List<String> instantNames = new ArrayList<>();
  private final List<Nested> nested = new ArrayList<>();
  private int hour;
  private boolean shiftedInFile;

  /**
   * Timestamps inside of a nested column.
   *
   * @param size how many the vector holds in this batch
   */
  private record Nested(
      String name, TimestampColumnVector vector, IntSupplier size, boolean instant) {}

  private static int[] hours() {
    int[] result = new int[27];
    int count = 0;
    result[count++] = 0;
    for (int hour = 1; hour <= 14; hour++) {
      result[count++] = hour;
      if (hour <= 12) {
        result[count++] = -hour;
      }
    }
    return result;
  }

  void addTimestamp(String name, TimestampColumnVector vector) {
    local.add(vector);
    localNames.add(name);
  }

  void addInstant(String name, TimestampColumnVector vector) {
    instants.add(vector);
    instantNames.add(name);
  }

  void addNestedTimestamp(String name, TimestampColumnVector vector, IntSupplier size) {
    nested.add(new Nested(name, vector, size, false));
  }

  void addNestedInstant(String name, TimestampColumnVector vector, IntSupplier size) {
    nested.add(new Nested(name, vector, size, true));
  }

  boolean isEmpty() {
    return local.isEmpty() && instants.isEmpty() && nested.isEmpty();
  }

  /** Whether a batch can be parted: the values of nested columns belong to all of it. */
  boolean canHalve() {
    return nested.isEmpty();
  }

  boolean hasInstants() {
    return !instants.isEmpty() || nested.stream().anyMatch(Nested::instant);
  }

  /** Zone id of the current stripe. */
  String zone() {
    // POSIX counts hours west of Greenwich.
    return hour == 0 ? "UTC" : hour > 0 ? "Etc/GMT-" + hour : "Etc/GMT+" + -hour;
  }

  boolean shiftedInStripe() {
    return hour != 0;
  }

  boolean shiftedInFile() {
    return shiftedInFile;
  }

  void stripeWritten() {
    hour = 0;
  }

  /** Whether the vectors' first values can be added to the stripe as it is. */
  boolean fitsStripe(int start, int end) {
    return gapName(start, end, hour) == null;
  }

  /** Chooses the zone of a stripe that begins; false where none suits these rows. */
  boolean beginStripe(int start, int end) {
    for (int candidate : HOURS) {
      if (gapName(start, end, candidate) == null) {
        hour = candidate;
        shiftedInFile |= candidate != 0;
        return true;
      }
    }
    return false;
  }

  /** A column that has a value in the gap of UTC. */
  @Nullable String columnInGap(int start, int end) {
    return gapName(start, end, 0);
  }

  /** Refuses values that no zone can help. */
  void checkInstants(int size) {
    for (int i = 0; i < instants.size(); i++) {
      if (hasGap(instants.get(i), 0, size, -1)) {
        throw instantInGap(instantNames.get(i));
      }
    }
    for (Nested inner : nested) {
      if (inner.instant() && hasGap(inner.vector(), 0, inner.size().getAsInt(), -1)) {
        throw instantInGap(inner.name());
      }
    }
  }

  private static IllegalArgumentException instantInGap(String column) {
    return new IllegalArgumentException(
        "Column "
            + column
            + " holds an instant between 1969-12-31T23:59:59.001Z and 1970-01-01T00:00:00Z,"
            + " which ORC reads back one second later. Correct the value, or make the column"
            + " TIMESTAMP.");
  }

  private @Nullable String gapName(int start, int end, int candidate) {
    for (int i = 0; i < local.size(); i++) {
      if (hasGap(local.get(i), start, end, 3600L * candidate - 1)) {
        return localNames.get(i);
      }
    }
    for (Nested inner : nested) {
      if (!inner.instant()
          && hasGap(inner.vector(), 0, inner.size().getAsInt(), 3600L * candidate - 1)) {
        return inner.name();
      }
    }
    return null;
  }

  private static boolean hasGap(TimestampColumnVector vector, int start, int end, long gapSecond) {
    long from = gapSecond * MILLIS_PER_SECOND;
    for (int i = start; i < end; i++) {
      long sinceGap = vector.time[i] - from;
      if (sinceGap > 0
          && sinceGap < MILLIS_PER_SECOND
          && vector.nanos[i] > NANOS_ROUNDED
          && (vector.noNulls || !vector.isNull[i])) {
        return true;
      }
    }
    return false;
  }

  /** Turns floors of milliseconds into the seconds that ORC's readers expect. */
  void encode(int start, int end) {
    for (TimestampColumnVector vector : local) {
      encode(vector, start, end, 3600L * hour);
    }
    for (TimestampColumnVector vector : instants) {
      encode(vector, start, end, 0);
    }
    for (Nested inner : nested) {
      encode(inner.vector(), 0, inner.size().getAsInt(), inner.instant() ? 0 : 3600L * hour);
    }
  }

  private static void encode(TimestampColumnVector vector, int start, int end, long epochSecond) {
    long epochMillis = epochSecond * MILLIS_PER_SECOND;
    for (int i = start; i < end; i++) {
      long millis = vector.time[i];
      // ORC's writer divides by 1000, toward zero: hand it whole seconds.
      long whole = Math.floorDiv(millis, MILLIS_PER_SECOND) * MILLIS_PER_SECOND;
      boolean raised = millis < epochMillis && vector.nanos[i] > NANOS_ROUNDED;
      vector.time[i] = raised ? whole + MILLIS_PER_SECOND : whole;
    }
  }
}
