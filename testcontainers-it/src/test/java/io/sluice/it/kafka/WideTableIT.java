package io.sluice.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.Await;
import io.sluice.it.support.DaemonProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WideTableIT {

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

  private static void send(String topic, String value) throws Exception {
    producer
        .send(new ProducerRecord<>(topic, 0, null, value.getBytes(StandardCharsets.UTF_8)))
        .get();
  }

  private static String event(String op, String table, String before, String after) {
    return "{\"op\":\"%s\",\"before\":%s,\"after\":%s,\"source\":{\"db\":\"shop\",\"table\":\"%s\",\"ts_ms\":1700000000000}}"
        .formatted(op, before, after, table);
  }

  @Test
  void fillsOneRowFromSeveralTopics() throws Exception {
    for (String topic : List.of("orders", "payments", "items")) {
      broker.createTopic(topic, 1);
    }
    KafkaFolder lake =
        new KafkaFolder(folder, "wide", broker)
            .set("source.topics = [orders, payments, items]")
            .set("source.format = debezium-json")
            .set(
                """
                tables.rules = [ { into = "dwd.order_wide", primary-key = [order_id]
                  from = [
                    { name = orders, match = orders, on-delete = delete-row
                      columns { order_id = id, note = note } }
                    { name = pays, match = payments, sequence = [version]
                      columns { order_id = order_id, amount = amount, version = version } }
                    { name = items, match = items, aggregate { total = sum }
                      columns { order_id = order_id, total = price } } ] } ]
                """);
    send("orders", event("c", "orders", "null", "{\"id\":1,\"note\":\"a\"}"));
    send("orders", event("c", "orders", "null", "{\"id\":2,\"note\":\"b\"}"));
    send("payments", event("c", "payments", "null", "{\"order_id\":1,\"amount\":5,\"version\":7}"));
    // Late: an older version.
    send("payments", event("u", "payments", "null", "{\"order_id\":1,\"amount\":4,\"version\":6}"));
    send("items", event("c", "items", "null", "{\"id\":1,\"order_id\":1,\"price\":10}"));
    send("items", event("c", "items", "null", "{\"id\":2,\"order_id\":1,\"price\":20}"));
    send("items", event("c", "items", "null", "{\"id\":3,\"order_id\":2,\"price\":1}"));
    try (DaemonProcess daemon = lake.run()) {
      awaitRows(daemon, lake, Set.of("1 a 5 30", "2 b null 1"));
      // A NULL of the source is a value; an item changes its price; one moves to another order.
      send("orders", event("u", "orders", "{\"id\":1,\"note\":\"a\"}", "{\"id\":1,\"note\":null}"));
      send(
          "items",
          event(
              "u",
              "items",
              "{\"id\":1,\"order_id\":1,\"price\":10}",
              "{\"id\":1,\"order_id\":1,\"price\":11}"));
      awaitRows(daemon, lake, Set.of("1 null 5 31", "2 b null 1"));
      send(
          "items",
          event(
              "u",
              "items",
              "{\"id\":2,\"order_id\":1,\"price\":20}",
              "{\"id\":2,\"order_id\":2,\"price\":20}"));
      send(
          "payments",
          event("d", "payments", "{\"order_id\":1,\"amount\":5,\"version\":7}", "null"));
      awaitRows(daemon, lake, Set.of("1 null null 11", "2 b null 21"));
      send("orders", event("d", "orders", "{\"id\":2,\"note\":\"b\"}", "null"));
      awaitRows(daemon, lake, Set.of("1 null null 11"));
      assertThat(daemon.terminate()).isZero();
    }
  }

  private static void awaitRows(DaemonProcess daemon, KafkaFolder lake, Set<String> wanted)
      throws Exception {
    AtomicReference<Set<String>> seen = new AtomicReference<>(Set.of());
    Await.until(
        Duration.ofSeconds(30),
        () ->
            "the wide table has "
                + wanted
                + " but has "
                + seen.get()
                + "; the daemon's log:\n"
                + daemon.logTail(),
        () -> {
          daemon.assertAlive();
          if (lake.exists("dwd", "order_wide")) {
            seen.set(lake.project("dwd", "order_wide", "order_id", "note", "amount", "total"));
          }
          return seen.get().equals(wanted);
        });
  }
}
