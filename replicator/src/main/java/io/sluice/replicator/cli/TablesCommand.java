package io.sluice.replicator.cli;

import io.sluice.lsm.datafile.DecodingThreads;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.lsm.scan.RowReader;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.table.TableStatistics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Prints what a warehouse holds. */
@Command(name = "tables", description = "Prints databases and tables of a warehouse.")
final class TablesCommand implements Callable<Integer> {

  private static final String DATABASE_SUFFIX = ".db";

  private final Context context;

  @Option(
      names = {"-w", "--warehouse"},
      required = true,
      paramLabel = "WAREHOUSE",
      description = "Its folder or file:/// URI.")
  private String warehouse = "";

  @Option(
      names = "--count",
      description = {
        "Count rows too, which reads the tables' keys. Without it there are records: rows with"
            + " their older versions and deletes not compacted yet."
      })
  private boolean count;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "table, jsonl or csv. Default: ${DEFAULT-VALUE}.")
  private RecordPrinter.Format format = RecordPrinter.Format.TABLE;

  TablesCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    FileIO fileIO = FileIOs.forUri(warehouse, context.freshIds());
    String root = FileIOs.pathOf(warehouse);
    List<String> columns =
        new ArrayList<>(
            List.of("database", "table", "records", "files", "bytes", "snapshot", "time"));
    if (count) {
      columns.add(2, "rows");
    }
    RecordPrinter printer = RecordPrinter.of(format, context.out(), columns);
    int tables = 0;
    for (FileIO.FileStatus database : folders(fileIO, root)) {
      if (!database.name().endsWith(DATABASE_SUFFIX)) {
        continue;
      }
      for (FileIO.FileStatus folder : folders(fileIO, database.path())) {
        if (LsmTable.exists(fileIO, folder.path())) {
          printer.print(line(fileIO, database.name(), folder));
          tables++;
        }
      }
    }
    printer.end();
    if (tables == 0) {
      context.err().println("There are no tables in " + root + ".");
      context.err().flush();
    }
    return ExitCode.OK;
  }

  private static List<FileIO.FileStatus> folders(FileIO fileIO, String path) throws IOException {
    return fileIO.list(path).stream()
        .filter(FileIO.FileStatus::folder)
        .sorted(Comparator.comparing(FileIO.FileStatus::name))
        .toList();
  }

  private @Nullable Object[] line(FileIO fileIO, String database, FileIO.FileStatus folder)
      throws IOException {
    List<@Nullable Object> values = new ArrayList<>();
    values.add(database.substring(0, database.length() - DATABASE_SUFFIX.length()));
    values.add(folder.name());
    LsmTable table;
    try {
      table = LsmTable.open(fileIO, folder.path(), context.clock(), context.freshIds());
    } catch (UnsupportedTableException e) {
      // Another writer's table is there all the same.
      while (values.size() < (count ? 8 : 7)) {
        values.add(null);
      }
      return values.toArray();
    }
    Snapshot newest = table.snapshots().findLatest();
    TableStatistics statistics = table.statistics(newest);
    if (count) {
      values.add(rows(table));
    }
    values.add(statistics.records());
    values.add((long) statistics.files());
    values.add(statistics.bytes());
    values.add(newest == null ? null : newest.id());
    values.add(newest == null ? null : SnapshotArgument.shown(newest.timeMillis()));
    return values.toArray();
  }

  private static long rows(LsmTable table) throws IOException {
    List<String> key = table.newestSchema().primaryKeys();
    var scan = table.newScan();
    long rows = 0;
    try (DecodingThreads threads = DecodingThreads.besideTheReader();
        RowReader reader = (key.isEmpty() ? scan : scan.columns(key)).ahead(threads).open()) {
      while (reader.advance()) {
        rows++;
      }
    }
    return rows;
  }
}
