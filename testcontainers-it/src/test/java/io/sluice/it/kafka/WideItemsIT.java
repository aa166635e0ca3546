package io.sluice.it.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.config.ConfigLoader;
import io.sluice.config.SluiceConfig;
import io.sluice.it.support.Await;
import io.sluice.it.support.LakeRows;
import io.sluice.it.support.Seeds;
import io.sluice.replicator.daemon.Daemon;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalRow;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Orders that carry their items as an array: items come, change, go, come back, move to other
 * orders and get other keys, with kills, and compactions by Sluice and by Paimon. Paimon's reader
 * sees of each order the items that its source has, each once. {@code -Dtest.wide.seeds=} is the
 * long run.
 */
class WideItemsIT {

  private static final int SEEDS = Integer.getInteger("test.wide.seeds", 1);
  private static final int ROUNDS = 3;
  private static final int ORDERS = 8;
  private static final int EVENTS = 80;
  private static final int PARTITIONS = 2;

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

  /**
   * A row of the source: an order's line has a number that may change; {@code id} is the key there.
   */
  private record Item(int id, int order, int line, String sku, int qty) {
    String json() {
      return "{\"id\":%d,\"order_id\":%d,\"line\":%d,\"sku\":%s,\"qty\":%d}"
          .formatted(id, order, line, sku == null ? "null" : "\"" + sku + "\"", qty);
    }
  }

  /** What the source holds. */
  private static final class Source {
    final Random random;
    final Map<Integer, Item> items = new TreeMap<>();
    final String topic;

    Source(long seed) {
      this.random = new Random(seed);
      this.topic = "items" + seed;
    }

    /** A change, sent in the partition of its row. */
    void step() {
      int id = random.nextInt(24);
      Item before = items.get(id);
      // Lines are of few numbers, so that one that is gone comes back; two rows never have one.
      Item now =
          new Item(
              id,
              before == null || random.nextInt(3) == 0 ? random.nextInt(ORDERS) : before.order(),
              before == null || random.nextInt(4) == 0 ? id * 2 + random.nextInt(2) : before.line(),
              random.nextInt(5) == 0 ? null : "sku" + random.nextInt(100),
              random.nextInt(1000));
      if (before != null && random.nextInt(4) == 0) {
        items.remove(id);
        send(id, "{\"op\":\"d\",\"before\":%s,\"after\":null}".formatted(before.json()));
      } else {
        items.put(id, now);
        send(
            id,
            "{\"op\":\"%s\",\"before\":%s,\"after\":%s}"
                .formatted(
                    before == null ? "c" : "u",
                    before == null ? "null" : before.json(),
                    now.json()));
      }
    }

    void send(int id, String event) {
      producer.send(
          new ProducerRecord<>(
              topic, id % PARTITIONS, null, event.getBytes(StandardCharsets.UTF_8)));
    }

    /** "order total [line sku qty]" of orders that have items. */
    Set<String> wanted() {
      Map<Integer, TreeSet<String>> lines = new TreeMap<>();
      Map<Integer, Long> totals = new TreeMap<>();
      for (Item item : items.values()) {
        lines
            .computeIfAbsent(item.order(), order -> new TreeSet<>())
            .add(item.line() + " " + item.sku() + " " + item.qty());
        totals.merge(item.order(), (long) item.qty(), Long::sum);
      }
      Set<String> result = new TreeSet<>();
      lines.forEach((order, all) -> result.add(order + " " + totals.get(order) + " " + all));
      return result;
    }
  }

  @Test
  void ordersCarryTheItemsThatTheSourceHas() throws Exception {
    long seed = Seeds.of("WideItemsIT");
    for (int i = 0; i < SEEDS; i++) {
      try {
        check(seed + i);
      } catch (Throwable e) {
        throw new AssertionError("seed " + (seed + i) + ": " + e.getMessage(), e);
      }
    }
  }

