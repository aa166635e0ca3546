package io.sluice.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.DaemonProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

class KafkaIT {

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
  void topic(TestInfo test) throws Exception {
    topic = test.getTestMethod().orElseThrow().getName();
    lake = new KafkaFolder(folder, "events", broker).set("source.topics = [" + topic + "]");
    broker.createTopic(topic, 2);
  }

  private void send(int partition, @Nullable String key, @Nullable String value) throws Exception {
    producer.send(new ProducerRecord<>(topic, partition, bytes(key), bytes(value))).get();
  }

  private static byte @Nullable [] bytes(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void mirrorsDebeziumEventsIntoATableWithTheirKey() throws Exception {
    lake.set("source.format = debezium-json");
    send(0, "{\"id\":1}", event("c", null, "{\"id\":1,\"name\":\"a\"}"));
    send(1, "{\"id\":2}", event("r", null, "{\"id\":2,\"name\":\"b\"}"));
    try (DaemonProcess daemon = lake.run()) {
      lake.awaitRows(daemon, "shop", "orders", 2);
      send(
          0,
          "{\"id\":1}",
          event("u", "{\"id\":1,\"name\":\"a\"}", "{\"id\":1,\"name\":\"c\",\"n\":7}"));
      send(1, "{\"id\":2}", event("d", "{\"id\":2,\"name\":\"b\"}", null));
      send(1, "{\"id\":2}", null);
      lake.awaitRows(daemon, "shop", "orders", 1);
      assertThat(lake.columns("shop", "orders"))
          .containsExactly("id BIGINT NOT NULL", "name STRING", "n INT");
      assertThat(lake.rows("shop", "orders").rows()).containsExactly(List.of("1", "c", "7"));
      assertThat(daemon.terminate()).isZero();
    }
    send(0, "{\"id\":3}", event("c", null, "{\"id\":3,\"name\":\"d\"}"));
    try (DaemonProcess daemon = lake.run()) {
      lake.awaitRows(daemon, "shop", "orders", 2);
      assertThat(daemon.terminate()).isZero();
    }
  }

  private static String event(String op, @Nullable String before, @Nullable String after) {
    return "{\"op\":\"%s\",\"before\":%s,\"after\":%s,\"source\":{\"db\":\"shop\",\"table\":\"orders\",\"ts_ms\":1700000000000},\"ts_ms\":1700000000001}"
        .formatted(op, before, after);
  }

  @Test
  void takesANumberForATimeOnlyWhereItsUnitIsTold() throws Exception {
    String rule =
        "tables.rules = [ { match = \""
            + topic
            + "\", into = ods.t, primary-key = [id], columns { t = \"TIMESTAMP(6)\" } %s } ]";
    lake.set("source.format = json").set(rule.formatted(""));
    send(0, null, "{\"id\":1,\"t\":1700000000123}");
    send(0, null, "{\"id\":2,\"t\":\"2023-11-14T22:13:20.5\"}");
    try (DaemonProcess daemon = lake.run()) {
      lake.awaitRows(daemon, "ods", "t", 1);
      lake.awaitRows(daemon, "sluice_system", "dead_letters", 1);
      assertThat(daemon.terminate()).isZero();
    }
    lake.set("source.format-options { numbers-as-times = millis }")
        .set(rule.formatted(", metadata { o = offset }"));
    send(0, null, "{\"id\":3,\"t\":1700000000123}");
    try (DaemonProcess daemon = lake.run()) {
      lake.awaitRows(daemon, "ods", "t", 2);
      assertThat(lake.rows("ods", "t").columns()).containsExactly("id", "t", "o");
      assertThat(lake.project("ods", "t", "id", "t", "o"))
          .containsExactly("2 2023-11-14 22:13:20.500000 null", "3 2023-11-14 22:13:20.123000 2");
      assertThat(daemon.terminate()).isZero();
    }
  }

  @Test
  void setsBadMessagesAsideAndGoesOn() throws Exception {
    lake.set("source.format = json")
        .set(
            "tables.rules = [ { match = \""
                + topic
                + "\", into = ods.e, primary-key = [id], metadata { o = offset }, columns { d = DATE } } ]");
    send(0, null, "{\"id\":1,\"d\":-2954}");
    send(0, null, "{\"id\":2,\"d\":\"abc\"}");
    send(0, null, "no json");
    send(0, null, "");
    send(0, null, "{\"x\":1}");
    send(0, null, "{\"id\":3,\"d\":\"2024-01-31\"}");
    try (DaemonProcess daemon = lake.run()) {
      lake.awaitRows(daemon, "ods", "e", 2);
      assertThat(lake.rows("ods", "e").columns()).containsExactly("id", "d", "o");
      assertThat(lake.rows("ods", "e").rows())
          .containsExactlyInAnyOrder(
              List.of("1", "1961-11-30", "0"), List.of("3", "2024-01-31", "5"));
      assertThat(
              lake.rows("sluice_system", "dead_letters").rows().stream()
                  .map(row -> List.of(row.get(3), row.get(7)))
                  .toList())
          .containsExactlyInAnyOrder(
              List.of("0@1", "value"), List.of("0@2", "malformed"), List.of("0@4", "key"));
      assertThat(daemon.terminate()).isZero();
    }
  }
}
