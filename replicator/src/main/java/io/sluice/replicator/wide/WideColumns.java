package io.sluice.replicator.wide;

import io.sluice.config.LakeTarget;
import io.sluice.config.WideArray;
import io.sluice.config.WidePart;
import io.sluice.config.WideRule;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TableKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataType.ArrayType;
import io.sluice.lsm.schema.DataType.NestedRowType;
import io.sluice.lsm.schema.DataTypeText;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.sinks.TableTarget;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A wide table's columns and options by its rule: each part is a sequence group of its own columns.
 * Options name only columns that are there, and grow with them. Immutable, pure.
 */
public final class WideColumns {

  /** The function that adds a column up. */
  public static final String SUM = "sum";

  /** Functions whose value of an older row can be replaced, or needs no replacing. */
  private static final Set<String> REPLACEABLE = Set.of(SUM, "last_value", "last_non_null_value");

  private final WideRule rule;
  private final SourceTableId id;
  private final Map<String, DataType> types = new LinkedHashMap<>();

  /**
   * @throws IllegalArgumentException if a type in the rule is none; the message says which
   */
  public WideColumns(WideRule rule) {
    this.rule = rule;
    this.id = new SourceTableId(rule.database(), rule.table());
    rule.types()
        .forEach(
            (column, text) -> {
              try {
                types.put(column, DataTypeText.parse(text).withNullable(true));
              } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                    "column " + column + " of " + id + ": " + e.getMessage(), e);
              }
            });
    for (WidePart part : rule.parts()) {
      types.put(part.counterColumn(), DataTypes.BIGINT);
      part.nested().ifPresent(array -> types.put(array.column(), arrayOf(array)));
    }
  }

  /** Its key's fields come first, then the others by name, then whether the element is gone. */
  private DataType arrayOf(WideArray array) {
    Set<String> names = new LinkedHashSet<>(array.key());
    names.addAll(array.columns().keySet());
    List<DataField> fields = new ArrayList<>();
    for (String name : names) {
      try {
        DataType type = DataTypeText.parse(array.types().getOrDefault(name, "")).withNullable(true);
        fields.add(new DataField(fields.size(), name, type));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "field " + name + " of " + array.column() + " of " + id + ": " + e.getMessage(), e);
      }
    }
    fields.add(new DataField(fields.size(), WideArray.DELETED, DataTypes.BOOLEAN));
    return new ArrayType(new NestedRowType(fields, true), true);
  }

  /** The fields of a part's elements; empty if it has none. */
  public List<DataField> elementFields(WidePart part) {
    return part.nested()
        .map(array -> (ArrayType) types.get(array.column()))
        .map(type -> ((NestedRowType) type.element()).fields())
        .orElse(List.of());
  }

  /** The name that the table has as a source: that of the lake. */
  public SourceTableId id() {
    return id;
  }

  public WideRule rule() {
    return rule;
  }

  /** Types that the rule gives, and those of the hidden counters, by column. */
  public Map<String, DataType> types() {
    return Collections.unmodifiableMap(types);
  }

  /** All columns that may be, in the table's order. */
  public Set<String> inOrder() {
    Set<String> result = new LinkedHashSet<>(rule.primaryKey());
    for (WidePart part : rule.parts()) {
      result.addAll(part.columns().keySet());
      part.nested().ifPresent(array -> result.add(array.column()));
    }
    for (WidePart part : rule.parts()) {
      result.addAll(part.sequenceColumns());
    }
    return result;
  }

  /** Source fields of a part by the columns that they fill: key and sequence columns too. */
  public static Map<String, String> fields(WidePart part) {
    Map<String, String> fields = new LinkedHashMap<>(part.columns());
    List<String> sequence = part.fieldColumns();
    for (int i = 0; i < part.sequence().size(); i++) {
      fields.put(sequence.get(i), part.sequence().get(i));
    }
    return fields;
  }

  /** Columns of a part that a function adds up. */
  public static List<String> sums(WidePart part) {
    return part.aggregates().entrySet().stream()
        .filter(each -> each.getValue().equals(SUM))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Functions of a part that can't take an older row's value back, by column. */
  public static Map<String, String> onlyAdding(WidePart part) {
    Map<String, String> result = new LinkedHashMap<>(part.aggregates());
    result.values().removeIf(REPLACEABLE::contains);
    return result;
  }

  /**
   * The table as the rule alone tells it: columns whose type is given. Null if a key column's is
   * not.
   */
  public @Nullable SourceTable declared() {
    return table(types);
  }

  /**
   * The table with these columns; null if one of the key is not among them.
   *
   * @param known types by column
   */
  public @Nullable SourceTable table(Map<String, DataType> known) {
    List<SourceColumn> columns = new ArrayList<>();
    for (String name : inOrder()) {
      DataType type = known.get(name);
      if (type != null) {
        columns.add(column(name, type));
      } else if (rule.primaryKey().contains(name)) {
        return null;
      }
    }
    return new SourceTable(id, columns, rule.primaryKey());
  }

  /** A column of the table; only the key's can't be NULL. */
  public SourceColumn column(String name, DataType type) {
    return SourceColumn.ofLake(name, type, !rule.primaryKey().contains(name));
  }

  /** Table options for these columns, the rule's own among them. */
  public Map<String, String> options(SourceTable table) {
    Set<String> there = new LinkedHashSet<>();
    table.columns().forEach(column -> there.add(column.name()));
    Map<String, String> options = new LinkedHashMap<>();
    options.put("merge-engine", "partial-update");
    List<String> removing = new ArrayList<>();
    for (WidePart part : rule.parts()) {
      List<String> sequence = part.sequenceColumns();
      List<String> members =
          Stream.concat(
                  part.columns().keySet().stream(), part.nested().map(WideArray::column).stream())
              .filter(there::contains)
              .filter(column -> !rule.primaryKey().contains(column))
              .toList();
      if (!there.containsAll(sequence)) {
        continue;
      }
      if (!members.isEmpty()) {
        options.put(
            "fields." + String.join(",", sequence) + ".sequence-group", String.join(",", members));
      }
      if (part.onDelete() == WidePart.OnDelete.DELETE_ROW && !members.isEmpty()) {
        removing.addAll(sequence);
      }
      part.aggregates()
          .forEach(
              (column, function) -> {
                if (there.contains(column)) {
                  options.put("fields." + column + ".aggregate-function", function);
                }
              });
    }
    for (WidePart part : rule.parts()) {
      part.nested()
          .filter(array -> there.contains(array.column()))
          .ifPresent(
              array -> {
                String prefix = "fields." + array.column() + ".";
                options.put(prefix + "aggregate-function", "nested_update");
                options.put(prefix + "nested-key", String.join(",", array.key()));
              });
    }
    if (!removing.isEmpty()) {
      options.put("partial-update.remove-record-on-sequence-group", String.join(",", removing));
    }
    options.putAll(rule.options());
    return options;
  }

  /**
   * Where rows of the table go when it has these columns. Whoever compacts it is the pipeline of
   * its first part.
   *
   * @param lake the lake table by config, without what follows from the parts
   */
  public TableTarget target(LakeTarget lake, SourceTable definition) {
    TableTarget.Sharing sharing =
        !rule.isShared()
            ? TableTarget.Sharing.ALONE
            : rule.parts().get(0).isElsewhere()
                ? TableTarget.Sharing.COMPACTED_ELSEWHERE
                : TableTarget.Sharing.SHARED;
    Map<String, String> options = new LinkedHashMap<>(lake.options());
    options.putAll(options(definition));
    return new TableTarget(
        lake.database(),
        lake.table(),
        lake.buckets(),
        lake.bucketsText(),
        lake.partitionBy(),
        options,
        false,
        TableKind.GATHERED,
        sharing);
  }
}
