package io.sluice.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.evolution.SourceTableId;
import io.sluice.it.support.DaemonProcess;
import io.sluice.it.support.Seeds;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.replicator.daemon.ResyncRequests;
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
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A parked table of topics comes back from where it was parked, once, while the others go on. */
class CatchUpIT {

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

  private static void send(String topic, int partition, String value) {
    producer.send(
        new ProducerRecord<>(topic, partition, null, value.getBytes(StandardCharsets.UTF_8)));
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

  private void park(KafkaFolder lake, DaemonProcess daemon, String database, String table)
      throws Exception {
    ResyncRequests requests =
        new ResyncRequests(
            new LocalFileIO(() -> "test"), lake.warehouse().resolve("_sluice/p").toString());
    requests.askToPark("park-" + table, new SourceTableId(database, table), "A test wants it.");
    daemon.await(
        LIMIT, table + " is parked", () -> requests.takeAnswer("park-" + table).isPresent());
  }

  /** Messages, and what has to become of them. */
  private static final class Traffic {
    final Random random;
    final List<String> events = new ArrayList<>();
    final Map<String, Long> sums = new TreeMap<>();
    final Map<String, Integer> letters = new TreeMap<>();
    int partitions = 2;
    boolean eventsParked;
    boolean sumsParked;

    /** Whether it is known if the sums take a message that is bad for them at once. */
    boolean sumsAreSure = true;

    private long next;

    Traffic(long seed) {
      this.random = new Random(seed);
    }

    /**
     * Topic a fills both tables, b the events alone, c another one. A message that is bad for the
     * sums is good for the events, if both don't have to take it at once.
     */
    void send(int count) {
      for (int i = 0; i < count; i++) {
        long n = next++;
        int partition = random.nextInt(2);
        String key = "k" + random.nextInt(20);
        int v = random.nextInt(1000);
        int kind = random.nextInt(100);
        String value = "{\"n\":" + n + ",\"k\":\"" + key + "\",\"v\":" + v + "}";
        if (kind < 50) {
          if (random.nextInt(200) == 0 && sumsAreSure) {
            CatchUpIT.send("a", partition, value.replace("\"v\":" + v, "\"v\":\"much\""));
            if (sumsParked) {
              events.add(Long.toString(n));
              letters.merge("dwd.sums", 1, Integer::sum);
            } else {
              letters.merge("all", 1, Integer::sum);
            }
          } else {
            CatchUpIT.send("a", partition, value);
            events.add(Long.toString(n));
            sums.merge(key, (long) v, Long::sum);
          }
        } else if (kind < 99) {
          CatchUpIT.send("b", random.nextInt(partitions), value);
          events.add(Long.toString(n));
        } else {
          CatchUpIT.send("b", partition, "{\"n\":");
          letters.merge("all", 1, Integer::sum);
        }
        if (i % 20 == 0) {
          CatchUpIT.send("c", 0, "{\"n\":" + n + "}");
        }
      }
      producer.flush();
    }
  }

  private KafkaFolder tables() {
    return new KafkaFolder(folder, "p", broker)
        .set("source.topics = [a, b, c]")
        .set("source.format = json")
        .set("commit-interval = 100ms")
        .set(
            """
            tables.rules = [
              { match = "/a|b/", into = ods.events, columns { n = BIGINT, k = STRING, v = STRING } }
              { match = c, into = ods.others, columns { n = BIGINT } }
              { into = dwd.sums, primary-key = [k], types { k = STRING, total = BIGINT }
                from = [ { name = a, match = a, columns { k = k, total = v }
                           aggregate { total = sum } } ] }
            ]\
            """);
  }

  private static Map<String, Long> sums(KafkaFolder lake) {
    Map<String, Long> result = new TreeMap<>();
    lake.project("dwd", "sums", "k", "total")
        .forEach(row -> result.put(row.split(" ")[0], Long.valueOf(row.split(" ")[1])));
    return result;
  }

  private static List<String> events(KafkaFolder lake) {
    List<String> result = new ArrayList<>();
    lake.rows("ods", "events").rows().forEach(row -> result.add(row.get(0)));
    return result;
  }

  private static Map<String, Integer> letters(KafkaFolder lake) {
    Map<String, Integer> result = new HashMap<>();
    for (List<String> row : lake.rows("sluice_system", "dead_letters").rows()) {
      int table = row.get(3).indexOf('/');
      result.merge(table < 0 ? "all" : row.get(3).substring(table + 1), 1, Integer::sum);
    }
    return result;
  }

  /** Rows without a key, and sums: nothing hides a row that is there twice. */
  @Test
  void comesBackOnceHoweverOftenItIsKilled() throws Exception {
    long seed = Seeds.of("CatchUpIT");
    broker.createTopic("a", 2);
    broker.createTopic("b", 2);
    broker.createTopic("c", 1);
    KafkaFolder lake = tables();
    String config = lake.writeConfig().toString();
    var traffic = new Traffic(seed);
    traffic.send(5000);
    try (DaemonProcess daemon = lake.run()) {
      daemon.awaitFollowing(LIMIT);
      daemon.await(LIMIT, "rows", () -> lake.exists("dwd", "sums") && lake.exists("ods", "events"));
      daemon.await(LIMIT, "sums", () -> sums(lake).equals(traffic.sums));
      park(lake, daemon, "dwd", "sums");
      traffic.sumsParked = true;
      traffic.send(20_000);
      daemon.await(LIMIT, "events", () -> events(lake).size() == traffic.events.size());
      park(lake, daemon, "ods", "events");
      traffic.eventsParked = true;
      broker.admin().createPartitions(Map.of("b", NewPartitions.increaseTo(3))).all().get();
      daemon.await(
          LIMIT, "a new partition", () -> KafkaFolder.offset(lake.position(), "b", 2) >= 0);
      traffic.partitions = 3;
      traffic.send(60_000);
      assertThat(sluice(1, "status", "-c", config))
          .contains("dwd.sums is parked", "To bring it back: sluice resync -c ");
      sluice(0, "resync", "-c", config, "--all", "--no-wait");
    }
    boolean isBack = false;
    // They may be back with the stream while the events are not.
    traffic.sumsAreSure = false;
    for (int i = 0; i < 4 && !isBack; i++) {
      try (DaemonProcess daemon = lake.run()) {
        daemon.await(LIMIT, "it reads", () -> daemon.ownLog().contains("comes back: "));
        traffic.send(500);
        long until = System.nanoTime() + (50 + traffic.random.nextInt(500)) * 1_000_000L;
        daemon.await(LIMIT, "a while", () -> System.nanoTime() > until);
        isBack = daemon.ownLog().contains("ods.events of pipeline p is back");
        daemon.kill();
      }
    }
    try (DaemonProcess daemon = lake.run()) {
      daemon.awaitFollowing(LIMIT);
      daemon.await(LIMIT, "all are back", () -> !sluiceStatus(config).contains("parked"));
      traffic.sumsParked = false;
      traffic.sumsAreSure = true;
      traffic.send(3000);
      daemon.await(LIMIT, "events", () -> events(lake).size() >= traffic.events.size());
      daemon.await(LIMIT, "sums", () -> sums(lake).equals(traffic.sums));
      assertThat(daemon.terminate()).isZero();
    }
    List<String> found = events(lake);
    found.sort(null);
    traffic.events.sort(null);
    assertThat(found.equals(traffic.events))
        .as("seed %s: %s rows of %s", seed, found.size(), traffic.events.size())
        .isTrue();
    assertThat(sums(lake)).as("seed " + seed).isEqualTo(traffic.sums);
    assertThat(letters(lake)).as("seed " + seed).isEqualTo(traffic.letters);
  }

  private String sluiceStatus(String config) throws Exception {
    Path cli = folder.resolve("cli");
    Files.createDirectories(cli);
    DaemonProcess process = DaemonProcess.start(cli, List.of(), List.of("status", "-c", config));
    process.awaitExit();
    return process.ownLog();
  }

  @Test
  void isParkedAgainByABadMessageUntilTheConfigHelps() throws Exception {
    broker.createTopic("poison", 1);
    KafkaFolder before =
        new KafkaFolder(folder, "p", broker)
            .set("source.topics = [poison]")
            .set("source.format = json")
            .set("tables.rules = [ { match = poison, into = ods.poison, primary-key = [id] } ]")
            .set("on-bad-record = fail");
    String config = before.writeConfig().toString();
    for (int i = 0; i < 10; i++) {
      send("poison", 0, "{\"id\":" + i + ",\"v\":1}");
    }
    producer.flush();
    try (DaemonProcess daemon = before.run()) {
      before.awaitRows(daemon, "ods", "poison", 10);
      assertThat(sluice(1, "resync", "-c", config, "ods.poison"))
          .contains("It can't come back", "goes on with the others");
      park(before, daemon, "ods", "poison");
      send("poison", 0, "{\"id\":1,\"v\":2}");
      send("poison", 0, "{\"id\":\"abc\",\"v\":1}");
      send("poison", 0, "{\"id\":11,\"v\":2}");
      producer.flush();
      daemon.await(LIMIT, "read", () -> KafkaFolder.offset(before.position(), "poison", 0) == 13);
      for (int i = 0; i < 2; i++) {
        assertThat(sluice(1, "resync", "-c", config, "ods.poison"))
            .contains("ods.poison is parked at epoch", "poison-0@11 that needs it");
        assertThat(before.project("ods", "poison", "id", "v")).contains("1 2").hasSize(10);
      }
      before.set("on-bad-record = dead-letter").writeConfig();
      daemon.hangUp();
      daemon.await(
          LIMIT,
          "goes by the new config",
          () -> daemon.ownLog().split("follows its source", -1).length > 2);
      assertThat(sluice(0, "resync", "-c", config, "ods.poison"))
          .contains("is where the others are from epoch");
      assertThat(before.project("ods", "poison", "id", "v")).contains("1 2", "11 2").hasSize(11);
      assertThat(sluice(0, "dead-letters", "list", "-c", config, "--format", "jsonl"))
          .contains("poison-0@11/ods.poison");
      assertThat(sluice(1, "dead-letters", "replay", "-c", config, "poison-0@11/ods.poison"))
          .contains("0 replayed, 1 still bad");
      send("poison", 0, "{\"id\":12,\"v\":2}");
      producer.flush();
      before.awaitRows(daemon, "ods", "poison", 12);
      assertThat(daemon.terminate()).isZero();
    }
  }

  @Test
  void saysWhichMessagesAreGoneAndGoesBackWithATableThatWasRolledBack() throws Exception {
    broker.createTopic("kept", 1);
    KafkaFolder lake =
        new KafkaFolder(folder, "p", broker)
            .set("source.topics = [kept]")
            .set("source.format = json")
            .set("tables.rules = [ { match = kept, into = ods.kept } ]");
    String config = lake.writeConfig().toString();
    for (int i = 0; i < 10; i++) {
      send("kept", 0, "{\"n\":" + i + "}");
    }
    producer.flush();
    String root = lake.warehouse().resolve("ods.db/kept").toString();
    try (DaemonProcess daemon = lake.run()) {
      lake.awaitRows(daemon, "ods", "kept", 10);
      for (int i = 10; i < 20; i++) {
        send("kept", 0, "{\"n\":" + i + "}");
      }
      producer.flush();
      lake.awaitRows(daemon, "ods", "kept", 20);
      sluice(0, "rollback", root, "--snapshot", "1", "--park");
      int left = lake.rows("ods", "kept").rows().size();
      assertThat(left).isLessThan(20);
      sluice(0, "resync", "-c", config, "ods.kept");
      assertThat(lake.rows("ods", "kept").rows()).hasSize(20).doesNotHaveDuplicates();

      park(lake, daemon, "ods", "kept");
      for (int i = 20; i < 30; i++) {
        send("kept", 0, "{\"n\":" + i + "}");
      }
      producer.flush();
      daemon.await(LIMIT, "read", () -> KafkaFolder.offset(lake.position(), "kept", 0) == 30);
      broker
          .admin()
          .deleteRecords(Map.of(new TopicPartition("kept", 0), RecordsToDelete.beforeOffset(25)))
          .all()
          .get();
      assertThat(sluice(1, "resync", "-c", config, "ods.kept"))
          .contains("kept-0: messages 20 to 24", "on-lost-range = skip");
      assertThat(daemon.terminate()).isZero();
    }
    lake.set("source.on-lost-range = skip").writeConfig();
    try (DaemonProcess daemon = lake.run()) {
      daemon.awaitFollowing(LIMIT);
      sluice(0, "resync", "-c", config, "ods.kept");
      assertThat(lake.rows("ods", "kept").rows()).hasSize(25).doesNotHaveDuplicates();
      assertThat(daemon.terminate()).isZero();
    }
  }
}
