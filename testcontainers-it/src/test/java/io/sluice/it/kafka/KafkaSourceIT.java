package io.sluice.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.Await;
import io.sluice.replicator.daemon.Daemon;
import io.sluice.replicator.metrics.DaemonStatus;
import io.sluice.sinks.PipelineStatus;
import io.sluice.sinks.SourcePosition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.options.Options;
import org.apache.paimon.table.FileStoreTable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** Where topics are read from, and what becomes of a topic that isn't what it was. */
class KafkaSourceIT {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static KafkaBroker broker;
  private static KafkaProducer<byte[], byte[]> producer;

  @TempDir Path folder;
  private KafkaFolder lake;
  private String topic;

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

  @BeforeEach
  void folder(TestInfo test) {
    topic = test.getTestMethod().orElseThrow().getName();
    lake = lake("events");
  }

  /** Topics of this test, numbers as messages, into one table of what is known of each. */
  private KafkaFolder lake(String pipeline) {
    return new KafkaFolder(folder.resolve(pipeline), pipeline, broker)
        .set("source.topics = [\"" + topic + "*\"]")
        .set("source.format = json")
        .set(
            "source.properties { \"default.api.timeout.ms\" = 4000, \"request.timeout.ms\" = 2000 }")
        .set(
            "tables.rules = [ { match = \"*\", into = lake.events,"
                + " metadata { t = topic, p = partition, o = offset } } ]");
  }

