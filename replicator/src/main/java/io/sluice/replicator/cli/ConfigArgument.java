package io.sluice.replicator.cli;

import io.sluice.config.ConfigLoader;
import io.sluice.config.ConfigProblemsException;
import io.sluice.config.SluiceConfig;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The config file that a command goes by. */
final class ConfigArgument {

  @Option(
      names = {"-c", "--config"},
      required = true,
      paramLabel = "FILE",
      description = "The pipeline's config file.")
  Path file = Path.of("");

  SluiceConfig load(Context context) throws ConfigProblemsException {
    return ConfigLoader.load(file, context.env());
  }
}
