package io.sluice.sinks.pipeline;

import static io.sluice.sinks.pipeline.TestLake.awaitPosition;
import static io.sluice.sinks.pipeline.TestLake.definition;
import static io.sluice.sinks.pipeline.TestLake.position;
import static io.sluice.sinks.pipeline.TestLake.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.evolution.SourceTable;
import io.sluice.evolution.SourceTableId;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.Parked;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.TablePlace;
import io.sluice.sinks.TableRefusedException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A table that was left behind has a place of its own in the source, in the very epochs. */
class CatchUpsTest {

  private static final SourceTableId A = TestLake.id("a");

  private final MemoryFileIO storage = new MemoryFileIO();
  private final TestLake lake = new TestLake("/lake");
  private Pipeline pipeline;
  private ChangeInput changes;
  private RoutedTable b;
  private long at;

  @BeforeEach
  void start() throws Exception {
    open();
    RoutedTable a = changes.tableChanged(definition("a"), "a").orElseThrow();
    b = changes.tableChanged(definition("b"), "b").orElseThrow();
    put(a, 1, "before");
    commit();
  }

  private void open() {
    pipeline =
        lake.start(
            storage,
            ParkingTest.parking(lake.settings()),
            new TestLake.Source(),
            PipelineListener.NONE,
            2);
    changes = pipeline.changes();
  }

  /** As after kill -9. */
  private void restart() {
    pipeline.abort();
    open();
    b = changes.restoreTable(definition("b")).orElseThrow();
    assertThat(changes.restoreTable(definition("a")).isEmpty()).isEqualTo(changes.isParked(A));
  }

  @AfterEach
  void stop() {
    pipeline.abort();
  }

  private void put(RoutedTable table, long id, String v) {
    changes.row(table, row(table, RowKind.INSERT, id, v), at + 1);
  }

  private void commit() throws InterruptedException {
    at++;
    changes.cutPoint(position(at), at);
    awaitPosition(pipeline, position(at));
  }

  private Parked parked() {
    return changes.parked().get(A);
  }

  private RoutedTable catchUp() {
    TablePlace place = changes.place(A);
    return changes.catchUp(A, definition("a"), place).orElseThrow();
  }

  private void goOn() throws InterruptedException {
    put(b, at, "b");
    commit();
  }

  @Test
  void keepsItsPlaceWithItsRowsWhateverIsKilled() throws Exception {
    assertThat(changes.park(A, "a test wants it")).isTrue();
    String parkedAt = position(at).text();
    goOn();
    goOn();
    assertThat(parked().position()).isEqualTo(parkedAt);
    RoutedTable a = catchUp();
    assertThat(changes.isParked(A)).isTrue();
    put(a, 2, "lost with the kill");
    changes.caughtUpTo(A, position(1001));
    restart();
    assertThat(parked().position()).isEqualTo(parkedAt);
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(1L, "before"));

    a = catchUp();
    put(a, 2, "kept");
    changes.caughtUpTo(A, position(1002));
    goOn();
    put(a, 3, "lost, too");
    changes.caughtUpTo(A, position(1003));
    restart();
    assertThat(parked().catchingUp()).isTrue();
    assertThat(parked().position()).isEqualTo(position(1002).text());
    assertThat(changes.place(A).position()).isEqualTo(position(1002));
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(1L, "before", 2L, "kept"));

    a = catchUp();
    put(a, 3, "at last");
    changes.join(A);
    restart();
    assertThat(parked().position()).isEqualTo(position(1002).text());
    a = catchUp();
    put(a, 3, "at last");
    changes.join(A);
    commit();
    restart();
    assertThat(parked()).isNull();
    a = changes.restoreTable(definition("a")).orElseThrow();
    put(a, 4, "with the others");
    commit();
    assertThat(lake.rows(storage, "a"))
        .isEqualTo(Map.of(1L, "before", 2L, "kept", 3L, "at last", 4L, "with the others"));
  }

  @Test
  void isParkedAgainAtItsOwnPlace() throws Exception {
    changes.park(A, "a test wants it");
    goOn();
    RoutedTable a = catchUp();
    put(a, 2, "kept");
    changes.caughtUpTo(A, position(1002));
    goOn();
    // Something else finds a fault, in the middle.
    put(a, 3, "dropped");
    changes.caughtUpTo(A, position(1003));
    assertThat(pipeline.backfill().park(A, "an operator")).isTrue();
    goOn();
    assertThat(parked().catchingUp()).isFalse();
    assertThat(parked().position()).isEqualTo(position(1002).text());
    restart();
    assertThat(parked().reason()).isEqualTo("an operator");
    assertThat(changes.place(A).position()).isEqualTo(position(1002));
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(1L, "before", 2L, "kept"));

    // What can't be followed is thrown, and nothing of it is taken.
    catchUp();
    SourceTable otherKey = new SourceTable(A, definition("a").columns(), List.of("v"));
    assertThatThrownBy(() -> changes.tableChanged(otherKey, "x"))
        .isInstanceOf(TableRefusedException.class);
    assertThat(parked().catchingUp()).isTrue();
  }
}
