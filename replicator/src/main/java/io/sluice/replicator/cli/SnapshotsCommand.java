package io.sluice.replicator.cli;

import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints a table's history. */
@Command(name = "snapshots", description = "Prints the snapshots of a table, newest first.")
final class SnapshotsCommand implements Callable<Integer> {

  private static final List<String> COLUMNS =
      List.of(
          "snapshot",
          "time",
          "kind",
          "schema",
          "records",
          "changes",
          "files",
          "user",
          "epoch",
          "position");

  private final Context context;

  @Mixin private TableArgument table = new TableArgument();

  @Mixin private BranchArgument branch = new BranchArgument();

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "At most so many. Default: ${DEFAULT-VALUE}.")
  private int limit = 50;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "table, jsonl or csv. Default: ${DEFAULT-VALUE}.")
  private RecordPrinter.Format format = RecordPrinter.Format.TABLE;

  SnapshotsCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    LsmTable opened = branch.of(table.open(context));
    RecordPrinter printer = RecordPrinter.of(format, context.out(), COLUMNS);
    List<Long> ids = opened.snapshots().listIds();
    boolean wanted = true;
    for (int i = ids.size() - 1; wanted && i >= Math.max(0, ids.size() - limit); i--) {
      // One that expires meanwhile is left out.
      Snapshot snapshot = opened.snapshots().readIfThere(ids.get(i));
      if (snapshot != null) {
        Map<String, String> properties = snapshot.properties();
        wanted =
            printer.print(
                snapshot.id(),
                SnapshotArgument.shown(snapshot.timeMillis()),
                snapshot.commitKind().toString(),
                snapshot.schemaId(),
                snapshot.totalRecordCount(),
                snapshot.deltaRecordCount(),
                (long) opened.liveFiles(snapshot).size(),
                snapshot.commitUser(),
                number(properties.get(SnapshotArgument.EPOCH_PROPERTY)),
                properties.get("sluice.position"));
      }
    }
    printer.end();
    return ExitCode.OK;
  }

  private static @org.jspecify.annotations.Nullable Object number(
      @org.jspecify.annotations.Nullable String text) {
    return text != null && text.matches("\\d{1,18}") ? (Object) Long.parseLong(text) : text;
  }
}
