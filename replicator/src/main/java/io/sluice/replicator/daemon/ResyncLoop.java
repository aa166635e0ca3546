package io.sluice.replicator.daemon;

import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.daemon.ResyncRequests.Answer;
import io.sluice.replicator.daemon.ResyncRequests.Request;
import io.sluice.sinks.KeyStretch;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.TableRefusedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks for {@link ResyncRequests} while a pipeline runs, and has them done one after another. */
final class ResyncLoop implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ResyncLoop.class);

  /** What it asks of the run that it belongs to. */
  interface Run {
    /** All tables of the pipeline. */
    List<SourceTableId> tables();

    /**
     * See {@link io.sluice.replicator.sources.debezium.DebeziumSource#resync}.
     *
     * @param keys null: all of it
     * @throws TableRefusedException if a part is asked for of a table that isn't wholly copied
     */
    CompletableFuture<Void> resync(SourceTableId table, @Nullable KeyStretch keys);

    /** See {@link io.sluice.sinks.pipeline.Pipeline#leaveBehind}. */
    boolean leaveBehind(SourceTableId table, String reason) throws InterruptedException;

    /** See {@link io.sluice.sinks.pipeline.Pipeline#awaitCommitted}. */
    void awaitCommitted() throws InterruptedException;
  }

  private final ResyncRequests requests;
  private final Run run;
  private final RequestWatch watch;

  ResyncLoop(String pipeline, ResyncRequests requests, Run run) {
    this.requests = requests;
    this.run = run;
    this.watch = new RequestWatch(pipeline + "-resync", "Requests for a resync", this::look);
  }

  void start() {
    watch.start();
  }

  private void look() throws IOException, InterruptedException {
    for (Request request : requests.open()) {
      requests.answer(request.id(), handle(request));
    }
  }

  /** Where requests stand. */
  String folder() {
    return requests.folder();
  }

  /** Whether all tables are to be copied again, by a request that waits. */
  boolean isAskedForAll() {
    try {
      return requests.open().stream().anyMatch(request -> request.table() == null);
    } catch (IOException e) {
      throw new PipelineStoppedException(
          Reason.UNREACHABLE, "Requests for a resync can't be read: " + e, e);
    }
  }

  private Answer park(SourceTableId table, String reason) throws InterruptedException {
    try {
      return new Answer(
          run.leaveBehind(table, reason)
              ? null
              : "The pipeline parks no tables: on-table-error = stop.");
    } catch (TableRefusedException e) {
      return new Answer(String.valueOf(e.getMessage()));
    }
  }

  private Answer handle(Request request) throws InterruptedException {
    SourceTableId table = request.table();
    String why = request.park();
    if (table != null && why != null) {
      return park(table, why);
    }
    // All at once: one that has to wait for its place in the stream holds up none of the others.
    Map<SourceTableId, CompletableFuture<Void>> begun = new LinkedHashMap<>();
    for (SourceTableId each : table == null ? run.tables() : List.of(table)) {
      begun.put(each, begin(each, request.keys()));
    }
    List<String> problems = new ArrayList<>();
    for (Map.Entry<SourceTableId, CompletableFuture<Void>> each : begun.entrySet()) {
      hindrance(each.getKey(), each.getValue()).ifPresent(problems::add);
    }
    // Only now: after a kill before, the request is all that is left of it.
    run.awaitCommitted();
    return new Answer(problems.isEmpty() ? null : String.join(" ", problems));
  }

  private CompletableFuture<Void> begin(SourceTableId table, @Nullable KeyStretch keys) {
    try {
      return run.resync(table, keys);
    } catch (TableRefusedException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** What hinders a copy; empty: it has begun. */
  private static Optional<String> hindrance(SourceTableId table, CompletableFuture<Void> copy)
      throws InterruptedException {
    try {
      copy.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TableRefusedException refused) {
        LOG.warn("{} can't be copied again: {}", table, refused.getMessage());
        return Optional.of(String.valueOf(refused.getMessage()));
      }
      throw PipelineRun.asStop(e);
    }
    LOG.info("{} is copied again, as was asked", table);
    return Optional.empty();
  }

  @Override
  public void close() {
    watch.close();
  }
}
