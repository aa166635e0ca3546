package io.sluice.replicator.demo;

import io.sluice.replicator.daemon.Daemon;
import io.sluice.sinks.PipelineStatus;
import io.sluice.sinks.PipelineStatus.TableStatus;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** The lines that the demo prints while it runs. */
final class DemoReport {
  private final PrintStream out;
  private final Daemon daemon;
  private final ShopWorkload workload;
  private final FreshnessMeter meter;
  private final FreshnessWatch watch;
  private final Lake lake;
  private final long startNanos = System.nanoTime();
  private long lastNanos = startNanos;
  private long lastRows;
  private boolean copied;

  DemoReport(
      PrintStream out,
      Daemon daemon,
      ShopWorkload workload,
      FreshnessMeter meter,
      FreshnessWatch watch,
      Lake lake) {
    this.out = out;
    this.daemon = daemon;
    this.workload = workload;
    this.meter = meter;
    this.watch = watch;
    this.lake = lake;
  }

  void line() throws IOException {
    long now = System.nanoTime();
    long rows = workload.rows();
    double perSecond = (rows - lastRows) / ((now - lastNanos) / 1e9);
    lastNanos = now;
    lastRows = rows;
    Lake.Totals totals = lake.totals();
    String freshness = freshness();
    print(
        "%4ds  %,7.0f rows/s  %s  %,5d files  %,7d KiB  %,6d snapshots",
        (now - startNanos) / 1_000_000_000L,
        perSecond,
        freshness,
        totals.files(),
        totals.bytes() / 1024,
        totals.snapshots());
  }

  private String freshness() {
    if (!copied) {
      List<TableStatus> tables =
          daemon.status().pipeline().map(PipelineStatus::tables).orElse(List.of());
      boolean copying = tables.stream().anyMatch(DemoReport::isCopying);
      if (!watch.allTablesThere() || copying) {
        return String.format(
            Locale.ROOT,
            "first copy: %,9d rows                 ",
            tables.stream().mapToLong(TableStatus::backfillRows).sum());
      }
      copied = true;
      meter.start();
      return "first copy done                       ";
    }
    FreshnessMeter.Percentiles recent = meter.recent();
    if (recent.count() == 0) {
      return "nothing became readable               ";
    }
    return String.format(
        Locale.ROOT,
        "readable after p50 %.3f s  p99 %.3f s",
        recent.p50Seconds(),
        recent.p99Seconds());
  }

  private static boolean isCopying(TableStatus table) {
    String progress = table.backfillProgress();
    return progress != null && !progress.contains("\"consistent\"");
  }

  void summary() {
    FreshnessMeter.Percentiles all = meter.all();
    double elapsed = (System.nanoTime() - startNanos) / 1e9;
    print("");
    print(
        "%,d rows changed in %,d transactions, %,.0f rows/s.",
        workload.rows(), workload.transactions(), workload.rows() / elapsed);
    if (all.count() > 0) {
      print(
          "From a transaction's commit until a scan of the lake shows it: p50 %.3f s, p99 %.3f s, at most %.3f s (%,d transactions).",
          all.p50Seconds(), all.p99Seconds(), all.maxSeconds(), all.count());
    }
  }

  private void print(String format, Object... arguments) {
    out.println(String.format(Locale.ROOT, format, arguments));
    out.flush();
  }
}
