package io.sluice.replicator.daemon;

import io.sluice.config.SluiceConfig;
import io.sluice.config.SourceSize;
import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.sources.debezium.SourcePreflight;
import io.sluice.replicator.sources.debezium.SourceSettings;
import io.sluice.replicator.sources.mysql.preflight.SourceCheck;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** A MySQL or MariaDB server. */
final class DatabaseSide implements SourceSide {

  private final SluiceConfig config;
  private final SourceSettings settings;
  private volatile Map<SourceTableId, SourceSize> sizes = Map.of();

  DatabaseSide(SluiceConfig config) {
    this.config = config;
    this.settings =
        ConfigMapping.source(
            config,
            ConfigMapping.targets(config, id -> sizes.getOrDefault(id, SourceSize.UNKNOWN)));
  }

  @Override
  public void require(Predicate<SourceTableId> leftAside) {
    SourceCheck.require(config, leftAside);
  }

  @Override
  public Optional<String> notYet() {
    return SourcePreflight.notYet(settings);
  }

  @Override
  public PipelineSource open(PipelineRun.Parts parts) {
    try {
      sizes = SizeEstimates.read(ConfigMapping.jdbc(config));
    } catch (SQLException e) {
      throw new PipelineStoppedException(
          Reason.UNREACHABLE, "The source's catalog can't be read: " + e.getMessage(), e);
    }
    return new DatabaseSource(settings, ConfigMapping.parts(config, sizes), parts);
  }
}
