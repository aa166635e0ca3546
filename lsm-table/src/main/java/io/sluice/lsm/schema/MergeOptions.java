package io.sluice.lsm.schema;

import io.sluice.lsm.error.UnsupportedTableException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Typed view of the options that say how records of one key merge, checked as Paimon checks them.
 * Source: Paimon 1.4.2, {@code SchemaValidation} and the factories of its merge functions.
 *
 * @param ignoreDelete {@code ignore-delete}: -U and -D count for nothing
 * @param ignoreUpdateBefore {@code ignore-update-before}: a writer drops -U
 * @param removeRecordOnDelete {@code partial-update.remove-record-on-delete} or {@code
 *     aggregation.remove-record-on-delete}, whichever the engine looks at
 * @param groups of partial-update; a column is in one at most
 * @param aggregations by column: all columns of an aggregation table; of partial-update those that
 *     have a function, and the key. Empty for the other engines
 */
public record MergeOptions(
    MergeEngine engine,
    boolean ignoreDelete,
    boolean ignoreUpdateBefore,
    boolean removeRecordOnDelete,
    List<SequenceGroup> groups,
    Map<String, Aggregation> aggregations) {

  private static final String FIELDS = "fields.";
  private static final String GROUP = ".sequence-group";
  private static final String FUNCTION = ".aggregate-function";
  private static final String DEFAULT_FUNCTION = "default-aggregate-function";
  private static final String REMOVE_ON_GROUP = "partial-update.remove-record-on-sequence-group";

  public MergeOptions {
    groups = List.copyOf(groups);
    aggregations = Map.copyOf(aggregations);
  }

  /**
   * Columns that a record sets together, if its sequence columns are not below those of the row:
   * {@code fields.<sequence columns>.sequence-group = <members>}.
   *
   * @param members without the sequence columns
   * @param removesRecord a -D that is not older takes the whole row away ({@code
   *     partial-update.remove-record-on-sequence-group} names a sequence column)
   */
  public record SequenceGroup(
      List<String> sequenceColumns, List<String> members, boolean removesRecord) {
    public SequenceGroup {
      sequenceColumns = List.copyOf(sequenceColumns);
      members = List.copyOf(members);
    }

    /** Whether the column is a member or a sequence column. */
    public boolean has(String column) {
      return members.contains(column) || sequenceColumns.contains(column);
    }
  }

  /**
   * How the values of one column become one.
   *
   * @param ignoreRetract {@code fields.<column>.ignore-retract}
   * @param distinct {@code fields.<column>.distinct}
   * @param delimiter {@code fields.<column>.list-agg-delimiter}
   * @param nested options of functions over nested rows
   * @param refusesRetract whether a -U or -D can't be merged
   * @param lacking why this engine does not compute the function, to be read after its name
   */
  public record Aggregation(
      AggregateFunction function,
      boolean ignoreRetract,
      boolean distinct,
      String delimiter,
      NestedRows nested,
      boolean refusesRetract,
      @Nullable String lacking) {}

  /**
   * Of the functions over nested rows.
   *
   * @param key {@code fields.<column>.nested-key}: fields of the nested row; empty: it has none
   * @param countLimit {@code fields.<column>.count-limit}: an array of so many rows takes no more
   */
  public record NestedRows(List<String> key, int countLimit) {
    public NestedRows {
      key = List.copyOf(key);
    }
  }

  /**
   * The options of a schema.
   *
   * @throws UnsupportedTableException naming all that Paimon refuses, too
   */
  public static MergeOptions of(TableSchema schema) {
    return new Reading(schema).options();
  }

  /** One reading of a schema's options. */
  private static final class Reading {

    private final TableSchema schema;
    private final OptionReader in;
    private final List<String> problems = new ArrayList<>();

    Reading(TableSchema schema) {
      this.schema = schema;
      this.in = new OptionReader(schema.options());
    }

    MergeOptions options() {
      TableOptions table = TableOptions.of(schema);
      MergeEngine engine = table.mergeEngine();
      boolean ignoreDelete = ignoreDelete();
      checkColumnsOfKeys();
      checkSequenceFields(table);
      boolean removeOnDelete =
          switch (engine) {
            case PARTIAL_UPDATE -> in.flag("partial-update.remove-record-on-delete", false);
            case AGGREGATION -> in.flag("aggregation.remove-record-on-delete", false);
            case DEDUPLICATE, FIRST_ROW -> false;
          };
      List<SequenceGroup> groups =
          engine == MergeEngine.PARTIAL_UPDATE
              ? partialUpdateGroups(ignoreDelete, removeOnDelete)
              : List.of();
      Map<String, Aggregation> aggregations =
          switch (engine) {
            case PARTIAL_UPDATE -> memberAggregations(groups);
            case AGGREGATION -> allAggregations(table.sequenceFields());
            case DEDUPLICATE, FIRST_ROW -> Map.of();
          };
      MergeOptions options =
          new MergeOptions(
              engine,
              ignoreDelete,
              in.flag("ignore-update-before", false),
              removeOnDelete,
              groups,
              aggregations);
      problems.addAll(0, in.problems());
      if (!problems.isEmpty()) {
        throw new UnsupportedTableException(
            "schema-"
                + schema.id()
                + " has options of merge-engine="
                + engine.text()
                + " that can't be used: "
                + String.join("; ", problems)
                + ". Correct them with a schema change.");
      }
      return options;
    }

    /** The first that is there counts, whatever the engine. */
    private boolean ignoreDelete() {
      for (String key :
          List.of(
              "ignore-delete",
              "first-row.ignore-delete",
              "deduplicate.ignore-delete",
              "partial-update.ignore-delete")) {
        if (in.text(key) != null) {
          return in.flag(key, false);
        }
      }
      return false;
    }

    /** {@code fields.<columns>.<what>} names columns that there are. */
    private void checkColumnsOfKeys() {
      for (String key : schema.options().keySet()) {
        if (key.startsWith(FIELDS)) {
          String[] parts = key.split("\\.", -1);
          for (String column : parts[1].split(",", -1)) {
            if (!column.equals(DEFAULT_FUNCTION)) {
              known(column, key);
            }
          }
        }
      }
    }

    private boolean known(String column, String key) {
      boolean known = schema.rowType().position(column) >= 0;
      if (!known) {
        problems.add(key + " names column " + column + ", which the table lacks");
      }
      return known;
    }

    private void checkSequenceFields(TableOptions table) {
      List<String> fields = table.sequenceFields();
      if (fields.isEmpty()) {
        return;
      }
      if (new HashSet<>(fields).size() < fields.size()) {
        problems.add("sequence.field names a column twice");
      }
      for (String field : fields) {
        if (in.text(FIELDS + field + FUNCTION) != null) {
          problems.add("column " + field + " of sequence.field has an aggregate function");
        }
      }
      if (table.mergeEngine() == MergeEngine.FIRST_ROW) {
        problems.add("sequence.field doesn't go with first-row");
      }
      if (!schema.primaryKeys().containsAll(schema.partitionKeys())) {
        problems.add("sequence.field needs a primary key that includes all partition keys");
      }
    }

    // ------------------------------------------------------------ partial-update

    private List<SequenceGroup> partialUpdateGroups(boolean ignoreDelete, boolean removeOnDelete) {
      List<SequenceGroup> groups = sequenceGroups();
      if (removeOnDelete && ignoreDelete) {
        conflict("ignore-delete", "partial-update.remove-record-on-delete");
      }
      if (removeOnDelete && !groups.isEmpty()) {
        conflict("a sequence-group", "partial-update.remove-record-on-delete");
      }
      if (in.text(REMOVE_ON_GROUP) != null && ignoreDelete) {
        conflict("ignore-delete", REMOVE_ON_GROUP);
      }
      return groups;
    }

    private void conflict(String one, String other) {
      problems.add(one + " and " + other + " contradict each other");
    }

    private List<SequenceGroup> sequenceGroups() {
      Set<String> removing = new HashSet<>();
      String removal = in.text(REMOVE_ON_GROUP);
      if (removal != null) {
        removing.addAll(Arrays.asList(removal.split(",", -1)));
      }
      Set<String> taken = new HashSet<>();
      Set<String> sequenceColumns = new HashSet<>();
      List<SequenceGroup> groups = new ArrayList<>();
      schema
          .options()
          .forEach(
              (key, value) -> {
                if (key.startsWith(FIELDS) && key.endsWith(GROUP)) {
                  List<String> sequence =
                      columns(
                          key,
                          key.substring(FIELDS.length(), key.length() - GROUP.length()),
                          taken);
                  List<String> members = columns(key, value, taken);
                  sequenceColumns.addAll(sequence);
                  groups.add(
                      new SequenceGroup(
                          sequence, members, sequence.stream().anyMatch(removing::contains)));
                }
              });
      removing.removeAll(sequenceColumns);
      for (String column : removing) {
        problems.add(REMOVE_ON_GROUP + " names " + column + ", which orders no sequence-group");
      }
      return groups;
    }

    /**
     * The columns of a list. One that stands twice is refused: Paimon refuses some of these cases,
     * and in the others its answer depends on the order of a hash map.
     */
    private List<String> columns(String key, String list, Set<String> taken) {
      List<String> columns = new ArrayList<>();
      for (String column : list.split(",", -1)) {
        if (known(column, key) && !taken.add(column)) {
          problems.add(key + " takes column " + column + ", which is in a sequence-group already");
        } else {
          columns.add(column);
        }
      }
      return columns;
    }

    private Map<String, Aggregation> memberAggregations(List<SequenceGroup> groups) {
      Map<String, Aggregation> result = new LinkedHashMap<>();
      for (DataField field : schema.rowType().fields()) {
        String column = field.name();
        boolean inGroup = groups.stream().anyMatch(group -> group.has(column));
        if (groups.stream().anyMatch(group -> group.sequenceColumns().contains(column))) {
          continue;
        }
        AggregateFunction function = keyOrOwnFunction(field);
        if (function == null) {
          continue;
        }
        if (!inGroup
            && function != AggregateFunction.LAST_NON_NULL_VALUE
            && !schema.primaryKeys().contains(column)) {
          problems.add(
              "column "
                  + column
                  + " has the aggregate function "
                  + function.text()
                  + " but is in no sequence-group");
        }
        result.put(column, aggregation(field, function));
      }
      return result;
    }

    // ------------------------------------------------------------ aggregation

    private Map<String, Aggregation> allAggregations(List<String> sequenceFields) {
      Map<String, Aggregation> result = new HashMap<>();
      for (DataField field : schema.rowType().fields()) {
        AggregateFunction function =
            sequenceFields.contains(field.name())
                ? AggregateFunction.LAST_VALUE
                : keyOrOwnFunction(field);
        result.put(
            field.name(),
            aggregation(
                field, function == null ? AggregateFunction.LAST_NON_NULL_VALUE : function));
      }
      return result;
    }

    private @Nullable AggregateFunction keyOrOwnFunction(DataField field) {
      if (schema.primaryKeys().contains(field.name())) {
        return AggregateFunction.PRIMARY_KEY;
      }
      String key = FIELDS + field.name() + FUNCTION;
      String name = in.text(key);
      if (name == null) {
        key = FIELDS + DEFAULT_FUNCTION;
        name = in.text(key);
      }
      if (name == null) {
        return null;
      }
      AggregateFunction function = AggregateFunction.named(name);
      if (function == null) {
        problems.add(key + " = '" + name + "', which is no aggregate function of Paimon 1.4");
      }
      return function;
    }

    private Aggregation aggregation(DataField field, AggregateFunction function) {
      String types = function.otherTypesThan(field.type());
      if (types != null) {
        problems.add(
            "aggregate function "
                + function.text()
                + " of column "
                + field.name()
                + " needs "
                + types
                + ", not "
                + field.type().root());
      }
      String prefix = FIELDS + field.name();
      boolean ignoreRetract = in.flag(prefix + ".ignore-retract", false);
      if (ignoreRetract && in.flag("aggregation.remove-record-on-delete", false)) {
        conflict(prefix + ".ignore-retract", "aggregation.remove-record-on-delete");
      }
      boolean distinct = in.flag(prefix + ".distinct", false);
      NestedRows nested = nestedRows(field, function);
      return new Aggregation(
          function,
          ignoreRetract,
          distinct,
          // As it stands: a delimiter may be blank.
          schema.options().getOrDefault(prefix + ".list-agg-delimiter", ","),
          nested,
          !ignoreRetract
              && function.retract(field.type(), nested) == AggregateFunction.Retract.REFUSED,
          function.lacking(field.type(), distinct));
    }

    private NestedRows nestedRows(DataField field, AggregateFunction function) {
      boolean limited = function == AggregateFunction.NESTED_UPDATE;
      if (!limited && function != AggregateFunction.NESTED_PARTIAL_UPDATE) {
        return new NestedRows(List.of(), Integer.MAX_VALUE);
      }
      String key = FIELDS + field.name() + ".nested-key";
      List<String> names = in.names(key);
      if (field.type() instanceof DataType.ArrayType array
          && array.element() instanceof DataType.NestedRowType row) {
        RowType type = new RowType(row.fields());
        for (String name : names) {
          if (type.position(name) < 0) {
            problems.add(key + " names field " + name + ", which the nested row lacks");
          }
        }
      }
      if (!limited && names.isEmpty()) {
        problems.add(function.text() + " of column " + field.name() + " needs " + key);
      }
      return new NestedRows(
          names,
          limited
              ? in.number(FIELDS + field.name() + ".count-limit", Integer.MAX_VALUE, 0)
              : Integer.MAX_VALUE);
    }
  }
}
