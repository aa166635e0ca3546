package io.sluice.lsm.merge;

import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.merge.DeduplicateMerge.Deletes;
import io.sluice.lsm.schema.ChangelogProducer;
import io.sluice.lsm.schema.MergeEngine;
import io.sluice.lsm.schema.MergeOptions;
import io.sluice.lsm.schema.MergeOptions.Aggregation;
import io.sluice.lsm.schema.MergeOptions.SequenceGroup;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableOptions;
import io.sluice.lsm.schema.TableSchema;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * How a table merges records of one key, as its schema's options say: key columns, merge engine,
 * sequence fields. Immutable; {@link #engine} makes the working parts.
 *
 * @param keyColumns trimmed primary key, in key order
 * @param sequenceColumns {@code sequence.field}, may be empty
 * @param direction {@code sequence.field.sort-order}
 * @param options of the merge engine
 * @param older what records above level 0 hold
 */
public record MergeRules(
    List<String> keyColumns,
    List<String> sequenceColumns,
    RecordOrder.Direction direction,
    MergeOptions options,
    Older older) {

  /** What a record above level 0 holds of records in deeper levels. */
  public enum Older {
    /** Nothing: they are to be merged. */
    APART,
    /** All of them: see {@link LookupMerge}. */
    MERGED_IN
  }

  public MergeRules {
    keyColumns = List.copyOf(keyColumns);
    sequenceColumns = List.copyOf(sequenceColumns);
  }

  /**
   * @throws UnsupportedTableException if the table has no primary key, or options of its merge
   *     engine that contradict each other
   */
  public static MergeRules of(TableSchema schema) {
    if (schema.primaryKeys().isEmpty()) {
      throw new UnsupportedTableException(
          "The table has no primary key and this engine handles primary key tables only.");
    }
    TableOptions options = TableOptions.of(schema);
    return new MergeRules(
        schema.trimmedPrimaryKeys(),
        options.sequenceFields(),
        options.sequenceAscending()
            ? RecordOrder.Direction.ASCENDING
            : RecordOrder.Direction.DESCENDING,
        MergeOptions.of(schema),
        options.changelogProducer() == ChangelogProducer.LOOKUP ? Older.MERGED_IN : Older.APART);
  }

  /**
   * The columns that must be read so that the given ones come out right, each once: those, the key,
   * the sequence fields, and of partial-update the sequence columns of all groups that have one of
   * them or can take the row away. So a row is the same, and there or not, whatever is read of it.
   */
  public List<String> neededFor(Collection<String> columns) {
    Set<String> needed = new LinkedHashSet<>(columns);
    needed.addAll(keyColumns);
    needed.addAll(sequenceColumns);
    for (SequenceGroup group : options.groups()) {
      if (group.removesRecord() || needed.stream().anyMatch(group::has)) {
        needed.addAll(group.sequenceColumns());
      }
    }
    return new ArrayList<>(needed);
  }

  /**
   * The working parts for rows of this type, which holds at least {@link #neededFor} its columns.
   *
   * @throws UnsupportedTableException if a column has an aggregate function that this engine lacks
   */
  public Engine engine(RowType rowType) {
    int[] keys = rowType.positions(keyColumns);
    MergeFunction function = function(rowType);
    boolean lookup = older == Older.MERGED_IN && options.engine() != MergeEngine.FIRST_ROW;
    return new Engine(
        new KeyComparator(rowType, keys),
        new KeyPrefix(rowType, keys),
        new RecordOrder(rowType, rowType.positions(sequenceColumns), direction),
        lookup ? new LookupMerge(function) : function);
  }

  private MergeFunction function(RowType rowType) {
    Deletes deletes = options.ignoreDelete() ? Deletes.IGNORED : Deletes.HONOURED;
    return switch (options.engine()) {
      case DEDUPLICATE -> new DeduplicateMerge(deletes);
      case FIRST_ROW -> new FirstRowMerge(deletes);
      case PARTIAL_UPDATE -> new PartialUpdateMerge(rowType, options);
      case AGGREGATION -> new AggregateMerge(aggregates(rowType), onDelete());
    };
  }

  private AggregateMerge.Deletes onDelete() {
    return options.removeRecordOnDelete()
        ? AggregateMerge.Deletes.REMOVE_RECORD
        : AggregateMerge.Deletes.RETRACT;
  }

  private Aggregate[] aggregates(RowType rowType) {
    Aggregate[] aggregates = new Aggregate[rowType.size()];
    for (int i = 0; i < aggregates.length; i++) {
      Aggregation aggregation = options.aggregations().get(rowType.field(i).name());
      if (aggregation == null) {
        throw new IllegalArgumentException(
            "The table has no column " + rowType.field(i).name() + " to aggregate");
      }
      aggregates[i] = Aggregate.of(rowType.field(i), i, aggregation);
    }
    return aggregates;
  }

  /** Comparators and merge function of one thread for one row type. */
  public record Engine(
      KeyComparator keys, KeyPrefix prefix, RecordOrder order, MergeFunction function) {}
}
