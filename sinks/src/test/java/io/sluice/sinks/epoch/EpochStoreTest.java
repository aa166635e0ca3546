package io.sluice.sinks.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.testing.MemoryFileIO;
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
}
