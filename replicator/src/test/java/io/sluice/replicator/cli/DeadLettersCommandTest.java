package io.sluice.replicator.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import io.sluice.replicator.letters.KeptLetter;
import io.sluice.replicator.letters.LetterBox;
import io.sluice.replicator.letters.LetterSelection;
import io.sluice.sinks.DeadLetter;
import io.sluice.sinks.DeadLetter.State;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineSettings;
import io.sluice.sinks.SourceCallbacks;
import io.sluice.sinks.SourcePosition;
import io.sluice.sinks.TableTarget;
import io.sluice.sinks.pipeline.Pipeline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Dead letters as a person sees them, and asks for, while no daemon runs. */
class DeadLettersCommandTest {

  private static final AtomicInteger IDS = new AtomicInteger();
  private static final Supplier<String> FRESH = () -> "letters-test-" + IDS.incrementAndGet();
  private static final Instant NOON = Instant.parse("2026-01-31T12:00:00Z");

  @TempDir Path folder;

  private Path warehouse;
  private Path config;
  private FileIO fileIO;
  private long at;

  @BeforeEach
  void makeLake() throws IOException {
    warehouse = folder.resolve("warehouse");
    config =
        Files.writeString(
            folder.resolve("events.conf"),
            """
            sluice {
              pipeline = events
              warehouse = "%s"
              source {
                type = kafka, bootstrap-servers = "127.0.0.1:1", topics = [a], format = json
                properties { "default.api.timeout.ms" = 2000, "request.timeout.ms" = 1000 }
              }
            }
            """
                .formatted(warehouse));
    fileIO = FileIOs.forUri(warehouse.toString(), FRESH);
  }

  private static DeadLetter letter(String position, String reason, byte[] value) {
    return new DeadLetter(
        "a",
        position,
        reason.equals("unrouted") ? null : "ods.e",
        1_700_000_000_000L,
        reason,
        "column v: \"abc\" is no INT",
        "k".getBytes(UTF_8),
        value,
        "[{\"name\":\"h\",\"text\":\"x\"}]");
  }

  /** What a pipeline does with letters at a moment. */
  private interface Work {
    void on(Pipeline pipeline);
  }

  private void at(String pipelineName, Instant now, Work work) {
    PipelineSettings settings =
        new PipelineSettings(
            pipelineName,
            warehouse.toString(),
            Duration.ZERO,
            Duration.ZERO,
            1,
            16 << 20,
            1 << 20,
            1,
            Duration.ofHours(1),
            1000,
            10,
            1000);
    SourceCallbacks source =
        new SourceCallbacks() {
          @Override
          public Optional<TableTarget> target(SourceTableId table) {
            return Optional.empty();
          }

          @Override
          public String deliveredMark() {
            return "";
          }

          @Override
          public List<String> foldHistory(List<String> history) {
            return history;
          }
        };
    Pipeline pipeline =
        Pipeline.recover(
            settings,
            fileIO,
            Clock.fixed(now, ZoneOffset.UTC),
            FRESH,
            source,
            PipelineListener.NONE);
    try {
      work.on(pipeline);
      pipeline.changes().cutPoint(new SourcePosition("{\"at\":" + ++at + "}"), at);
    } finally {
      pipeline.close();
    }
  }

  private void setThreeAside() {
    at(
        "events",
        NOON,
        pipeline -> {
          pipeline.changes().deadLetter(letter("0@1", "value", "{\"id\":1}".getBytes(UTF_8)));
          pipeline.changes().deadLetter(letter("0@2", "malformed", new byte[] {-1, 0, 27}));
          pipeline.changes().deadLetter(letter("1@7", "unrouted", new byte[0]));
        });
    at("other", NOON, pipeline -> pipeline.changes().deadLetter(letter("9@9", "value", null)));
  }

  private LetterBox box() {
    return new LetterBox(fileIO, warehouse.toString(), "events", Clock.systemUTC(), FRESH);
  }

  private static CommandLineRun run(String... arguments) {
    List<String> all = new ArrayList<>(List.of("dead-letters"));
    all.addAll(List.of(arguments));
    return CommandLineRun.of(all.toArray(new String[0]));
  }

  @Test
  void thereIsNothingBeforeTheFirst() {
    CommandLineRun list = run("list", "-c", config.toString(), "--format", "jsonl");
    assertThat(list.exitCode()).isZero();
    assertThat(list.out()).isEmpty();
    CommandLineRun replay = run("replay", "-c", config.toString(), "--all");
    assertThat(replay.exitCode()).isEqualTo(2);
    assertThat(replay.err()).contains("No letter of pipeline events waits");
  }

