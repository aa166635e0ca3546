package io.sluice.replicator.cli;

import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.expire.Rollback;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.Tag;
import io.sluice.lsm.table.LsmTable;
import io.sluice.replicator.daemon.ResyncRequests;
import io.sluice.sinks.epoch.EpochFile;
import io.sluice.sinks.epoch.EpochFile.SourceFacts;
import io.sluice.sinks.epoch.EpochStore;
import io.sluice.sinks.epoch.LakeTable;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Takes a table back to an older snapshot. */
@Command(
    name = "rollback",
    description = {
      "Takes a table back to an older snapshot, or to a tag: the later snapshots are gone, with the"
          + " files that only they need. Stop all other writers first. Refused while a pipeline"
          + " owns the table, for it would never write the rows again that were rolled back; with"
          + " --park its daemon parks the table before, and 'sluice resync' brings it up to date."
    })
final class RollbackCommand implements Callable<Integer> {

  /** Warehouse, database and table of a table's folder. */
  private static final Pattern PLACE = Pattern.compile("(.*)/([^/]+)\\.db/([^/]+)");

  private static final long LOOK_MILLIS = 500;
  private static final long SAY_NANOS = Duration.ofSeconds(10).toNanos();

  private final Context context;

  @Mixin private TableArgument table = new TableArgument();

  /** Exactly one of the two. */
  static final class Target {
    @Option(
        names = "--snapshot",
        paramLabel = "N",
        description = "The snapshot that becomes the newest one.")
    @Nullable Long snapshot;

    @Option(
        names = "--tag",
        paramLabel = "T",
        description = "The tag whose snapshot becomes the newest one, also if it has expired.")
    @Nullable String tag;
  }

  @ArgGroup(multiplicity = "1")
  private Target target = new Target();

  @Option(
      names = "--park",
      description =
          "Have the daemon of a pipeline that owns the table park it first; it must be running.")
  private boolean park;

  RollbackCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    LsmTable opened = table.open(context);
    String root = opened.paths().root();
    try (FileIO fileIO = FileIOs.forUri(root, context.freshIds())) {
      Snapshot to = snapshot(opened);
      for (String pipeline : new TablePipelines(fileIO, opened).owners()) {
        release(fileIO, root, pipeline, to.id());
      }
      if (!snapshot(opened).equals(to)) {
        throw new CommandFailedException(
            ExitCode.PROTECTED,
            "Snapshot "
                + to.id()
                + " of table "
                + root
                + " is another one than when this began: somebody has rolled the table back."
                + " Look at 'sluice snapshots' and call again.");
      }
      Rollback.Result result = opened.newRollback().to(to);
      say(
          "Table "
              + root
              + " is at snapshot "
              + to.id()
              + "; "
              + result.snapshots()
              + " later ones are gone, and "
              + result.files()
              + " files that only they needed.");
      warnOfConsumers(opened, to);
    }
    return ExitCode.OK;
  }

  private Snapshot snapshot(LsmTable opened) throws IOException {
    String root = opened.paths().root();
    if (target.tag != null) {
      Tag tag = opened.tags().readIfThere(target.tag);
      if (tag == null) {
        throw new CommandFailedException(
            ExitCode.USAGE,
            "Table " + root + " has no tag " + target.tag + "; it has " + opened.tags().names());
      }
      return tag.snapshot();
    }
    long id = target.snapshot == null ? -1 : target.snapshot;
    Snapshot snapshot = opened.snapshots().readIfThere(id);
    if (snapshot == null) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "Table " + root + " has no snapshot " + id + "; 'sluice snapshots' lists what there is.");
    }
    return snapshot;
  }

  /** A pipeline's own is set back by its daemon. */
  private void warnOfConsumers(LsmTable opened, Snapshot to) throws IOException {
    for (Map.Entry<String, Long> consumer : opened.consumers().list().entrySet()) {
      if (consumer.getValue() > to.id() + 1
          && !consumer.getKey().startsWith(TablePipelines.CONSUMER_PREFIX)) {
        context
            .err()
            .println(
                "Consumer "
                    + consumer.getKey()
                    + " waits for snapshot "
                    + consumer.getValue()
                    + ": it will miss those before that are new.");
      }
    }
  }

  /** Returns when this pipeline's daemon writes the table no more. */
  private void release(FileIO fileIO, String root, String pipeline, long snapshot)
      throws IOException, InterruptedException {
    Matcher place = PLACE.matcher(root);
    if (!park || !place.matches()) {
      throw new CommandFailedException(
          ExitCode.PROTECTED,
          "Pipeline "
              + pipeline
              + " owns table "
              + root
              + ": rows that are rolled back would be lost to it for ever. --park has it park the"
              + " table first. To mend the table by its source use 'sluice resync'; to end the"
              + " pipeline, 'sluice forget'.");
    }
    EpochStore store = new EpochStore(fileIO, place.group(1), pipeline);
    LakeTable lake = new LakeTable(place.group(2), place.group(3));
    SourceTableId source = sourceOf(store, lake, pipeline);
    ResyncRequests requests = new ResyncRequests(fileIO, store.folder());
    String request = context.freshIds().get();
    requests.askToPark(request, source, "An operator rolls it back to snapshot " + snapshot + ".");
    say("Asked pipeline " + pipeline + " to park " + source + ": " + requests.path(request));
    Optional<ResyncRequests.Answer> answer = requests.takeAnswer(request);
    long said = System.nanoTime();
    while (answer.isEmpty()) {
      if (System.nanoTime() - said > SAY_NANOS) {
        said = System.nanoTime();
        say(
            "No answer yet: does the daemon run? After Ctrl-C delete "
                + requests.path(request)
                + ": a daemon that starts later would still park the table.");
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      answer = requests.takeAnswer(request);
    }
    String problem = answer.get().problem();
    if (problem != null) {
      throw new CommandFailedException(ExitCode.PROTECTED, source + " can't be parked: " + problem);
    }
    if (requests.waitsFor(source)) {
      throw new CommandFailedException(
          ExitCode.PROTECTED,
          source
              + " is parked, but a request in "
              + store.folder()
              + " waits to copy it again, so the daemon is about to write the table. Nothing was"
              + " rolled back. Wait until it is done, then call again.");
    }
  }

  private static SourceTableId sourceOf(EpochStore store, LakeTable lake, String pipeline)
      throws IOException {
    EpochFile newest = store.readHighest();
    if (newest != null) {
      for (Map.Entry<SourceTableId, SourceFacts> entry : newest.sources().entrySet()) {
        if (entry.getValue().lakeTable().equals(lake)) {
          return entry.getKey();
        }
      }
    }
    throw new CommandFailedException(
        ExitCode.PROTECTED,
        "Pipeline "
            + pipeline
            + " has a consumer file in table "
            + lake
            + ", but its newest epoch in "
            + store.folder()
            + " doesn't name the table. If the pipeline has left it for good, delete "
            + "consumer/consumer-sluice-"
            + pipeline
            + " in the table's folder and call again.");
  }

  private void say(String line) {
    context.out().println(line);
    context.out().flush();
  }
}
