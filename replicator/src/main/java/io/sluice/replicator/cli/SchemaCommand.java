package io.sluice.replicator.cli;

import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataType;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.table.LsmTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints a table's columns and how they came to be. */
@Command(name = "schema", description = "Prints the columns of a table, and how they came to be.")
final class SchemaCommand implements Callable<Integer> {

  private final Context context;

  @Mixin private TableArgument table = new TableArgument();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = {
        "table, jsonl or csv; the last two print the columns alone. Default: ${DEFAULT-VALUE}."
      })
  private RecordPrinter.Format format = RecordPrinter.Format.TABLE;

  SchemaCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    LsmTable opened = table.open(context);
    TableSchema now = opened.newestSchema();
    RecordPrinter printer =
        RecordPrinter.of(format, context.out(), List.of("id", "column", "type", "key"));
    for (DataField field : now.rowType().fields()) {
      printer.print((long) field.id(), field.name(), type(field.type()), key(now, field.name()));
    }
    printer.end();
    if (format == RecordPrinter.Format.TABLE) {
      history(opened, now);
    }
    return ExitCode.OK;
  }

  private static String key(TableSchema schema, String column) {
    List<String> parts = new ArrayList<>();
    if (schema.primaryKeys().contains(column)) {
      parts.add("primary key " + (schema.primaryKeys().indexOf(column) + 1));
    }
    if (schema.partitionKeys().contains(column)) {
      parts.add("partition " + (schema.partitionKeys().indexOf(column) + 1));
    }
    return String.join(", ", parts);
  }

  private static String type(DataType type) {
    return type.root().isNested() ? type.root().name() : type.toString();
  }

  private void history(LsmTable opened, TableSchema now) throws IOException {
    PrintWriter out = context.out();
    out.println();
    out.println("options");
    now.options().forEach((key, value) -> out.println("  " + key + " = " + value));
    out.println();
    out.println("history");
    TableSchema before = null;
    for (long id : opened.schemas().listIds()) {
      TableSchema schema = opened.schemas().read(id);
      String what =
          before == null
              ? "created with " + schema.rowType().size() + " columns"
              : String.join("; ", changes(before, schema));
      out.println(
          "  schema " + id + "  " + SnapshotArgument.shown(schema.timeMillis()) + "  " + what);
      before = schema;
    }
    out.flush();
  }

  static List<String> changes(TableSchema before, TableSchema after) {
    List<String> changes = new ArrayList<>();
    RowType old = before.rowType();
    for (DataField field : after.rowType().fields()) {
      int position = old.positionOfId(field.id());
      if (position < 0) {
        changes.add("added " + field.name() + " " + type(field.type()));
        continue;
      }
      DataField was = old.field(position);
      if (!was.name().equals(field.name())) {
        changes.add("renamed " + was.name() + " to " + field.name());
      }
      if (!was.type().equals(field.type())) {
        changes.add(field.name() + " from " + type(was.type()) + " to " + type(field.type()));
      }
    }
    for (DataField field : old.fields()) {
      if (after.rowType().positionOfId(field.id()) < 0) {
        changes.add("dropped " + field.name());
      }
    }
    if (!before.options().equals(after.options())) {
      changes.add("other options");
    }
    return changes.isEmpty() ? List.of("no change of columns") : changes;
  }
}