  private void check(long seed) throws Exception {
    Source source = new Source(seed);
    broker.createTopic(source.topic, PARTITIONS);
    KafkaFolder lake =
        new KafkaFolder(folder.resolve("s" + seed), "items", broker)
            .set("commit-interval = 50ms")
            .set("workers = 1, compaction-threads = 1, memory.memtables = 4MiB")
            .set("source.topics = [" + source.topic + "]")
            .set("source.format = debezium-json")
            .set(
                """
                tables.rules = [ { into = "dwd.wide", primary-key = [order_id], bucket = 2
                  types { order_id = BIGINT, total = BIGINT }
                  options { num-sorted-run.compaction-trigger = 3, file.format = %s }
                  from = [ { name = items, match = %s, aggregate { total = sum }
                    columns { order_id = order_id, total = qty }
                    nested { column = items, key = [line]
                      columns { line = line, sku = sku, qty = qty }
                      types { line = INT, sku = STRING, qty = INT } } } ] } ]
                """
                    .formatted(
                        List.of("orc", "parquet", "avro").get(source.random.nextInt(3)),
                        source.topic));
    for (int round = 0; round < ROUNDS; round++) {
      Daemon daemon = start(lake);
      try {
        int kill = source.random.nextInt(2 * EVENTS);
        for (int i = 0; i < EVENTS; i++) {
          source.step();
          if (i % 10 == 0) {
            producer.flush();
          }
          if (i == kill) {
            daemon.kill();
            daemon = start(lake);
          }
          if (!daemon.isRunning()) {
            throw new AssertionError("the daemon has ended: " + daemon.status());
          }
        }
        producer.flush();
        await(source, lake);
      } finally {
        daemon.close();
      }
      if (source.random.nextBoolean()) {
        WideJoinIT.compactByPaimon(lake.warehouse());
        await(source, lake);
      }
    }
  }

  private static Daemon start(KafkaFolder lake) throws Exception {
    SluiceConfig config = ConfigLoader.load(lake.writeConfig(), Map.of());
    return Daemon.start(config, Daemon.Approach.TAKE_OVER);
  }

  private static void await(Source source, KafkaFolder lake) throws Exception {
    Set<String> wanted = source.wanted();
    List<Set<String>> seen = new ArrayList<>();
    Await.until(
        Duration.ofSeconds(40),
        () -> "the source has\n" + wanted + "\nthe lake\n" + seen,
        () -> {
          Set<String> rows = lake.exists("dwd", "wide") ? rows(lake) : Set.of();
          seen.clear();
          seen.add(rows);
          return rows.equals(wanted);
        });
  }

  /** Columns: order_id, total, items, _seq_items; an order without items is left out. */
  private static Set<String> rows(KafkaFolder lake) {
    Set<String> result = new TreeSet<>();
    LakeRows.forEach(
        lake.warehouse(),
        "dwd",
        "wide",
        row -> {
          Set<String> lines = new TreeSet<>();
          Set<Integer> keys = new TreeSet<>();
          InternalArray items = row.getArray(2);
          for (int i = 0; i < items.size(); i++) {
            InternalRow item = items.getRow(i, 4);
            // Field order: the key, the others by name, whether it is deleted.
            int line = item.getInt(0);
            assertThat(keys.add(line)).as("line %d once in its order", line).isTrue();
            boolean deleted = item.getBoolean(3);
            String qty = item.isNullAt(1) ? "null" : Integer.toString(item.getInt(1));
            String sku = item.isNullAt(2) ? "null" : item.getString(2).toString();
            if (deleted) {
              assertThat(qty + sku).as("nothing but the key is left").isEqualTo("nullnull");
            } else {
              lines.add(line + " " + sku + " " + qty);
            }
          }
          if (!lines.isEmpty()) {
            result.add(row.getLong(0) + " " + row.getLong(1) + " " + lines);
          }
        });
    return result;
  }
}
