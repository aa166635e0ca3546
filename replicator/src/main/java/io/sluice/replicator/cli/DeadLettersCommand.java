package io.sluice.replicator.cli;

import io.sluice.config.SluiceConfig;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.replicator.letters.LetterBox;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** What a pipeline has set aside. The verbs below it do the work. */
@Command(
    name = "dead-letters",
    synopsisSubcommandLabel = "list|show|replay|drop",
    description = {
      "Records that have no place in their table, which a pipeline has set aside in"
          + " sluice_system.dead_letters (on-bad-record = dead-letter): lists and shows them, takes"
          + " them in after a fix, or marks them as not wanted."
    })
final class DeadLettersCommand implements Runnable {

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  private DeadLettersCommand() {}

  static CommandLine withVerbs(Context context) {
    CommandLine line =
        new CommandLine(new DeadLettersCommand())
            .addSubcommand(new DeadLettersListCommand(context))
            .addSubcommand(new DeadLettersShowCommand(context))
            .addSubcommand("replay", DeadLettersSettleCommand.replay(context))
            .addSubcommand("drop", DeadLettersSettleCommand.drop(context));
    line.getSubcommands()
        .values()
        .forEach(verb -> verb.getCommandSpec().mixinStandardHelpOptions(true));
    return line;
  }

  /** The letters of a pipeline. */
  static LetterBox box(SluiceConfig loaded, FileIO fileIO, Context context) {
    return new LetterBox(
        fileIO,
        FileIOs.pathOf(loaded.warehouse()),
        loaded.pipeline(),
        context.clock(),
        context.freshIds());
  }

  /** Without a verb. */
  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "Say which: list, show, replay or drop.");
  }
}
