package io.sluice.it.source;

import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.demo.servers.Account;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import io.sluice.replicator.sources.debezium.DebeziumSource;
import io.sluice.replicator.sources.debezium.SourceSettings;
import io.sluice.replicator.values.MySqlFlavor;
import io.sluice.replicator.values.ValueEncoders;
import io.sluice.replicator.values.ZeroDates;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.RecoveredState;
import io.sluice.sinks.TableTarget;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One run of the source over one database of a server. */
final class DebeziumRun implements AutoCloseable {

  static final RecoveredState NEW = new RecoveredState(0, Optional.empty(), List.of(), Map.of());

  private final DebeziumSource source;

  private DebeziumRun(DebeziumSource source) {
    this.source = source;
  }

  static DebeziumRun start(SourceSettings settings, RecordingInput input, RecoveredState state) {
    var encoders = new ValueEncoders(settings.flavor(), ZeroDates.NULL, (table, column) -> {});
    var source = new DebeziumSource(settings, encoders);
    source.start(input, state);
    return new DebeziumRun(source);
  }

  /** Captures all tables of the database but those whose name starts with {@code un_}. */
  static Predicate<SourceTableId> capturing(String database) {
    return id -> id.database().equals(database) && !id.table().startsWith("un_");
  }

  static SourceSettings settings(
      ThrowawayServer server, String database, Account account, Map<String, String> engine) {
    return new SourceSettings(
        "it-" + database,
        server.kind() == ServerKind.MARIADB ? MySqlFlavor.MARIADB : MySqlFlavor.MYSQL,
        server.host(),
        server.port(),
        account.user(),
        account.password(),
        SourceSettings.Tls.DISABLED,
        Duration.ofSeconds(10),
        Duration.ofMinutes(2),
        7_000_000 + Math.floorMod(database.hashCode(), 1_000_000),
        List.of(database),
        List.of(database + "\\.(?!un_).*"),
        id ->
            capturing(database).test(id)
                ? Optional.of(
                    new TableTarget(id.database(), id.table(), 1, "", List.of(), Map.of(), false))
                : Optional.empty(),
        engine,
        Duration.ofMillis(20));
  }

  /** The same by another way to the server. */
  static SourceSettings at(SourceSettings settings, String host, int port, Duration readTimeout) {
    return new SourceSettings(
        settings.pipeline(),
        settings.flavor(),
        host,
        port,
        settings.user(),
        settings.password(),
        settings.tls(),
        settings.connectTimeout(),
        readTimeout,
        settings.serverId(),
        settings.databaseRegexes(),
        settings.tableRegexes(),
        settings.target(),
        settings.engine(),
        settings.pollInterval());
  }

  DebeziumSource source() {
    return source;
  }

  /** Why it ended; null while it runs. */
  @Nullable PipelineStoppedException endedWith() {
    return source.terminated().isDone() ? awaitEnd() : null;
  }

  PipelineStoppedException awaitEnd() {
    try {
      source.terminated().get(60, TimeUnit.SECONDS);
      throw new AssertionError("a source ends exceptionally");
    } catch (ExecutionException e) {
      return (PipelineStoppedException) e.getCause();
    } catch (TimeoutException | InterruptedException e) {
      throw new AssertionError("the source did not end", e);
    }
  }

  @Override
  public void close() {
    source.close();
  }
}
