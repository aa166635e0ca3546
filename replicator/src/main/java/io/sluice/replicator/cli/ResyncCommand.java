package io.sluice.replicator.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.config.ConfigProblemsException;
import io.sluice.config.SluiceConfig;
import io.sluice.config.SourceType;
import io.sluice.config.TableErrorPolicy;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.replicator.daemon.ResyncRequests;
import io.sluice.replicator.http.StatusJson;
import io.sluice.sinks.DeadLetterTable;
import io.sluice.sinks.KeyStretch;
import io.sluice.sinks.Parked;
import io.sluice.sinks.epoch.EpochFile;
import io.sluice.sinks.epoch.EpochFile.SourceFacts;
import io.sluice.sinks.epoch.EpochStore;
import io.sluice.sinks.epoch.LakeTable;
import io.sluice.sinks.epoch.LakeTables;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has the daemon copy a table again. */
@Command(
    name = "resync",
    description = {
      "Brings a parked table back, or all. Of a database: copies it again beside the running stream,"
          + " which also repairs one that differs from its source. Of topics: reads them for it once"
          + " more from where it was parked. Readers see a full table all the time, and the other"
          + " tables go on.",
      "The running daemon does it; one that doesn't run does it when it starts."
    })
final class ResyncCommand implements Callable<Integer> {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long LOOK_MILLIS = 500;
  private static final long SAY_NANOS = Duration.ofSeconds(10).toNanos();

  private final Context context;

  @Mixin private ConfigArgument config = new ConfigArgument();

  @Parameters(
      paramLabel = "TABLE",
      arity = "0..1",
      description = "The source's table: database.table.")
  private String table = "";

  @Option(
      names = "--all",
      description =
          "All tables of a database's pipeline. A daemon that is started with this begins where its"
              + " source is then: the way past a gap in the source's log, or past what can't be read"
              + " of it. What isn't copied yet is parked meanwhile. Of topics: all tables that are"
              + " parked.")
  private boolean all;

  @Option(
      names = "--where",
      paramLabel = "CONDITION",
      description =
          "These rows of a table that is consistent: comparisons of the first column of its primary"
              + " key, an integer, joined by AND, e.g. 'id >= 1000 AND id < 2000'.")
  private @Nullable String where;

  @Option(names = "--no-wait", description = "Only ask for it.")
  private boolean noWait;

  private boolean ofTopics;

  ResyncCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws ConfigProblemsException, IOException, InterruptedException {
    SluiceConfig loaded = config.load(context);
    KeyStretch keys = where == null ? null : KeyCondition.parse(where);
    if (all && keys != null) {
      throw new CommandFailedException(ExitCode.USAGE, "--where goes with one table, not --all.");
    }
    try (FileIO fileIO = FileIOs.forUri(loaded.warehouse(), context.freshIds())) {
      EpochStore store =
          new EpochStore(fileIO, FileIOs.pathOf(loaded.warehouse()), loaded.pipeline());
      LakeTables tables =
          new LakeTables(
              fileIO, FileIOs.pathOf(loaded.warehouse()), context.clock(), context.freshIds());
      List<SourceTableId> ids = all ? known(loaded, store) : List.of(find(loaded, store));
      ResyncRequests requests = new ResyncRequests(fileIO, store.folder());
      String request = context.freshIds().get();
      if (all) {
        requests.askForAll(request);
      } else {
        requests.ask(request, ids.get(0), keys);
      }
      ofTopics = loaded.source().type() == SourceType.KAFKA;
      say(
          (ofTopics ? "Asked to bring back " : "Asked for a new copy of ")
              + (all ? ofTopics ? "all parked tables" : "all tables" : ids.get(0))
              + (keys == null ? "" : " where " + keys)
              + ": "
              + requests.path(request));
      if (noWait) {
        return ExitCode.OK;
      }
      int worst = awaitAnswer(requests, request).problem() == null ? ExitCode.OK : ExitCode.FAULTS;
      if (all || worst == ExitCode.OK) {
        for (SourceTableId id : ids) {
          worst = Math.max(worst, follow(store, tables, id));
        }
      }
      return worst;
    }
  }

