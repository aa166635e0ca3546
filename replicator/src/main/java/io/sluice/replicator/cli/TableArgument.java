package io.sluice.replicator.cli;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.lsm.table.LsmTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The table that a command is about. */
final class TableArgument {

  @Parameters(
      paramLabel = "TABLE",
      description = {
        "The table's folder or file:/// URI; or database.table together with -w. A name that holds"
            + " a dot may stand in `backquotes`."
      })
  String table = "";

  @Option(
      names = {"-w", "--warehouse"},
      paramLabel = "WAREHOUSE",
      description = "Folder or file:/// URI of the warehouse that database.table lies in.")
  @Nullable String warehouse;

  /**
   * @throws CommandFailedException if there is no such table
   */
  LsmTable open(Context context) throws IOException {
    String warehousePath = warehouse;
    String location = warehousePath == null ? table : warehousePath;
    FileIO fileIO = FileIOs.forUri(location, context.freshIds());
    List<String> candidates =
        warehousePath == null
            ? List.of(FileIOs.pathOf(table))
            : candidates(FileIOs.pathOf(warehousePath));
    List<String> found = new ArrayList<>();
    for (String candidate : candidates) {
      if (LsmTable.exists(fileIO, candidate)) {
        found.add(candidate);
      }
    }
    if (found.size() == 1) {
      return LsmTable.open(fileIO, found.get(0), context.clock(), context.freshIds());
    }
    if (found.size() > 1) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "\"" + table + "\" may be " + String.join(" or ", found) + ". Give the folder itself.");
    }
    String remedy =
        warehousePath == null && table.indexOf('/') < 0
            ? "Give the warehouse with -w, or the table's folder."
            : "'sluice tables -w WAREHOUSE' lists what there is.";
    throw new CommandFailedException(
        ExitCode.USAGE, "There is no table at " + String.join(" or ", candidates) + ". " + remedy);
  }

  /** The folders that the text may mean: each dot may be the one between database and table. */
  private List<String> candidates(String root) {
    List<String> result = new ArrayList<>();
    if (table.startsWith("`") || table.endsWith("`")) {
      int middle = table.indexOf("`.") > 0 ? table.indexOf("`.") + 1 : table.indexOf(".`");
      if (middle > 0) {
        result.add(folder(root, table.substring(0, middle), table.substring(middle + 1)));
      }
    } else {
      for (int dot = table.indexOf('.'); dot > 0; dot = table.indexOf('.', dot + 1)) {
        if (dot < table.length() - 1) {
          result.add(folder(root, table.substring(0, dot), table.substring(dot + 1)));
        }
      }
    }
    if (result.isEmpty()) {
      throw new CommandFailedException(
          ExitCode.USAGE, "\"" + table + "\" names no table. With -w write database.table.");
    }
    return result;
  }

  private static String folder(String root, String database, String name) {
    return root + "/" + bare(database) + ".db/" + bare(name);
  }

  private static String bare(String name) {
    return name.length() > 1 && name.startsWith("`") && name.endsWith("`")
        ? name.substring(1, name.length() - 1).replace("``", "`")
        : name;
  }
}
