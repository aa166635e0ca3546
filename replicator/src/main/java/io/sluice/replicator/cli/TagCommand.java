package io.sluice.replicator.cli;

import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.Tag;
import io.sluice.lsm.table.LsmTable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes, deletes and lists tags. */
@Command(
    name = "tag",
    description = {
      "Tags keep a snapshot readable for as long as they are there ('scan --tag'). May run beside a"
          + " pipeline. create: of the newest snapshot, or of --snapshot. delete: with the files"
          + " that only the tag keeps. list: all."
    })
final class TagCommand implements Callable<Integer> {

  private static final List<String> COLUMNS =
      List.of("tag", "snapshot", "time", "records", "created", "retained");

  private enum Action {
    CREATE,
    DELETE,
    LIST
  }

  private final Context context;

  @Mixin private TableArgument table = new TableArgument();

  @Parameters(index = "1", paramLabel = "ACTION", description = "create, delete or list.")
  private Action action = Action.LIST;

  @Parameters(index = "2", arity = "0..1", paramLabel = "TAG", description = "Name of the tag.")
  private @Nullable String name;

  @Option(names = "--snapshot", paramLabel = "N", description = "create: of this snapshot.")
  private @Nullable Long snapshot;

  @Option(
      names = "--retain",
      paramLabel = "TIME",
      description = "create: it may go after this time: 12h, 7d. Default: it stays.")
  private @Nullable String retain;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "list: table, jsonl or csv. Default: ${DEFAULT-VALUE}.")
  private RecordPrinter.Format format = RecordPrinter.Format.TABLE;

  TagCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    LsmTable opened = table.open(context);
    if ((snapshot != null || retain != null) && action != Action.CREATE) {
      throw new CommandFailedException(
          ExitCode.USAGE, "--snapshot and --retain go with create only.");
    }
    switch (action) {
      case CREATE -> create(opened, named());
      case DELETE -> delete(opened, named());
      case LIST -> list(opened);
    }
    return ExitCode.OK;
  }

  private String named() {
    if (name == null) {
      throw new CommandFailedException(ExitCode.USAGE, "The tag's name is missing.");
    }
    return name;
  }

  private void create(LsmTable opened, String tag) throws IOException {
    String root = opened.paths().root();
    Snapshot of =
        snapshot == null
            ? opened.snapshots().findLatest()
            : opened.snapshots().readIfThere(snapshot);
    if (of == null) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "Table "
              + root
              + " has no snapshot"
              + (snapshot == null ? " yet." : " " + snapshot + "; 'sluice snapshots' lists them."));
    }
    Duration time = retain == null ? null : ExpireCommand.duration(retain);
    LocalDateTime now =
        time == null
            ? null
            : LocalDateTime.ofInstant(context.clock().instant(), ZoneId.systemDefault());
    boolean created;
    try {
      created = opened.tags().create(new Tag(tag, of, now, time));
    } catch (IllegalArgumentException e) {
      throw new CommandFailedException(ExitCode.USAGE, String.valueOf(e.getMessage()) + ".");
    }
    if (!created) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "Table " + root + " has a tag " + tag + " already; 'sluice tag TABLE list' shows it.");
    }
    context.out().println("Tag " + tag + " keeps snapshot " + of.id() + " of table " + root + ".");
  }

  private void delete(LsmTable opened, String tag) throws IOException {
    int files;
    try {
      files = opened.newTagRemoval().delete(tag);
    } catch (FileNotFoundException | IllegalArgumentException e) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "Table "
              + opened.paths().root()
              + " has no tag "
              + tag
              + "; it has "
              + opened.tags().names()
              + ".");
    }
    context.out().println("Tag " + tag + " is gone, and " + files + " files that only it kept.");
  }

  private void list(LsmTable opened) throws IOException {
    RecordPrinter printer = RecordPrinter.of(format, context.out(), COLUMNS);
    for (Tag tag : opened.tags().list()) {
      printer.print(
          tag.name(),
          tag.snapshot().id(),
          SnapshotArgument.shown(tag.snapshot().timeMillis()),
          tag.snapshot().totalRecordCount(),
          tag.createTime() == null ? null : tag.createTime().toString(),
          tag.timeRetained() == null ? null : tag.timeRetained().toString());
    }
    printer.end();
  }
}
