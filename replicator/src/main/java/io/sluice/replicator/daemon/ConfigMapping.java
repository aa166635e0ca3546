package io.sluice.replicator.daemon;

import io.sluice.config.ConnectionConfig;
import io.sluice.config.DatabaseSourceConfig;
import io.sluice.config.LakeTarget;
import io.sluice.config.Secret;
import io.sluice.config.SluiceConfig;
import io.sluice.config.SourceSize;
import io.sluice.config.SourceType;
import io.sluice.config.TableErrorPolicy;
import io.sluice.config.TablePattern;
import io.sluice.config.TableRouting;
import io.sluice.config.ZeroDatePolicy;
import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.backfill.BackfillSettings;
import io.sluice.replicator.backfill.JdbcSource;
import io.sluice.replicator.sources.debezium.SourceSettings;
import io.sluice.replicator.sources.kafka.KafkaSettings;
import io.sluice.replicator.values.MySqlFlavor;
import io.sluice.replicator.values.ZeroDates;
import io.sluice.replicator.wide.tables.TableParts;
import io.sluice.sinks.PipelineSettings;
import io.sluice.sinks.TableTarget;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** What each part of a daemon gets of the config. Pure. */
final class ConfigMapping {

  private ConfigMapping() {}

  static PipelineSettings pipeline(SluiceConfig config, int cores, long heapBytes) {
    return new PipelineSettings(
        config.pipeline(),
        config.warehouse(),
        config.commitInterval(),
        config.idleInterval(),
        config.workers(cores),
        config.memory().memtableBytes(heapBytes),
        config.memory().queueBytes(),
        config.compactionThreads(cores),
        config.retention().time(),
        config.retention().snapshotsMax(),
        config.retention().snapshotsMin(),
        config.memory().rememberedDeletes(),
        config.onTableError() == TableErrorPolicy.PARK);
  }

  static MySqlFlavor flavor(SluiceConfig config) {
    return config.database().type() == SourceType.MARIADB ? MySqlFlavor.MARIADB : MySqlFlavor.MYSQL;
  }

  static ZeroDates zeroDates(SluiceConfig config) {
    return config.database().zeroDates() == ZeroDatePolicy.FAIL ? ZeroDates.FAIL : ZeroDates.NULL;
  }

  static JdbcSource jdbc(SluiceConfig config) {
    return new JdbcSource(flavor(config), config.database().connection());
  }

  static BackfillSettings backfill(SluiceConfig config) {
    return new BackfillSettings(
        config.database().backfill().readers(), config.database().backfill().chunkRows());
  }

  /**
   * @param sizes what the server thinks a table holds
   */
  static Function<SourceTableId, Optional<TableTarget>> targets(
      SluiceConfig config, Function<SourceTableId, SourceSize> sizes) {
    TableRouting routing = config.routing();
    return id ->
        routing.target(id.database(), id.table(), sizes.apply(id)).map(ConfigMapping::target);
  }

  /** Tables that fill wide tables; a wide table is as large as the largest of them. */
  static TableParts parts(SluiceConfig config, Map<SourceTableId, SourceSize> sizes) {
    TableRouting routing = config.routing();
    return new TableParts(
        routing,
        rule -> {
          SourceSize largest = SourceSize.UNKNOWN;
          for (Map.Entry<SourceTableId, SourceSize> each : sizes.entrySet()) {
            SourceTableId id = each.getKey();
            boolean fills =
                rule.parts().stream()
                    .anyMatch(part -> TableRouting.takes(part, id.database(), id.table()));
            if (fills && each.getValue().bytesAtLeast() > largest.bytesAtLeast()) {
              largest = each.getValue();
            }
          }
          return routing.target(rule, largest);
        });
  }

  static KafkaSettings kafka(SluiceConfig config) {
    return new KafkaSettings(
        config.pipeline(),
        config.kafka(),
        config.topicRouting(),
        config.onBadRecord(),
        System::nanoTime);
  }

  private static TableTarget target(LakeTarget target) {
    return new TableTarget(
        target.database(),
        target.table(),
        target.buckets(),
        target.bucketsText(),
        target.partitionBy(),
        target.options(),
        target.tinyIntOneAsBoolean());
  }

  static SourceSettings source(
      SluiceConfig config, Function<SourceTableId, Optional<TableTarget>> targets) {
    DatabaseSourceConfig source = config.database();
    ConnectionConfig connection = source.connection();
    return new SourceSettings(
        config.pipeline(),
        flavor(config),
        connection.host(),
        connection.port(),
        connection.user(),
        connection.password().map(Secret::reveal).orElse(""),
        SourceSettings.Tls.valueOf(connection.effectiveTls().name()),
        connection.timeout(),
        connection.readTimeout(),
        source.serverId(config.pipeline()),
        source.include().stream().map(TablePattern::databaseRegex).distinct().toList(),
        source.include().stream().map(TablePattern::tableRegex).distinct().toList(),
        targets,
        source.debezium(),
        pollInterval(config.commitInterval()));
  }

  /** A batch waits a tenth of the commit interval at most, 20 to 50 ms. */
  private static Duration pollInterval(Duration commitInterval) {
    return Duration.ofMillis(Math.max(20, Math.min(50, commitInterval.toMillis() / 10)));
  }
}
