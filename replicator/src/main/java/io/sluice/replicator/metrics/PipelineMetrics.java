package io.sluice.replicator.metrics;

import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import io.prometheus.client.Histogram;
import io.prometheus.client.exporter.common.TextFormat;
import io.prometheus.client.hotspot.DefaultExports;
import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.values.ValueListener;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineStatus;
import io.sluice.sinks.PipelineStatus.TableStatus;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * A daemon's metrics in Prometheus' words. What has a value at any moment is taken from {@link
 * DaemonStatus} when asked; what happens is counted when {@link PipelineListener} tells it. Thread
 * safe.
 */
public final class PipelineMetrics implements PipelineListener, ValueListener {

  /** From here on letters of further tables are counted as those of one. */
  private static final int DEAD_LETTER_LABELS_MAX = 1000;

  private static final String OTHER_TABLES = "(others)";

  private static final double[] COMMIT_SECONDS = {
    0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60
  };

  private final String pipeline;
  private final CollectorRegistry registry = new CollectorRegistry();
  private final Histogram commitSeconds;
  private final Counter schemaChanges;
  private final Counter zeroDates;
  private final Counter storageFailures;
  private final Counter tablesCopiedAgain;
  private final Counter deadLetters;
  private final AtomicLong deadLettersInAll = new AtomicLong();

  /** Table and reason: templates may make any number of tables. */
  private final Set<List<String>> deadLetterLabels = ConcurrentHashMap.newKeySet();

  /**
   * @param status asked at each scrape
   */
  public PipelineMetrics(String pipeline, Supplier<DaemonStatus> status) {
    this.pipeline = pipeline;
    commitSeconds =
        Histogram.build(
                "sluice_commit_seconds", "From an epoch's cut until it is in all its tables.")
            .labelNames("pipeline")
            .buckets(COMMIT_SECONDS)
            .register(registry);
    commitSeconds.labels(pipeline);
    schemaChanges =
        counter("sluice_schema_changes", "Changes of lake schemas, by kind.", "table", "kind");
    zeroDates =
        counter("sluice_zero_dates", "Dates with a zero part that became NULL.", "table", "column");
    storageFailures =
        counter(
            "sluice_storage_failures", "Attempts on the warehouse that failed, to be repeated.");
    storageFailures.labels(pipeline);
    tablesCopiedAgain =
        counter("sluice_backfill_again", "Tables whose rows had to be copied again.", "table");
    deadLetters =
        counter(
            "sluice_dead_letters",
            "Records set aside in sluice_system.dead_letters, by the table that they were meant"
                + " for (their topic, where that isn't known) and by reason.",
            "table",
            "reason");
    new StatusCollector(pipeline, status).register(registry);
    DefaultExports.register(registry);
  }

  private Counter counter(String name, String help, String... labels) {
    String[] all = new String[labels.length + 1];
    all[0] = "pipeline";
    System.arraycopy(labels, 0, all, 1, labels.length);
    return Counter.build(name, help).labelNames(all).register(registry);
  }

  @Override
  public void epochFinished(long epoch, double seconds, Map<String, Long> snapshots) {
    commitSeconds.labels(pipeline).observe(seconds);
  }

  @Override
  public void schemaChanged(String lakeTable, String kind) {
    schemaChanges.labels(pipeline, lakeTable, kind).inc();
  }

  @Override
  public void storageFailed(String doing, Exception failure, int attempt) {
    storageFailures.labels(pipeline).inc();
  }

  @Override
  public void deadLetter(String table, String reason) {
    deadLettersInAll.incrementAndGet();
    List<String> labels = List.of(table, reason);
    boolean known =
        deadLetterLabels.contains(labels)
            || deadLetterLabels.size() < DEAD_LETTER_LABELS_MAX && deadLetterLabels.add(labels);
    deadLetters.labels(pipeline, known ? table : OTHER_TABLES, reason).inc();
  }

  /** Records set aside so far. */
  public long deadLetters() {
    return deadLettersInAll.get();
  }

  @Override
  public void backfillAgain(SourceTableId table) {
    tablesCopiedAgain.labels(pipeline, table.toString()).inc();
  }

  @Override
  public void zeroDate(SourceTableId table, String column) {
    zeroDates.labels(pipeline, table.toString(), column).inc();
  }

  /** The registry, for further metrics of the same daemon. */
  public CollectorRegistry registry() {
    return registry;
  }

