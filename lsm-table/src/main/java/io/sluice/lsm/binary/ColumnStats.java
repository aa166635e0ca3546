package io.sluice.lsm.binary;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Smallest and largest values and null counts of some columns: the format's SimpleStats.
 *
 * @param minValues serialized {@link BinaryRow} (with its arity header)
 * @param maxValues likewise
 * @param nullCounts one a column, null where unknown; may be empty when there are no columns
 */
public record ColumnStats(byte[] minValues, byte[] maxValues, List<@Nullable Long> nullCounts) {

  /** Of no columns. */
  public static final ColumnStats EMPTY =
      new ColumnStats(BinaryRow.EMPTY.serialize(), BinaryRow.EMPTY.serialize(), List.of());

  public ColumnStats {
    nullCounts = java.util.Collections.unmodifiableList(new java.util.ArrayList<>(nullCounts));
  }
}
