package io.sluice.replicator.daemon;

import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.letters.KeptLetter;
import io.sluice.replicator.letters.LetterBox;
import io.sluice.replicator.letters.LetterWork;
import io.sluice.replicator.metrics.DaemonStatus;
import io.sluice.replicator.sources.kafka.KafkaSettings;
import io.sluice.replicator.sources.kafka.KafkaSource;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.KeyStretch;
import io.sluice.sinks.RecoveredState;
import io.sluice.sinks.RoutedTable;
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
  private final LetterBox letters;

  TopicsSource(KafkaSettings settings, PipelineRun.Parts parts) {
    this.stream = new KafkaSource(settings, parts.liveness());
    this.clock = parts.clock();
    this.letters = parts.letters();
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
    BackfillInput copies = pipeline.backfill();
    stream.start(
        new ObservedInput(pipeline.changes(), table -> nothingToCopy(copies, table), () -> {}),
        state,
        visitor -> {
          pipeline.awaitCommitted();
          letters.forEachPlace(visitor::letter);
        },
        pipeline::finishedPosition);
  }

  /** All its rows come by the stream. */
  private static void nothingToCopy(BackfillInput copies, RoutedTable table) {
    if (!BackfillInput.NOTHING_TO_COPY.equals(copies.progress().get(table.source().id()))) {
      copies.progress(table, BackfillInput.NOTHING_TO_COPY);
    }
  }

  @Override
  public CompletableFuture<Void> terminated() {
    return stream.terminated();
  }

  @Override
  public boolean copiesTables() {
    return false;
  }

  @Override
  public CompletableFuture<Void> resync(SourceTableId table, @Nullable KeyStretch keys) {
    return keys == null
        ? stream.resume(table)
        : CompletableFuture.failedFuture(
            new TableRefusedException(
                table,
                "Table "
                    + table
                    + " comes from topics, which can't be asked for some of its rows: leave out"
                    + " --where."));
  }

  @Override
  public CompletableFuture<List<Optional<String>>> letters(
      LetterWork work, List<KeptLetter> letters) {
    return stream.letters(work, letters);
  }

  @Override
  public OptionalDouble lagSeconds() {
    return stream.lag().seconds(clock.millis());
  }

  @Override
  public List<DaemonStatus.Topic> topics() {
    return stream.lag().topics().stream()
        .map(each -> new DaemonStatus.Topic(each.topic(), each.partitions(), each.messages()))
        .toList();
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
