package io.sluice.it.kafka;

import io.sluice.config.ConfigLoader;
import io.sluice.it.support.Await;
import io.sluice.it.support.PipelineFolder;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.TestServers;
import io.sluice.replicator.daemon.Daemon;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.options.Options;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchTableWrite;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two tables of a database and three topics into one wide table by two pipelines at once, in random
 * order where versions say what is newer, with rows that were there before, deletes, moves, kills,
 * and compactions by Sluice and by Paimon: the table is what a join over the sources gives. {@code
 * -Dtest.wide.seeds=200} is the long run, {@code -Dtest.server=mariadb} another server.
 */
class WideJoinIT {

  private static final int SEEDS = Integer.getInteger("test.wide.seeds", 3);
  private static final int ROUNDS = 3;
  private static final int KEYS = 12;
  private static final int EVENTS = 60;
  private static final List<String> PARTS = List.of("p0", "p1", "p2", "p3", "p4");
  private static final Set<String> TABLES = Set.of("p0", "p1");
  private static final Set<String> VERSIONED = Set.of("p1", "p2", "p4");

  private static final String DELETE = "{\"op\":\"d\"";

  private static KafkaBroker broker;
  private static KafkaProducer<byte[], byte[]> producer;
  private static ThrowawayServer server;

  @TempDir Path folder;

  @BeforeAll
  static void start() throws Exception {
    broker = KafkaBroker.start();
    producer = broker.newProducer(Map.of());
    server =
        TestServers.start(
            ServerKind.valueOf(
                System.getProperty("test.server", "mysql").toUpperCase(Locale.ROOT)));
  }

  @AfterAll
  static void stop() throws Exception {
    producer.close();
    broker.close();
    server.close();
  }

  /** What the sources hold, and what their topics are still to get. */
  private static final class Sources {
    final Random random;
    final String prefix;
    // p0 and the versioned: by key. Value: {v} or {v, version}; a deleted row is not there.
    final Map<String, Map<Integer, long[]>> rows = new HashMap<>();
    // Of p4, whose deletes are ignored: the last state ever.
    final Map<Integer, Long> kept = new TreeMap<>();
    // p3: item -> {key, price}.
    final Map<Integer, long[]> items = new TreeMap<>();
    final Map<Integer, Integer> versions = new HashMap<>();
    final Set<String> ended = new TreeSet<>();
    int nextItem;

    Sources(long seed, String prefix) {
      this.random = new Random(seed);
      this.prefix = prefix;
      PARTS.forEach(part -> rows.put(part, new TreeMap<>()));
    }

    String topic(String part) {
      return prefix + part;
    }

    /** Events of one round, by part. */
    Map<String, List<String>> round() {
      Map<String, List<String>> events = new TreeMap<>();
      for (String part : PARTS) {
        List<String> list = new ArrayList<>();
        for (int i = 0; i < EVENTS; i++) {
          if (part.equals("p3")) {
            item(list);
          } else {
            row(part, list);
          }
        }
        if (VERSIONED.contains(part) && !TABLES.contains(part)) {
          // Late and out of order, but a delete, which has its row's version, comes behind it.
          Collections.shuffle(list, random);
          list.sort(Comparator.comparing(event -> event.startsWith(DELETE)));
          // And once more what is there already.
          list.addAll(duplicates(part));
        }
        events.put(part, list);
      }
      return events;
    }

    private List<String> duplicates(String part) {
      List<String> result = new ArrayList<>();
      rows.get(part)
          .forEach(
              (key, row) -> {
                if (random.nextInt(4) == 0) {
                  result.add(event("u", null, text(key, row)));
                }
              });
      return result;
    }

