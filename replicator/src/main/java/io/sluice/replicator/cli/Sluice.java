package io.sluice.replicator.cli;

import io.sluice.replicator.demo.Demo;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Arrays;
import java.util.UUID;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The process: {@code sluice VERB ...}. */
@Command(
    name = "sluice",
    description =
        "Replicates MySQL and MariaDB databases and Kafka topics into Apache Paimon tables, exactly"
            + " once.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "VERB",
    footer = {
      "",
      "'sluice VERB --help' tells a verb's options. Exit codes: 0 well; 1 differences or faults were"
          + " found; 2 wrong usage or config; 3 source or warehouse unreachable; 4 stopped to protect"
          + " data."
    })
public final class Sluice implements Runnable {

  @Option(
      names = {"-v", "--verbose"},
      scope = ScopeType.INHERIT,
      description = "Log details, and show stacks of errors.")
  private boolean verbose;

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  private Sluice() {}

  public static void main(String[] args) {
    // Before the first logger: logback reads them once.
    if (Arrays.asList(args).contains("-v") || Arrays.asList(args).contains("--verbose")) {
      System.setProperty("sluice.log.level", "DEBUG");
      System.setProperty("sluice.stack", "ex");
    }
    Context context =
        new Context(
            writer(FileDescriptor.out),
            new FileOutputStream(FileDescriptor.out),
            writer(FileDescriptor.err),
            System.getenv(),
            Clock.systemUTC(),
            () -> UUID.randomUUID().toString());
    int exitCode = run(context, args);
    context.out().flush();
    context.err().flush();
    System.exit(exitCode);
  }

  private static PrintWriter writer(FileDescriptor descriptor) {
    return new PrintWriter(
        new OutputStreamWriter(new FileOutputStream(descriptor), StandardCharsets.UTF_8));
  }

  /** Runs a command line without ending the process. */
  static int run(Context context, String... args) {
    Sluice root = new Sluice();
    CommandLine line =
        new CommandLine(root)
            .addSubcommand(new RunCommand(context))
            .addSubcommand(new CheckCommand(context))
            .addSubcommand(new StatusCommand(context))
            .addSubcommand(new ResyncCommand(context))
            .addSubcommand("dead-letters", DeadLettersCommand.withVerbs(context))
            .addSubcommand(new ForgetCommand(context))
            .addSubcommand(new RollbackCommand(context))
            .addSubcommand(new Demo())
            .addSubcommand(new ScanCommand(context))
            .addSubcommand(new SnapshotsCommand(context))
            .addSubcommand(new TablesCommand(context))
            .addSubcommand(new SchemaCommand(context))
            .addSubcommand(new FsckCommand(context))
            .addSubcommand(new CompactCommand(context))
            .addSubcommand(new ExpireCommand(context))
            .addSubcommand(new TagCommand(context));
    for (CommandLine each : line.getSubcommands().values()) {
      if (!each.getCommandSpec().mixinStandardHelpOptions()) {
        each.getCommandSpec().mixinStandardHelpOptions(true);
      }
    }
    line.setOut(context.out()).setErr(context.err());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          context.out().flush();
          context.err().println(Failures.text(failure));
          if (root.verbose) {
            failure.printStackTrace(context.err());
          }
          context.err().flush();
          return Failures.exitCode(failure);
        });
    return line.execute(args);
  }

  /** Without a verb. */
  @Override
  public void run() {
    throw new CommandLine.ParameterException(spec.commandLine(), "A verb is missing.");
  }
}
