package io.sluice.replicator.cli;

import io.sluice.config.ConfigProblemsException;
import io.sluice.config.SluiceConfig;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.replicator.daemon.PipelineEnd;
import io.sluice.sinks.epoch.LakeTable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Ends a pipeline. */
@Command(
    name = "forget",
    description = {
      "Ends a pipeline for good: its folder, its lease and what it keeps from expiring go; its"
          + " tables stay. Refused while a daemon runs it."
    })
final class ForgetCommand implements Callable<Integer> {

  private final Context context;

  @Mixin private ConfigArgument config = new ConfigArgument();

  ForgetCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws ConfigProblemsException, IOException {
    SluiceConfig loaded = config.load(context);
    try (FileIO fileIO = FileIOs.forUri(loaded.warehouse(), context.freshIds())) {
      PipelineEnd end =
          new PipelineEnd(fileIO, FileIOs.pathOf(loaded.warehouse()), loaded.pipeline());
      if (!end.isKnown()) {
        throw new CommandFailedException(
            ExitCode.USAGE,
            "There is no pipeline " + loaded.pipeline() + " in " + loaded.warehouse() + ".");
      }
      List<LakeTable> tables = end.forget(context.freshIds().get());
      context.out().println("Pipeline " + loaded.pipeline() + " is forgotten. Its tables stay:");
      tables.forEach(table -> context.out().println("  " + table));
      context
          .out()
          .println(
              "To replicate into them again, move them away first: a new pipeline doesn't know what"
                  + " has become of their rows.");
    }
    return ExitCode.OK;
  }
}
