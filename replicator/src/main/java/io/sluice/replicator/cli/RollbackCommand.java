package io.sluice.replicator.cli;

import io.sluice.lsm.expire.ConsumerFiles;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.lsm.table.LsmTable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Takes a table back to an older snapshot. */
@Command(
    name = "rollback",
    description = {
      "Takes a table back to an older snapshot: the later ones are gone. Refused while a pipeline"
          + " owns the table, for it would never write the rows again that were rolled back."
    })
final class RollbackCommand implements Callable<Integer> {

  private static final String OWNER = "sluice-";

  private final Context context;

  @Mixin private TableArgument table = new TableArgument();

  @Option(
      names = "--snapshot",
      required = true,
      paramLabel = "N",
      description = "The snapshot that becomes the newest one.")
  private long snapshot;

  RollbackCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    LsmTable opened = table.open(context);
    String root = opened.paths().root();
    try (FileIO fileIO = FileIOs.forUri(root, context.freshIds())) {
      for (String consumer : new ConsumerFiles(fileIO, opened.paths()).list().keySet()) {
        if (consumer.startsWith(OWNER)) {
          String pipeline = consumer.substring(OWNER.length());
          throw new CommandFailedException(
              ExitCode.PROTECTED,
              "Pipeline "
                  + pipeline
                  + " owns table "
                  + root
                  + ": rows that are rolled back would be lost to it for ever. To mend the table by"
                  + " its source use 'sluice resync'; to end the pipeline, 'sluice forget'.");
        }
      }
      if (opened.snapshots().readIfThere(snapshot) == null) {
        throw new CommandFailedException(
            ExitCode.USAGE,
            "Table "
                + root
                + " has no snapshot "
                + snapshot
                + "; 'sluice snapshots' lists what there is.");
      }
      long deleted = 0;
      List<Long> ids = opened.snapshots().listIds();
      // The newest first: whatever ends this, what is left is a whole history.
      for (int i = ids.size() - 1; i >= 0 && ids.get(i) > snapshot; i--) {
        fileIO.delete(opened.paths().snapshot(ids.get(i)));
        deleted++;
      }
      opened.snapshots().writeLatestHint(snapshot);
      context
          .out()
          .println(
              "Table "
                  + root
                  + " is at snapshot "
                  + snapshot
                  + "; "
                  + deleted
                  + " later ones are gone, their data files stay as orphans.");
    }
    return ExitCode.OK;
  }
}
