package io.sluice.replicator.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.config.ConfigProblemsException;
import io.sluice.config.HttpConfig;
import io.sluice.config.SluiceConfig;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.replicator.http.StatusJson;
import io.sluice.sinks.epoch.EpochFile;
import io.sluice.sinks.epoch.EpochStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tells how a pipeline is. */
@Command(
    name = "status",
    description = {
      "Tells how a pipeline and its tables are: from the running daemon, if its status page can be"
          + " reached from here, else from the newest epoch in the lake.",
      "Exit code 1 if a table is parked or the daemon has a problem."
    })
final class StatusCommand implements Callable<Integer> {

  /** How it is printed. */
  enum Format {
    TABLE,
    JSON;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration CONNECT = Duration.ofSeconds(2);
  private static final Duration ANSWER = Duration.ofSeconds(5);

  private final Context context;

  @Mixin private ConfigArgument config = new ConfigArgument();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "table or json. Default: ${DEFAULT-VALUE}.")
  private Format format = Format.TABLE;

  StatusCommand(Context context) {
    this.context = context;
  }

  @Override
  public Integer call() throws ConfigProblemsException, IOException, InterruptedException {
    SluiceConfig loaded = config.load(context);
    Optional<String> url = page(loaded.http());
    ObjectNode status = url.isPresent() ? ofDaemon(loaded, url.get()).orElse(null) : null;
    // Where it can't be asked, port 0, the lake alone tells.
    boolean silent = url.isPresent() && status == null;
    if (status == null) {
      status = ofLake(loaded);
    }
    if (format == Format.JSON) {
      context.out().println(JSON.writerWithDefaultPrettyPrinter().writeValueAsString(status));
    } else {
      tell(status);
    }
    context.out().flush();
    boolean well = !status.hasNonNull("problem") && parked(status).isEmpty() && !silent;
    return well ? ExitCode.OK : ExitCode.FAULTS;
  }

  /** Where the daemon answers; empty if only its log tells (port 0), or it doesn't. */
  private static Optional<String> page(HttpConfig http) {
    if (!http.enabled() || http.port() == 0) {
      return Optional.empty();
    }
    String host =
        switch (http.host()) {
          case "0.0.0.0" -> "127.0.0.1";
          case "::", "[::]" -> "::1";
          default -> http.host();
        };
    return Optional.of(
        "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + http.port() + "/");
  }

  private Optional<ObjectNode> ofDaemon(SluiceConfig loaded, String url)
      throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + "api/status")).timeout(ANSWER).build();
    try {
      HttpResponse<String> answer =
          HttpClient.newBuilder()
              .connectTimeout(CONNECT)
              .build()
              .send(request, BodyHandlers.ofString());
      JsonNode node = JSON.readTree(answer.body());
      // Somebody else may listen there.
      if (answer.statusCode() == 200
          && node instanceof ObjectNode status
          && status.path("pipeline").asText().equals(loaded.pipeline())
          && status.hasNonNull("epoch")) {
        status.put("from", url);
        return Optional.of(status);
      }
    } catch (JsonProcessingException e) {
      return Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
    return Optional.empty();
  }

  private ObjectNode ofLake(SluiceConfig loaded) throws IOException {
    try (FileIO fileIO = FileIOs.forUri(loaded.warehouse(), context.freshIds())) {
      EpochStore store =
          new EpochStore(fileIO, FileIOs.pathOf(loaded.warehouse()), loaded.pipeline());
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
      ObjectNode status = StatusJson.ofLake(newest, context.clock().millis());
      status.put("from", store.path(newest.number()));
      return status;
    }
  }

  private void tell(JsonNode status) {
    say("Pipeline %s: %s", status.path("pipeline").asText(), state(status));
    if (status.hasNonNull("problem")) {
      say("Problem: %s", status.path("problem").asText());
    }
    List<String> facts = new ArrayList<>();
    facts.add("epoch " + status.path("epoch").asLong());
    age(status, "lastCommit").ifPresent(age -> facts.add("committed " + age + " ago"));
    if (status.hasNonNull("freshnessSeconds")) {
      facts.add("freshness " + seconds(status.path("freshnessSeconds")));
    }
    if (status.hasNonNull("sourceLagSeconds")) {
      facts.add("source lag " + seconds(status.path("sourceLagSeconds")));
    }
    age(status, "sourceTime").ifPresent(age -> facts.add("newest change " + age + " old"));
    long letters = status.path("deadLetters").asLong();
    if (letters > 0) {
      facts.add(letters + " dead letters since its start");
    }
    say("%s", String.join(", ", facts));
    RecordPrinter printer =
        RecordPrinter.of(
            RecordPrinter.Format.TABLE,
            context.out(),
            List.of("table", "lake", "state", "freshness", "copied", "of about"));
    for (JsonNode table : status.path("tables")) {
      printer.print(row(table));
    }
    printer.end();
    for (JsonNode table : status.path("tables")) {
      if (isOnItsWay(table)) {
        say(
            "%s was parked since %s and catches up, %s messages to go: %s",
            table.path("source").asText(),
            table.path("parked").path("since").asText(),
            table.path("parked").path("messagesToGo").asText("some"),
            table.path("parked").path("reason").asText());
      }
    }
    for (JsonNode table : parked(status)) {
      JsonNode parked = table.path("parked");
      say(
          "%s is parked since %s at epoch %d, position %s: %s To bring it back: sluice resync -c %s"
              + " %s",
          table.path("source").asText(),
          parked.path("since").asText(),
          parked.path("epoch").asLong(),
          parked.path("position"),
          parked.path("reason").asText(),
          config.file,
          table.path("source").asText());
    }
  }

  private static @Nullable Object[] row(JsonNode table) {
    JsonNode backfill = table.path("backfill");
    boolean copying = !table.path("state").asText().equals("consistent");
    long rows = backfill.path("rows").asLong();
    long estimate = table.path("backfillRowsEstimated").asLong(backfill.path("estimate").asLong());
    return new @Nullable Object[] {
      table.path("source").asText(),
      table.path("lakeTable").asText(),
      table.path("state").asText(),
      table.hasNonNull("freshnessSeconds") ? seconds(table.path("freshnessSeconds")) : null,
      copying && rows > 0 ? rows : null,
      copying && estimate > 0 ? estimate : null
    };
  }

  private static String state(JsonNode status) {
    String from = status.path("from").asText();
    return status.hasNonNull("state")
        ? status.path("state").asText() + " (" + from + ")"
        : "no daemon answers; this is what the lake has (" + from + ")";
  }

  private static boolean isOnItsWay(JsonNode table) {
    return table.path("parked").path("catchingUp").asBoolean();
  }

  private static List<JsonNode> parked(JsonNode status) {
    List<JsonNode> result = new ArrayList<>();
    for (JsonNode table : status.path("tables")) {
      if (table.hasNonNull("parked") && !isOnItsWay(table)) {
        result.add(table);
      }
    }
    return result;
  }

  /** How long ago a moment was when the status was taken. */
  private static Optional<String> age(JsonNode status, String field) {
    try {
      Instant then = Instant.parse(status.path(field).asText());
      Instant now = Instant.parse(status.path("time").asText());
      return Optional.of(seconds(Duration.between(then, now).toMillis() / 1e3));
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }

  private static String seconds(JsonNode number) {
    return seconds(number.asDouble());
  }

  private static String seconds(double number) {
    return String.format(Locale.ROOT, "%.1f s", Math.max(0, number));
  }

  private void say(String pattern, @Nullable Object... values) {
    context.out().println(String.format(Locale.ROOT, pattern, values));
  }
}
