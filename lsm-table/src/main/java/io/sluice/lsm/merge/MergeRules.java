package io.sluice.lsm.merge;

import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
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
    Map<String, String> options = schema.options();
    String engine = options.getOrDefault("merge-engine", "deduplicate");
    if (!engine.equals("deduplicate")) {
      throw new UnsupportedTableException(
          "The table has merge-engine="
              + engine
              + " and this engine merges deduplicate tables only. Read it with another engine.");
    }
    if (schema.primaryKeys().isEmpty()) {
      throw new UnsupportedTableException(
          "The table has no primary key and this engine handles primary key tables only.");
    }
    String direction = options.getOrDefault("sequence.field.sort-order", "ascending");
    boolean ignoreDelete =
        isTrue(options, "ignore-delete") || isTrue(options, "deduplicate.ignore-delete");
    return new MergeRules(
        schema.trimmedPrimaryKeys(),
        list(options.getOrDefault("sequence.field", "")),
        RecordOrder.Direction.valueOf(direction.trim().toUpperCase(Locale.ROOT)),
        ignoreDelete ? DeduplicateMerge.Deletes.IGNORED : DeduplicateMerge.Deletes.HONOURED,
        isTrue(options, "ignore-update-before"));
  }

  private static boolean isTrue(Map<String, String> options, String key) {
    return Boolean.parseBoolean(options.getOrDefault(key, "false").trim());
  }

  private static List<String> list(String text) {
    return Arrays.stream(text.split(",", -1)).map(String::trim).filter(s -> !s.isEmpty()).toList();
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