  /** All metrics as {@code text/plain; version=0.0.4}. */
  public String text() {
    StringWriter out = new StringWriter();
    try {
      TextFormat.write004(out, registry.metricFamilySamples());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toString();
  }

  /** What the status says, as metrics. */
  private static final class StatusCollector extends Collector {

    private static final List<String> PIPELINE = List.of("pipeline");
    private static final List<String> TABLE = List.of("pipeline", "table");

    private final String pipeline;
    private final Supplier<DaemonStatus> source;

    StatusCollector(String pipeline, Supplier<DaemonStatus> source) {
      this.pipeline = pipeline;
      this.source = source;
    }

    @Override
    public List<MetricFamilySamples> collect() {
      DaemonStatus status = source.get();
      List<MetricFamilySamples> result = new ArrayList<>();
      result.add(
          gauge(
              "sluice_up",
              "1 while the daemon follows its source, else 0.",
              status.state() == DaemonStatus.State.RUNNING ? 1 : 0));
      status
          .sourceLagSeconds()
          .ifPresent(
              seconds ->
                  result.add(
                      gauge(
                          "sluice_source_lag_seconds",
                          "Now minus the source's commit time of the newest change read; 0 when"
                              + " all is read.",
                          Math.max(0, seconds))));
      if (!status.topics().isEmpty()) {
        GaugeMetricFamily lag =
            new GaugeMetricFamily(
                "sluice_kafka_lag_messages",
                "Messages of a topic that were not read yet.",
                List.of("pipeline", "topic"));
        for (DaemonStatus.Topic topic : status.topics()) {
          lag.addMetric(List.of(pipeline, topic.name()), (double) topic.lagMessages());
        }
        result.add(lag);
      }
      status.pipeline().ifPresent(found -> ofPipeline(found, status.estimatedRows(), result));
      return result;
    }

    private void ofPipeline(
        PipelineStatus status,
        Map<SourceTableId, Long> estimated,
        List<MetricFamilySamples> result) {
      List<TableStatus> tables = status.tables();
      result.add(gauge("sluice_epoch", "Newest finished epoch.", (double) status.epoch()));
      result.add(
          gauge(
              "sluice_last_commit_timestamp_seconds",
              "When it was finished, seconds since 1970.",
              status.lastCommitMillis() / 1000.0));
      result.add(
          gauge(
              "sluice_memtable_bytes",
              "Changes gathered in memory, not yet in a file.",
              (double) status.memtableBytes()));
      result.add(
          gauge(
              "sluice_compaction_pending_bytes",
              "Bytes of files that wait for compaction.",
              (double) status.compactionPendingBytes()));
      result.add(
          tables(
              "sluice_freshness_seconds",
              "Now minus the source's commit time of the oldest change not yet visible; 0 when"
                  + " nothing is pending. MySQL with GTIDs gives microseconds; MariaDB's binlog,"
                  + " and MySQL's without GTIDs, has whole seconds, so that up to one second of it"
                  + " is rounding.",
              tables,
              table -> Math.max(0, table.freshnessSeconds())));
      result.add(tables("sluice_snapshot_id", "Newest snapshot.", tables, TableStatus::snapshotId));
      result.add(
          tables(
              "sluice_sorted_runs",
              "Sorted runs of the worst bucket.",
              tables,
              TableStatus::sortedRuns));
      result.add(tables("sluice_live_files", "Live data files.", tables, TableStatus::liveFiles));
      result.add(
          tables(
              "sluice_parked",
              "1 for a table that is left behind: it takes no more rows, until a resync brings it"
                  + " back.",
              tables,
              table -> table.parked() == null || table.parked().catchingUp() ? 0 : 1));
      result.add(
          tables(
              "sluice_backfill_rows",
              "Rows copied since the start.",
              tables,
              TableStatus::backfillRows));
      GaugeMetricFamily estimates =
          new GaugeMetricFamily(
              "sluice_backfill_rows_estimated",
              "The source's estimate of the rows of a table that is being copied.",
              TABLE);
      estimated.forEach(
          (table, rows) -> estimates.addMetric(List.of(pipeline, table.toString()), rows));
      result.add(estimates);
      result.add(rows(tables));
    }

    private CounterMetricFamily rows(List<TableStatus> tables) {
      CounterMetricFamily rows =
          new CounterMetricFamily(
              "sluice_rows",
              "Changes taken in since the start, by kind: insert, update, delete.",
              List.of("pipeline", "table", "kind"));
      for (TableStatus table : tables) {
        String name = table.source().toString();
        rows.addMetric(List.of(pipeline, name, "insert"), (double) table.inserts());
        rows.addMetric(List.of(pipeline, name, "update"), (double) table.updates());
        rows.addMetric(List.of(pipeline, name, "delete"), (double) table.deletes());
      }
      return rows;
    }

    private GaugeMetricFamily gauge(String name, String help, double value) {
      return new GaugeMetricFamily(name, help, PIPELINE).addMetric(List.of(pipeline), value);
    }

    private GaugeMetricFamily tables(
        String name, String help, List<TableStatus> tables, ToDoubleFunction<TableStatus> value) {
      GaugeMetricFamily family = new GaugeMetricFamily(name, help, TABLE);
      for (TableStatus table : tables) {
        family.addMetric(List.of(pipeline, table.source().toString()), value.applyAsDouble(table));
      }
      return family;
    }
  }
}
