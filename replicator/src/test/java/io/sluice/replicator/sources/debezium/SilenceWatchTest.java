package io.sluice.replicator.sources.debezium;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.replicator.sources.debezium.SilenceWatch.Seen;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SilenceWatchTest {

  private final SilenceWatch watch = new SilenceWatch(Duration.ofMinutes(2));

  private int secondsUntilLost(SilenceWatch asked, Seen still) {
    asked.tick(still);
    for (int second = 1; second <= 1_000; second++) {
      if (asked.tick(still).isPresent()) {
        return second;
      }
    }
    return -1;
  }

  @Test
  void takesAConnectionWithoutHeartbeatsForLost() {
    assertThat(secondsUntilLost(watch, new Seen(10, 3, true, false)))
        .isEqualTo(SilenceWatch.SILENT_SECONDS_MAX);
    assertThat(
            secondsUntilLost(new SilenceWatch(Duration.ofSeconds(7)), new Seen(9, 3, true, false)))
        .isEqualTo(7);
    assertThat(
            secondsUntilLost(new SilenceWatch(Duration.ofSeconds(1)), new Seen(9, 3, true, false)))
        .as("two heartbeats at least")
        .isEqualTo(5);
  }

  @Test
  void givesTheServerTimeToFindThePosition() {
    assertThat(secondsUntilLost(watch, new Seen(2, 0, true, false)))
        .isEqualTo(SilenceWatch.SEARCH_SECONDS_MAX);
  }

  @Test
  void countsBeforeTheBinlogIsFollowed() {
    assertThat(secondsUntilLost(watch, new Seen(0, 0, false, false)))
        .isEqualTo(SilenceWatch.START_SECONDS_MAX + 120);
  }

  @Test
  void waitsForAPipelineThatHoldsTheSourceUp() {
    assertThat(secondsUntilLost(watch, new Seen(10, 3, true, true))).isEqualTo(-1);
  }

  @Test
  void beginsAnewWithEachEvent() {
    for (int i = 0; i < 100; i++) {
      assertThat(watch.tick(new Seen(10 + i / 10, 3, true, false))).isEmpty();
    }
  }
}
