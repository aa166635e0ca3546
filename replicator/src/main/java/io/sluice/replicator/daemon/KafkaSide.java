package io.sluice.replicator.daemon;

import io.sluice.config.SluiceConfig;
import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.sources.kafka.KafkaSettings;
import io.sluice.replicator.sources.kafka.TopicCheck;
import java.util.Optional;
import java.util.function.Predicate;

/** A Kafka cluster. */
final class KafkaSide implements SourceSide {

  private final KafkaSettings settings;

  KafkaSide(SluiceConfig config) {
    this.settings = ConfigMapping.kafka(config);
  }

  @Override
  public void require(Predicate<SourceTableId> leftAside) {
    TopicCheck.require(settings);
  }

  /** Topics may come up later: there is nothing to wait for. */
  @Override
  public Optional<String> notYet() {
    return Optional.empty();
  }

  @Override
  public PipelineSource open(PipelineRun.Parts parts) {
    return new TopicsSource(settings, parts);
  }
}
