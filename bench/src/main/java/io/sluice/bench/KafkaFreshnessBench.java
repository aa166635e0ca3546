package io.sluice.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;

/**
 * How long a message takes from its record's time until a snapshot holds it, at a steady rate:
 * Debezium's JSON, the daemon in a process of its own with a heap of 1 GiB and a commit interval of
 * 500 ms. Every message counts: a snapshot's position tells which it holds. Arguments: messages a
 * second (default 20,000), seconds (60), keys (200,000), who ({@code sluice}, {@code flink}).
 *
 * <p>With {@code flink} it is Flink with Paimon's sink, likewise in a process of 1 GiB with a
 * checkpoint every 500 ms ({@code bench/flink}, to be built before). Its snapshots tell how many
 * rows they add, and a checkpoint has each key at most once; so they are taken to hold messages in
 * the order of sending.
 */
public final class KafkaFreshnessBench {

  private static final int WARM_UP_SECONDS = 15;
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final Path FLINK = Path.of("bench", "flink", "target");

  private final boolean flink;
  private final int perSecond;
  private final long[][] sentMillis;
  private final int[] delays;
  private final int[] taken = new int[BenchBroker.PARTITIONS];
  private int count;
  // That the snapshots of Flink have added.
  private int rows;

  private KafkaFreshnessBench(int perSecond, int messages, boolean flink) {
    this.flink = flink;
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
    boolean flink = arguments.text(3, "sluice").equals("flink");
    new KafkaFreshnessBench(perSecond, messages, flink).run(messages, keys);
  }

  private void run(int messages, int keys) throws Exception {
    try (BenchFolder folder = BenchFolder.create("kafka-freshness");
        BenchBroker broker = BenchBroker.start()) {
      Path warehouse = Files.createDirectories(folder.path().resolve("warehouse"));
      Path config =
          Files.writeString(
              folder.path().resolve("bench.conf"), broker.config("bench", warehouse, "500ms"));
      Process daemon = flink ? startFlink(broker, warehouse) : startDaemon(config, folder.path());
      try {
        Path table = warehouse.resolve(OrderEvents.DATABASE + ".db").resolve(OrderEvents.TABLE);
        if (flink) {
          // Its planner takes many seconds; messages of that time would wait for it.
          send(broker, 0, BenchBroker.PARTITIONS, keys);
          awaitSnapshot(table, 1, daemon);
        }
        int first = flink ? BenchBroker.PARTITIONS : 0;
        Thread feed = new Thread(() -> send(broker, first, messages, keys), "feed");
        feed.setDaemon(true);
        feed.start();
        watch(table, messages, daemon);
      } finally {
        daemon.destroy();
        daemon.waitFor(30, TimeUnit.SECONDS);
        daemon.destroyForcibly().waitFor();
      }
      report();
    }
  }

  /** A partition's messages have offsets in the order in which they are sent. */
  private void send(BenchBroker broker, int first, int messages, int keys) {
    try (KafkaProducer<byte[], byte[]> producer = broker.newProducer()) {
      long began = System.nanoTime();
      for (int i = first; i < messages; i++) {
        long due = began + (i - first) * 1_000_000_000L / perSecond;
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
    for (long next = 1; taken[0] + taken[1] + taken[2] + taken[3] < messages; next++) {
      take(awaitSnapshot(table, next, daemon));
    }
  }

  private static Path awaitSnapshot(Path table, long id, Process daemon) throws Exception {
    Path snapshot = table.resolve("snapshot").resolve("snapshot-" + id);
    while (!Files.exists(snapshot)) {
      if (!daemon.isAlive()) {
        throw new IllegalStateException("The daemon has ended, see its log above");
      }
      TimeUnit.MILLISECONDS.sleep(1);
    }
    return snapshot;
  }

  private void take(Path snapshot) throws IOException {
    long seenMillis = System.currentTimeMillis();
    JsonNode json = JSON.readTree(snapshot.toFile());
    int[] ends = flink ? endsByCount(json) : endsByPosition(json);
    int warmUp = WARM_UP_SECONDS * perSecond / BenchBroker.PARTITIONS;
    synchronized (sentMillis) {
      for (int i = 0; i < BenchBroker.PARTITIONS; i++) {
        for (; taken[i] < ends[i]; taken[i]++) {
          if (taken[i] >= warmUp) {
            delays[count++] = (int) (seenMillis - sentMillis[i][taken[i]]);
          }
        }
      }
    }
  }

  /** Offsets behind the messages that a snapshot of ours holds; of a compaction's, none new. */
  private int[] endsByPosition(JsonNode snapshot) throws IOException {
    JsonNode position = snapshot.path("properties").path("sluice.position");
    if (position.isMissingNode()) {
      return taken;
    }
    JsonNode offsets =
        JSON.readTree(position.asText()).path("topics").path(BenchBroker.TOPIC).path("offsets");
    int[] ends = new int[BenchBroker.PARTITIONS];
    for (int i = 0; i < ends.length; i++) {
      ends[i] = offsets.path(Integer.toString(i)).asInt();
    }
    return ends;
  }

  private int[] endsByCount(JsonNode snapshot) {
    if (snapshot.path("commitKind").asText().equals("APPEND")) {
      rows += snapshot.path("deltaRecordCount").asInt();
    }
    int[] ends = new int[BenchBroker.PARTITIONS];
    for (int i = 0; i < ends.length; i++) {
      ends[i] = (rows - i + BenchBroker.PARTITIONS - 1) / BenchBroker.PARTITIONS;
    }
    return ends;
  }

  private void report() {
    Arrays.sort(delays, 0, count);
    System.out.printf(
        Locale.ROOT,
        "%s, %,d messages/s: in a snapshot after p50 %d ms, p99 %d ms, at most %d ms (%,d messages)%n",
        flink ? "Flink" : "Sluice",
        perSecond,
        delays[count / 2],
        delays[(int) (count * 0.99)],
        delays[count - 1],
        count);
  }

  private static Process startFlink(BenchBroker broker, Path warehouse) throws IOException {
    if (!Files.exists(FLINK.resolve("classpath"))) {
      throw new IllegalStateException(
          FLINK.resolve("classpath") + " is not there: mvn -q -f bench/flink/pom.xml package");
    }
    List<String> command = new ArrayList<>(List.of(java(), "-Xmx1g", "-XX:+UseG1GC"));
    for (String each : List.of("util", "lang", "nio", "net", "time")) {
      command.add("--add-opens=java.base/java." + each + "=ALL-UNNAMED");
    }
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
    String libraries = Files.readString(FLINK.resolve("classpath")).strip();
    command.add("-cp");
    command.add(FLINK.resolve("classes") + File.pathSeparator + libraries);
    command.add("io.sluice.bench.flink.FlinkToPaimon");
    command.addAll(List.of(broker.address(), BenchBroker.TOPIC, "file://" + warehouse));
    return new ProcessBuilder(command).inheritIO().start();
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static Process startDaemon(Path config, Path folder) throws IOException {
    return new ProcessBuilder(
            java(),
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
