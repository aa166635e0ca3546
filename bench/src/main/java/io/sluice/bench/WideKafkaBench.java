package io.sluice.bench;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.config.ConfigLoader;
import io.sluice.replicator.daemon.Daemon;
import io.sluice.sinks.PipelineStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.ReadBuilder;

/**
 * Five topics of four partitions into one wide table of a key and 40 columns by partial update,
 * until the last message is committed, by turns with an empty consumer whose messages Jackson's
 * streaming parser reads. Broker, consumer and daemon share the process and its heap ({@code
 * SLUICE_HEAP=1g}). Paimon's reader then counts the rows and adds up versions and amounts of all
 * sources: anything but what was sent ends the run. Arguments: messages (default 1,000,000), keys
 * (100,000), rounds (3).
 */
public final class WideKafkaBench {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final int keys;
  private final int versions;
  private final long messages;

  private WideKafkaBench(int keys, int versions) {
    this.keys = keys;
    this.versions = versions;
    this.messages = (long) keys * versions * WideEvents.SOURCES;
  }

  public static void main(String[] args) throws Exception {
    Arguments arguments = new Arguments(args);
    int wanted = arguments.number(0, 1_000_000);
    int keys = arguments.number(1, 100_000);
    // Versions come in pairs.
    int versions = Math.max(2, wanted / WideEvents.SOURCES / keys / 2 * 2);
    new WideKafkaBench(keys, versions).run(arguments.number(2, 3));
  }

  private void run(int rounds) throws Exception {
    try (BenchBroker broker = BenchBroker.start()) {
      for (int source = 0; source < WideEvents.SOURCES; source++) {
        broker.createTopic(WideEvents.topic(source));
      }
      long bytes = fill(broker);
      System.out.printf(
          Locale.ROOT,
          "%,d messages of %d bytes on average, %,d keys, %d versions of each source's row%n",
          messages,
          bytes / messages,
          keys,
          versions);
      for (int round = 1; round <= rounds; round++) {
        report("consumer, Jackson parser", () -> consume(broker));
        report("Sluice, until committed", () -> mirror(broker));
      }
    }
  }

  private long fill(BenchBroker broker) {
    long bytes = 0;
    long millis = System.currentTimeMillis();
    try (KafkaProducer<byte[], byte[]> producer = broker.newProducer()) {
      for (long i = 0; i < (long) keys * versions; i++) {
        for (int source = 0; source < WideEvents.SOURCES; source++) {
          var event = WideEvents.event(source, i, keys, millis);
          bytes += event.value().length;
          producer.send(event);
        }
      }
    }
    return bytes;
  }

  /** Of one run, without what is checked behind it. */
  private record Took(double seconds, double cpuSeconds, String more) {
    Took(Stopwatch watch, String more) {
      this(watch.seconds(), watch.cpuSeconds(), more);
    }
  }

  private interface Run {
    Took run() throws Exception;
  }

  private void report(String what, Run run) throws Exception {
    System.gc();
    try (PeakHeap heap = new PeakHeap()) {
      Took took = run.run();
      System.out.printf(
          Locale.ROOT,
          "%-26s %9.0f rows/s  %6.2f us CPU a row  heap at most %d MiB, %d after a collection  %s%n",
          what,
          messages / took.seconds(),
          1e6 * took.cpuSeconds() / messages,
          heap.mebibytesBeforeCollections(),
          heap.mebibytesAfterCollections(),
          took.more());
    }
  }

  private Took consume(BenchBroker broker) throws IOException {
    Properties properties = new Properties();
    properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.address());
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 5000);
    List<TopicPartition> partitions = new ArrayList<>();
    for (int source = 0; source < WideEvents.SOURCES; source++) {
      for (int i = 0; i < BenchBroker.PARTITIONS; i++) {
        partitions.add(new TopicPartition(WideEvents.topic(source), i));
      }
    }
    JsonFactory factory = new JsonFactory();
    Stopwatch watch = new Stopwatch();
    long tokens = 0;
    long seen = 0;
    try (var consumer =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      while (seen < messages) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
          try (JsonParser parser = factory.createParser(record.value())) {
            while (parser.nextToken() != null) {
              tokens++;
            }
          }
          seen++;
        }
      }
    }
    return new Took(watch, "(" + tokens + " tokens)");
  }

  private Took mirror(BenchBroker broker) throws Exception {
    try (BenchFolder folder = BenchFolder.create("wide-kafka-bench")) {
      Path warehouse = Files.createDirectories(folder.path().resolve("warehouse"));
      List<String> topics = new ArrayList<>();
      for (int source = 0; source < WideEvents.SOURCES; source++) {
        topics.add(WideEvents.topic(source));
      }
      String text =
          broker.config("bench", warehouse, "2s", topics).stripTrailing().replaceAll("}$", "")
              + "  tables.rules = [ "
              + WideEvents.rule()
              + " ]\n}\n";
      Path config = Files.writeString(folder.path().resolve("bench.conf"), text);
      Took took;
      Stopwatch watch = new Stopwatch();
      try (Daemon daemon = Daemon.start(ConfigLoader.load(config, Map.of()))) {
        while (finished(daemon) < messages) {
          if (!daemon.isRunning()) {
            throw new IllegalStateException("The daemon has ended: " + daemon.status());
          }
          TimeUnit.MILLISECONDS.sleep(5);
        }
        took = new Took(watch, String.format(Locale.ROOT, "(%,d rows, all sums right)", keys));
      }
      check(warehouse.resolve(WideEvents.DATABASE + ".db").resolve(WideEvents.TABLE));
      return took;
    }
  }

  /** Messages before the position of the newest finished epoch. */
  private static long finished(Daemon daemon) throws IOException {
    Optional<String> position =
        daemon.status().pipeline().flatMap(PipelineStatus::position).map(at -> at.text());
    long sum = 0;
    if (position.isPresent()) {
      for (JsonNode topic : JSON.readTree(position.get()).path("topics")) {
        for (JsonNode offset : topic.path("offsets")) {
          sum += offset.asLong();
        }
      }
    }
    return sum;
  }

  /** Compares what Paimon reads with what was sent. */
  private void check(Path root) throws Exception {
    FileStoreTable table = PaimonSession.open(root);
    List<String> names = table.rowType().getFieldNames();
    int[] fields = new int[2 * WideEvents.SOURCES];
    for (int source = 0; source < WideEvents.SOURCES; source++) {
      fields[2 * source] = names.indexOf(WideEvents.column(source, 0));
      fields[2 * source + 1] = names.indexOf(WideEvents.column(source, 3));
    }
    long[] sums = new long[fields.length];
    long[] count = new long[1];
    ReadBuilder builder = table.newReadBuilder().withProjection(fields);
    try (RecordReader<InternalRow> reader =
        builder.newRead().createReader(builder.newScan().plan())) {
      reader.forEachRemaining(
          row -> {
            count[0]++;
            for (int i = 0; i < sums.length; i++) {
              sums[i] += row.getLong(i);
            }
          });
    }
    expect("rows", count[0], keys);
    for (int source = 0; source < WideEvents.SOURCES; source++) {
      long amounts = 0;
      for (long key = 0; key < keys; key++) {
        amounts += WideEvents.amount(source, key, versions - 1);
      }
      expect(WideEvents.column(source, 0), sums[2 * source], (long) keys * (versions - 1));
      expect(WideEvents.column(source, 3), sums[2 * source + 1], amounts);
    }
  }

  private static void expect(String what, long is, long wanted) {
    if (is != wanted) {
      throw new IllegalStateException(
          "Paimon reads " + is + " for " + what + ", and " + wanted + " were sent");
    }
  }
}
