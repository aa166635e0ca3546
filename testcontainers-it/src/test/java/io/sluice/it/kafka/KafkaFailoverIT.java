package io.sluice.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.Await;
import io.sluice.replicator.daemon.Daemon;
import io.sluice.replicator.metrics.DaemonStatus;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Brokers that go away, and what they take with them. */
class KafkaFailoverIT {

  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String TOPIC = "events";

  @TempDir Path folder;
  private KafkaBroker cluster;
  private KafkaFolder lake;

  @BeforeEach
  void start() throws Exception {
    cluster = KafkaBroker.start(3);
    lake =
        new KafkaFolder(folder, "failover", cluster)
            .set("source.topics = [" + TOPIC + "]")
            .set("source.format = json")
            .set(
                "source.properties { \"default.api.timeout.ms\" = 4000, \"request.timeout.ms\" = 2000 }")
            .set(
                "tables.rules = [ { match = \"*\", into = lake.events, metadata { o = offset } } ]");
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
  }

  private static void send(KafkaProducer<byte[], byte[]> producer, int from, int to) {
    for (int i = from; i < to; i++) {
      producer.send(
          new ProducerRecord<>(
              TOPIC, 0, null, ("{\"n\":" + i + "}").getBytes(StandardCharsets.UTF_8)));
    }
    producer.flush();
  }

  private List<Long> numbers() {
    if (!lake.exists("lake", "events")) {
      return List.of();
    }
    var rows = lake.rows("lake", "events");
    int n = rows.columns().indexOf("n");
    return rows.rows().stream().map(row -> Long.valueOf(row.get(n))).sorted().toList();
  }

  private static List<Long> upTo(int end) {
    return IntStream.range(0, end).mapToObj(Long::valueOf).toList();
  }

  private void await(Daemon daemon, Callable<Boolean> condition) throws Exception {
    Await.until(LIMIT, () -> daemon.status() + "; " + numbers().size() + " rows", condition);
  }

  private TopicDescription topic() throws Exception {
    return cluster.admin().describeTopics(List.of(TOPIC)).allTopicNames().get().get(TOPIC);
  }

  private int leader() throws Exception {
    Node leader = topic().partitions().get(0).leader();
    return leader == null ? -1 : leader.id();
  }

  private void shutDown(int broker) {
    cluster.cluster().brokers().get(broker).shutdown();
    cluster.cluster().brokers().get(broker).awaitShutdown();
  }

  @Test
  void goesOnWhenTheLeaderGoesAwayAndLosesAndDoublesNothing() throws Exception {
    cluster.createTopic(TOPIC, 1, 3, Map.of("min.insync.replicas", "2"));
    try (KafkaProducer<byte[], byte[]> producer = cluster.newProducer(Map.of());
        Daemon daemon = Daemon.start(lake.config())) {
      send(producer, 0, 500);
      await(daemon, () -> numbers().size() >= 500);
      int leader = leader();
      shutDown(leader);
      send(producer, 500, 1000);
      await(daemon, () -> numbers().size() >= 1000);
      cluster.cluster().brokers().get(leader).startup();
      Await.until(
          LIMIT, () -> "it is in sync again", () -> topic().partitions().get(0).isr().size() == 3);
      shutDown(leader());
      send(producer, 1000, 1500);
      await(daemon, () -> numbers().size() >= 1500);
      assertThat(numbers()).isEqualTo(upTo(1500));
      assertThat(daemon.status().state()).isEqualTo(DaemonStatus.State.RUNNING);
    }
    assertThat(numbers()).isEqualTo(upTo(1500));
  }

  @Test
  void saysThatTheClusterIsGoneAndGoesOnWhenItIsBack() throws Exception {
    cluster.createTopic(TOPIC, 1, 3, Map.of());
    try (KafkaProducer<byte[], byte[]> producer = cluster.newProducer(Map.of());
        Daemon daemon = Daemon.start(lake.config())) {
      send(producer, 0, 100);
      await(daemon, () -> numbers().size() >= 100);
      for (int id : List.of(0, 1, 2)) {
        shutDown(id);
      }
      await(daemon, () -> daemon.status().state() == DaemonStatus.State.RETRYING);
      assertThat(daemon.status().problem().orElseThrow()).contains("Kafka at ");
      for (int id : List.of(0, 1, 2)) {
        cluster.cluster().brokers().get(id).startup();
      }
      send(producer, 100, 200);
      await(daemon, () -> numbers().size() >= 200);
      assertThat(numbers()).isEqualTo(upTo(200));
      assertThat(daemon.status().state()).isEqualTo(DaemonStatus.State.RUNNING);
    }
  }

  @Test
  void noticesThatTheLogWasCutBackAlthoughItHasGrownLongerSince() throws Exception {
    cluster.createTopic(
        TOPIC, 1, 2, Map.of("min.insync.replicas", "1", "unclean.leader.election.enable", "false"));
    int first;
    int second;
    try (KafkaProducer<byte[], byte[]> producer = cluster.newProducer(Map.of())) {
      try (Daemon daemon = Daemon.start(lake.config())) {
        send(producer, 0, 10);
        await(daemon, () -> numbers().size() >= 10);
        first = leader();
        second =
            topic().partitions().get(0).replicas().stream()
                .mapToInt(Node::id)
                .filter(id -> id != first)
                .findFirst()
                .orElseThrow();
        shutDown(second);
        // The second one doesn't have these.
        send(producer, 10, 20);
        await(daemon, () -> numbers().size() >= 20);
      }
    }
    shutDown(first);
    cluster.cluster().brokers().get(second).startup();
    Await.until(
        LIMIT,
        () -> "the one that lacks messages leads",
        () -> {
          try {
            cluster
                .admin()
                .electLeaders(ElectionType.UNCLEAN, java.util.Set.of(new TopicPartition(TOPIC, 0)))
                .all()
                .get();
          } catch (java.util.concurrent.ExecutionException e) {
            // Not yet, or done already.
          }
          return leader() == second;
        });
    try (KafkaProducer<byte[], byte[]> producer = cluster.newProducer(Map.of())) {
      send(producer, 100, 130);
    }
    try (Daemon daemon = Daemon.start(lake.config())) {
      assertThat(daemon.awaitExit()).isEqualTo(4);
      assertThat(daemon.status().problem().orElseThrow())
          .contains("events-0: it was truncated at offset 10")
          .contains("messages 10 to 19");
    }
    lake.set("source.on-lost-range = skip");
    try (Daemon daemon = Daemon.start(lake.config())) {
      await(daemon, () -> numbers().size() >= 50);
      assertThat(numbers())
          .containsExactlyElementsOf(
              IntStream.concat(IntStream.range(0, 20), IntStream.range(100, 130))
                  .mapToObj(Long::valueOf)
                  .toList());
    }
  }
}