    private void row(String part, List<String> events) {
      int key = random.nextInt(KEYS);
      boolean versioned = VERSIONED.contains(part);
      if (versioned && ended.contains(part + key)) {
        return;
      }
      Map<Integer, long[]> table = rows.get(part);
      long[] before = table.get(key);
      if (before != null && random.nextInt(5) == 0) {
        if (versioned) {
          // Nothing of it comes later: its version is the last.
          ended.add(part + key);
        }
        table.remove(key);
        events.add(
            TABLES.contains(part)
                ? "DELETE FROM %s WHERE k = %d".formatted(part, key)
                : event("d", text(key, before), "null"));
        return;
      }
      long value = random.nextInt(6) == 0 ? -1 : random.nextInt(1000);
      long[] now = {
        value, versioned ? versions.merge(part.charAt(1) * 1000 + key, 1, Integer::sum) : 0
      };
      table.put(key, now);
      if (part.equals("p4")) {
        kept.put(key, value);
      }
      if (TABLES.contains(part)) {
        String v = value < 0 ? "NULL" : Long.toString(value);
        events.add(
            before == null
                ? "INSERT INTO %s VALUES (%d, %s, %d)".formatted(part, key, v, now[1])
                : "UPDATE %s SET v = %s, ver = %d WHERE k = %d".formatted(part, v, now[1], key));
        return;
      }
      events.add(
          event(
              before == null ? "c" : "u",
              before == null ? "null" : text(key, before),
              text(key, now)));
    }

    private void item(List<String> events) {
      List<Integer> ids = List.copyOf(items.keySet());
      int action = random.nextInt(4);
      if (ids.isEmpty() || action == 0) {
        int id = nextItem++;
        long[] now = {random.nextInt(KEYS), random.nextInt(100)};
        items.put(id, now);
        events.add(event("c", "null", itemText(id, now)));
        return;
      }
      int id = ids.get(random.nextInt(ids.size()));
      long[] before = items.get(id);
      if (action == 1) {
        items.remove(id);
        events.add(event("d", itemText(id, before), "null"));
        return;
      }
      long[] now = {action == 2 ? before[0] : random.nextInt(KEYS), random.nextInt(100)};
      items.put(id, now);
      events.add(event("u", itemText(id, before), itemText(id, now)));
    }

    private static String text(int key, long[] row) {
      return "{\"k\":%d,\"v\":%s,\"ver\":%d}".formatted(key, row[0] < 0 ? "null" : row[0], row[1]);
    }

    private static String itemText(int id, long[] row) {
      return "{\"id\":%d,\"k\":%d,\"price\":%d}".formatted(id, row[0], row[1]);
    }

    private static String event(String op, String before, String after) {
      return "{\"op\":\"%s\",\"before\":%s,\"after\":%s}".formatted(op, before, after);
    }

    /** The join: "k v0 v1 v2 total v4" of keys of which any source has something. */
    Set<String> join() {
      Set<String> result = new TreeSet<>();
      for (int key = 0; key < KEYS; key++) {
        int k = key;
        long total = items.values().stream().filter(i -> i[0] == k).mapToLong(i -> i[1]).sum();
        Long last = kept.get(key);
        List<String> values =
            List.of(
                value("p0", key),
                value("p1", key),
                value("p2", key),
                total == 0 ? "null" : Long.toString(total),
                last == null || last < 0 ? "null" : Long.toString(last));
        if (!values.stream().allMatch("null"::equals)) {
          result.add(key + " " + String.join(" ", values));
        }
      }
      return result;
    }

    private String value(String part, int key) {
      long[] row = rows.get(part).get(key);
      return row == null || row[0] < 0 ? "null" : Long.toString(row[0]);
    }
  }

  @Test
  void isWhatAJoinOverTheSourcesGives() throws Exception {
    long seed = Seeds.of("WideJoinIT");
    for (int i = 0; i < SEEDS; i++) {
      try {
        check(seed + i);
      } catch (Throwable e) {
        throw new AssertionError("seed " + (seed + i) + ": " + e.getMessage(), e);
      }
    }
  }

