package io.sluice.bench;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.config.ConfigLoader;
import io.sluice.replicator.daemon.Daemon;
import io.sluice.sinks.PipelineStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Debezium's JSON from a topic of four partitions into a table, until the last message is
 * committed, by turns with an empty consumer and with one that has Jackson's streaming parser read
 * every value of every message. The broker is in the same process, and its processor time in all
 * figures. Arguments: messages (default 1,000,000), keys (200,000), rounds (3), who ({@code all},
 * {@code sluice}).
 */
public final class KafkaBench {

  private static final ObjectMapper JSON = new ObjectMapper();

  private KafkaBench() {}

  public static void main(String[] args) throws Exception {
    Arguments arguments = new Arguments(args);
    int messages = arguments.number(0, 1_000_000);
    int keys = arguments.number(1, 200_000);
    int rounds = arguments.number(2, 3);
    boolean all = arguments.text(3, "all").equals("all");
    try (BenchBroker broker = BenchBroker.start()) {
      long bytes = fill(broker, messages, keys);
      System.out.printf(
          Locale.ROOT, "%,d messages of %d bytes on average%n", messages, bytes / messages);
      for (int round = 1; round <= rounds; round++) {
        if (all) {
          report("consumer, empty", messages, () -> consume(broker, messages, value -> 0));
          report("consumer, Jackson parser", messages, () -> consume(broker, messages, parsing()));
        }
        report("Sluice, until committed", messages, () -> mirror(broker, messages, keys));
      }
    }
  }

  private static long fill(BenchBroker broker, int messages, int keys) {
    long bytes = 0;
    long millis = System.currentTimeMillis();
    try (KafkaProducer<byte[], byte[]> producer = broker.newProducer()) {
      for (long i = 0; i < messages; i++) {
        var event = OrderEvents.event(i, keys, millis);
        bytes += event.value().length;
        producer.send(event);
      }
    }
    return bytes;
  }

  private interface Run {
    /** Returns what is printed beside the figures. */
    String run() throws Exception;
  }

  private interface Taking {
    long take(byte[] value) throws IOException;
  }

  private static void report(String what, int messages, Run run) throws Exception {
    Stopwatch watch = new Stopwatch();
    String more = run.run();
    System.out.printf(
        Locale.ROOT,
        "%-26s %9.0f messages/s  %6.2f us CPU a message  %s%n",
        what,
        messages / watch.seconds(),
        1e6 * watch.cpuSeconds() / messages,
        more);
  }

  private static Taking parsing() {
    JsonFactory factory = new JsonFactory();
    return value -> {
      long sum = 0;
      try (JsonParser parser = factory.createParser(value)) {
        for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
          sum +=
              switch (token) {
                case VALUE_STRING -> parser.getText().length();
                case VALUE_NUMBER_INT -> parser.getLongValue();
                case FIELD_NAME -> parser.currentName().length();
                default -> 1;
              };
        }
      }
      return sum;
    };
  }

  private static String consume(BenchBroker broker, int messages, Taking taking)
      throws IOException {
    Properties properties = new Properties();
    properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.address());
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 5000);
    properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 4 << 20);
    long sum = 0;
    int seen = 0;
    try (var consumer =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      var partitions =
          IntStream.range(0, BenchBroker.PARTITIONS)
              .mapToObj(i -> new TopicPartition(BenchBroker.TOPIC, i))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      while (seen < messages) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
          sum += taking.take(record.value());
          seen++;
        }
      }
    }
    return sum == 0 ? "" : "(checksum " + Long.toHexString(sum) + ")";
  }

  private static String mirror(BenchBroker broker, int messages, int keys) throws Exception {
    try (BenchFolder folder = BenchFolder.create("kafka-bench")) {
      Path warehouse = Files.createDirectories(folder.path().resolve("warehouse"));
      Path config =
          Files.writeString(
              folder.path().resolve("bench.conf"), broker.config("bench", warehouse, "2s"));
      try (Daemon daemon = Daemon.start(ConfigLoader.load(config, Map.of()))) {
        while (finished(daemon) < messages) {
          if (!daemon.isRunning()) {
            throw new IllegalStateException("The daemon has ended: " + daemon.status());
          }
          TimeUnit.MILLISECONDS.sleep(5);
        }
      }
      Path table = warehouse.resolve(OrderEvents.DATABASE + ".db").resolve(OrderEvents.TABLE);
      String content = TableContent.sum(table);
      if (!content.startsWith(Math.min(keys, messages) + "/")) {
        throw new IllegalStateException("The table holds " + content + ", not " + keys + " rows");
      }
      return "(rows " + content + ")";
    }
  }

  /** Messages before the position of the newest finished epoch. */
  private static long finished(Daemon daemon) throws IOException {
    Optional<String> position =
        daemon.status().pipeline().flatMap(PipelineStatus::position).map(at -> at.text());
    long sum = 0;
    if (position.isPresent()) {
      for (JsonNode offset :
          JSON.readTree(position.get()).path("topics").path(BenchBroker.TOPIC).path("offsets")) {
        sum += offset.asLong();
      }
    }
    return sum;
  }
}
