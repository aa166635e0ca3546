package io.sluice.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.DaemonProcess;
import io.sluice.it.support.Seeds;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A topic with garbage in it: set aside, looked at, taken in after a fix, once. */
class DeadLettersIT {

  private static final Duration LIMIT = Duration.ofSeconds(90);

  private static KafkaBroker broker;
  private static KafkaProducer<byte[], byte[]> producer;

  @TempDir Path folder;

  @BeforeAll
  static void start() throws Exception {
    broker = KafkaBroker.start();
    producer = broker.newProducer(Map.of());
  }

  @AfterAll
  static void stop() throws Exception {
    producer.close();
    broker.close();
  }

  /** What was sent, and what has to be where. */
  private static final class Traffic {
    final String topic;
    final Random random;

    /** Rows by key, newest last, as the topic has them. */
    final Map<Integer, List<String>> good = new TreeMap<>();

    /** Letters that a wider column makes good: place to key and value. */
    final Map<String, String[]> mendable = new HashMap<>();

    /** Those that stay bad, with their reasons. */
    final Map<String, String> hopeless = new HashMap<>();

    /** The value that counts in the end, where a letter came before or after good ones. */
    final Map<Integer, String> last = new TreeMap<>();

    private final long[] offsets = new long[2];
    private final Map<Integer, Integer> partitions = new HashMap<>();

    Traffic(String topic, long seed) {
      this.topic = topic;
      this.random = new Random(seed);
    }

    void send(int count) {
      for (int i = 0; i < count; i++) {
        int key = random.nextInt(Math.max(1, count / 3));
        int partition = partitions.computeIfAbsent(key, k -> random.nextInt(2));
        String place = partition + "@" + offsets[partition];
        String value;
        if (random.nextInt(100) > 0) {
          int v = random.nextInt(1000);
          value = "{\"id\":" + key + ",\"v\":" + v + "}";
          good.computeIfAbsent(key, k -> new ArrayList<>()).add(Integer.toString(v));
          last.put(key, Integer.toString(v));
        } else {
          switch (random.nextInt(4)) {
            case 0 -> {
              value = "{\"id\":" + key + ",\"v\":";
              hopeless.put(place, "malformed");
            }
            case 1 -> {
              value = "{\"v\":7}";
              hopeless.put(place, "key");
            }
            default -> {
              // Too large for an INT.
              String text = Long.toString(5_000_000_000L + i);
              value = "{\"id\":" + key + ",\"v\":" + text + "}";
              mendable.put(place, new String[] {Integer.toString(key), text});
              last.put(key, text);
            }
          }
        }
        offsets[partition]++;
        producer.send(
            new ProducerRecord<>(topic, partition, null, value.getBytes(StandardCharsets.UTF_8)));
      }
      producer.flush();
    }

    int messages() {
      return good.values().stream().mapToInt(List::size).sum();
    }
  }

  private KafkaFolder lake(String topic, String columnType, boolean keyed) {
    return new KafkaFolder(folder, "events", broker)
        .set("source.topics = [" + topic + "]")
        .set("source.format = json")
        .set(
            "tables.rules = [ { match = \""
                + topic
                + "\", into = ods.e, "
                + (keyed ? "primary-key = [id], " : "")
                + "columns { id = INT, v = "
                + columnType
                + " } } ]");
  }

  /** A verb as a process of its own; what it printed. */
  private String sluice(int expectedExit, String... arguments) throws Exception {
    Path cli = folder.resolve("cli");
    Files.createDirectories(cli);
    DaemonProcess process = DaemonProcess.start(cli, List.of(), List.of(arguments));
    int code = process.awaitExit();
    assertThat(code).as(process.ownLog()).isEqualTo(expectedExit);
    return process.ownLog();
  }

