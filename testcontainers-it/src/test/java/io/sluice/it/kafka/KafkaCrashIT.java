package io.sluice.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.DaemonProcess;
import io.sluice.it.support.LakeRows;
import io.sluice.it.support.Seeds;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The daemon mirrors topics of four partitions and is killed with {@code kill -9} at random
 * instants while messages come. In the end Paimon's reader sees: of a topic without a key each
 * offset once, with what was sent at that offset; of one with a key each key's last message, and
 * none of a key whose last message was a tombstone.
 *
 * <p>What is sent at an offset follows from the seed, the topic, the partition and the offset.
 */
class KafkaCrashIT {

  private static final int TOPICS = Integer.getInteger("test.kafka.topics", 4);
  private static final int PARTITIONS = 4;
  private static final long MESSAGES = Long.getLong("test.kafka.messages", 100_000);
  private static final int KILLS = Integer.getInteger("test.kills", 5);
  private static final int PER_SECOND_MAX = 25_000;
  private static final Duration START_LIMIT = Duration.ofSeconds(300);

  /** A daemon goes on for at most so long after its first commit: longer where there is more. */
  private static final int RUN_MILLIS = (int) Math.min(8_000, 1_500 + MESSAGES / KILLS / 50);

  /** Keys of one partition of a topic. */
  private static final int KEYS = 2_000;

  private static final String PADDING = "x".repeat(80);

  @TempDir Path folder;

  private long seed;
  private KafkaFolder lake;

  /** What a message says; {@code value} below 0: it is a tombstone. */
  private record Sent(long id, long value) {}

  /** One partition of a topic; topics of even number have keys. */
  private record Place(int topic, int partition) {
    boolean keyed() {
      return topic % 2 == 0;
    }

    String name() {
      return (keyed() ? "keyed-" : "plain-") + topic;
    }

    String table() {
      return name();
    }
  }

  private Sent sent(Place place, long offset) {
    var random =
        new SplittableRandom(
            seed + 31L * (place.topic * PARTITIONS + place.partition) + 1_000_003L * offset);
    // An id says its partition: all messages of a key are in one.
    long id = (long) random.nextInt(KEYS) * PARTITIONS + place.partition;
    return new Sent(id, place.keyed() && random.nextInt(20) == 0 ? -1 : random.nextLong(1L << 40));
  }

