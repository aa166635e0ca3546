package io.sluice.replicator.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PipelineMetricsTest {

  private final PipelineMetrics metrics = new PipelineMetrics("shop", () -> Statuses.running(1.5));

  @Test
  void everyNameOfTheSurfaceIsThere() {
    metrics.schemaChanged("ods.orders", "add-column");
    metrics.epochFinished(42, 0.2, Map.of());
    metrics.zeroDate(Statuses.ORDERS, "d");
    metrics.storageFailed("x", new IOException("disk full"), 1);
    metrics.deadLetter("ods.orders", "value");
    assertThat(metrics.text())
        .contains(
            "sluice_up{pipeline=\"shop\",} 1.0\n",
            "sluice_freshness_seconds{pipeline=\"shop\",table=\"shop.orders\",} 0.0\n",
            "sluice_source_lag_seconds{pipeline=\"shop\",} 0.5\n",
            "sluice_rows_total{pipeline=\"shop\",table=\"shop.orders\",kind=\"insert\",} 1.0\n",
            "sluice_rows_total{pipeline=\"shop\",table=\"shop.orders\",kind=\"update\",} 2.0\n",
            "sluice_rows_total{pipeline=\"shop\",table=\"shop.orders\",kind=\"delete\",} 3.0\n",
            "sluice_commit_seconds_bucket{pipeline=\"shop\",le=\"0.25\",} 1.0\n",
            "sluice_commit_seconds_count{pipeline=\"shop\",} 1.0\n",
            "sluice_epoch{pipeline=\"shop\",} 42.0\n",
            "sluice_snapshot_id{pipeline=\"shop\",table=\"shop.orders\",} 7.0\n",
            "sluice_sorted_runs{pipeline=\"shop\",table=\"shop.orders\",} 5.0\n",
            "sluice_compaction_pending_bytes{pipeline=\"shop\",} 8192.0\n",
            "sluice_memtable_bytes{pipeline=\"shop\",} 4096.0\n",
            "sluice_live_files{pipeline=\"shop\",table=\"shop.orders\",} 6.0\n",
            "sluice_backfill_rows{pipeline=\"shop\",table=\"shop.orders\",} 1000.0\n",
            "sluice_backfill_rows_estimated{pipeline=\"shop\",table=\"shop.orders\",} 2000.0\n",
            "sluice_parked{pipeline=\"shop\",table=\"shop.orders\",} 0.0\n",
            "sluice_schema_changes_total{pipeline=\"shop\",table=\"ods.orders\",kind=\"add-column\",}"
                + " 1.0\n",
            "sluice_zero_dates_total{pipeline=\"shop\",table=\"shop.orders\",column=\"d\",} 1.0\n",
            "sluice_dead_letters_total{pipeline=\"shop\",table=\"ods.orders\",reason=\"value\",} 1.0\n",
            "sluice_kafka_lag_messages{pipeline=\"shop\",topic=\"orders\",} 1200.0\n",
            "sluice_storage_failures_total{pipeline=\"shop\",} 1.0\n",
            "jvm_memory_bytes_used",
            "process_cpu_seconds_total");
  }

  @Test
  void freshnessIsNeverNegativeAndMariaDbsWholeSecondsAreTold() {
    assertThat(metrics.text())
        .contains("sluice_freshness_seconds{pipeline=\"shop\",table=\"shop.orders\",} 0.0")
        .containsPattern("# HELP sluice_freshness_seconds .*MariaDB.*whole seconds");
  }

  @Test
  void deadLettersOfVeryManyTablesAreCountedAsThoseOfOne() {
    for (int i = 0; i < 2000; i++) {
      metrics.deadLetter("ods.t" + i, "value");
    }
    metrics.deadLetter("ods.t0", "value");
    assertThat(metrics.deadLetters()).isEqualTo(2001);
    assertThat(metrics.text())
        .contains(
            "sluice_dead_letters_total{pipeline=\"shop\",table=\"ods.t0\",reason=\"value\",} 2.0\n",
            "sluice_dead_letters_total{pipeline=\"shop\",table=\"(others)\",reason=\"value\",}"
                + " 1000.0\n");
  }

  @Test
  void twoDaemonsInOneJvmDoNotMix() {
    PipelineMetrics other =
        new PipelineMetrics("crm", () -> DaemonStatus.starting("crm", 1_700_000_000_000L));
    other.epochFinished(1, 0.1, Map.of());
    assertThat(metrics.text()).contains("sluice_commit_seconds_count{pipeline=\"shop\",} 0.0");
    assertThat(other.text())
        .contains("sluice_up{pipeline=\"crm\",} 0.0")
        .doesNotContain("shop", "sluice_epoch");
  }
}
