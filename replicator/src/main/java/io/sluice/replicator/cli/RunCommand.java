package io.sluice.replicator.cli;

import io.sluice.config.ConfigProblemsException;
import io.sluice.config.SluiceConfig;
import io.sluice.replicator.daemon.Daemon;
import io.sluice.replicator.daemon.Daemon.Approach;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a pipeline in the foreground. */
@Command(
    name = "run",
    description = {
      "Runs the pipeline until it is told to stop (SIGTERM, Ctrl-C), then commits a last epoch.",
      "SIGHUP: reads its config again and goes by it, as far as that goes without a start.",
      "Refuses to start while another daemon runs this pipeline."
    })
final class RunCommand implements Callable<Integer> {

  private final Context context;

  @Mixin private ConfigArgument config = new ConfigArgument();

  @Option(
      names = "--take-over",
      description =
          "Take the pipeline from another daemon, alive or not, without waiting. The other one"
              + " stops with exit code 4; nothing is lost or doubled.")
  private boolean takeOver;

  RunCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws ConfigProblemsException {
    SluiceConfig loaded = config.load(context);
    Optional<String> fault = WarehouseCheck.examine(loaded.warehouse(), context.freshIds());
    if (fault.isPresent()) {
      throw new CommandFailedException(ExitCode.UNREACHABLE, fault.get());
    }
    return Daemon.run(
        loaded,
        () -> config.load(context),
        takeOver ? Approach.TAKE_OVER : Approach.ASK,
        context.env());
  }
}
