package io.sluice.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;

/**
 * How long a message takes from its record's time until a snapshot holds it, at a steady rate:
 * Debezium's JSON, the daemon in a process of its own with a heap of 1 GiB and a commit interval of
 * 500 ms. Every message counts: a snapshot's position tells which it holds. Arguments: messages a
 * second (default 20,000), seconds (60), keys (200,000).
 */
public final class KafkaFreshnessBench {

  private static final int WARM_UP_SECONDS = 15;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final int perSecond;
  private final long[][] sentMillis;
  private final int[] delays;
  private final int[] taken = new int[BenchBroker.PARTITIONS];
  private int count;

  private KafkaFreshnessBench(int perSecond, int messages) {
    this.perSecond = perSecond;
    this.sentMillis = new long[BenchBroker.PARTITIONS][messages / BenchBroker.PARTITIONS + 1];
    this.delays = new int[messages];
  }

  public static void main(String[] args) throws Exception {
    Arguments arguments = new Arguments(args);
    int perSecond = arguments.number(0, 20_000);
    int seconds = arguments.number(1, 60);
    int keys = arguments.number(2, 200_000) / BenchBroker.PARTITIONS * BenchBroker.PARTITIONS;
    int messages = perSecond * (WARM_UP_SECONDS + seconds);
    new KafkaFreshnessBench(perSecond, messages).run(messages, keys);
  }

  private void run(int messages, int keys) throws Exception {
    try (BenchFolder folder = BenchFolder.create("kafka-freshness");
        BenchBroker broker = BenchBroker.start()) {
      Path warehouse = Files.createDirectories(folder.path().resolve("warehouse"));
      Path config =
          Files.writeString(
              folder.path().resolve("bench.conf"), broker.config("bench", warehouse, "500ms"));
      Process daemon = startDaemon(config, folder.path());
      try {
        Thread feed = new Thread(() -> send(broker, messages, keys), "feed");
        feed.setDaemon(true);
        feed.start();
        watch(
            warehouse.resolve(OrderEvents.DATABASE + ".db").resolve(OrderEvents.TABLE),
            messages,
            daemon);
      } finally {
        daemon.destroy();
        daemon.waitFor(30, TimeUnit.SECONDS);
        daemon.destroyForcibly().waitFor();
      }
      report();
    }
  }

  /** A partition's messages have offsets in the order in which they are sent. */
  private void send(BenchBroker broker, int messages, int keys) {
    try (KafkaProducer<byte[], byte[]> producer = broker.newProducer()) {
      long began = System.nanoTime();
      for (int i = 0; i < messages; i++) {
        long due = began + i * 1_000_000_000L / perSecond;
        while (due - System.nanoTime() > 0) {
          LockSupport.parkNanos(Math.max(1_000_000, due - System.nanoTime()));
        }
        long millis = System.currentTimeMillis();
        synchronized (sentMillis) {
          sentMillis[i % BenchBroker.PARTITIONS][i / BenchBroker.PARTITIONS] = millis;
        }
        producer.send(OrderEvents.event(i, keys, millis));
      }
    }
  }

  private void watch(Path table, int messages, Process daemon) throws Exception {
    long next = 1;
    while (taken[0] + taken[1] + taken[2] + taken[3] < messages) {
      Path snapshot = table.resolve("snapshot").resolve("snapshot-" + next);
      if (Files.exists(snapshot)) {
        take(snapshot);
        next++;
      } else if (daemon.isAlive()) {
        TimeUnit.MILLISECONDS.sleep(1);
      } else {
        throw new IllegalStateException("The daemon has ended, see its log above");
      }
    }
  }

  private void take(Path snapshot) throws IOException {
    long seenMillis = System.currentTimeMillis();
    JsonNode position = JSON.readTree(snapshot.toFile()).path("properties").path("sluice.position");
    if (position.isMissingNode()) {
      // A compaction's: it holds nothing new.
      return;
    }
    JsonNode offsets =
        JSON.readTree(position.asText()).path("topics").path(BenchBroker.TOPIC).path("offsets");
    int warmUp = WARM_UP_SECONDS * perSecond / BenchBroker.PARTITIONS;
    synchronized (sentMillis) {
      for (int i = 0; i < BenchBroker.PARTITIONS; i++) {
        int end = offsets.path(Integer.toString(i)).asInt();
        for (; taken[i] < end; taken[i]++) {
          if (taken[i] >= warmUp) {
            delays[count++] = (int) (seenMillis - sentMillis[i][taken[i]]);
          }
        }
      }
    }
  }

  private void report() {
    Arrays.sort(delays, 0, count);
    System.out.printf(
        Locale.ROOT,
        "%,d messages/s: in a snapshot after p50 %d ms, p99 %d ms, at most %d ms (%,d messages)%n",
        perSecond,
        delays[count / 2],
        delays[(int) (count * 0.99)],
        delays[count - 1],
        count);
  }

  private static Process startDaemon(Path config, Path folder) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx1g",
            "-XX:+UseG1GC",
            "-cp",
            System.getProperty("java.class.path"),
            "io.sluice.replicator.cli.Sluice",
            "run",
            "-c",
            config.toString())
        .directory(folder.toFile())
        .inheritIO()
        .start();
  }
}
