package io.sluice.lsm.manifest;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.ColumnStats;
import io.sluice.lsm.merge.ColumnComparator;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.schema.RowType;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which partitions somebody asks for. Manifests whose partition statistics show that they hold none
 * of them are not read (format description section 4.1, {@code _PARTITION_STATS}). One thread at a
 * time.
 *
 * <p>An implementation must pass every manifest that holds an entry whose partition it passes.
 */
public interface PartitionFilter {

  /** All partitions. */
  PartitionFilter ALL =
      new PartitionFilter() {
        @Override
        public boolean test(BinaryRow partition) {
          return true;
        }

        @Override
        public boolean mayHold(ManifestFileMeta manifest) {
          return true;
        }
      };

  /** Whether the partition is asked for. */
  boolean test(BinaryRow partition);

  /** False only if no entry of the manifest has a partition that is asked for. */
  boolean mayHold(ManifestFileMeta manifest);

  /**
   * These partitions and no others.
   *
   * @param partitionType the partition columns; an unpartitioned table has one partition, {@link
   *     BinaryRow#EMPTY}
   */
  static PartitionFilter of(Collection<BinaryRow> partitions, RowType partitionType) {
    if (partitionType.size() == 0) {
      return partitions.isEmpty() ? new Several(Set.of(), partitionType) : ALL;
    }
    return new Several(new HashSet<>(partitions), partitionType);
  }

  /** The filter of an explicit set. */
  final class Several implements PartitionFilter {

    /** With more partitions than these a manifest is read unlooked. */
    private static final int EXACT_MAX = 64;

    private final Set<BinaryRow> partitions;
    private final ColumnComparator[] comparators;

    private Several(Set<BinaryRow> partitions, RowType partitionType) {
      this.partitions = partitions;
      this.comparators = new ColumnComparator[partitionType.size()];
      for (int i = 0; i < comparators.length; i++) {
        comparators[i] = new ColumnComparator(partitionType.type(i));
      }
    }

    @Override
    public boolean test(BinaryRow partition) {
      return partitions.contains(partition);
    }

    @Override
    public boolean mayHold(ManifestFileMeta manifest) {
      if (partitions.isEmpty()) {
        return false;
      }
      @Nullable ColumnRange[] ranges = new ColumnRange[comparators.length];
      for (int i = 0; i < ranges.length; i++) {
        ranges[i] = ColumnRange.of(manifest, i, comparators.length);
      }
      int left = EXACT_MAX;
      for (BinaryRow partition : partitions) {
        if (left-- == 0 || mayHold(partition, ranges)) {
          return true;
        }
      }
      return false;
    }

    private boolean mayHold(BinaryRow partition, @Nullable ColumnRange[] ranges) {
      for (int i = 0; i < ranges.length; i++) {
        ColumnRange range = ranges[i];
        if (range != null && !mayHold(partition, i, range)) {
          return false;
        }
      }
      return true;
    }

    private boolean mayHold(BinaryRow partition, int column, ColumnRange range) {
      if (partition.isNullAt(column)) {
        return range.nullsPossible();
      }
      Row min = range.min();
      Row max = range.max();
      return min != null
          && max != null
          && comparators[column].compare(partition, column, min, column) >= 0
          && comparators[column].compare(partition, column, max, column) <= 0;
    }
  }

  /**
   * What a manifest's statistics say of one partition column.
   *
   * @param min row of all partition columns that holds the smallest value; null: all are null
   * @param max likewise the largest
   */
  record ColumnRange(@Nullable BinaryRow min, @Nullable BinaryRow max, boolean nullsPossible) {

    /** Null if they say nothing that is sure. */
    public static @Nullable ColumnRange of(ManifestFileMeta manifest, int column, int columns) {
      ColumnStats stats = manifest.partitionStats();
      BinaryRow min = BinaryRow.deserialize(stats.minValues());
      BinaryRow max = BinaryRow.deserialize(stats.maxValues());
      if (min.size() != columns || max.size() != columns) {
        return null;
      }
      List<@Nullable Long> counts = stats.nullCounts();
      Long nulls = counts.size() == columns ? counts.get(column) : null;
      if (min.isNullAt(column) || max.isNullAt(column)) {
        long entries = manifest.addedFiles() + manifest.deletedFiles();
        return nulls != null && nulls == entries ? new ColumnRange(null, null, true) : null;
      }
      return new ColumnRange(min, max, nulls == null || nulls > 0);
    }
  }
}
