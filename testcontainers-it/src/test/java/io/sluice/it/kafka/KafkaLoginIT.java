package io.sluice.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.Await;
import io.sluice.replicator.daemon.Daemon;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker that wants to know who reads. */
class KafkaLoginIT {

  @TempDir Path folder;

  private KafkaFolder lake(String name, KafkaBroker broker, String jaas) {
    return new KafkaFolder(folder.resolve(name), name, broker)
        .set("source.topics = [t]")
        .set("source.format = json")
        .set("source.properties { \"security.protocol\" = SASL_PLAINTEXT }")
        .set("source.properties { \"sasl.mechanism\" = PLAIN }")
        .set("source.properties { \"default.api.timeout.ms\" = 10000 }")
        .set("source.properties { \"request.timeout.ms\" = 5000 }")
        .set("source.properties { \"sasl.jaas.config\" = \"\"\"" + jaas + "\"\"\" }")
        .set("tables.rules = [ { match = t, into = lake.t } ]");
  }

  @Test
  void handsOnWhoItIs() throws Exception {
    try (KafkaBroker broker = KafkaBroker.startWithLogin()) {
      broker.createTopic("t", 1);
      String jaas = broker.login().get("sasl.jaas.config");
      assertThat(jaas).isNotNull();
      try (KafkaProducer<byte[], byte[]> producer = broker.newProducer(Map.of())) {
        producer
            .send(new ProducerRecord<>("t", "{\"n\":7}".getBytes(StandardCharsets.UTF_8)))
            .get();
      }
      KafkaFolder lake = lake("let-in", broker, jaas);
      try (Daemon daemon = Daemon.start(lake.config())) {
        Await.until(
            Duration.ofSeconds(60),
            () -> "the message is in the table; " + daemon.status(),
            () -> lake.exists("lake", "t"));
      }
      assertThat(lake.rows("lake", "t").rows()).containsExactly(List.of("7"));
      try (Daemon daemon =
          Daemon.start(lake("refused", broker, jaas.replace("-secret", "-wrong")).config())) {
        assertThat(daemon.awaitExit()).isEqualTo(3);
        assertThat(daemon.status().problem().orElseThrow())
            .contains("Authentication failed")
            .doesNotContain("wrong");
      }
    }
  }
}
