package io.sluice.it.golden;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/** A Debezium connector, and what it gave to Kafka Connect's transforms and converters. */
final class RecordedEngine implements AutoCloseable {

  static final String PREFIX = "srv";

  private final List<SourceRecord> records = new ArrayList<>();
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final DebeziumEngine<RecordChangeEvent<SourceRecord>> engine;
  private @Nullable Throwable failure;

  /**
   * @param more properties over those that it needs to run at all
   */
  RecordedEngine(ThrowawayServer server, Map<String, String> more) {
    boolean mysql = server.kind() == ServerKind.MYSQL;
    Properties p = new Properties();
    p.put("name", PREFIX);
    p.put("topic.prefix", PREFIX);
    p.put(
        "connector.class",
        mysql
            ? "io.debezium.connector.mysql.MySqlConnector"
            : "io.debezium.connector.mariadb.MariaDbConnector");
    p.put("offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
    p.put("schema.history.internal", "io.debezium.relational.history.MemorySchemaHistory");
    p.put("database.hostname", server.host());
    p.put("database.port", String.valueOf(server.port()));
    p.put("database.user", ThrowawayServer.CDC.user());
    p.put("database.password", ThrowawayServer.CDC.password());
    p.put("database.server.id", "77002");
    p.put("database.ssl.mode", mysql ? "disabled" : "disable");
    p.put("driver.allowPublicKeyRetrieval", "true");
    p.put("database.include.list", GoldenScript.DATABASE);
    p.putAll(more);
    engine =
        DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
            .using(p)
            .using((success, message, error) -> end(success ? null : error, message))
            .notifying(event -> take(event.record()))
            .build();
    thread.execute(engine);
  }

  private synchronized void take(SourceRecord record) {
    records.add(record);
    notifyAll();
  }

  private synchronized void end(@Nullable Throwable error, String message) {
    failure = error != null ? error : new IllegalStateException("The engine has ended: " + message);
    notifyAll();
  }

  /** All records up to the first that is so. */
  synchronized List<SourceRecord> await(Predicate<SourceRecord> last) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (records.stream().noneMatch(last)) {
      long left = deadline - System.nanoTime();
      if (failure != null || left <= 0) {
        throw new AssertionError(records.size() + " records, and then none more", failure);
      }
      TimeUnit.NANOSECONDS.timedWait(this, Math.min(left, TimeUnit.SECONDS.toNanos(1)));
    }
    return List.copyOf(records);
  }

  @Override
  public void close() throws Exception {
    try {
      engine.close();
    } catch (IllegalStateException e) {
      // It has ended by itself, and await has told.
    }
    thread.shutdown();
    thread.awaitTermination(30, TimeUnit.SECONDS);
  }
}
