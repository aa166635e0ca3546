package io.sluice.sinks.pipeline;

import static io.sluice.sinks.pipeline.TestLake.awaitPosition;
import static io.sluice.sinks.pipeline.TestLake.definition;
import static io.sluice.sinks.pipeline.TestLake.position;
import static io.sluice.sinks.pipeline.TestLake.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.testing.FaultyFileIO;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.Succession;
import io.sluice.sinks.epoch.EpochFile;
import io.sluice.sinks.epoch.EpochStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who may go on with a pipeline after whom, and who gives way when two want it. */
class SuccessionTest {

  private final MemoryFileIO memory = new MemoryFileIO();
  private final FaultyFileIO rivals = new FaultyFileIO(memory);
  private final TestLake lake = new TestLake("/lake");
  private final EpochStore store = new EpochStore(memory, "/lake", lake.settings().name());
  private final List<Pipeline> started = new ArrayList<>();
  private Pipeline owner;
  private RoutedTable table;

  @BeforeEach
  void begin() throws Exception {
    owner = started(lake.start(memory));
    table = owner.changes().tableChanged(definition("a"), null).orElseThrow();
    commit(owner, 1);
  }

  @AfterEach
  void end() {
    started.forEach(Pipeline::abort);
  }

  private Pipeline started(Pipeline pipeline) {
    started.add(pipeline);
    return pipeline;
  }

  private void commit(Pipeline by, long id) throws Exception {
    by.changes().row(table, row(table, RowKind.INSERT, id, "v" + id), id);
    by.changes().cutPoint(position(id), id);
    awaitPosition(by, position(id));
  }

  private Optional<String> newest() throws IOException {
    return Optional.ofNullable(store.readHighest()).map(EpochFile::incarnation);
  }

  private static void assertFenced(Throwable thrown) {
    assertThat(thrown)
        .isInstanceOfSatisfying(
            PipelineStoppedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.PROTECTED))
        .hasMessageContaining("fenced")
        .hasMessageContaining("nothing is lost");
  }

  @Test
  void followsWhomItFoundAndItself() throws Exception {
    owner.abort();
    Succession succession = Succession.of(newest(), false);
    for (int i = 0; i < 3; i++) {
      Pipeline run = started(lake.start(memory, succession));
      assertThat(run.recovered().position()).contains(position(1));
      run.abort();
    }
  }

  @Test
  void doesNotTakeBackWhatAnotherHasTakenOver() throws Exception {
    owner.abort();
    Succession succession = Succession.of(newest(), true);
    started(lake.start(memory, succession)).abort();
    Pipeline other = started(lake.start(memory, Succession.of(newest(), false)));
    Optional<String> others = newest();

    assertThatThrownBy(() -> lake.start(memory, succession)).satisfies(e -> assertFenced(e));
    assertThat(newest()).isEqualTo(others);
    assertThat(other.changes().tableChanged(definition("b"), null)).isPresent();
    other.changes().cutPoint(position(2), 2);
    awaitPosition(other, position(2));
  }

  @Test
  void givesWayToOneThatBeganLaterButWasFaster() throws Exception {
    owner.abort();
    Succession slow = Succession.of(newest(), true);
    started(lake.start(memory, Succession.of(newest(), false)));
    assertThatThrownBy(() -> lake.start(memory, slow)).satisfies(e -> assertFenced(e));
  }

  @Test
  void givesWayToOneThatBeganTheSameNewPipeline() {
    TestLake empty = new TestLake("/empty");
    started(empty.start(memory, Succession.of(Optional.empty(), false)));
    assertThatThrownBy(() -> empty.start(memory, Succession.of(Optional.empty(), true)))
        .satisfies(e -> assertFenced(e));
  }

  /** The owner commits once more just before each of the rival's first tries to win a number. */
  private void ownerIsFasterBy(int epochs) {
    int[] left = {epochs};
    rivals.observe(
        (number, verb, path) -> {
          if (verb.contains("createExclusively") && path.contains("/epoch-") && left[0] > 0) {
            left[0]--;
            try {
              commit(owner, 10 + left[0]);
            } catch (Exception e) {
              throw new IOException(e);
            }
          }
        });
  }

  @Test
  void takesOverFromALiveDaemonThatIsFaster() throws Exception {
    Succession succession = Succession.of(newest(), true);
    ownerIsFasterBy(3);
    Pipeline rival = started(lake.start(rivals, succession));
    assertThat(rival.recovered().position()).contains(position(10));

    owner.changes().row(table, row(table, RowKind.INSERT, 99, "late"), 99);
    owner.changes().cutPoint(position(99), 99);
    assertThatThrownBy(() -> owner.terminated().join()).satisfies(e -> assertFenced(e.getCause()));
    assertThat(lake.rows(memory, "a"))
        .isEqualTo(Map.of(1L, "v1", 10L, "v10", 11L, "v11", 12L, "v12"));
  }

  @Test
  void withoutInsistingOneLostNumberMayBeThatOfADeadDaemon() throws Exception {
    Succession succession = Succession.of(newest(), false);
    ownerIsFasterBy(1);
    Pipeline rival = started(lake.start(rivals, succession));
    assertThat(rival.recovered().position()).contains(position(10));
  }

  @Test
  void withoutInsistingTwoLostNumbersAreEnough() throws Exception {
    Succession succession = Succession.of(newest(), false);
    ownerIsFasterBy(2);
    assertThatThrownBy(() -> lake.start(rivals, succession)).satisfies(e -> assertFenced(e));
    commit(owner, 20);
    assertThat(lake.rows(memory, "a")).containsOnlyKeys(1L, 10L, 11L, 20L);
  }
}
