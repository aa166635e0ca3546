package io.sluice.replicator.sources.kafka;

import io.sluice.config.LakeTarget;
import io.sluice.config.WidePart;
import io.sluice.config.WideRule;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.replicator.messages.BadMessageException;
import io.sluice.replicator.messages.Change;
import io.sluice.replicator.messages.rows.PartRow;
import io.sluice.replicator.messages.rows.TableInference;
import io.sluice.replicator.wide.WideColumns;
import io.sluice.sinks.TableTarget;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A wide table that topics fill: its columns' types are what the rule says, else what messages
 * tell. Pure.
 */
public final class WideTable {

  private static final int DECIMAL_DIGITS_MAX = 38;
  private static final int FRACTION_DIGITS = 18;

  private final WideColumns wide;
  private final Set<String> sums = new LinkedHashSet<>();
  private final TableInference inference;

  /**
   * @throws IllegalArgumentException if a type in the rule is none; the message says which
   */
  public WideTable(WideRule rule) {
    this.wide = new WideColumns(rule);
    for (WidePart part : rule.parts()) {
      sums.addAll(WideColumns.sums(part));
    }
    this.inference = new TableInference(wide.id(), rule.primaryKey(), wide.types(), Map.of());
  }

  public SourceTableId id() {
    return wide.id();
  }

  WideRule rule() {
    return wide.rule();
  }

  /** What a part fills. */
  PartRow.Columns columns(WidePart part) {
    return new PartRow.Columns(
        WideColumns.fields(part),
        rule().primaryKey(),
        part.fieldColumns(),
        WideColumns.sums(part),
        part.counterColumn(),
        part.nested()
            .map(
                array ->
                    new PartRow.Elements(
                        array.column(), wide.elementFields(part), array.columns(), array.key()))
            .orElse(null));
  }

  /** See {@link WideColumns#declared}. */
  public @Nullable SourceTable declared() {
    return wide.declared();
  }

  /** The table with every column that it may have; types that nobody has told yet are a guess. */
  SourceTable whole() {
    List<SourceColumn> columns = new ArrayList<>();
    for (String name : wide.inOrder()) {
      DataType type = wide.types().get(name);
      columns.add(
          wide.column(
              name,
              type != null ? type : sums.contains(name) ? DataTypes.BIGINT : DataTypes.STRING));
    }
    return new SourceTable(id(), columns, rule().primaryKey());
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
    for (String name : wide.inOrder()) {
      SourceColumn column = columns.remove(name);
      if (column != null) {
        result.add(column);
      }
    }
    // Of a rule before: they stay.
    result.addAll(columns.values());
    return new SourceTable(id(), result, rule().primaryKey());
  }

  /** A sum outgrows its values, and the table format lets it wrap without a word. */
  private SourceColumn roomy(SourceColumn column) {
    DataType type = column.lakeType();
    if (type == null || wide.types().containsKey(column.name())) {
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

  /** See {@link WideColumns#options}. */
  public Map<String, String> options(SourceTable table) {
    return wide.options(table);
  }

  /** See {@link WideColumns#target}. */
  TableTarget target(LakeTarget lake, SourceTable definition) {
    return wide.target(lake, definition);
  }
}