  private void check(long seed) throws Exception {
    Sources sources = new Sources(seed, "w" + seed + "-");
    for (String part : PARTS) {
      if (!TABLES.contains(part)) {
        broker.createTopic(sources.topic(part), 1);
      }
    }
    String database = "w" + seed;
    try (Connection sql = server.connect("")) {
      execute(sql, "CREATE DATABASE " + database);
      sql.setCatalog(database);
      for (String part : TABLES) {
        execute(sql, "CREATE TABLE " + part + " (k BIGINT PRIMARY KEY, v INT, ver INT NOT NULL)");
      }
      check(sources, folder.resolve("s" + seed), database, sql);
      execute(sql, "DROP DATABASE " + database);
    }
  }

  private static void check(Sources sources, Path home, String database, Connection sql)
      throws Exception {
    // Rows that are there before the pipeline is.
    Map<String, List<String>> before = sources.round();
    for (String part : TABLES) {
      for (String statement : before.remove(part)) {
        execute(sql, statement);
      }
    }
    KafkaFolder topics = topics(home, sources);
    Path a = tables(home, database).writeConfig();
    Path b = topics.writeConfig();
    for (int round = 0; round < ROUNDS; round++) {
      Daemon first = start(a);
      Daemon second = start(b);
      try {
        send(sources, round == 0 ? before : sources.round(), sql, first, second);
        if (sources.random.nextBoolean()) {
          first.kill();
          first = start(a);
        } else {
          second.kill();
          second = start(b);
        }
        awaitJoin(sources, topics, first, second);
      } finally {
        first.close();
        second.close();
      }
      if (sources.random.nextBoolean()) {
        compactByPaimon(topics.warehouse());
        Set<String> rows = rows(topics);
        if (!rows.equals(sources.join())) {
          throw new AssertionError("after Paimon: " + differences(sources.join(), rows));
        }
      }
    }
  }

  private static void execute(Connection sql, String text) throws SQLException {
    try (Statement statement = sql.createStatement()) {
      statement.execute(text);
    }
  }

  private static Daemon start(Path config) throws Exception {
    return Daemon.start(ConfigLoader.load(config, Map.of()), Daemon.Approach.TAKE_OVER);
  }

  private static KafkaFolder topics(Path home, Sources sources) {
    KafkaFolder result =
        new KafkaFolder(home, home.resolve("warehouse"), "topics", broker)
            .set("source.topics = [\"" + sources.prefix + "*\"]")
            .set("source.format = debezium-json");
    settings(part -> TABLES.contains(part) ? null : sources.topic(part)).forEach(result::set);
    return result;
  }

  private static PipelineFolder tables(Path home, String database) {
    PipelineFolder result =
        new PipelineFolder(home.resolve("tables"), home.resolve("warehouse"), "tables")
            .source(server)
            .include(database + ".*")
            .set("source.backfill { chunk-rows = 3, readers = 2 }");
    settings(part -> TABLES.contains(part) ? database + "." + part : null).forEach(result::set);
    return result;
  }

  /**
   * @param match what fills a part; null: the other pipeline does
   */
  private static List<String> settings(Function<String, String> match) {
    StringBuilder parts = new StringBuilder();
    for (String part : PARTS) {
      String from = match.apply(part);
      String columns =
          part.equals("p3")
              ? "columns { k = k, total = price }, aggregate { total = sum }"
              : "columns { k = k, v" + part.charAt(1) + " = v }";
      parts.append(
          "{ name = %s, %s, %s %s %s }\n"
              .formatted(
                  part,
                  from != null ? "match = \"" + from + "\"" : "elsewhere = true",
                  columns,
                  VERSIONED.contains(part) ? ", sequence = [ver]" : "",
                  part.equals("p4") ? ", on-delete = ignore" : ""));
    }
    return List.of(
        "commit-interval = 50ms",
        "workers = 1, compaction-threads = 1, memory.memtables = 4MiB",
        """
        tables.rules = [ { into = "dwd.wide", primary-key = [k], bucket = 2
          types { k = BIGINT, v0 = BIGINT, v1 = BIGINT, v2 = BIGINT, total = BIGINT, v4 = BIGINT
                  _seq_p1_ver = BIGINT, _seq_p2_ver = BIGINT, _seq_p4_ver = BIGINT }
          options { num-sorted-run.compaction-trigger = 3 }
          from = [ %s ] } ]
        """
            .formatted(parts));
  }

