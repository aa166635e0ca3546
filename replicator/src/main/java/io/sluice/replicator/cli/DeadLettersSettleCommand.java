package io.sluice.replicator.cli;

import io.sluice.config.ConfigProblemsException;
import io.sluice.config.SluiceConfig;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.replicator.daemon.LetterRequests;
import io.sluice.replicator.daemon.LetterRequests.Answer;
import io.sluice.replicator.letters.LetterSelection;
import io.sluice.replicator.letters.LetterWork;
import io.sluice.sinks.epoch.EpochStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has the daemon take letters in, or mark them as not wanted. */
@Command
final class DeadLettersSettleCommand implements Callable<Integer> {

  private static final long LOOK_MILLIS = 300;
  private static final long SAY_NANOS = Duration.ofSeconds(10).toNanos();

  private final Context context;
  private final LetterWork work;

  @Mixin private ConfigArgument config = new ConfigArgument();

  @Mixin private LetterFilter filter = new LetterFilter();

  @Parameters(
      paramLabel = "LETTER",
      arity = "0..*",
      description = "Names of letters, as list tells them: orders-0@17.")
  private List<String> names = List.of();

  @Option(names = "--all", description = "All letters of the pipeline that wait.")
  private boolean all;

  @Option(names = "--no-wait", description = "Only ask for it.")
  private boolean noWait;

  private DeadLettersSettleCommand(Context context, LetterWork work) {
    this.context = context;
    this.work = work;
  }

  static picocli.CommandLine replay(Context context) {
    return described(
        new DeadLettersSettleCommand(context, LetterWork.REPLAY),
        "Takes letters in by the rules that hold now: correct the rule of their topic first. Each"
            + " counts as if it had come in its place, so that a newer row of its key stays. Only"
            + " where the key was deleted meanwhile and a compaction has forgotten that does the"
            + " row come back. What is still bad stays, and the answer says why.",
        "The running daemon does it, exactly once; one that doesn't run does it when it starts.");
  }

  static picocli.CommandLine drop(Context context) {
    return described(
        new DeadLettersSettleCommand(context, LetterWork.DROP),
        "Marks letters as not wanted. Their bytes stay in sluice_system.dead_letters, and list"
            + " --all shows them.",
        "The running daemon does it; one that doesn't run does it when it starts.");
  }

  private static picocli.CommandLine described(
      DeadLettersSettleCommand command, String... description) {
    var line = new picocli.CommandLine(command);
    line.getCommandSpec().usageMessage().description(description);
    return line;
  }

  @Override
  public Integer call() throws ConfigProblemsException, IOException, InterruptedException {
    SluiceConfig loaded = config.load(context);
    if (all != (names.isEmpty() && filter.isEmpty())) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          all
              ? "--all goes without names and other options."
              : "Say which: names of letters, --table, --source, --reason, --since, or --all.");
    }
    LetterSelection which = filter.of(names, context);
    try (FileIO fileIO = FileIOs.forUri(loaded.warehouse(), context.freshIds())) {
      long waiting =
          DeadLettersCommand.box(loaded, fileIO, context).list(which).stream()
              .filter(letter -> letter.waiting() > 0)
              .count();
      if (waiting == 0) {
        throw new CommandFailedException(
            ExitCode.USAGE,
            "No letter of pipeline "
                + loaded.pipeline()
                + " waits that is meant by this. 'sluice dead-letters list -c FILE --all' lists"
                + " what there is, and what became of it.");
      }
      LetterRequests requests =
          new LetterRequests(
              fileIO,
              new EpochStore(fileIO, FileIOs.pathOf(loaded.warehouse()), loaded.pipeline())
                  .folder());
      String request = context.freshIds().get();
      requests.ask(request, work, which);
      say(
          "Asked to "
              + work.text()
              + " "
              + waiting
              + (waiting == 1 ? " letter: " : " letters: ")
              + requests.path(request));
      return noWait ? ExitCode.OK : awaitAnswer(requests, request);
    }
  }

  private int awaitAnswer(LetterRequests requests, String request)
      throws IOException, InterruptedException {
    long said = System.nanoTime();
    while (true) {
      Optional<Answer> answer = requests.takeAnswer(request);
      if (answer.isPresent()) {
        return tell(answer.get());
      }
      if (System.nanoTime() - said > SAY_NANOS) {
        said = System.nanoTime();
        say("No answer yet: does the daemon run? The request waits for it; Ctrl-C leaves it.");
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
  }

  private int tell(Answer answer) {
    if (answer.problem() != null) {
      say("It can't be done: " + answer.problem());
      return ExitCode.FAULTS;
    }
    say(
        answer.done()
            + " "
            + work.outcome().text()
            + (answer.staying() == 0
                ? "."
                : ", " + answer.staying() + " still bad: they wait as before."));
    answer.why().forEach(this::say);
    long more = answer.staying() - answer.why().size();
    if (more > 0) {
      say("And " + more + " more.");
    }
    return answer.staying() == 0 ? ExitCode.OK : ExitCode.FAULTS;
  }

  private void say(String line) {
    context.out().println(line);
    context.out().flush();
  }
}
