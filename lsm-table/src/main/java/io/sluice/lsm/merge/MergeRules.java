package io.sluice.lsm.merge;

import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.schema.MergeEngine;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How a table merges records of one key, as its schema's options say: key columns, merge engine,
 * sequence fields, what becomes of deletes. Immutable; {@link #engine} makes the working parts.
 *
 * @param keyColumns trimmed primary key, in key order
 * @param sequenceColumns {@code sequence.field}, may be empty
 * @param direction {@code sequence.field.sort-order}
 * @param deletes {@code ignore-delete}
 * @param ignoreUpdateBefore {@code ignore-update-before}: a writer drops -U
 */
public record MergeRules(
    List<String> keyColumns,
    List<String> sequenceColumns,
    RecordOrder.Direction direction,
    DeduplicateMerge.Deletes deletes,
    boolean ignoreUpdateBefore) {

  public MergeRules {
    keyColumns = List.copyOf(keyColumns);
    sequenceColumns = List.copyOf(sequenceColumns);
  }

  /**
   * @throws UnsupportedTableException if the table has no primary key or another merge engine than
   *     deduplicate
   */
  public static MergeRules of(TableSchema schema) {
    if (schema.primaryKeys().isEmpty()) {
      throw new UnsupportedTableException(
          "The table has no primary key and this engine handles primary key tables only.");
    }
    TableOptions options = TableOptions.of(schema);
    if (options.mergeEngine() != MergeEngine.DEDUPLICATE) {
      throw new UnsupportedTableException(
          "The table has merge-engine="
              + options.mergeEngine().text()
              + " and this engine merges deduplicate tables only. Read it with another engine.");
    }
    boolean ignoreDelete =
        isTrue(schema.options(), "ignore-delete")
            || isTrue(schema.options(), "deduplicate.ignore-delete");
    return new MergeRules(
        schema.trimmedPrimaryKeys(),
        options.sequenceFields(),
        options.sequenceAscending()
            ? RecordOrder.Direction.ASCENDING
            : RecordOrder.Direction.DESCENDING,
        ignoreDelete ? DeduplicateMerge.Deletes.IGNORED : DeduplicateMerge.Deletes.HONOURED,
        isTrue(schema.options(), "ignore-update-before"));
  }

  private static boolean isTrue(Map<String, String> options, String key) {
    return Boolean.parseBoolean(options.getOrDefault(key, "false").trim());
  }

  /** The columns that merging needs, each once: keys, then sequence fields. */
  public List<String> neededColumns() {
    List<String> result = new ArrayList<>(keyColumns);
    for (String column : sequenceColumns) {
      if (!result.contains(column)) {
        result.add(column);
      }
    }
    return result;
  }

  /** The working parts for rows of this type, which holds at least {@link #neededColumns}. */
  public Engine engine(RowType rowType) {
    int[] keys = rowType.positions(keyColumns);
    return new Engine(
        new KeyComparator(rowType, keys),
        new KeyPrefix(rowType, keys),
        new RecordOrder(rowType, rowType.positions(sequenceColumns), direction),
        new DeduplicateMerge(deletes));
  }

  /** Comparators and merge function of one thread for one row type. */
  public record Engine(
      KeyComparator keys, KeyPrefix prefix, RecordOrder order, MergeFunction function) {}
}
