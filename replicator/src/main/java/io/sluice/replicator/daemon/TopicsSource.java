package io.sluice.replicator.daemon;

import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.sources.kafka.KafkaSettings;
import io.sluice.replicator.sources.kafka.KafkaSource;
import io.sluice.sinks.KeyStretch;
import io.sluice.sinks.RecoveredState;
import io.sluice.sinks.TableRefusedException;
import io.sluice.sinks.TableTarget;
import io.sluice.sinks.pipeline.Pipeline;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The topics of a Kafka cluster: nothing is read beside the stream. */
final class TopicsSource implements PipelineSource {

  private final KafkaSource stream;
  private final Clock clock;

  TopicsSource(KafkaSettings settings, PipelineRun.Parts parts) {
    this.stream = new KafkaSource(settings, parts.liveness());
    this.clock = parts.clock();
  }

  @Override
  public Optional<TableTarget> target(SourceTableId table) {
    return stream.target(table);
  }

  @Override
  public String deliveredMark() {
    return stream.deliveredMark();
  }

  @Override
  public List<String> foldHistory(List<String> history) {
    return stream.foldHistory(history);
  }

  @Override
  public void begin(Pipeline pipeline, RecoveredState state) {
    stream.start(pipeline.changes(), state, pipeline::finishedPosition);
  }

  @Override
  public CompletableFuture<Void> terminated() {
    return stream.terminated();
  }

  @Override
  public CompletableFuture<Void> resync(SourceTableId table, @Nullable KeyStretch keys) {
    return CompletableFuture.failedFuture(
        new TableRefusedException(
            table,
            "Table "
                + table
                + " comes from topics, which can't be asked for rows again. Give the pipeline"
                + " another name and its table another one with into, and it reads the topics from"
                + " where source.start says."));
  }

  @Override
  public OptionalDouble lagSeconds() {
    if (stream.caughtUp()) {
      return OptionalDouble.of(0);
    }
    long newest = stream.newestMicros();
    return newest <= 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(Math.max(0, clock.millis() / 1e3 - newest / 1e6));
  }

  @Override
  public Map<SourceTableId, Long> estimatedRows() {
    return Map.of();
  }

  @Override
  public void closeBeside() {}

  @Override
  public void close() {
    stream.close();
  }
}
