package io.sluice.sinks.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class EpochStoreTest {

  private final MemoryFileIO memory = new MemoryFileIO();
  private final EpochStore store = new EpochStore(memory, "/lake", "shop");

  @Test
  void keepsHistoryFilesThatAnotherOwnersNextEpochMayName() throws IOException {
    String older = store.writeHistory(9, "x", List.of("a"));
    String kept = store.writeHistory(12, "x", List.of("a", "b"));
    String rivals = store.writeHistory(12, "y", List.of("a", "c"));
    String newer = store.writeHistory(100, "y", List.of("a", "c", "d"));
    memory.put("/lake/_sluice/shop/history-of-shop.txt", new byte[0]);

    store.deleteHistoryBefore(kept);

    assertThat(memory.exists("/lake/_sluice/shop/" + older)).isFalse();
    assertThat(store.readHistory(kept)).containsExactly("a", "b");
    assertThat(store.readHistory(rivals)).containsExactly("a", "c");
    assertThat(store.readHistory(newer)).containsExactly("a", "c", "d");
    assertThat(memory.exists("/lake/_sluice/shop/history-of-shop.txt")).isTrue();
  }

  @Test
  void doesNotBringAnEndedPipelineBack() throws IOException {
    memory.put("/lake/_sluice/shop/epoch-" + "0".repeat(19) + "8", new byte[0]);
    assertThat(store.refuseUnlessNewest(9)).containsExactly(8L);
    memory.delete("/lake/_sluice/shop/epoch-" + "0".repeat(19) + "8");
    memory.put("/lake/_sluice/shop/epoch-" + "0".repeat(19) + "9", new byte[0]);
    assertThatThrownBy(() -> store.refuseUnlessNewest(9))
        .isInstanceOfSatisfying(
            PipelineStoppedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.PROTECTED))
        .hasMessageContaining("was ended (sluice forget)");
    assertThat(store.list()).isEmpty();
    memory.put("/lake/_sluice/shop/epoch-" + "0".repeat(19) + "1", new byte[0]);
    assertThat(store.refuseUnlessNewest(1)).as("the first one").isEmpty();
  }
}