  private static Map<String, String> states(KafkaFolder lake) {
    Map<String, String> result = new TreeMap<>();
    if (lake.exists("sluice_system", "dead_letters")) {
      for (List<String> row : lake.rows("sluice_system", "dead_letters").rows()) {
        // Set aside comes before all else.
        result.merge(row.get(3), row.get(1), (a, b) -> a.equals("set-aside") ? b : a);
      }
    }
    return result;
  }

  private static long rows(KafkaFolder lake) {
    return lake.exists("ods", "e") ? lake.rows("ods", "e").rows().size() : 0;
  }

  @Test
  void garbageIsListedAndTakenInOnceAfterAFix() throws Exception {
    long seed = Seeds.of("DeadLettersIT");
    String topic = "keyed";
    broker.createTopic(topic, 2);
    var traffic = new Traffic(topic, seed);
    traffic.send(4000);
    assertThat(traffic.mendable).as("seed " + seed).isNotEmpty();
    assertThat(traffic.hopeless).as("seed " + seed).isNotEmpty();
    int letters = traffic.mendable.size() + traffic.hopeless.size();
    KafkaFolder before = lake(topic, "INT", true);
    String config = before.writeConfig().toString();
    try (DaemonProcess daemon = before.run()) {
      daemon.await(
          LIMIT,
          letters + " letters, " + traffic.good.size() + " rows",
          () -> states(before).size() == letters && rows(before) == traffic.good.size());
      for (List<String> row : before.rows("ods", "e").rows()) {
        List<String> sent = traffic.good.get(Integer.valueOf(row.get(0)));
        assertThat(row.get(1)).as("key " + row.get(0)).isEqualTo(sent.get(sent.size() - 1));
      }
      assertThat(sluice(0, "check", "-c", config))
          .contains(
              "1 read, with 2 partitions",
              topic + " -> ods.e, 2 partitions, json, by the rule match = " + topic,
              "states     {consistent=1}",
              "Nothing is in the way.");
      assertThat(sluice(0, "status", "-c", config)).contains("ods.e", "consistent");
      String listed = sluice(0, "dead-letters", "list", "-c", config, "--format", "jsonl");
      List<String> lines = listed.lines().filter(line -> line.startsWith("{")).toList();
      assertThat(lines).hasSize(letters);
      traffic.hopeless.forEach(
          (place, reason) ->
              assertThat(lines)
                  .anyMatch(
                      line ->
                          line.contains("\"" + topic + "-" + place + "\"")
                              && line.contains("\"reason\":\"" + reason + "\"")));
      traffic.mendable.forEach(
          (place, row) ->
              assertThat(lines)
                  .anyMatch(
                      line ->
                          line.contains("\"" + topic + "-" + place + "\"")
                              && line.contains("\"reason\":\"value\"")));

      String one = traffic.mendable.keySet().iterator().next();
      assertThat(sluice(0, "dead-letters", "show", "-c", config, topic + "-" + one))
          .contains("reason    value", traffic.mendable.get(one)[1]);
      assertThat(sluice(0, "dead-letters", "show", "-c", config, topic + "-" + one, "--raw"))
          .contains("\"v\":" + traffic.mendable.get(one)[1] + "}");

      // Nothing is mended yet: all stay.
      assertThat(sluice(1, "dead-letters", "replay", "-c", config, "--all"))
          .contains("0 replayed, " + letters + " still bad");
      assertThat(states(before).values()).containsOnly("set-aside");

      lake(topic, "BIGINT", true).writeConfig();
      daemon.hangUp();
      daemon.await(
          LIMIT,
          "goes by the new config",
          () -> daemon.ownLog().split("follows its source", -1).length > 2);
      String answer = sluice(1, "dead-letters", "replay", "-c", config, "--all");
      assertThat(answer)
          .contains(
              traffic.mendable.size()
                  + " replayed, "
                  + traffic.hopeless.size()
                  + " still bad: they wait as before.");
      traffic.hopeless.forEach(
          (place, reason) -> assertThat(answer).contains(topic + "-" + place + ": " + reason));
      Map<String, String> rows = new TreeMap<>();
      before.rows("ods", "e").rows().forEach(row -> rows.put(row.get(0), row.get(1)));
      Map<String, String> expected = new TreeMap<>();
      traffic.last.forEach((key, value) -> expected.put(key.toString(), value));
      assertThat(rows).as("seed " + seed).isEqualTo(expected);

      assertThat(sluice(0, "dead-letters", "drop", "-c", config, "--reason", "malformed"))
          .contains("dropped.");
      assertThat(states(before).values()).contains("dropped", "replayed", "set-aside");
      assertThat(
              sluice(0, "dead-letters", "list", "-c", config, "--format", "jsonl")
                  .lines()
                  .filter(line -> line.startsWith("{")))
          .allMatch(line -> line.contains("\"reason\":\"key\""));
      sluice(2, "dead-letters", "replay", "-c", config, "--reason", "malformed");
      sluice(1, "resync", "-c", config, "ods.e");
      assertThat(daemon.terminate()).isZero();
    }
  }

