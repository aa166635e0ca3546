package io.sluice.sinks.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.Backoff;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class StorageRetryTest {

  private static final int TRIES = 100;

  private long waitedMillis;
  private int tries;

  /** As {@link StorageRetry#forLong} waits, without waiting. */
  private final Backoff backoff =
      failures -> waitedMillis += Math.min(100L << Math.min(failures - 1, 20), 15_000);

  private final StorageRetry retry = new StorageRetry(backoff, TRIES, PipelineListener.NONE);

  private void refused() throws IOException {
    tries++;
    throw new IOException("No right");
  }

  @Test
  void givesOneFolderUpSoonIfStorageAnswersElsewhere() {
    assertThatThrownBy(() -> retry.ofOneFolder(() -> true).run("flushing", this::refused))
        .isInstanceOf(TableFaultException.class)
        .hasMessageContaining("answers elsewhere");
    assertThat(waitedMillis).as("the other tables wait so long").isBetween(60_000L, 150_000L);
  }

  @Test
  void goesOnTryingAsLongAsAllOfStorageIsAway() {
    assertThatThrownBy(() -> retry.ofOneFolder(() -> false).run("flushing", this::refused))
        .isInstanceOf(PipelineStoppedException.class)
        .isNotInstanceOf(TableFaultException.class);
    assertThat(tries).isEqualTo(TRIES);
  }

  @Test
  void takesADamagedFileForItsTablesFaultAtOnce() {
    StorageRetry.Action damaged =
        () -> {
          tries++;
          throw new CorruptTableException("snapshot-3 is no JSON");
        };
    assertThatThrownBy(() -> retry.ofOneFolder(() -> true).run("committing", damaged))
        .isInstanceOfSatisfying(
            TableFaultException.class, e -> assertThat(e.reason()).isEqualTo(Reason.PROTECTED))
        .hasMessageContaining("committing: snapshot-3 is no JSON");
    assertThatThrownBy(() -> retry.run("committing", damaged))
        .isInstanceOf(CorruptTableException.class);
    assertThat(tries).isEqualTo(2);
  }
}