  private static byte @Nullable [] bytes(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  private static void send(String to, int partition, int... numbers) throws Exception {
    for (int number : numbers) {
      producer.send(
          new ProducerRecord<>(to, partition, null, bytes("{\"n\":" + number + "}")),
          (told, failure) -> {});
    }
    producer.flush();
  }

  /** What Paimon reads: {@code topic-partition@offset=n}. */
  private List<String> events(KafkaFolder from) {
    if (!from.exists("lake", "events")) {
      return List.of();
    }
    var rows = from.rows("lake", "events");
    int n = rows.columns().indexOf("n");
    int t = rows.columns().indexOf("t");
    int p = rows.columns().indexOf("p");
    int o = rows.columns().indexOf("o");
    return rows.rows().stream()
        .map(
            row -> row.get(t).replace(topic, "") + row.get(p) + "@" + row.get(o) + "=" + row.get(n))
        .toList();
  }

  private void awaitEvents(Daemon daemon, String... events) throws Exception {
    awaitEvents(daemon, lake, events);
  }

  private void awaitEvents(Daemon daemon, KafkaFolder from, String... events) throws Exception {
    await(daemon, () -> events(from).size() >= events.length);
    assertThat(events(from)).containsExactlyInAnyOrder(events);
  }

  private void await(Daemon daemon, Callable<Boolean> condition) throws Exception {
    Await.until(LIMIT, () -> daemon.status() + "; " + events(lake), condition);
  }

  private void awaitOffset(Daemon daemon, int partition, long offset) throws Exception {
    await(daemon, () -> offset(daemon, partition) == offset);
  }

  /** Of the newest epoch that is in all its tables. */
  private long offset(Daemon daemon, int partition) throws IOException {
    String position =
        daemon
            .status()
            .pipeline()
            .flatMap(PipelineStatus::position)
            .map(SourcePosition::text)
            .orElse("");
    return KafkaFolder.offset(position, topic, partition);
  }

  /** Runs until it ends by itself; what it says. */
  private static String problemAtEnd(KafkaFolder of, int exitCode) throws Exception {
    try (Daemon daemon = Daemon.start(of.config())) {
      assertThat(daemon.awaitExit()).as("exit code; %s", daemon.status()).isEqualTo(exitCode);
      return daemon.status().problem().orElseThrow();
    }
  }

  @Test
  void takesUpNewTopicsAndPartitionsAsTheyComeAndWaitsForNone() throws Exception {
    broker.createTopic(topic + "-a", 2);
    send(topic + "-a", 0, 1);
    try (Daemon daemon = Daemon.start(lake.config())) {
      // Its other partition has nothing, and holds nothing up.
      awaitEvents(daemon, "-a0@0=1");
      broker.createTopic(topic + "-b", 1);
      send(topic + "-b", 0, 2, 3);
      awaitEvents(daemon, "-a0@0=1", "-b0@0=2", "-b0@1=3");
      broker
          .admin()
          .createPartitions(Map.of(topic + "-a", NewPartitions.increaseTo(4)))
          .all()
          .get();
      Await.until(
          LIMIT,
          () -> "the topic has its partitions",
          () ->
              broker
                      .admin()
                      .describeTopics(List.of(topic + "-a"))
                      .allTopicNames()
                      .get()
                      .values()
                      .stream()
                      .mapToInt(each -> each.partitions().size())
                      .sum()
                  == 4);
      send(topic + "-a", 3, 4);
      send(topic + "-a", 0, 5);
      awaitEvents(daemon, "-a0@0=1", "-b0@0=2", "-b0@1=3", "-a3@0=4", "-a0@1=5");
    }
    try (Daemon daemon = Daemon.start(lake.config())) {
      send(topic + "-b", 0, 6);
      awaitEvents(daemon, "-a0@0=1", "-b0@0=2", "-b0@1=3", "-a3@0=4", "-a0@1=5", "-b0@2=6");
    }
  }

  @Test
  void beginsAtTheEndAndKeepsThatPlaceThroughAKill() throws Exception {
    broker.createTopic(topic, 1);
    send(topic, 0, 1, 2, 3);
    lake.set("source.start = latest");
    Daemon first = Daemon.start(lake.config());
    try {
      awaitOffset(first, 0, 3);
    } finally {
      first.kill();
    }
    send(topic, 0, 4, 5);
    try (Daemon daemon = Daemon.start(lake.config())) {
      awaitEvents(daemon, "0@3=4", "0@4=5");
    }
  }

  @Test
  void beginsAtATime() throws Exception {
    broker.createTopic(topic, 2);
    Instant at = Instant.now().minusSeconds(1000);
    for (int i = -2; i < 2; i++) {
      producer
          .send(
              new ProducerRecord<>(
                  topic, 0, at.plusSeconds(i).toEpochMilli(), null, bytes("{\"n\":" + i + "}")))
          .get();
    }
    // Nothing of then or later: the next that comes.
    producer
        .send(
            new ProducerRecord<>(
                topic, 1, at.minusSeconds(9).toEpochMilli(), null, bytes("{\"n\":9}")))
        .get();
    lake.set("source.start = \"" + Instant.ofEpochMilli(at.toEpochMilli()) + "\"");
    try (Daemon daemon = Daemon.start(lake.config())) {
      awaitEvents(daemon, "0@2=0", "0@3=1");
      send(topic, 1, 10);
      awaitEvents(daemon, "0@2=0", "0@3=1", "1@1=10");
    }
  }

  @Test
  void beginsAtOffsetsAndRefusesThoseThatAreNotThere() throws Exception {
    broker.createTopic(topic, 2);
    send(topic, 0, 1, 2, 3);
    send(topic, 1, 4, 5);
    KafkaFolder wrong = lake("wrong").set("source.start-offsets { \"" + topic + "\" { 0 = 4 } }");
    assertThat(problemAtEnd(wrong, 2))
        .contains("4 for " + topic + "-0, which holds the offsets 0 to 2")
        .contains("or 3 for the next message");
    lake.set("source.start-offsets { \"" + topic + "\" { 0 = 2 } }");
    try (Daemon daemon = Daemon.start(lake.config())) {
      awaitEvents(daemon, "0@2=3", "1@0=4", "1@1=5");
    }
  }

  @Test
  void readsNothingOfAnAbortedTransactionAndPassesIt() throws Exception {
    broker.createTopic(topic, 2);
    try (KafkaProducer<byte[], byte[]> transactional =
        broker.newProducer(Map.of("transactional.id", topic))) {
      transactional.initTransactions();
      transactional.beginTransaction();
      sendBy(transactional, 1, 2);
      transactional.commitTransaction();
      try (Daemon daemon = Daemon.start(lake.config())) {
        awaitEvents(daemon, "0@0=1", "0@1=2");
        transactional.beginTransaction();
        sendBy(transactional, 3, 4, 5);
        transactional.flush();
        transactional.abortTransaction();
        // Two messages and a marker, three and a marker; nothing else comes.
        awaitOffset(daemon, 0, 7);
        transactional.beginTransaction();
        sendBy(transactional, 6);
        transactional.flush();
        // Open: it is there, and isn't read, while other partitions are.
        send(topic, 1, 100);
        awaitEvents(daemon, "0@0=1", "0@1=2", "1@0=100");
        transactional.commitTransaction();
        awaitEvents(daemon, "0@0=1", "0@1=2", "1@0=100", "0@7=6");
        awaitOffset(daemon, 0, 9);
      }
    }
    // What it passed may be forgotten.
    broker
        .admin()
        .deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(9)))
        .all()
        .get();
    try (Daemon daemon = Daemon.start(lake.config())) {
      send(topic, 0, 7);
      awaitEvents(daemon, "0@0=1", "0@1=2", "1@0=100", "0@7=6", "0@9=7");
    }
  }

  private void sendBy(KafkaProducer<byte[], byte[]> by, int... numbers) {
    for (int number : numbers) {
      by.send(
          new ProducerRecord<>(topic, 0, null, bytes("{\"n\":" + number + "}")),
          (told, failure) -> {});
    }
  }

  @Test
  void stopsWhereRetentionWasFasterOrGoesOnBehindTheGap() throws Exception {
    broker.createTopic(topic, 2);
    send(topic, 0, 1, 2);
    send(topic, 1, 3);
    try (Daemon daemon = Daemon.start(lake.config())) {
      awaitEvents(daemon, "0@0=1", "0@1=2", "1@0=3");
    }
    send(topic, 0, 4, 5, 6, 7);
    send(topic, 1, 8);
    broker
        .admin()
        .deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(5)))
        .all()
        .get();
    assertThat(problemAtEnd(lake, 4))
        .contains(topic + "-0: messages 2 to 4 are gone")
        .doesNotContain(topic + "-1")
        .contains("on-lost-range = skip");
    lake.set("source.on-lost-range = skip");
    try (Daemon daemon = Daemon.start(lake.config())) {
      awaitEvents(daemon, "0@0=1", "0@1=2", "1@0=3", "0@5=7", "1@1=8");
      awaitOffset(daemon, 0, 6);
    }
  }

  @Test
  void stopsAtATopicMadeAnewOrReadsItFromItsBeginning() throws Exception {
    broker.createTopic(topic, 1);
    send(topic, 0, 1, 2);
    try (Daemon daemon = Daemon.start(lake.config())) {
      awaitEvents(daemon, "0@0=1", "0@1=2");
      broker.deleteTopic(topic);
      recreate(1);
      send(topic, 0, 11);
      assertThat(daemon.awaitExit()).isEqualTo(4);
      assertThat(daemon.status().problem().orElseThrow())
          .contains("Topic " + topic + " was deleted and made anew")
          .contains("offsets (by partition) 0: 2")
          .contains("on-lost-range = skip");
    }
    send(topic, 0, 12, 13);
    assertThat(problemAtEnd(lake, 4)).contains("was deleted and made anew");
    lake.set("source.on-lost-range = skip");
    try (Daemon daemon = Daemon.start(lake.config())) {
      awaitEvents(daemon, "0@0=1", "0@1=2", "0@0=11", "0@1=12", "0@2=13");
      broker.deleteTopic(topic);
      recreate(2);
      send(topic, 1, 21);
      awaitEvents(daemon, "0@0=1", "0@1=2", "0@0=11", "0@1=12", "0@2=13", "1@0=21");
    }
  }

  /** Deletion goes on for a moment after it was answered. */
  private void recreate(int partitions) throws Exception {
    Await.until(
        LIMIT,
        () -> "the topic is made anew",
        () -> {
          try {
            broker.createTopic(topic, partitions);
            return true;
          } catch (java.util.concurrent.ExecutionException e) {
            return false;
          }
        });
  }

  @Test
  void goesOnWithTheOthersWhenATopicIsDeleted() throws Exception {
    broker.createTopic(topic + "-a", 1);
    broker.createTopic(topic + "-b", 1);
    send(topic + "-a", 0, 1);
    send(topic + "-b", 0, 2);
    try (Daemon daemon = Daemon.start(lake.config())) {
      awaitEvents(daemon, "-a0@0=1", "-b0@0=2");
      broker.deleteTopic(topic + "-a");
      for (int i = 0; i < 5; i++) {
        send(topic + "-b", 0, 10 + i);
        int want = 3 + i;
        await(daemon, () -> events(lake).size() == want);
      }
    }
    send(topic + "-b", 0, 20);
    try (Daemon daemon = Daemon.start(lake.config())) {
      await(daemon, () -> events(lake).size() == 8);
    }
  }

  @Test
  void showsItsPlaceToLagToolsAndNeverOneThatIsNotCommitted() throws Exception {
    broker.createTopic(topic, 1);
    lake.set("source.group = \"lag-of-events\"");
    try (Daemon daemon = Daemon.start(lake.config())) {
      for (int i = 0; i < 30; i++) {
        send(topic, 0, i);
        long told = groupOffset("lag-of-events");
        // Asked for after it: an epoch that holds less would be a place ahead of the lake.
        assertThat(told).isLessThanOrEqualTo(offset(daemon, 0));
        int want = i + 1;
        await(daemon, () -> events(lake).size() == want);
      }
      await(daemon, () -> groupOffset("lag-of-events") == 30);
    }
  }

  private long groupOffset(String group) throws Exception {
    var offset =
        broker
            .admin()
            .listConsumerGroupOffsets(group)
            .partitionsToOffsetAndMetadata()
            .get()
            .get(new TopicPartition(topic, 0));
    return offset == null ? -1 : offset.offset();
  }

  @Test
  void refusesPropertiesThatItSetsItselfAndHandsOnTheOthers() throws Exception {
    KafkaFolder fixed =
        lake("fixed")
            .set(
                "source.properties { \"isolation.level\" = read_uncommitted, \"group.id\" = x,"
                    + " \"client.rack\" = r1 }");
    assertThat(problemAtEnd(fixed, 2))
        .contains("source.properties has isolation.level")
        .contains("source.properties has group.id")
        .doesNotContain("client.rack");
    // The client would not have known this one otherwise.
    KafkaFolder unknown =
        lake("handed").set("source.properties { \"security.protocol\" = NO_SUCH_PROTOCOL }");
    assertThat(problemAtEnd(unknown, 3)).contains("NO_SUCH_PROTOCOL");
  }

  @Test
  void putsTheOldestOfThePartitionsNewestTimesIntoTheSnapshots() throws Exception {
    broker.createTopic(topic, 2);
    long now = Instant.now().toEpochMilli();
    sendAt(0, now - 5000, now - 3000);
    sendAt(1, now - 4000);
    try (Daemon daemon = Daemon.start(lake.config())) {
      await(
          daemon,
          () -> lake.exists("lake", "events") && Long.valueOf(now - 4000).equals(watermark()));
      sendAt(1, now - 1000);
      await(daemon, () -> Long.valueOf(now - 3000).equals(watermark()));
    }
    sendAt(0, now - 2000);
    sendAt(1, now - 3500);
    try (Daemon daemon = Daemon.start(lake.config())) {
      awaitOffset(daemon, 0, 3);
      awaitOffset(daemon, 1, 3);
      assertThat(watermark()).as("never backwards").isEqualTo(now - 3000);
      sendAt(1, now - 1000);
      await(daemon, () -> Long.valueOf(now - 2000).equals(watermark()));
    }
  }

  private void sendAt(int partition, long... times) throws Exception {
    for (long time : times) {
      producer.send(new ProducerRecord<>(topic, partition, time, null, bytes("{\"n\":1}"))).get();
    }
  }

  /** Of the newest snapshot, as Paimon sees it. */
  private @Nullable Long watermark() throws Exception {
    Options options = new Options();
    options.set("warehouse", lake.warehouse().toUri().toString());
    try (var catalog = CatalogFactory.createCatalog(CatalogContext.create(options))) {
      var table = (FileStoreTable) catalog.getTable(Identifier.create("lake", "events"));
      var snapshot = table.snapshotManager().latestSnapshot();
      return snapshot == null ? null : snapshot.watermark();
    }
  }

  @Test
  void saysAtItsStartThatNobodyAnswers() throws Exception {
    lake.set("source.bootstrap-servers = \"127.0.0.1:1\"");
    assertThat(problemAtEnd(lake, 3)).contains("Kafka at 127.0.0.1:1");
  }

  @Test
  void takesTenMegabytesTombstonesAndHeaders() throws Exception {
    broker.createTopic(topic, 1);
    lake =
        new KafkaFolder(folder.resolve("big"), "big", broker)
            .set("source.topics = [\"" + topic + "\"]")
            .set("source.format = json")
            .set("source.format-options { tombstones = delete }")
            .set(
                "tables.rules = [ { match = \"*\", into = lake.events, primary-key = [id],"
                    + " metadata { o = offset, h = headers } } ]");
    String large = "y".repeat(10_000_000);
    producer.send(
        new ProducerRecord<>(
            topic,
            0,
            bytes("{\"id\":1}"),
            bytes("{\"id\":1,\"text\":\"" + large + "\"}"),
            List.of(new RecordHeader("trace", bytes("abc")), new RecordHeader("none", null))));
    producer.send(new ProducerRecord<>(topic, 0, bytes("{\"id\":2}"), bytes("{\"id\":2}")));
    producer.send(new ProducerRecord<>(topic, 0, bytes("{\"id\":2}"), null));
    producer.send(new ProducerRecord<>(topic, 0, bytes("{\"id\":3}"), new byte[0]));
    producer.flush();
    try (Daemon daemon = Daemon.start(lake.config())) {
      awaitOffset(daemon, 0, 4);
      var rows = lake.rows("lake", "events");
      assertThat(rows.rows()).hasSize(1);
      List<String> row = rows.rows().get(0);
      assertThat(row.get(rows.columns().indexOf("text"))).isEqualTo(large);
      assertThat(row.get(rows.columns().indexOf("h"))).contains("trace").contains("none");
      assertThat(lake.exists("sluice_system", "dead_letters")).isFalse();
    }
  }

  @Test
  void endsAtTheLastOfAThousandUpdatesOfOneKey() throws Exception {
    broker.createTopic(topic, 1);
    lake =
        new KafkaFolder(folder.resolve("order"), "order", broker)
            .set("workers = 8")
            .set("source.topics = [\"" + topic + "\"]")
            .set("source.format = json")
            .set(
                "tables.rules = [ { match = \"*\", into = lake.events, primary-key = [id],"
                    + " bucket = 8 } ]");
    try (Daemon daemon = Daemon.start(lake.config())) {
      for (int i = 1; i <= 1000; i++) {
        for (int id = 1; id <= 8; id++) {
          producer.send(
              new ProducerRecord<>(topic, 0, null, bytes("{\"id\":" + id + ",\"v\":" + i + "}")));
        }
      }
      producer.flush();
      awaitOffset(daemon, 0, 8000);
      List<List<String>> want = new ArrayList<>();
      for (int id = 1; id <= 8; id++) {
        want.add(List.of(Integer.toString(id), "1000"));
      }
      assertThat(lake.rows("lake", "events").rows()).containsExactlyInAnyOrderElementsOf(want);
    }
  }

  @Test
  void emptiesATableByATruncateEventAndTakesWhatComesAfterIt() throws Exception {
    broker.createTopic(topic, 1);
    lake =
        new KafkaFolder(folder.resolve("truncate"), "truncate", broker)
            .set("source.topics = [\"" + topic + "\"]")
            .set("source.format = debezium-json");
    sendRow(1);
    sendRow(2);
    producer.send(
        new ProducerRecord<>(
            topic,
            0,
            null,
            bytes("{\"op\":\"t\",\"source\":{\"db\":\"shop\",\"table\":\"orders\"},\"ts_ms\":1}")));
    sendRow(3);
    producer.flush();
    try (Daemon daemon = Daemon.start(lake.config())) {
      awaitOffset(daemon, 0, 4);
      assertThat(lake.rows("shop", "orders").rows()).containsExactly(List.of("3"));
      sendRow(4);
      producer.flush();
      awaitOffset(daemon, 0, 5);
      assertThat(lake.rows("shop", "orders").rows())
          .containsExactlyInAnyOrder(List.of("3"), List.of("4"));
      assertThat(daemon.status().state()).isEqualTo(DaemonStatus.State.RUNNING);
    }
  }

  private void sendRow(int id) {
    producer.send(
        new ProducerRecord<>(
            topic,
            0,
            bytes("{\"id\":" + id + "}"),
            bytes(
                "{\"op\":\"c\",\"before\":null,\"after\":{\"id\":"
                    + id
                    + "},\"source\":{\"db\":\"shop\",\"table\":\"orders\"},\"ts_ms\":1}")));
  }
}
