package io.sluice.replicator.sources.debezium;

import static org.assertj.core.api.Assertions.assertThat;

import io.debezium.DebeziumException;
import io.sluice.evolution.SourceTableId;
import io.sluice.replicator.values.MySqlFlavor;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.TableRefusedException;
import java.io.EOFException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SourceFailuresTest {

  private static final SourceSettings SETTINGS =
      new SourceSettings(
          "shop",
          MySqlFlavor.MYSQL,
          "db1",
          3306,
          "cdc",
          "",
          SourceSettings.Tls.DISABLED,
          Duration.ofSeconds(10),
          Duration.ofMinutes(2),
          7,
          List.of("shop"),
          List.of("shop\\..*"),
          table -> Optional.empty(),
          Map.of(),
          Duration.ofMillis(20));

  private static PipelineStoppedException explain(Throwable error) {
    return SourceFailures.explain(SETTINGS, null, error);
  }

  @Test
  void namesTheColumnOfAValueThatDebeziumCannotConvert() {
    PipelineStoppedException why =
        explain(
            new RuntimeException(
                "Error processing binlog event",
                new DebeziumException(
                    "Failed to properly convert data value for 'shop.orders.note' of type TEXT")));
    assertThat(why.reason()).as("trying again doesn't help").isEqualTo(Reason.REFUSED);
    assertThat(why).hasMessageContaining("a value in shop.orders.note (TEXT) that can't be read");
  }

  @Test
  void stopsWithWhatARefusedTableMeans() {
    SourceTableId orders = new SourceTableId("shop", "orders");
    assertThat(explain(new TableRefusedException(orders, "no key")).reason())
        .isEqualTo(Reason.REFUSED);
    assertThat(
            explain(
                    new RuntimeException(
                        new TableRefusedException(orders, Reason.PROTECTED, "rolled back", null)))
                .reason())
        .isEqualTo(Reason.PROTECTED);
  }

  @Test
  void triesAgainWhenTheServerIsAway() {
    assertThat(explain(new EOFException("end")).reason()).isEqualTo(Reason.UNREACHABLE);
  }
}
