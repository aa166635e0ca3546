package io.sluice.replicator.sources.kafka;

import io.sluice.config.WidePart;
import io.sluice.config.WideRule;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypeText;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.rows.PartRow;
import io.sluice.replicator.messages.rows.TableInference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A wide table's columns and options by its rule: each part is a sequence group of its own columns.
 * Options name only columns that are there, and grow with them. Pure.
 */
public final class WideTable {

  private static final String SUM = "sum";
  private static final int DECIMAL_DIGITS_MAX = 38;
  private static final int FRACTION_DIGITS = 18;

  /** Functions whose value of an older row can be replaced, or needs no replacing. */
  private static final Set<String> REPLACEABLE = Set.of(SUM, "last_value", "last_non_null_value");

  private final WideRule rule;
  private final SourceTableId id;
  private final Map<String, DataType> types = new LinkedHashMap<>();
  private final Set<String> sums = new LinkedHashSet<>();
  private final TableInference inference;

  /**
   * @throws IllegalArgumentException if a type in the rule is none; the message says which
   */
  public WideTable(WideRule rule) {
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
      sums.addAll(columns(part).sums());
    }
    this.inference = new TableInference(id, rule.primaryKey(), types, Map.of());
  }

  public SourceTableId id() {
    return id;
  }

  WideRule rule() {
    return rule;
  }

  /** All columns that may be, in the table's order. */
  private Set<String> columnsInOrder() {
    Set<String> result = new LinkedHashSet<>(rule.primaryKey());
    for (WidePart part : rule.parts()) {
      result.addAll(part.columns().keySet());
    }
    for (WidePart part : rule.parts()) {
      result.addAll(part.sequenceColumns());
    }
    return result;
  }

  /** Functions of a part that can't take an older row's value back, by column. */
  static Map<String, String> onlyAdding(WidePart part) {
    Map<String, String> result = new LinkedHashMap<>(part.aggregates());
    result.values().removeIf(REPLACEABLE::contains);
    return result;
  }

  /** What a part fills. */
  PartRow.Columns columns(WidePart part) {
    Map<String, String> fields = new LinkedHashMap<>(part.columns());
    List<String> sequence = part.fieldColumns();
    for (int i = 0; i < part.sequence().size(); i++) {
      fields.put(sequence.get(i), part.sequence().get(i));
    }
    List<String> sums =
        part.aggregates().entrySet().stream()
            .filter(each -> each.getValue().equals(SUM))
            .map(Map.Entry::getKey)
            .toList();
    return new PartRow.Columns(fields, rule.primaryKey(), sequence, sums, part.counterColumn());
  }

  /**
   * The table as the rule alone tells it: columns whose type is given. Null if a key column's is
   * not.
   */
  public @Nullable SourceTable declared() {
    Map<String, SourceColumn> columns = new LinkedHashMap<>();
    for (String name : columnsInOrder()) {
      DataType type = types.get(name);
      if (type != null) {
        columns.put(name, column(name, type));
      } else if (rule.primaryKey().contains(name)) {
        return null;
      }
    }
    return new SourceTable(id, List.copyOf(columns.values()), rule.primaryKey());
  }

  /** The table with every column that it may have; types that nobody has told yet are a guess. */
  SourceTable whole() {
    List<SourceColumn> columns = new ArrayList<>();
    for (String name : columnsInOrder()) {
      DataType type = types.get(name);
      columns.add(
          column(
              name,
              type != null ? type : sums.contains(name) ? DataTypes.BIGINT : DataTypes.STRING));
    }
    return new SourceTable(id, columns, rule.primaryKey());
  }

  /**
   * The table with what a part's change needs beside what it has.
   *
   * @param change by {@link PartRow}
   * @param known null: nothing is known yet
   * @return equal to {@code known} if that is enough
   * @throws BadMessageException no type holds the old values and the new one
   */
  SourceTable with(@Nullable SourceTable known, Change change) throws BadMessageException {
    SourceTable inferred = inference.with(known == null ? declared() : known, change);
    Map<String, SourceColumn> columns = new LinkedHashMap<>();
    for (SourceColumn column : inferred.columns()) {
      columns.put(column.name(), sums.contains(column.name()) ? roomy(column) : column);
    }
    List<SourceColumn> result = new ArrayList<>();
    for (String name : columnsInOrder()) {
      SourceColumn column = columns.remove(name);
      if (column != null) {
        result.add(column);
      }
    }
    // Of a rule before: they stay.
    result.addAll(columns.values());
    return new SourceTable(id, result, rule.primaryKey());
  }

  /** A sum outgrows its values, and the table format lets it wrap without a word. */
  private SourceColumn roomy(SourceColumn column) {
    DataType type = column.lakeType();
    if (type == null || types.containsKey(column.name())) {
      return column;
    }
    DataType wide =
        switch (type.root()) {
          case TINYINT, SMALLINT, INT -> DataTypes.BIGINT;
          case DECIMAL ->
              DataTypes.decimal(DECIMAL_DIGITS_MAX, ((DataType.DecimalType) type).scale());
          // Sums of these hang on the order in which they are added.
          case FLOAT, DOUBLE -> DataTypes.decimal(DECIMAL_DIGITS_MAX, FRACTION_DIGITS);
          default -> type;
        };
    return SourceColumn.ofLake(column.name(), wide, column.nullable());
  }

  private SourceColumn column(String name, DataType type) {
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
          part.columns().keySet().stream()
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
    if (!removing.isEmpty()) {
      options.put("partial-update.remove-record-on-sequence-group", String.join(",", removing));
    }
    options.putAll(rule.options());
    return options;
  }
}
