package io.sluice.replicator.sources.debezium;

import io.sluice.replicator.values.MySqlFlavor;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/**
 * The engine's properties. What is set here and why: values that arrive whole (decimals, unsigned,
 * microseconds, no year guessing), positions that stand still (no reconnect inside a transaction,
 * no restart inside the engine), everything in the stream (TRUNCATE, transaction ends, DDL).
 */
final class EngineProperties {

  /** What exactly-once rests on: not to be changed by anybody. */
  private static final Set<String> FIXED =
      Set.of(
          "connector.class",
          "name",
          "topic.prefix",
          "tasks.max",
          "offset.storage",
          "schema.history.internal",
          "snapshot.mode",
          "include.schema.changes",
          "provide.transaction.metadata",
          "skipped.operations",
          "errors.max.retries",
          "connect.keep.alive",
          "enable.time.adjuster",
          "decimal.handling.mode",
          "bigint.unsigned.handling.mode",
          "time.precision.mode",
          "binary.handling.mode",
          "event.deserialization.failure.handling.mode",
          "event.processing.failure.handling.mode",
          "event.converting.failure.handling.mode",
          "inconsistent.schema.handling.mode",
          "schema.history.internal.skip.unparseable.ddl",
          "schema.history.internal.store.only.captured.tables.ddl",
          "gtid.source.includes",
          "gtid.source.excludes",
          "database.include.list",
          "table.include.list",
          "database.hostname",
          "database.port",
          "database.user",
          "database.password",
          "transforms",
          "converters",
          "exact.type",
          "exact.flavor",
          "message.key.columns",
          "binlog.buffer.size");

  private EngineProperties() {}

  /** The prefix of all topics: letters, digits, dot, dash and underscore. */
  static String topicPrefix(String pipeline) {
    return pipeline.replaceAll("[^A-Za-z0-9._-]", "_");
  }

  static Properties of(SourceSettings settings, EngineSession session, long heapBytes) {
    var properties = new Properties();
    boolean mariaDb = settings.flavor() == MySqlFlavor.MARIADB;
    set(
        properties,
        "connector.class",
        (mariaDb ? SluiceMariaDbConnector.class : SluiceMySqlConnector.class).getName());
    set(properties, EngineSession.PROPERTY, session.id());
    set(properties, "offset.storage", RecoveredOffsetStore.class.getName());
    set(properties, "schema.history.internal", EpochSchemaHistory.class.getName());
    set(properties, EpochSchemaHistory.SESSION_PROPERTY, session.id());
    connection(properties, settings, session);
    stream(properties, settings, heapBytes);
    Set<String> refused = new TreeSet<>(settings.engine().keySet());
    refused.retainAll(FIXED);
    if (!refused.isEmpty()) {
      throw new PipelineStoppedException(
          Reason.MISCONFIGURED,
          "source.debezium sets "
              + refused
              + ", which Sluice sets itself: exactly-once rests on them. Remove these keys.");
    }
    properties.putAll(settings.engine());
    return properties;
  }

  private static void connection(
      Properties properties, SourceSettings settings, EngineSession session) {
    String prefix = topicPrefix(settings.pipeline());
    set(properties, "name", prefix);
    set(properties, "topic.prefix", prefix);
    set(properties, "database.hostname", settings.host());
    set(properties, "database.port", Integer.toString(settings.port()));
    set(properties, "database.user", settings.user());
    set(properties, "database.password", settings.password());
    set(properties, "database.server.id", Long.toString(settings.serverId()));
    set(properties, "database.ssl.mode", SourceServer.tlsWord(settings));
    set(properties, "connect.timeout.ms", Long.toString(settings.connectTimeout().toMillis()));
    set(properties, "driver.socketTimeout", Long.toString(settings.readTimeout().toMillis()));
    // Else an engine that is slow to end keeps the names that the next one registers.
    set(properties, "custom.metric.tags", "run=" + session.id());
    if (settings.flavor() == MySqlFlavor.MYSQL) {
      set(properties, "driver.allowPublicKeyRetrieval", "true");
    }
    set(properties, "database.include.list", String.join(",", settings.databaseRegexes()));
    set(properties, "table.include.list", String.join(",", settings.tableRegexes()));
    set(properties, "connect.keep.alive", "false");
    // The server's heartbeat comes at four fifths of this when nothing else does.
    set(properties, "connect.keep.alive.interval.ms", "2500");
    set(properties, "binlog.net.write.timeout", "3600");
  }

  private static void stream(Properties properties, SourceSettings settings, long heapBytes) {
    set(properties, "snapshot.mode", "no_data");
    set(properties, "snapshot.locking.mode", "none");
    set(properties, "include.schema.changes", "true");
    set(properties, "provide.transaction.metadata", "true");
    set(properties, "skipped.operations", "none");
    set(properties, "tombstones.on.delete", "false");
    set(properties, "extended.headers.enabled", "false");
    set(properties, "errors.max.retries", "0");
    // By default a value that can't be converted is null, with a line in the log.
    set(properties, "event.converting.failure.handling.mode", "fail");
    set(properties, "heartbeat.interval.ms", "0");
    set(properties, "schema.history.internal.store.only.captured.databases.ddl", "true");
    set(properties, "schema.history.internal.store.only.captured.tables.ddl", "false");
    set(properties, "decimal.handling.mode", "precise");
    set(properties, "bigint.unsigned.handling.mode", "precise");
    set(properties, "time.precision.mode", "microseconds");
    set(properties, "enable.time.adjuster", "false");
    set(properties, "binary.handling.mode", "bytes");
    // Without it zero dates of NOT NULL columns are 1970-01-01, and JSON is refused.
    set(properties, "converters", "exact");
    set(properties, "exact.type", ExactValueConverter.class.getName());
    set(properties, "exact.flavor", settings.flavor() == MySqlFlavor.MARIADB ? "mariadb" : "mysql");
    set(properties, "record.processing.threads", "1");
    set(properties, "max.batch.size", "8192");
    set(properties, "max.queue.size", "32768");
    // Queue and the batch in our hands: twice this at most.
    set(
        properties,
        "max.queue.size.in.bytes",
        Long.toString(Math.min(64L << 20, Math.max(4L << 20, heapBytes / 16))));
    set(properties, "poll.interval.ms", Long.toString(settings.pollInterval().toMillis()));
  }

  private static void set(Properties properties, String key, String value) {
    properties.setProperty(key, value);
  }
}