  @Test
  void listsThoseThatAreMeant() {
    setThreeAside();
    CommandLineRun all = run("list", "-c", config.toString(), "--format", "jsonl");
    assertThat(all.exitCode()).isZero();
    assertThat(all.lines()).hasSize(3);
    assertThat(all.lines().get(0))
        .startsWith(
            "{\"letter\":\"a-0@1\",\"source\":\"a\",\"position\":\"0@1\",\"state\":\"set-aside\","
                + "\"since\":\"2026-01-31T12:00:00Z\",\"table\":\"ods.e\","
                + "\"message_time\":\"2023-11-14T22:13:20Z\",\"reason\":\"value\",");
    assertThat(names("--reason", "malformed")).containsExactly("a-0@2");
    assertThat(names("--table", "ods.e")).containsExactly("a-0@1", "a-0@2");
    assertThat(names("--source", "b")).isEmpty();
    assertThat(names("--since", "2026-01-31T12:00:00Z")).hasSize(3);
    assertThat(names("--since", "2026-01-31T12:00:01Z")).isEmpty();
    assertThat(run("list", "-c", config.toString()).out())
        .contains("a-0@1", "set-aside", "is no INT");
  }

  private List<String> names(String... more) {
    List<String> arguments =
        new ArrayList<>(List.of("list", "-c", config.toString(), "--format", "jsonl"));
    arguments.addAll(List.of(more));
    return run(arguments.toArray(new String[0])).lines().stream()
        .map(line -> line.replaceAll("\\{\"letter\":\"([^\"]*)\".*", "$1"))
        .toList();
  }

  @Test
  void showsOneWithItsBytes() {
    setThreeAside();
    CommandLineRun text = run("show", "-c", config.toString(), "a-0@1");
    assertThat(text.exitCode()).isZero();
    assertThat(text.lines())
        .contains(
            "letter    a-0@1",
            "reason    value",
            "state     set-aside since 2026-01-31T12:00:00Z",
            "headers   [{\"name\":\"h\",\"text\":\"x\"}]",
            "key       k",
            "value     {\"id\":1}");
    assertThat(run("show", "-c", config.toString(), "a-0@2").lines())
        .contains("value     hex ff001b");
    assertThat(run("show", "-c", config.toString(), "a-1@7").lines())
        .contains("value     empty", "table     not known");
    CommandLineRun raw = run("show", "-c", config.toString(), "a-0@2", "--raw");
    assertThat(raw.out()).isEmpty();
    assertThat(raw.bytes()).containsExactly(-1, 0, 27);
    CommandLineRun none = run("show", "-c", config.toString(), "a-9@9");
    assertThat(none.exitCode()).isEqualTo(2);
    assertThat(none.err()).contains("has set nothing aside that is called a-9@9");
  }

  @Test
  void replayAndDropAreAskedOfTheDaemon() throws IOException {
    setThreeAside();
    assertThat(run("replay", "-c", config.toString()).exitCode()).isEqualTo(2);
    assertThat(run("replay", "-c", config.toString(), "--all", "a-0@1").exitCode()).isEqualTo(2);
    CommandLineRun asked = run("replay", "-c", config.toString(), "a-0@1", "--no-wait");
    assertThat(asked.exitCode()).as(asked.err()).isZero();
    Path request = Path.of(asked.out().strip().replaceFirst("Asked to replay 1 letter: ", ""));
    assertThat(request.getFileName().toString()).startsWith("letters-");
    assertThat(Files.readString(request)).isEqualTo("{\"do\":\"replay\",\"letters\":[\"a-0@1\"]}");
    CommandLineRun drop =
        run("drop", "-c", config.toString(), "--reason", "malformed", "--no-wait");
    assertThat(drop.out()).startsWith("Asked to drop 1 letter: ");
  }

  /** A mark ends what was set aside, though its machine's clock is late. */
  @Test
  void clocksDecideNothing() throws IOException {
    setThreeAside();
    List<KeptLetter> letters = box().list(LetterSelection.ALL);
    at(
        "events",
        NOON.minusSeconds(60),
        pipeline -> {
          pipeline
              .changes()
              .deadLetterNow(
                  letters.get(0).withoutBytes(), State.REPLAYED, letters.get(0).sequence());
          pipeline
              .changes()
              .deadLetterNow(
                  letters.get(1).withoutBytes(), State.DROPPED, letters.get(1).sequence());
        });
    assertThat(box().list(LetterSelection.ALL))
        .extracting(KeptLetter::state)
        .containsExactly(State.REPLAYED, State.DROPPED, State.SET_ASIDE);
    assertThat(names()).containsExactly("a-1@7");
    assertThat(names("--all")).hasSize(3);
    assertThat(run("show", "-c", config.toString(), "a-0@1").lines())
        .contains("state     replayed since 2026-01-31T11:59:00Z", "value     {\"id\":1}");
  }

  @Test
  void anUnreachableClusterIsExitCodeThreeOfCheck() {
    CommandLineRun check = CommandLineRun.of("check", "-c", config.toString());
    assertThat(check.exitCode()).isEqualTo(3);
    assertThat(check.out()).contains("Kafka at 127.0.0.1:1");
  }
}