  private List<SourceTableId> known(SluiceConfig loaded, EpochStore store) throws IOException {
    if (!table.isEmpty()) {
      throw new CommandFailedException(ExitCode.USAGE, "Name a table, or say --all.");
    }
    if (loaded.source().type() == SourceType.KAFKA) {
      return newest(loaded, store).sources().entrySet().stream()
          .filter(each -> each.getValue().parked() != null)
          .map(Map.Entry::getKey)
          .toList();
    }
    if (loaded.onTableError() == TableErrorPolicy.STOP) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "--all takes on-table-error = park: what isn't copied yet is parked meanwhile.");
    }
    return newest(loaded, store).sources().keySet().stream()
        .filter(id -> !id.equals(DeadLetterTable.ID))
        .toList();
  }

  private SourceTableId find(SluiceConfig loaded, EpochStore store) throws IOException {
    if (table.isEmpty()) {
      throw new CommandFailedException(ExitCode.USAGE, "Name a table, or say --all.");
    }
    EpochFile newest = newest(loaded, store);
    List<SourceTableId> found = new ArrayList<>();
    for (SourceTableId each : newest.sources().keySet()) {
      if (each.equals(DeadLetterTable.ID)) {
        continue;
      }
      if (table.equals(each.toString())
          || table.equals(quoted(each.database()) + "." + quoted(each.table()))) {
        found.add(each);
      }
    }
    if (found.size() != 1) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          found.isEmpty()
              ? "Pipeline "
                  + loaded.pipeline()
                  + " has no table "
                  + table
                  + "; it has "
                  + newest.sources().keySet()
                  + "."
              : "\"" + table + "\" may be one of two: write `database`.`table`.");
    }
    return found.get(0);
  }

  private static EpochFile newest(SluiceConfig loaded, EpochStore store) throws IOException {
    EpochFile newest = store.readHighest();
    if (newest == null) {
      throw new CommandFailedException(
          ExitCode.USAGE,
          "Pipeline "
              + loaded.pipeline()
              + " has never run: there is no epoch in "
              + store.folder()
              + ".");
    }
    return newest;
  }

  private static String quoted(String name) {
    return "`" + name.replace("`", "``") + "`";
  }

  private ResyncRequests.Answer awaitAnswer(ResyncRequests requests, String request)
      throws IOException, InterruptedException {
    long said = System.nanoTime();
    while (true) {
      Optional<ResyncRequests.Answer> answer = requests.takeAnswer(request);
      if (answer.isPresent()) {
        String problem = answer.get().problem();
        say(
            problem == null
                ? ofTopics ? "It is on its way." : "The copy has begun."
                : (ofTopics ? "It can't come back: " : "It can't be copied again: ") + problem);
        return answer.get();
      }
      if (System.nanoTime() - said > SAY_NANOS) {
        said = System.nanoTime();
        say("No answer yet: does the daemon run? The request waits for it; Ctrl-C leaves it.");
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
  }

  /** Tells how the copy goes on until the table is what the source is. */
  private int follow(EpochStore store, LakeTables tables, SourceTableId id)
      throws IOException, InterruptedException {
    long said = 0;
    long waitsSince = 0;
    while (true) {
      EpochFile newest = store.readHighest();
      SourceFacts facts = newest == null ? null : newest.sources().get(id);
      if (newest == null || facts == null) {
        say(id + " is no table of the pipeline any more.");
        return ExitCode.FAULTS;
      }
      Parked parked = facts.parked();
      if (parked != null && parked.catchingUp()) {
        if (said == 0 || System.nanoTime() - said > SAY_NANOS) {
          said = System.nanoTime();
          say(
              id
                  + " catches up"
                  + ", "
                  + StatusJson.behind(parked.position(), newest.position()).orElse(0)
                  + " messages to go");
        }
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        continue;
      }
      if (parked != null) {
        say(id + " is parked at epoch " + parked.epoch() + ": " + parked.reason());
        return ExitCode.FAULTS;
      }
      JsonNode progress = progress(facts);
      String state = progress.path("state").asText("pending");
      if (state.equals("consistent") && facts.staleBelow() == 0) {
        if (!isInTable(newest, tables, facts.lakeTable())) {
          if (waitsSince == 0) {
            waitsSince = System.nanoTime();
          } else if (System.nanoTime() - waitsSince > SAY_NANOS) {
            waitsSince = System.nanoTime();
            say(
                id
                    + ": epoch "
                    + newest.number()
                    + " is not in "
                    + facts.lakeTable()
                    + " yet: does the daemon run?");
          }
          TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
          continue;
        }
        say(
            id
                + (ofTopics
                    ? " is where the others are from epoch "
                    : " is what its source is from epoch ")
                + newest.number()
                + " on.");
        return ExitCode.OK;
      }
      if (said == 0 || System.nanoTime() - said > SAY_NANOS) {
        said = System.nanoTime();
        say(id + ": " + state + ", " + progress.path("rows").asLong() + " rows copied");
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    }
  }

  /** An epoch's file stands before its snapshots do. */
  private static boolean isInTable(EpochFile epoch, LakeTables tables, LakeTable table)
      throws IOException {
    Long last = epoch.lastEpochs().get(table);
    return last == null || tables.newestEpoch(table, epoch.pipeline()) >= last;
  }

  private static JsonNode progress(SourceFacts facts) {
    String text = facts.backfill();
    try {
      return JSON.readTree(text == null ? "{}" : text);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Not a backfill's progress: " + text, e);
    }
  }

  private void say(String line) {
    context.out().println(line);
    context.out().flush();
  }
}
