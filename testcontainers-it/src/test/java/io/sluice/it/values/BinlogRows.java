package io.sluice.it.values;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import io.sluice.replicator.sources.debezium.ExactValueConverter;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

/** The rows of one database's binlog as Debezium gives them, with the settings Sluice uses. */
final class BinlogRows implements AutoCloseable {

  private final List<Struct> rows = new ArrayList<>();
  private final CountDownLatch streaming = new CountDownLatch(1);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final DebeziumEngine<RecordChangeEvent<SourceRecord>> engine;

  BinlogRows(ThrowawayServer server, String database) throws Exception {
    boolean mysql = server.kind() == ServerKind.MYSQL;
    Properties p = new Properties();
    p.setProperty("name", "values");
    p.setProperty("topic.prefix", "values");
    p.setProperty(
        "connector.class",
        mysql
            ? "io.debezium.connector.mysql.MySqlConnector"
            : "io.debezium.connector.mariadb.MariaDbConnector");
    p.setProperty("database.hostname", server.host());
    p.setProperty("database.port", Integer.toString(server.port()));
    p.setProperty("database.user", "root");
    p.setProperty("database.password", "");
    p.setProperty("database.server.id", "4711");
    p.setProperty("database.ssl.mode", mysql ? "disabled" : "disable");
    p.setProperty("driver.allowPublicKeyRetrieval", "true");
    p.setProperty("database.include.list", database);
    p.setProperty("snapshot.mode", "no_data");
    p.setProperty("snapshot.locking.mode", "none");
    p.setProperty("include.schema.changes", "true");
    p.setProperty("tombstones.on.delete", "false");
    p.setProperty("errors.max.retries", "0");
    p.setProperty("connect.keep.alive", "false");
    p.setProperty("poll.interval.ms", "20");
    p.setProperty("decimal.handling.mode", "precise");
    p.setProperty("bigint.unsigned.handling.mode", "precise");
    p.setProperty("time.precision.mode", "microseconds");
    p.setProperty("enable.time.adjuster", "false");
    p.setProperty("binary.handling.mode", "bytes");
    p.setProperty("offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
    p.setProperty("schema.history.internal", "io.debezium.relational.history.MemorySchemaHistory");
    p.setProperty("converters", "exact");
    p.setProperty("exact.type", ExactValueConverter.class.getName());
    p.setProperty("exact.flavor", server.kind().sourceType());
    engine =
        DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
            .using(p)
            .using(
                (success, message, error) -> {
                  if (!success) {
                    failure.set(error != null ? error : new IllegalStateException(message));
                  }
                  streaming.countDown();
                })
            .notifying(this::take)
            .build();
    thread.execute(engine);
  }

  private synchronized void take(RecordChangeEvent<SourceRecord> event) {
    if (event.record().value() instanceof Struct value
        && value.schema().field("after") != null
        && value.getStruct("after") != null) {
      if (value.getStruct("source").getString("table").equals("warm")) {
        streaming.countDown();
        return;
      }
      rows.add(value.getStruct("after"));
      notifyAll();
    }
  }

  /** Writes to a table until its rows come. */
  void awaitStreaming(ThrowawayServer server, String table) throws Exception {
    try (Connection connection = server.connect("");
        Statement statement = connection.createStatement()) {
      for (int id = 0; !streaming.await(200, TimeUnit.MILLISECONDS); id++) {
        statement.execute("INSERT INTO " + table + " VALUES (" + id + ")");
        if (id > 400) {
          throw new AssertionError("the engine does not stream", failure.get());
        }
      }
    }
    if (failure.get() != null) {
      throw new AssertionError("the engine ended", failure.get());
    }
  }

  /** Waits until there are so many; the newest rows, in the log's order. */
  synchronized List<Struct> await(int count) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (rows.size() < count) {
      Throwable error = failure.get();
      if (error != null) {
        throw new AssertionError("the engine ended", error);
      }
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        throw new AssertionError("only " + rows.size() + " of " + count + " rows came");
      }
      TimeUnit.NANOSECONDS.timedWait(this, Math.min(left, TimeUnit.SECONDS.toNanos(1)));
    }
    return List.copyOf(rows);
  }

  @Override
  public void close() throws Exception {
    try {
      engine.close();
    } catch (IllegalStateException e) {
      // It has ended by itself; the failure was told by await.
      streaming.countDown();
    }
    thread.shutdown();
  }
}
