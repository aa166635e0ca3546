package io.sluice.replicator.wide.tables;

import io.sluice.config.LakeTarget;
import io.sluice.config.TableRouting;
import io.sluice.config.WidePart;
import io.sluice.evolution.MappedType;
import io.sluice.evolution.PlanOptions;
import io.sluice.evolution.PlannedTable;
import io.sluice.evolution.SchemaChange;
import io.sluice.evolution.SchemaDiff;
import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.evolution.TablePlanner;
import io.sluice.evolution.TypeLattice;
import io.sluice.evolution.TypeMapping;
import io.sluice.lsm.schema.DataType;
import io.sluice.replicator.wide.WideColumns;
import io.sluice.sinks.TableRefusedException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The definitions of the tables that fill one wide table, and what they make of it: a column has
 * the type that the rule says, else the one that holds the values of all columns that fill it.
 */
final class PartDefinitions {

  private final WideColumns columns;
  private final LakeTarget lake;
  private final TableRouting routing;
  private final Map<SourceTableId, SourceTable> definitions = new LinkedHashMap<>();

  PartDefinitions(WideColumns columns, LakeTarget lake, TableRouting routing) {
    this.columns = columns;
    this.lake = lake;
    this.routing = routing;
  }

  /** What is known, the columns that parts take and the key's; in the order of their coming. */
  Collection<SourceTable> all() {
    return definitions.values();
  }

  void clear() {
    definitions.clear();
  }

  /** The wide table as far as rule and definitions tell; null if its key has no type yet. */
  @Nullable SourceTable wanted() {
    return columns.table(types());
  }

  /** Whether a captured table fills a part. */
  boolean takes(SourceTableId table) {
    return routing.captures(table.database(), table.table())
        && columns.rule().parts().stream()
            .anyMatch(part -> TableRouting.takes(part, table.database(), table.table()));
  }

  /**
   * What a table looks like, or has become.
   *
   * @return whether that is new
   * @throws TableRefusedException the wide table can't be filled by it, or can't follow the change
   */
  boolean define(SourceTable whole) {
    SourceTable now = taken(whole);
    SourceTable before = definitions.get(now.id());
    if (now.equals(before)) {
      return false;
    }
    requireFollowed(before, now);
    definitions.put(now.id(), now);
    return true;
  }

  /** The columns that parts take, and the key's. */
  private SourceTable taken(SourceTable table) {
    Set<String> names = new LinkedHashSet<>(table.primaryKey());
    for (WidePart part : partsOf(table.id())) {
      for (Map.Entry<String, String> each : WideColumns.fields(part).entrySet()) {
        if (table.columns().stream().noneMatch(column -> column.name().equals(each.getValue()))) {
          throw refused(
              "column "
                  + each.getKey()
                  + " is filled by column "
                  + each.getValue()
                  + " of "
                  + table.id()
                  + " (part "
                  + part.name()
                  + "), which has no such column. Correct the rule, or give the table the column"
                  + " back.");
        }
        names.add(each.getValue());
      }
    }
    return new SourceTable(
        table.id(),
        table.columns().stream().filter(column -> names.contains(column.name())).toList(),
        table.primaryKey());
  }

  /** Parts that a table fills. */
  List<WidePart> partsOf(SourceTableId table) {
    return columns.rule().parts().stream()
        .filter(part -> TableRouting.takes(part, table.database(), table.table()))
        .toList();
  }

  TableRefusedException refused(String problem) {
    return new TableRefusedException(columns.id(), "Wide table " + columns.id() + ": " + problem);
  }

  /** What would leave a copied table's rows in doubt leaves those of a part in doubt. */
  private void requireFollowed(@Nullable SourceTable before, SourceTable now) {
    PlannedTable plan = plan(before == null ? now : before);
    if (plan instanceof PlannedTable.Refused refusal) {
      throw refused(refusal.text());
    }
    SchemaChange change =
        SchemaDiff.diff(
            before, now, ((PlannedTable.Planned) plan).schema(), lake.tinyIntOneAsBoolean(), 0);
    if (change instanceof SchemaChange.Refused refusal) {
      throw refused(refusal.reason());
    }
  }

  private PlannedTable plan(SourceTable table) {
    return TablePlanner.plan(
        table,
        new PlanOptions(
            columns.id().database(),
            columns.id().table(),
            1,
            List.of(),
            Map.of(),
            lake.tinyIntOneAsBoolean()),
        0);
  }

  /** Types by column, as far as rule and definitions tell. */
  private Map<String, DataType> types() {
    Map<String, DataType> result = new LinkedHashMap<>(columns.types());
    TypeMapping mapping = new TypeMapping(lake.tinyIntOneAsBoolean());
    for (SourceTable table : definitions.values()) {
      for (WidePart part : partsOf(table.id())) {
        WideColumns.fields(part)
            .forEach(
                (column, field) -> {
                  if (!columns.types().containsKey(column)) {
                    result.merge(
                        column,
                        type(mapping, table, field),
                        (one, other) -> joined(column, table, one, other));
                  }
                });
      }
    }
    return result;
  }

  private DataType type(TypeMapping mapping, SourceTable table, String field) {
    SourceColumn column =
        table.columns().stream()
            .filter(each -> each.name().equals(field))
            .findFirst()
            .orElseThrow();
    MappedType mapped = mapping.map(column);
    if (mapped instanceof MappedType.Lake type) {
      return type.type();
    }
    MappedType.Refused refusal = (MappedType.Refused) mapped;
    throw refused(
        "column " + field + " of " + table.id() + ": " + refusal.reason() + " " + refusal.remedy());
  }

  private DataType joined(String column, SourceTable table, DataType one, DataType other) {
    DataType joined = TypeLattice.join(one, other);
    if (joined != null) {
      return joined;
    }
    throw refused(
        "column "
            + column
            + " is "
            + one
            + " by one of its sources and "
            + other
            + " by "
            + table.id()
            + ". Say its type in the rule: types { "
            + column
            + " = \"...\" }.");
  }
}
