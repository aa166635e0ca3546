package io.sluice.lsm.binary;

import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.StatsMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one column's values. A value is a Long (BOOLEAN 0 and 1, integers, DATE, TIME,
 * DECIMAL up to 18 digits unscaled), a Double, a BigDecimal, a {@link Moment} or, for CHAR and
 * VARCHAR, a byte[] of UTF-8.
 *
 * @param nullCount null: unknown
 * @param min null: none is known; then {@code max} is null, too
 */
public record ColumnBounds(@Nullable Long nullCount, @Nullable Object min, @Nullable Object max) {

  /** Nothing known. */
  public static final ColumnBounds NONE = new ColumnBounds(null, null, null);

  private static final int FIRST_SURROGATE = 0xd800;
  private static final int AFTER_SURROGATES = 0xe000;

  /** A timestamp: epoch milliseconds and 0 to 999,999 nanoseconds within. */
  public record Moment(long millis, int nanoOfMilli) implements Comparable<Moment> {
    @Override
    public int compareTo(Moment other) {
      int byMillis = Long.compare(millis, other.millis);
      return byMillis != 0 ? byMillis : Integer.compare(nanoOfMilli, other.nanoOfMilli);
    }
  }

  public ColumnBounds {
    if (min == null || max == null) {
      min = null;
      max = null;
    }
  }

  /** Whether there is nothing to store. */
  public boolean isEmpty() {
    return nullCount == null && min == null;
  }

  /**
   * What a mode leaves of full bounds. Texts longer than the mode's length are cut: the smallest to
   * a prefix, the largest to a prefix whose last character is the next one; where there is no next
   * one both are unknown.
   */
  public ColumnBounds reduced(StatsMode mode) {
    return switch (mode.kind()) {
      case NONE -> NONE;
      case COUNTS -> new ColumnBounds(nullCount, null, null);
      case FULL -> this;
      case TRUNCATE ->
          min instanceof byte[] smallest && max instanceof byte[] largest
              ? new ColumnBounds(
                  nullCount,
                  prefix(smallest, mode.truncateChars()),
                  upperPrefix(largest, mode.truncateChars()))
              : this;
    };
  }

  private static byte[] prefix(byte[] text, int chars) {
    int bytes = bytesOfChars(text, chars);
    return bytes == text.length ? text : java.util.Arrays.copyOf(text, bytes);
  }

  private static byte @Nullable [] upperPrefix(byte[] text, int chars) {
    int bytes = bytesOfChars(text, chars);
    if (bytes == text.length) {
      return text;
    }
    int[] points = new String(text, 0, bytes, StandardCharsets.UTF_8).codePoints().toArray();
    for (int last = points.length - 1; last >= 0; last--) {
      int next = points[last] + 1;
      if (next >= FIRST_SURROGATE && next < AFTER_SURROGATES) {
        next = AFTER_SURROGATES;
      }
      if (next <= Character.MAX_CODE_POINT) {
        points[last] = next;
        return new String(points, 0, last + 1).getBytes(StandardCharsets.UTF_8);
      }
    }
    return null;
  }

  private static int bytesOfChars(byte[] text, int chars) {
    int seen = 0;
    for (int i = 0; i < text.length; i++) {
      if ((text[i] & 0xc0) != 0x80 && seen++ == chars) {
        return i;
      }
    }
    return text.length;
  }

  /** The stored form of several columns' bounds. */
  public static ColumnStats toStats(List<DataType> types, List<ColumnBounds> bounds) {
    BinaryRowWriter writer = new BinaryRowWriter(types.size());
    for (int i = 0; i < types.size(); i++) {
      write(writer, i, types.get(i), bounds.get(i).min);
    }
    byte[] min = writer.finish(io.sluice.lsm.row.RowKind.INSERT).serialize();
    writer.reset();
    for (int i = 0; i < types.size(); i++) {
      write(writer, i, types.get(i), bounds.get(i).max);
    }
    byte[] max = writer.finish(io.sluice.lsm.row.RowKind.INSERT).serialize();
    List<@Nullable Long> nullCounts = new ArrayList<>();
    bounds.forEach(bound -> nullCounts.add(bound.nullCount));
    return new ColumnStats(min, max, nullCounts);
  }

  private static void write(BinaryRowWriter writer, int at, DataType type, @Nullable Object value) {
    if (value != null && (type.root().isBytes() || type.root().isNested())) {
      throw new IllegalArgumentException("A " + type.root() + " has no bounds");
    }
    Boxed.write(writer, at, type, value);
  }
}
