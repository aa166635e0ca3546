package io.sluice.replicator.messages.rows;

import io.sluice.config.TopicRule.MessageFact;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where the columns of a table take their values from.
 *
 * @param sources by column name; a column that isn't here takes the field of its own name, or
 *     nothing if only these are taken
 * @param rest what becomes of fields and columns that aren't named
 * @param fixed columns whose type a config declares: no value makes them wider
 * @param numbersAsTimes what a number means where the column is a point in time
 */
public record RowColumns(
    Map<String, Source> sources, Rest rest, Set<String> fixed, NumbersAsTimes numbersAsTimes) {

  /** Every column from the field of its name. */
  public static final RowColumns BY_NAME =
      new RowColumns(Map.of(), Rest.BY_NAME, Set.of(), NumbersAsTimes.REFUSED);

  public RowColumns {
    sources = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(sources));
    fixed = Set.copyOf(fixed);
  }

  /** Where one column takes its value from. */
  public sealed interface Source {}

  /** A field of the message's row. */
  public record Field(String name) implements Source {}

  /** Something about the message itself. */
  public record Fact(MessageFact fact) implements Source {}

  /** What becomes of what isn't named. */
  public enum Rest {
    /** A column takes the field of its name; a field without a column asks for one. */
    BY_NAME,
    /** Columns stay NULL, fields are left out. */
    LEFT_OUT
  }

  /** What a number means where the column is a TIMESTAMP, TIMESTAMP_LTZ or TIME. */
  public enum NumbersAsTimes {
    /** Nothing: the message is at fault. */
    REFUSED,
    /**
     * Debezium without its schemas: milliseconds up to precision 3, microseconds up to 6, else
     * nanoseconds.
     */
    BY_PRECISION,
    SECONDS,
    MILLIS,
    MICROS,
    NANOS
  }

  /** Where a column takes its value from; null: from nowhere. */
  public @Nullable Source source(String column) {
    Source named = sources.get(column);
    return named != null || rest == Rest.LEFT_OUT ? named : new Field(column);
  }
}