  @Test
  void losesAndDoublesNothing() throws Exception {
    seed = Seeds.of("KafkaCrashIT");
    Random random = new Random(seed);
    try (KafkaBroker broker = KafkaBroker.start()) {
      for (int topic = 0; topic < TOPICS; topic++) {
        broker.createTopic(new Place(topic, 0).name(), PARTITIONS);
      }
      lake =
          new KafkaFolder(folder, "mirror", broker)
              .set("source.topics = [\"keyed-*\", \"plain-*\"]")
              .set("source.format = json")
              .set("source.format-options { tombstones = delete }")
              // A broker beside others may be slow to answer: that isn't what is looked at here.
              .set(
                  "source.properties { \"default.api.timeout.ms\" = 120000, \"request.timeout.ms\" = 60000 }")
              .set(
                  """
                  tables.rules = [
                      { match = "keyed-*", into = "lake.{topic}", primary-key = [id], bucket = 2,
                        metadata { t = topic, p = partition, o = offset } }
                      { match = "plain-*", into = "lake.{topic}",
                        metadata { t = topic, p = partition, o = offset } } ]""");
      long perPartition = MESSAGES / ((long) TOPICS * PARTITIONS);
      long began = System.nanoTime();
      List<Long> stands = new ArrayList<>();
      try (var feed = new Feed(broker, perPartition)) {
        for (int kill = 1; kill <= KILLS; kill++) {
          long before = lake.offsets();
          feed.allow(perPartition * kill / (KILLS + 1));
          try (DaemonProcess daemon = lake.run()) {
            // One in four while it starts and recovers.
            boolean starting = random.nextInt(4) == 0;
            if (!starting) {
              daemon.await(START_LIMIT, "more is committed", () -> lake.offsets() > before);
            }
            pause(random.nextInt(starting ? 5_000 : RUN_MILLIS));
            feed.assertWell();
            daemon.assertAlive();
            daemon.kill();
          }
          long stand = lake.offsets();
          stands.add(stand);
          System.out.printf(
              "  kill %d after %.1f s: %d sent, %d committed%n",
              kill, (System.nanoTime() - began) / 1e9, feed.count.get(), stand);
        }
        assertThat(stands.stream().distinct().count())
            .as("positions that kills have left")
            .isGreaterThan(Math.min(3, KILLS / 2));
        feed.allow(perPartition);
        try (DaemonProcess daemon = lake.run()) {
          daemon.await(Duration.ofSeconds(600), "all is sent", feed::isDone);
          daemon.await(
              Duration.ofSeconds(600),
              "all is committed",
              () -> lake.offsets() == perPartition * TOPICS * PARTITIONS);
          assertThat(daemon.terminate())
              .as("exit code after SIGTERM; log:\n%s", daemon.logTail())
              .isZero();
        }
      }
      for (int topic = 0; topic < TOPICS; topic++) {
        if (topic % 2 == 0) {
          assertLastOfEachKey(topic, perPartition);
        } else {
          assertEachOffsetOnce(topic, perPartition);
        }
      }
      assertThat(lake.exists("sluice_system", "dead_letters")).isFalse();
      System.out.printf(
          "KafkaCrashIT: %d messages of %d topics, %d kills, %d positions left by them, %.0f s%n",
          perPartition * TOPICS * PARTITIONS,
          TOPICS,
          KILLS,
          stands.stream().distinct().count(),
          (System.nanoTime() - began) / 1e9);
    }
  }

  // Not to wait for something, but to choose an instant.
  private static void pause(int millis) {
    long until = System.nanoTime() + Duration.ofMillis(millis).toNanos();
    while (System.nanoTime() < until) {
      LockSupport.parkNanos(Math.max(1, until - System.nanoTime()));
    }
  }

  private void assertEachOffsetOnce(int topic, long perPartition) {
    String table = new Place(topic, 0).table();
    int[] at = columns(table);
    BitSet[] seen = new BitSet[PARTITIONS];
    java.util.Arrays.setAll(seen, partition -> new BitSet());
    LakeRows.forEach(
        lake.warehouse(),
        "lake",
        table,
        row -> {
          Place place = new Place(topic, row.getInt(at[3]));
          int offset = Math.toIntExact(row.getLong(at[4]));
          assertThat(seen[place.partition].get(offset))
              .as("%s, offset %d comes twice", place, offset)
              .isFalse();
          seen[place.partition].set(offset);
          assertThat(new Sent(row.getLong(at[0]), row.getLong(at[1])))
              .as("%s, offset %d", place, offset)
              .isEqualTo(sent(place, offset));
          assertThat(row.getString(at[2])).hasToString(place.name());
        });
    for (int partition = 0; partition < PARTITIONS; partition++) {
      assertThat(seen[partition].nextClearBit(0))
          .as("first offset missing in partition %d of %s", partition, table)
          .isEqualTo((int) perPartition);
      assertThat(seen[partition].cardinality()).isEqualTo((int) perPartition);
    }
  }

