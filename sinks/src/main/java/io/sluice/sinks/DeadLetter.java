package io.sluice.sinks;

import org.jspecify.annotations.Nullable;

/**
 * A record of the source that has no place in its table, with all that is needed to look at it and
 * to take it in later.
 *
 * @param source topic or table that it came from
 * @param position where it lies in the source, in a person's words; together with {@code source} it
 *     names the record
 * @param table lake table that it was meant for; null if that isn't known
 * @param timeMillis of the record, epoch milliseconds; -1 if it has none
 * @param reason few and fixed words: the label of a metric
 * @param detail what is wrong with it
 * @param key null if it has none
 * @param value null if it has none
 * @param headers JSON text; null if it has none
 */
public record DeadLetter(
    String source,
    String position,
    @Nullable String table,
    long timeMillis,
    String reason,
    String detail,
    byte @Nullable [] key,
    byte @Nullable [] value,
    @Nullable String headers) {

  /**
   * So many numbers, from its own on, are kept for the rows of a letter, so that they have an order
   * when it is replayed.
   */
  public static final int ROWS_MAX = 1 << 16;

  /** What became of a letter. */
  public enum State {
    /** It waits for a person. */
    SET_ASIDE,
    /** It was taken in after all. */
    REPLAYED,
    /** A person has decided against it. */
    DROPPED;

    /** As it stands in the table. */
    public String text() {
      return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
  }
}
