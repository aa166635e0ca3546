package io.sluice.replicator.cli;

import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.expire.ConsumerFiles;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.lsm.table.LsmTable;
import io.sluice.replicator.daemon.ResyncRequests;
import io.sluice.sinks.epoch.EpochFile;
import io.sluice.sinks.epoch.EpochFile.SourceFacts;
import io.sluice.sinks.epoch.EpochStore;
import io.sluice.sinks.epoch.LakeTable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Takes a table back to an older snapshot. */
@Command(
    name = "rollback",
    description = {
      "Takes a table back to an older snapshot: the later ones are gone. Refused while a pipeline"
          + " owns the table, for it would never write the rows again that were rolled back; with"
          + " --park its daemon parks the table before, and 'sluice resync' brings it up to date."
    })
final class RollbackCommand implements Callable<Integer> {

  private static final String OWNER = "sluice-";

  /** Warehouse, database and table of a table's folder. */
  private static final Pattern PLACE = Pattern.compile("(.*)/([^/]+)\\.db/([^/]+)");

  private static final long LOOK_MILLIS = 500;
  private static final long SAY_NANOS = Duration.ofSeconds(10).toNanos();

  private final Context context;

  @Mixin private TableArgument table = new TableArgument();

  @Option(
      names = "--snapshot",
      required = true,
      paramLabel = "N",
      description = "The snapshot that becomes the newest one.")
  private long snapshot;

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
      if (opened.snapshots().readIfThere(snapshot) == null) {
        throw new CommandFailedException(
            ExitCode.USAGE,
            "Table "
                + root
                + " has no snapshot "
                + snapshot
                + "; 'sluice snapshots' lists what there is.");
      }
      for (String consumer : new ConsumerFiles(fileIO, opened.paths()).list().keySet()) {
        if (consumer.startsWith(OWNER)) {
          release(fileIO, root, consumer.substring(OWNER.length()));
        }
      }
      long deleted = 0;
      List<Long> ids = opened.snapshots().listIds();
      // The newest first: whatever ends this, what is left is a whole history.
      for (int i = ids.size() - 1; i >= 0 && ids.get(i) > snapshot; i--) {
        fileIO.delete(opened.paths().snapshot(ids.get(i)));
        deleted++;
      }
      opened.snapshots().writeLatestHint(snapshot);
      context
          .out()
          .println(
              "Table "
                  + root
                  + " is at snapshot "
                  + snapshot
                  + "; "
                  + deleted
                  + " later ones are gone, their data files stay as orphans.");
    }
    return ExitCode.OK;
  }

  /** Returns when this pipeline's daemon writes the table no more. */
  private void release(FileIO fileIO, String root, String pipeline)
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
            "No answer yet: does the daemon run? Ctrl-C leaves the request, and the table as it is.");
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      answer = requests.takeAnswer(request);
    }
    String problem = answer.get().problem();
    if (problem != null) {
      throw new CommandFailedException(ExitCode.PROTECTED, source + " can't be parked: " + problem);
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
