package io.sluice.replicator.cli;

import io.sluice.lsm.table.LsmTable;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which branch of the table is read; the table itself if none is named. */
final class BranchArgument {

  @Option(names = "--branch", paramLabel = "B", description = "This branch of the table.")
  @Nullable String branch;

  /**
   * @throws CommandFailedException if there is no such branch
   */
  LsmTable of(LsmTable table) throws IOException {
    if (branch == null) {
      return table;
    }
    try {
      return table.branch(branch);
    } catch (FileNotFoundException e) {
      throw new CommandFailedException(ExitCode.USAGE, e.getMessage() + ".");
    }
  }
}
