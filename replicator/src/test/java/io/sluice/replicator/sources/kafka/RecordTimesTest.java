package io.sluice.replicator.sources.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class RecordTimesTest {

  private static final TopicPartition A = new TopicPartition("t", 0);
  private static final TopicPartition B = new TopicPartition("t", 1);
  private static final Set<TopicPartition> BOTH = Set.of(A, B);
  private static final long SECOND = 1_000_000_000L;

  private final RecordTimes times = new RecordTimes();

  @Test
  void isTheSmallestOfTheNewest() {
    times.took(A, 500, 0);
    times.took(A, 300, 0);
    assertThat(times.watermark(BOTH, each -> true, 0)).as("nothing of B is known").isNull();
    times.took(B, 400, 0);
    assertThat(times.watermark(BOTH, each -> true, 0)).isEqualTo(400);
    times.took(B, 600, 0);
    assertThat(times.watermark(BOTH, each -> true, 0)).isEqualTo(500);
  }

  @Test
  void waitsForNoPartitionThatIsIdleAndForEachThatHasMore() {
    assertThat(times.watermark(BOTH, each -> true, 0)).isNull();
    times.took(A, 500, 11 * SECOND);
    assertThat(times.watermark(BOTH, each -> each.equals(A), 11 * SECOND)).isNull();
    assertThat(times.watermark(BOTH, each -> true, 11 * SECOND)).isEqualTo(500);
  }

  @Test
  void neverRunsBack() {
    times.took(A, 500, 0);
    assertThat(times.watermark(Set.of(A), each -> true, 0)).isEqualTo(500);
    times.took(B, 100, 0);
    assertThat(times.watermark(BOTH, each -> true, 0)).isEqualTo(500);
  }
}
