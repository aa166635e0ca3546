package io.sluice.replicator.daemon;

import io.sluice.config.SluiceConfig;
import io.sluice.evolution.SourceTableId;
import io.sluice.sinks.PipelineStoppedException;
import java.util.Optional;
import java.util.function.Predicate;

/** What a daemon replicates from, as one config describes it: looked at first, then run. */
interface SourceSide {

  /** The side that a config describes. */
  static SourceSide of(SluiceConfig config) {
    return switch (config.source().type()) {
      case MYSQL, MARIADB -> new DatabaseSide(config);
      case KAFKA -> new KafkaSide(config);
    };
  }

  /**
   * Whether a pipeline can run on it.
   *
   * @param leftAside tables whose faults don't stop a start: they take no rows
   * @throws PipelineStoppedException MISCONFIGURED if it can't, UNREACHABLE if it can't be asked
   */
  void require(Predicate<SourceTableId> leftAside);

  /** Why it can't be followed yet, in a sentence; empty if it can. */
  Optional<String> notYet();

  /**
   * Makes what one run reads it with. Nothing is read yet.
   *
   * @throws PipelineStoppedException UNREACHABLE if something had to be asked and can't be
   */
  PipelineSource open(PipelineRun.Parts parts);
}
