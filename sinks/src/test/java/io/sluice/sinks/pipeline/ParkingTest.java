package io.sluice.sinks.pipeline;

import static io.sluice.sinks.pipeline.TestLake.awaitPosition;
import static io.sluice.sinks.pipeline.TestLake.definition;
import static io.sluice.sinks.pipeline.TestLake.position;
import static io.sluice.sinks.pipeline.TestLake.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.evolution.SourceColumn;
import io.sluice.evolution.SourceTable;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.sinks.BackfillInput;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.ChunkOutdatedException;
import io.sluice.sinks.Parked;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineSettings;
import io.sluice.sinks.PipelineStatus.TableStatus;
import io.sluice.sinks.RoutedTable;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A table that can't go on is left where it stood; the others go on; a restart knows it. */
class ParkingTest {

  private final MemoryFileIO storage = new MemoryFileIO();
  private final TestLake lake = new TestLake("/lake");
  private Pipeline pipeline;
  private ChangeInput changes;
  private long at;

  @BeforeEach
  void start() {
    pipeline =
        lake.start(
            storage, parking(lake.settings()), new TestLake.Source(), PipelineListener.NONE, 2);
    changes = pipeline.changes();
  }

  /** The same settings for a pipeline that parks tables. */
  static PipelineSettings parking(PipelineSettings base) {
    return new PipelineSettings(
        base.name(),
        base.warehouse(),
        base.commitInterval(),
        base.idleInterval(),
        base.workers(),
        base.memtableBytesMax(),
        base.queueBytesMax(),
        base.compactionThreads(),
        base.snapshotTimeRetained(),
        base.snapshotsMax(),
        base.snapshotsMin(),
        base.rememberedDeletesMax(),
        true);
  }

  @AfterEach
  void stop() {
    pipeline.abort();
  }

  /** As after kill -9. */
  private void restart() {
    pipeline.abort();
    start();
  }

  private void put(RoutedTable table, RowKind kind, long id, String v, Integer... more) {
    changes.row(table, row(table, kind, id, v, more), ++at);
  }

  private void cut() {
    at++;
    changes.cutPoint(position(at), at);
  }

  private void commit() throws InterruptedException {
    cut();
    awaitPosition(pipeline, position(at));
  }

  private TableStatus status(String table) {
    return pipeline.status().tables().stream()
        .filter(each -> each.source().equals(TestLake.id(table)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void leavesATableBehindWhoseDdlIsRefusedAndKeepsItsLastRows() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a", "c"), "create a").orElseThrow();
    RoutedTable b = changes.tableChanged(definition("b"), "create b").orElseThrow();
    put(a, RowKind.INSERT, 1, "a", 1);
    commit();
    put(a, RowKind.INSERT, 2, "just before the statement", 2);
    put(b, RowKind.INSERT, 2, "b");
    cut();
    assertThat(changes.tableChanged(definition("a"), "drop c")).isEmpty();
    assertThat(changes.isParked(TestLake.id("a"))).isTrue();
    assertThat(changes.routed(TestLake.id("a"))).isEmpty();
    Parked parked = status("a").parked();
    assertThat(parked).isNotNull();
    assertThat(parked.position()).isEqualTo(position(at).text());
    assertThat(parked.reason()).contains("column c");
    // A source that hasn't heard of it yet.
    put(a, RowKind.INSERT, 3, "dropped", 3);
    put(b, RowKind.INSERT, 3, "b");
    assertThat(changes.truncate(a, at)).isSameAs(a);
    commit();
    assertThat(lake.rows(storage, "a"))
        .isEqualTo(Map.of(1L, "a,1", 2L, "just before the statement,2"));
    assertThat(lake.rows(storage, "b")).isEqualTo(Map.of(2L, "b", 3L, "b"));
    restart();
    assertThat(status("a").parked()).isEqualTo(parked);
    assertThat(status("a").lakeTable()).isEqualTo("shop.a");
    assertThat(pipeline.recovered().history()).containsExactly("create a", "create b", "drop c");
    assertThat(changes.restoreTable(definition("a"))).isEmpty();
    b = changes.restoreTable(definition("b")).orElseThrow();
    assertThat(changes.tableChanged(definition("a", "d"), "add d")).isEmpty();
    put(b, RowKind.INSERT, 4, "b");
    commit();
    assertThat(pipeline.recovered().history()).hasSize(3);
    restart();
    assertThat(pipeline.recovered().history()).endsWith("add d");
    assertThat(status("a").parked()).isEqualTo(parked);
    assertThat(lake.rows(storage, "b")).hasSize(3);
  }

  @Test
  void dropsWhatAnUnfinishedTransactionHasOfTheTable() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    RoutedTable b = changes.tableChanged(definition("b"), null).orElseThrow();
    put(a, RowKind.INSERT, 1, "a");
    commit();
    long before = at;
    for (int i = 10; i < 2_000; i++) {
      put(a, RowKind.INSERT, i, "of a transaction that has a bad value " + i);
      put(b, RowKind.INSERT, i, "b");
    }
    assertThat(changes.park(TestLake.id("a"), "a value without a place")).isTrue();
    put(b, RowKind.INSERT, 1, "b");
    commit();
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(1L, "a"));
    assertThat(lake.rows(storage, "b")).hasSize(1_991);
    assertThat(status("a").parked().position()).isEqualTo(position(before).text());
    assertThat(status("a").parked().epoch()).isEqualTo(pipeline.status().epoch() - 1);
  }