  private static void send(
      Sources sources,
      Map<String, List<String>> events,
      Connection sql,
      Daemon first,
      Daemon second)
      throws Exception {
    Map<String, Integer> next = new HashMap<>();
    List<String> open = new ArrayList<>(events.keySet());
    while (!open.isEmpty()) {
      String part = open.get(sources.random.nextInt(open.size()));
      int at = next.merge(part, 1, Integer::sum) - 1;
      if (at >= events.get(part).size()) {
        open.remove(part);
        continue;
      }
      String event = events.get(part).get(at);
      if (TABLES.contains(part)) {
        if (sources.random.nextInt(6) == 0) {
          sql.setAutoCommit(!sql.getAutoCommit());
        }
        execute(sql, event);
      } else {
        producer.send(
            new ProducerRecord<>(
                sources.topic(part), 0, null, event.getBytes(StandardCharsets.UTF_8)));
      }
      if (sources.random.nextInt(40) == 0) {
        producer.flush();
      }
      if (!first.isRunning() || !second.isRunning()) {
        throw new AssertionError("a daemon has ended: " + first.status() + second.status());
      }
    }
    producer.flush();
    sql.setAutoCommit(true);
  }

  private static void awaitJoin(Sources sources, KafkaFolder lake, Daemon first, Daemon second)
      throws Exception {
    Set<String> wanted = sources.join();
    List<Set<String>> seen = new ArrayList<>();
    Await.until(
        Duration.ofSeconds(40),
        () -> differences(wanted, seen.get(0)),
        () -> {
          if (!first.isRunning() || !second.isRunning()) {
            throw new AssertionError("a daemon has ended: " + first.status() + second.status());
          }
          Set<String> rows = lake.exists("dwd", "wide") ? rows(lake) : Set.of();
          seen.clear();
          seen.add(rows);
          return rows.equals(wanted);
        });
  }

  private static Set<String> rows(KafkaFolder lake) {
    Set<String> rows = new TreeSet<>();
    for (String row : lake.project("dwd", "wide", "k", "v0", "v1", "v2", "total", "v4")) {
      // Rows that were taken away add up to 0.
      String same = row.replaceFirst(" 0 (\\S+)$", " null $1");
      if (!same.matches("\\d+( null)+")) {
        rows.add(same);
      }
    }
    return rows;
  }

  private static String differences(Set<String> wanted, Set<String> seen) {
    Set<String> missing = new TreeSet<>(wanted);
    missing.removeAll(seen);
    Set<String> surplus = new TreeSet<>(seen);
    surplus.removeAll(wanted);
    return "k v0 v1 v2 total v4: the join has " + missing + ", the lake " + surplus;
  }

  /** Full compaction of all buckets, while nobody else writes. */
  static void compactByPaimon(Path warehouse) throws Exception {
    Options options = new Options();
    options.set("warehouse", warehouse.toUri().toString());
    try (Catalog catalog = CatalogFactory.createCatalog(CatalogContext.create(options))) {
      Table table = catalog.getTable(Identifier.create("dwd", "wide"));
      BatchWriteBuilder builder = table.newBatchWriteBuilder();
      try (BatchTableWrite write = builder.newWrite();
          BatchTableCommit commit = builder.newCommit()) {
        write.withIOManager(IOManager.create(System.getProperty("java.io.tmpdir")));
        for (int bucket = 0; bucket < 2; bucket++) {
          write.compact(BinaryRow.EMPTY_ROW, bucket, true);
        }
        commit.commit(write.prepareCommit());
      }
    }
  }
}
