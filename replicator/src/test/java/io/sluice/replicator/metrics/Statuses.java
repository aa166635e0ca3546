package io.sluice.replicator.metrics;

import io.sluice.evolution.SourceTableId;
import io.sluice.sinks.PipelineStatus;
import io.sluice.sinks.PipelineStatus.TableStatus;
import io.sluice.sinks.SourcePosition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** A status with every field filled. */
public final class Statuses {

  public static final SourceTableId ORDERS = new SourceTableId("shop", "orders");

  private Statuses() {}

  public static DaemonStatus running(double freshnessSeconds) {
    return of(DaemonStatus.State.RUNNING, Optional.empty(), freshnessSeconds);
  }

  public static DaemonStatus of(
      DaemonStatus.State state, Optional<String> problem, double freshnessSeconds) {
    PipelineStatus pipeline =
        new PipelineStatus(
            "shop",
            42,
            1_700_000_000_500L,
            Optional.of(new SourcePosition("{\"file\":\"binlog.000003\",\"pos\":157}")),
            1_700_000_000_000_000L,
            freshnessSeconds,
            4096,
            8192,
            List.of(
                new TableStatus(
                    ORDERS,
                    "ods.orders",
                    7,
                    1,
                    2,
                    3,
                    1000,
                    -0.25,
                    5,
                    6,
                    "{\"state\":\"backfilling\"}")));
    return new DaemonStatus(
        "shop",
        state,
        problem,
        1_700_000_000_000L,
        1_700_000_010_000L,
        Optional.of(pipeline),
        OptionalDouble.of(0.5),
        Map.of(ORDERS, 2000L),
        List.of(new DaemonStatus.Topic("orders", 4, 1200)),
        17);
  }
}
