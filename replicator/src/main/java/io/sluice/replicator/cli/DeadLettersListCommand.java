package io.sluice.replicator.cli;

import io.sluice.config.ConfigProblemsException;
import io.sluice.config.SluiceConfig;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.replicator.letters.KeptLetter;
import io.sluice.sinks.DeadLetter;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists dead letters. */
@Command(
    name = "list",
    description = {"Lists the letters of a pipeline that wait, oldest first."})
final class DeadLettersListCommand implements Callable<Integer> {

  private static final List<String> COLUMNS =
      List.of("letter", "state", "since", "table", "reason", "detail");

  private static final List<String> ALL_COLUMNS =
      List.of(
          "letter",
          "source",
          "position",
          "state",
          "since",
          "table",
          "message_time",
          "reason",
          "detail",
          "sequence_number");

  /** Of a line for people; jsonl has all of it, and so has show. */
  private static final int DETAIL_MAX = 100;

  private final Context context;

  @Mixin private ConfigArgument config = new ConfigArgument();

  @Mixin private LetterFilter filter = new LetterFilter();

  @Option(names = "--all", description = "Those that were replayed or dropped, too.")
  private boolean all;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "table, jsonl or csv. Default: ${DEFAULT-VALUE}.")
  private RecordPrinter.Format format = RecordPrinter.Format.TABLE;

  DeadLettersListCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws ConfigProblemsException, IOException {
    SluiceConfig loaded = config.load(context);
    boolean forPeople = format == RecordPrinter.Format.TABLE;
    RecordPrinter printer =
        RecordPrinter.of(format, context.out(), forPeople ? COLUMNS : ALL_COLUMNS);
    try (FileIO fileIO = FileIOs.forUri(loaded.warehouse(), context.freshIds())) {
      boolean wanted = true;
      for (KeptLetter kept :
          DeadLettersCommand.box(loaded, fileIO, context).list(filter.of(List.of(), context))) {
        if (wanted && (all || kept.waiting() > 0)) {
          wanted = printer.print(forPeople ? line(kept) : record(kept));
        }
      }
    }
    printer.end();
    return ExitCode.OK;
  }

  private static @Nullable Object[] line(KeptLetter kept) {
    DeadLetter letter = kept.letter();
    String detail = letter.detail();
    return new @Nullable Object[] {
      kept.name(),
      kept.state().text(),
      SnapshotArgument.shown(kept.stateMillis()),
      letter.table(),
      letter.reason(),
      detail.length() > DETAIL_MAX ? detail.substring(0, DETAIL_MAX - 1) + "…" : detail
    };
  }

  private static @Nullable Object[] record(KeptLetter kept) {
    DeadLetter letter = kept.letter();
    return new @Nullable Object[] {
      kept.name(),
      letter.source(),
      letter.position(),
      kept.state().text(),
      SnapshotArgument.shown(kept.stateMillis()),
      letter.table(),
      letter.timeMillis() < 0 ? null : SnapshotArgument.shown(letter.timeMillis()),
      letter.reason(),
      letter.detail(),
      kept.sequence()
    };
  }
}