  private void assertLastOfEachKey(int topic, long perPartition) {
    Map<Long, Long> last = new HashMap<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      Place place = new Place(topic, partition);
      for (long offset = 0; offset < perPartition; offset++) {
        Sent sent = sent(place, offset);
        if (sent.value < 0) {
          last.remove(sent.id);
        } else {
          last.put(sent.id, offset);
        }
      }
    }
    String table = new Place(topic, 0).table();
    int[] at = columns(table);
    Map<Long, Long> rows = new HashMap<>();
    LakeRows.forEach(
        lake.warehouse(),
        "lake",
        table,
        row -> {
          Place place = new Place(topic, row.getInt(at[3]));
          long offset = row.getLong(at[4]);
          Sent sent = new Sent(row.getLong(at[0]), row.getLong(at[1]));
          assertThat(sent).as("%s, offset %d", place, offset).isEqualTo(sent(place, offset));
          assertThat(rows.put(sent.id, offset)).as("key %d comes twice", sent.id).isNull();
        });
    assertThat(rows).as("offset of the last message of each key of %s", table).isEqualTo(last);
    assertThat(rows).isNotEmpty();
  }

  /** Positions of id, v, t, p, o. */
  private int[] columns(String table) {
    List<String> names =
        lake.columns("lake", table).stream().map(column -> column.split(" ")[0]).toList();
    return Stream.of("id", "v", "t", "p", "o").mapToInt(names::indexOf).toArray();
  }

  /**
   * Sends to all partitions in turn, in the order of their offsets, on a thread of its own, as far
   * as it is allowed to.
   */
  private final class Feed implements AutoCloseable {

    final AtomicLong count = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Thread thread;
    private volatile boolean closed;
    private volatile long allowed;

    Feed(KafkaBroker broker, long perPartition) {
      thread =
          new Thread(
              () -> {
                try (KafkaProducer<byte[], byte[]> producer =
                    broker.newProducer(
                        Map.of(
                            "linger.ms", "20",
                            "buffer.memory", "16777216",
                            // A topic just made may refuse its first batch and take the second.
                            "max.in.flight.requests.per.connection", "1"))) {
                  send(producer, perPartition);
                } catch (RuntimeException | Error e) {
                  failure.set(e);
                }
              },
              "feed");
      thread.start();
    }

    /** Up to this offset of each partition, without it. */
    void allow(long offset) {
      allowed = offset;
      LockSupport.unpark(thread);
    }

    private void send(KafkaProducer<byte[], byte[]> producer, long perPartition) {
      long began = System.nanoTime();
      long perSecond = PER_SECOND_MAX / ((long) TOPICS * PARTITIONS);
      for (long offset = 0; offset < perPartition && !closed; offset++) {
        while (offset >= allowed && !closed) {
          LockSupport.parkNanos(10_000_000);
        }
        long due = began + offset * 1_000_000_000L / perSecond;
        while (due - System.nanoTime() > 0) {
          LockSupport.parkNanos(due - System.nanoTime());
        }
        for (int topic = 0; topic < TOPICS; topic++) {
          for (int partition = 0; partition < PARTITIONS; partition++) {
            send(producer, new Place(topic, partition), offset);
          }
        }
      }
      producer.flush();
    }

    private void send(KafkaProducer<byte[], byte[]> producer, Place place, long offset) {
      Sent sent = sent(place, offset);
      byte[] key =
          place.keyed() ? ("{\"id\":" + sent.id + "}").getBytes(StandardCharsets.UTF_8) : null;
      byte[] value =
          sent.value < 0
              ? null
              : ("{\"id\":" + sent.id + ",\"v\":" + sent.value + ",\"pad\":\"" + PADDING + "\"}")
                  .getBytes(StandardCharsets.UTF_8);
      producer.send(
          new ProducerRecord<>(place.name(), place.partition, key, value),
          (told, e) -> {
            if (e != null) {
              failure.set(e);
            } else if (told.offset() != offset) {
              failure.set(new AssertionError(place + ": " + told.offset() + ", not " + offset));
            } else {
              count.incrementAndGet();
            }
          });
    }

    void assertWell() {
      Throwable e = failure.get();
      if (e != null) {
        throw new AssertionError("the messages can't be sent", e);
      }
    }

    boolean isDone() {
      assertWell();
      return !thread.isAlive();
    }

    @Override
    public void close() throws InterruptedException {
      closed = true;
      thread.join();
    }
  }
}