  /** Without a key nothing hides a row that is there twice. */
  @Test
  void aReplayThatIsKilledAgainAndAgainStoresThemOnce() throws Exception {
    long seed = Seeds.of("DeadLettersIT");
    String topic = "keyless";
    broker.createTopic(topic, 2);
    var traffic = new Traffic(topic, seed);
    traffic.send(6000);
    // Without a key column nothing lacks it.
    long withoutKey = traffic.hopeless.values().stream().filter("key"::equals).count();
    int letters = traffic.mendable.size() + traffic.hopeless.size() - (int) withoutKey;
    long rows = traffic.messages() + withoutKey;
    KafkaFolder before = lake(topic, "INT", false);
    try (DaemonProcess daemon = before.run()) {
      daemon.await(
          LIMIT,
          letters + " letters, " + rows + " rows",
          () -> states(before).size() == letters && rows(before) == rows);
      assertThat(daemon.terminate()).isZero();
    }
    KafkaFolder after = lake(topic, "BIGINT", false);
    String config = after.writeConfig().toString();
    sluice(0, "dead-letters", "replay", "-c", config, "--reason", "value", "--no-wait");
    Path pipeline = after.warehouse().resolve("_sluice/events");
    Random random = new Random(seed);
    for (int i = 0; i < 6; i++) {
      try (DaemonProcess daemon = after.run()) {
        daemon.awaitFollowing(LIMIT);
        // The request is looked for every two seconds.
        long nanos = (1500 + random.nextInt(1200)) * 1_000_000L;
        long until = System.nanoTime() + nanos;
        daemon.await(LIMIT, "a while", () -> System.nanoTime() > until);
        daemon.kill();
      }
    }
    try (DaemonProcess daemon = after.run()) {
      daemon.awaitFollowing(LIMIT);
      daemon.await(LIMIT, "the request is answered", () -> requests(pipeline).isEmpty());
      assertThat(daemon.terminate()).isZero();
    }
    List<String> found = new ArrayList<>();
    after.rows("ods", "e").rows().forEach(row -> found.add(row.get(0) + "=" + row.get(1)));
    List<String> expected = new ArrayList<>();
    traffic.good.forEach((key, values) -> values.forEach(v -> expected.add(key + "=" + v)));
    traffic.mendable.values().forEach(row -> expected.add(row[0] + "=" + row[1]));
    for (int i = 0; i < withoutKey; i++) {
      expected.add("null=7");
    }
    assertThat(found).as("seed " + seed).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(new TreeSet<>(states(after).values())).containsExactly("replayed", "set-aside");
    assertThat(
            after.rows("sluice_system", "dead_letters").rows().stream()
                .filter(row -> row.get(1).equals("replayed")))
        .hasSize(traffic.mendable.size());
  }

  private static List<Path> requests(Path pipeline) throws Exception {
    try (var files = Files.list(pipeline)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("letters-"))
          .filter(file -> !file.getFileName().toString().startsWith("letters-answer-"))
          .toList();
    }
  }
}