  @Test
  void leavesATableBehindThatCannotBeCopied() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    RoutedTable b = changes.tableChanged(definition("b"), null).orElseThrow();
    commit();
    BackfillInput backfill = pipeline.backfill();
    BackfillInput.Chunk done = backfill.openChunk(a);
    done.row(row(a, RowKind.INSERT, 5, "copied"));
    done.done("{\"state\":\"copying\"}");
    BackfillInput.Chunk chunk = backfill.openChunk(a);
    chunk.row(row(a, RowKind.INSERT, 6, "of the chunk that fails"));
    assertThat(backfill.park(TestLake.id("a"), "a value without a place")).isTrue();
    assertThatThrownBy(() -> chunk.done("{}"))
        .isInstanceOfSatisfying(
            ChunkOutdatedException.class,
            e -> assertThat(e.why()).isEqualTo(ChunkOutdatedException.Cause.PARKED));
    chunk.abandon();
    assertThat(backfill.progress(a, "{}")).isFalse();
    assertThat(backfill.progress()).isEmpty();
    put(b, RowKind.INSERT, 1, "b");
    commit();
    assertThat(lake.rows(storage, "b")).hasSize(1);
    assertThat(lake.rows(storage, "a")).doesNotContainKey(6L);
    assertThat(status("a").parked()).isNotNull();
  }

  @Test
  void leavesATableBehindThatNeverWasInAnEpoch() throws Exception {
    RoutedTable b = changes.tableChanged(definition("b"), null).orElseThrow();
    put(b, RowKind.INSERT, 1, "b");
    SourceTable noKey =
        new SourceTable(
            TestLake.id("n"),
            List.of(new SourceColumn("x", "INT", null, null, true, null, List.of(), null)),
            List.of());
    assertThat(changes.tableChanged(noKey, "create n")).isEmpty();
    RoutedTable c = changes.tableChanged(definition("c"), "create c").orElseThrow();
    put(c, RowKind.INSERT, 1, "c");
    assertThat(changes.park(TestLake.id("c"), "before its first epoch")).isTrue();
    commit();
    for (String table : List.of("n", "c")) {
      assertThat(status(table).parked().epoch()).isZero();
      assertThat(status(table).parked().position()).isNull();
      assertThat(storage.exists(lake.root(table) + "/schema/schema-0")).isFalse();
    }
    restart();
    assertThat(changes.isParked(TestLake.id("n"))).isTrue();
    assertThat(changes.isParked(TestLake.id("c"))).isTrue();
    assertThat(lake.rows(storage, "b")).hasSize(1);
  }

  @Test
  void leavesATableBehindWhoseFolderIsGone() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    RoutedTable b = changes.tableChanged(definition("b"), null).orElseThrow();
    put(a, RowKind.INSERT, 1, "a");
    put(b, RowKind.INSERT, 1, "b");
    commit();
    // Not a part of the newest epoch any more.
    put(b, RowKind.INSERT, 2, "b");
    commit();
    pipeline.abort();
    for (String path : storage.paths()) {
      if (path.startsWith(lake.root("a") + "/")) {
        storage.delete(path);
      }
    }
    start();
    assertThat(changes.restoreTable(definition("a"))).isEmpty();
    assertThat(changes.restoreTable(definition("b"))).isPresent();
    assertThat(status("a").parked().reason()).contains("no table any more");
    // Without an event of the source.
    TestLake.await(() -> pipeline.status().epoch() > pipeline.recovered().epoch());
  }
}
