package io.sluice.it.kafka;

import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.format.Json;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** A Debezium connector as Kafka Connect runs it: JSON into one topic for each table. */
final class DebeziumToKafka implements AutoCloseable {

  private final DebeziumEngine<ChangeEvent<String, String>> engine;
  private final KafkaProducer<byte[], byte[]> producer;
  private final ExecutorService thread = Executors.newSingleThreadExecutor();

  /**
   * @param prefix of its topics: {@code prefix.database.table}
   * @param database that is captured
   * @param more properties over those here
   */
  DebeziumToKafka(
      ThrowawayServer server,
      KafkaBroker broker,
      String prefix,
      String database,
      Map<String, String> more) {
    producer = broker.newProducer(Map.of());
    Properties properties = new Properties();
    boolean mysql = server.kind() == ServerKind.MYSQL;
    properties.put("name", prefix);
    properties.put(
        "connector.class",
        mysql
            ? "io.debezium.connector.mysql.MySqlConnector"
            : "io.debezium.connector.mariadb.MariaDbConnector");
    properties.put("offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
    properties.put("schema.history.internal", "io.debezium.relational.history.MemorySchemaHistory");
    properties.put("database.hostname", server.host());
    properties.put("database.port", String.valueOf(server.port()));
    properties.put("database.user", ThrowawayServer.CDC.user());
    properties.put("database.password", ThrowawayServer.CDC.password());
    properties.put("database.server.id", "77001");
    properties.put("database.ssl.mode", mysql ? "disabled" : "disable");
    if (mysql) {
      properties.put("driver.allowPublicKeyRetrieval", "true");
    }
    properties.put("topic.prefix", prefix);
    properties.put("database.include.list", database);
    properties.put("skipped.operations", "none");
    properties.put("key.converter.schemas.enable", "true");
    properties.put("value.converter.schemas.enable", "true");
    // Else Connect writes a column's default where the row has NULL.
    properties.put("key.converter.replace.null.with.default", "false");
    properties.put("value.converter.replace.null.with.default", "false");
    properties.putAll(more);
    engine =
        DebeziumEngine.create(Json.class)
            .using(properties)
            .notifying(
                record ->
                    producer.send(
                        new ProducerRecord<>(
                            record.destination(), 0, bytes(record.key()), bytes(record.value()))))
            .build();
    thread.execute(engine);
  }

  private static byte @Nullable [] bytes(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException, InterruptedException {
    engine.close();
    thread.shutdown();
    thread.awaitTermination(30, TimeUnit.SECONDS);
    producer.close();
  }
}
