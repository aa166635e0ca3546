package io.sluice.evolution;

import io.sluice.evolution.PlannedTable.Planned;
import io.sluice.evolution.PlannedTable.Refused;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A source table to the schema of a new lake table. Pure. */
public final class TablePlanner {

  /** What Sluice decides itself. */
  private static final Map<String, String> OPTIONS_REFUSED =
      Map.of(
          "bucket", "set bucket beside options instead",
          "bucket-key", "rows are spread by the primary key",
          "primary-key", "set primary-key beside options where the source has none",
          "partition", "set partition-by beside options instead",
          "path", "tables lie in the warehouse",
          "type", "tables are plain tables",
          "rowkind.field", "the kind of a change is that of the source",
          "orc.timestamp-ltz.legacy.type", "false is the only right value");

  private static final List<String> FILE_FORMATS = List.of("orc", "parquet", "avro");

  private static final Pattern LAKE_NAME = Pattern.compile("[^/\\\\$\\x00-\\x1f]+");

  private TablePlanner() {}

  /**
   * Plans a table: the source's columns in their order with ids from 0, key columns NOT NULL and
   * all others nullable.
   *
   * @param timeMillis epoch milliseconds, the schema's time of creation
   */
  public static PlannedTable plan(SourceTable source, PlanOptions options, long timeMillis) {
    List<String> faults = new ArrayList<>();
    TypeMapping mapping = new TypeMapping(options.tinyIntOneAsBoolean());
    List<DataField> fields = new ArrayList<>();
    for (SourceColumn column : source.columns()) {
      boolean key = source.primaryKey().contains(column.name());
      MappedType mapped = ColumnRules.map(mapping, column, key);
      if (mapped instanceof MappedType.Refused refused) {
        faults.add(fault(source, column.name(), refused.reason(), refused.remedy()));
      } else if (mapped instanceof MappedType.Lake lake) {
        DataType type = lake.type().withNullable(!key);
        fields.add(new DataField(fields.size(), column.name(), type));
      }
    }
    NestedIds nested = new NestedIds(fields.size() - 1);
    fields.replaceAll(field -> field.withType(nested.renumbered(field.type())));
    checkKeys(source, options, faults);
    checkNames(source, options, faults);
    checkOptions(source, options, faults);
    if (!faults.isEmpty()) {
      return new Refused(faults);
    }
    return new Planned(
        new TableSchema(
            0,
            new RowType(fields),
            nested.highest(),
            options.partitionBy(),
            source.primaryKey(),
            tableOptions(source, options),
            null,
            timeMillis));
  }

  private static void checkKeys(SourceTable source, PlanOptions options, List<String> faults) {
    if (source.primaryKey().isEmpty()) {
      if (options.kind() == TableKind.COPY) {
        faults.add(
            "Table "
                + source.id()
                + " has no primary key. Add one, or exclude the table with source.exclude.");
      } else {
        checkColumns(source, options.partitionBy(), "partition-by", faults);
      }
      return;
    }
    checkColumns(source, source.primaryKey(), "primary-key", faults);
    for (String column : options.partitionBy()) {
      if (!source.primaryKey().contains(column)) {
        faults.add(
            fault(
                source,
                column,
                "it is in partition-by, but not in the primary key " + source.primaryKey() + ".",
                "Partition by columns of the primary key only."));
      }
    }
    if (options.partitionBy().containsAll(source.primaryKey())) {
      faults.add(
          "Table "
              + source.id()
              + ": partition-by takes the whole primary key "
              + source.primaryKey()
              + ". Leave at least one column of it out.");
    }
  }

  private static void checkColumns(
      SourceTable source, List<String> names, String setting, List<String> faults) {
    for (String name : names) {
      if (source.columns().stream().noneMatch(column -> column.name().equals(name))) {
        faults.add(
            fault(
                source,
                name,
                "it is in " + setting + ", but the table has no such column.",
                "Name columns that every row has, or declare it."));
      }
    }
  }

  private static void checkNames(SourceTable source, PlanOptions options, List<String> faults) {
    for (String name : List.of(options.lakeDatabase(), options.lakeTable())) {
      if (!LAKE_NAME.matcher(name).matches() || name.startsWith(".") || name.equals("_sluice")) {
        faults.add(
            "Table "
                + source.id()
                + ": \""
                + name
                + "\" can't be a name in the lake: no slash, backslash, $ or control character may"
                + " be in it, no dot at its beginning. Give another name with a rule in"
                + " tables.rules (into).");
      }
    }
  }

  private static void checkOptions(SourceTable source, PlanOptions options, List<String> faults) {
    new TreeMap<>(options.options())
        .forEach(
            (key, value) -> {
              String why = OPTIONS_REFUSED.get(key);
              if (options.kind() == TableKind.COPY) {
                why = refusedInCopy(key, value, why);
              }
              if (key.equals("file.format") && !FILE_FORMATS.contains(value)) {
                why = "there are " + String.join(", ", FILE_FORMATS);
              }
              if (why != null) {
                faults.add(
                    "Table "
                        + source.id()
                        + ": table option "
                        + key
                        + " can't be set: "
                        + why
                        + ". Take it out of options.");
              }
            });
  }

  /** What would make the table something else than a copy. */
  private static @Nullable String refusedInCopy(
      String key, String value, @Nullable String otherwise) {
    if (key.equals("merge-engine") && !value.equals("deduplicate")) {
      return "a copy of the source needs deduplicate";
    }
    return key.equals("sequence.field") ? "the order is that of the source's log" : otherwise;
  }

  private static Map<String, String> tableOptions(SourceTable source, PlanOptions options) {
    Map<String, String> result = new LinkedHashMap<>();
    // A table without a key has no buckets to spread its rows over.
    result.put("bucket", source.primaryKey().isEmpty() ? "-1" : String.valueOf(options.buckets()));
    result.put("file.format", "orc");
    // Else a reader's zone shifts every TIMESTAMP_LTZ (format description 7.2).
    result.put("orc.timestamp-ltz.legacy.type", "false");
    result.putAll(new TreeMap<>(options.options()));
    return result;
  }

  private static String fault(SourceTable source, String column, String reason, String remedy) {
    return "Table " + source.id() + ", column " + column + ": " + reason + " " + remedy;
  }
}
