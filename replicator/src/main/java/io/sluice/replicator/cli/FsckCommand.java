package io.sluice.replicator.cli;

import io.sluice.lsm.check.Finding;
import io.sluice.lsm.check.TableCheck;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks a table. */
@Command(
    name = "fsck",
    description = {
      "Checks all snapshots, tags and branches of a table: that every file they refer to is there"
          + " and as long as it should be, that levels, key ranges and counts fit. Changes nothing."
          + " Prints one finding a line; exit code 1 if there is one."
    })
final class FsckCommand implements Callable<Integer> {

  private final Context context;

  @Mixin private TableArgument table = new TableArgument();

  @Option(
      names = "--deep",
      description = {
        "Read every data file, too: order of keys, buckets, counts, sequence numbers, checksums"
            + " where the format has them."
      })
  private boolean deep;

  FsckCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    TableCheck.Report report =
        table
            .open(context)
            .newCheck()
            .run(deep ? TableCheck.Depth.RECORDS : TableCheck.Depth.REFERENCES);
    for (Finding finding : report.findings()) {
      context.out().println(finding.toString().replace('\n', ' '));
    }
    context
        .err()
        .println(
            report.findings().size()
                + " findings in "
                + report.snapshots()
                + " snapshots and tags, "
                + report.files()
                + " data files.");
    return report.findings().isEmpty() ? ExitCode.OK : ExitCode.FAULTS;
  }
}
