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
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.schema.TableSchemaJson;
import io.sluice.lsm.snapshot.CommitKind;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineSettings;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.TableRefusedException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The pipeline through its door, over storage in memory. */
class PipelineTest {

  private final MemoryFileIO storage = new MemoryFileIO();
  private final TestLake lake = new TestLake("/lake");
  private Pipeline pipeline = lake.start(storage);
  private ChangeInput changes = pipeline.changes();
  private long at;

  @AfterEach
  void end() {
    pipeline.abort();
  }

  private void restart() {
    pipeline.abort();
    pipeline = lake.start(storage);
    changes = pipeline.changes();
  }

  private void cut() {
    at++;
    changes.cutPoint(position(at), at * 1_000_000);
  }

  private void commit() throws InterruptedException {
    cut();
    awaitPosition(pipeline, position(at));
  }

  private void put(RoutedTable table, RowKind kind, long id, String v, Integer... more) {
    changes.row(table, row(table, kind, id, v, more), (at + 1) * 1_000_000);
  }

  @Test
  void bringsRowsOfATransactionIntoNewTables() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), "create a").orElseThrow();
    RoutedTable b = changes.tableChanged(definition("b"), "create b").orElseThrow();
    for (int i = 0; i < 100; i++) {
      put(a, RowKind.INSERT, i, "a" + i);
      put(b, RowKind.INSERT, i, "b" + i);
    }
    commit();
    assertThat(lake.rows(storage, "a")).hasSize(100).containsEntry(7L, "a7");
    assertThat(lake.rows(storage, "b")).hasSize(100).containsEntry(8L, "b8");
    Snapshot snapshot = lake.snapshots(storage, "a").get(0);
    assertThat(snapshot.commitUser()).isEqualTo("shop");
    assertThat(snapshot.properties())
        .containsEntry("sluice.pipeline", "shop")
        .containsEntry("sluice.epoch", Long.toString(snapshot.commitIdentifier()))
        .containsEntry("sluice.position", position(1).text())
        .containsKeys("sluice.incarnation", "sluice.time");
    assertThat(storage.exists(lake.root("a") + "/consumer/consumer-sluice-shop")).isTrue();
  }

  @Test
  void resumesFromTheLakeAlone() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), "create a").orElseThrow();
    put(a, RowKind.INSERT, 1, "one");
    commit();
    put(a, RowKind.INSERT, 2, "never committed");
    restart();
    assertThat(pipeline.recovered().position()).contains(position(1));
    assertThat(pipeline.recovered().history()).containsExactly("create a");
    a = changes.restoreTable(definition("a")).orElseThrow();
    put(a, RowKind.UPDATE_AFTER, 1, "uno");
    put(a, RowKind.INSERT, 3, "three");
    commit();
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(1L, "uno", 3L, "three"));
  }

  private boolean hasDropped() throws IOException {
    return lake.snapshots(storage, "a").stream()
        .anyMatch(snapshot -> snapshot.commitKind() == CommitKind.OVERWRITE);
  }

  /** What expiry drops is gone; the position is not, nor are rows that come later. */
  @Test
  void dropsPartitionsThatAreOver() throws Exception {
    pipeline.abort();
    TestLake.Source source = new TestLake.Source();
    source.partitionBy = List.of("v");
    source.options =
        Map.of("partition.expiration-time", "7 d", "partition.expiration-check-interval", "1 min");
    pipeline = lake.start(storage, lake.settings(), source, PipelineListener.NONE, 2);
    changes = pipeline.changes();
    SourceTable parted =
        new SourceTable(
            TestLake.id("a"),
            List.of(
                definition("a").columns().get(0),
                new SourceColumn("v", "VARCHAR", 200, null, false, "utf8mb4", List.of(), null)),
            List.of("id", "v"));
    RoutedTable a = changes.tableChanged(parted, null).orElseThrow();
    put(a, RowKind.INSERT, 1, "2020-01-01");
    put(a, RowKind.INSERT, 2, "2099-01-01");
    // Expiry looks after some epochs; how many of them it is told of at once hangs on the threads.
    int epochs = 0;
    do {
      put(a, RowKind.UPDATE_AFTER, 2, "2099-01-01");
      commit();
    } while (++epochs < 5_000 && !hasDropped());
    assertThat(hasDropped()).isTrue();
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(2L, "2099-01-01"));
    pipeline.abort();
    pipeline = lake.start(storage, lake.settings(), source, PipelineListener.NONE, 2);
    changes = pipeline.changes();
    assertThat(pipeline.recovered().position()).contains(position(at));
    a = changes.restoreTable(parted).orElseThrow();
    put(a, RowKind.INSERT, 1, "2020-01-01");
    commit();
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(1L, "2020-01-01", 2L, "2099-01-01"));
  }

  /** Trap 5. */
  @Test
  void keepsTheLastOfSeveralChangesOfAKeyInOneCommit() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    put(a, RowKind.INSERT, 7, "a");
    put(a, RowKind.UPDATE_AFTER, 7, "b");
    put(a, RowKind.DELETE, 7, "b");
    put(a, RowKind.INSERT, 7, "c");
    for (int i = 100; i < 110_100; i++) {
      put(a, RowKind.INSERT, i, "x");
    }
    for (int i = 100; i < 200; i++) {
      put(a, RowKind.UPDATE_AFTER, i, "y");
    }
    commit();
    assertThat(lake.rows(storage, "a"))
        .hasSize(110_001)
        .containsEntry(7L, "c")
        .containsEntry(150L, "y")
        .containsEntry(200L, "x");
  }

  /** Traps 35 and 44: many workers, log order wins, for one key and between keys of one instant. */
  @Test
  void keepsTheOrderOfTheLogOverManyWorkers() throws Exception {
    pipeline.abort();
    PipelineSettings base = lake.settings();
    PipelineSettings eight =
        new PipelineSettings(
            base.name(),
            base.warehouse(),
            base.commitInterval(),
            base.idleInterval(),
            8,
            1,
            2_000,
            1,
            base.snapshotTimeRetained(),
            1000,
            10,
            10);
    TestLake.Source source = new TestLake.Source();
    source.buckets = 8;
    pipeline = lake.start(storage, eight, source, PipelineListener.NONE, 2);
    changes = pipeline.changes();
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    for (int v = 1; v <= 1_000; v++) {
      put(a, RowKind.UPDATE_AFTER, 1, "v" + v);
      put(a, RowKind.INSERT, 1_000 + v, "x");
      put(a, RowKind.DELETE, 1_000 + v, "x");
      if (v % 100 == 0) {
        cut();
      }
    }
    commit();
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(1L, "v1000"));
  }

  @Test
  void movesAKeyAcrossBuckets() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    for (int i = 0; i < 20; i++) {
      put(a, RowKind.INSERT, i, "v" + i);
    }
    commit();
    // Each row moves to a free key and, some of them, back: in one epoch.
    for (int i = 0; i < 20; i++) {
      put(a, RowKind.DELETE, i, "v" + i);
      put(a, RowKind.INSERT, 100 + i, "v" + i);
      if (i % 3 == 0) {
        put(a, RowKind.DELETE, 100 + i, "v" + i);
        put(a, RowKind.INSERT, i, "v" + i);
      }
    }
    commit();
    assertThat(lake.rows(storage, "a"))
        .hasSize(20)
        .containsEntry(18L, "v18")
        .containsEntry(119L, "v19")
        .doesNotContainKeys(19L, 118L);
  }

  /** Trap 9. */
  @Test
  void addsAColumnInTheMiddleOfAnEpoch() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), "create").orElseThrow();
    put(a, RowKind.INSERT, 1, "a");
    put(a, RowKind.INSERT, 2, "old");
    RoutedTable wider = changes.tableChanged(definition("a", "c"), "alter").orElseThrow();
    assertThat(wider.lakeSchema().id()).isEqualTo(1);
    put(wider, RowKind.UPDATE_AFTER, 1, "b");
    put(wider, RowKind.INSERT, 3, "new", 33);
    commit();
    assertThat(lake.rows(storage, "a"))
        .isEqualTo(Map.of(1L, "b,null", 2L, "old,null", 3L, "new,33"));
    restart();
    assertThat(pipeline.recovered().history()).containsExactly("create", "alter");
    assertThat(changes.restoreTable(definition("a", "c")).orElseThrow().lakeSchema().id())
        .isEqualTo(1);
    assertThat(pipeline.backfill().progress()).isEmpty();
  }

  @Test
  void copiesATableAgainWhoseNewColumnHasADefault() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), "create").orElseThrow();
    put(a, RowKind.INSERT, 1, "a");
    commit();
    changes.tableChanged(TestLake.withDefault(definition("a"), "c", "5"), "alter");
    commit();
    assertThat(pipeline.backfill().progress())
        .containsEntry(TestLake.id("a"), "{\"state\":\"again\"}");
    restart();
    assertThat(pipeline.recovered().backfillProgress())
        .containsEntry(TestLake.id("a"), "{\"state\":\"again\"}");
  }

  @Test
  void refusesOtherDdlAndTakesNothingOfIt() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a", "c"), "create").orElseThrow();
    put(a, RowKind.INSERT, 1, "a", 1);
    commit();
    assertThatThrownBy(() -> changes.tableChanged(definition("a"), "alter"))
        .isInstanceOf(TableRefusedException.class)
        .hasMessageContaining("shop.a")
        .hasMessageContaining("column c");
    SourceTable noKey =
        new SourceTable(
            TestLake.id("n"),
            List.of(new SourceColumn("x", "INT", null, null, true, null, List.of(), null)),
            List.of());
    assertThatThrownBy(() -> changes.tableChanged(noKey, "create"))
        .isInstanceOf(TableRefusedException.class)
        .hasMessageContaining("primary key");
    put(a, RowKind.UPDATE_AFTER, 1, "b", 2);
    commit();
    restart();
    assertThat(pipeline.recovered().history()).containsExactly("create");
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(1L, "b,2"));
  }

  @Test
  void truncatesInTheMiddle() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    RoutedTable b = changes.tableChanged(definition("b"), null).orElseThrow();
    put(a, RowKind.INSERT, 1, "first epoch");
    commit();
    put(a, RowKind.INSERT, 2, "before");
    put(b, RowKind.INSERT, 2, "stays");
    a = changes.truncate(a, 5);
    cut();
    put(a, RowKind.INSERT, 3, "after");
    commit();
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(3L, "after"));
    assertThat(lake.rows(storage, "b")).isEqualTo(Map.of(2L, "stays"));
    List<CommitKind> kinds =
        lake.snapshots(storage, "a").stream()
            .map(Snapshot::commitKind)
            .filter(kind -> kind != CommitKind.COMPACT)
            .toList();
    assertThat(kinds).containsExactly(CommitKind.APPEND, CommitKind.OVERWRITE, CommitKind.APPEND);
    restart();
    a = changes.restoreTable(definition("a")).orElseThrow();
    put(a, RowKind.INSERT, 4, "four");
    commit();
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(3L, "after", 4L, "four"));
  }

  @Test
  void ignoresTablesThatAreNotCaptured() throws Exception {
    assertThat(changes.tableChanged(definition("not_mine"), "create not_mine")).isEmpty();
    commit();
    restart();
    assertThat(pipeline.recovered().history()).containsExactly("create not_mine");
    assertThat(lake.rows(storage, "not_mine")).isEmpty();
  }

  @Test
  void anIdlePipelineTouchesNoTable() throws Exception {
    pipeline.abort();
    pipeline =
        lake.start(
            storage,
            lake.settings(Duration.ofHours(1)),
            new TestLake.Source(),
            PipelineListener.NONE,
            2);
    changes = pipeline.changes();
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    RoutedTable b = changes.tableChanged(definition("b"), null).orElseThrow();
    put(a, RowKind.INSERT, 1, "a");
    put(b, RowKind.INSERT, 1, "b");
    commit();
    put(a, RowKind.INSERT, 2, "a");
    commit();
    assertThat(lake.snapshots(storage, "a")).hasSize(2);
    assertThat(lake.snapshots(storage, "b")).hasSize(1);
    // The idle interval is an hour: the position alone makes no epoch before.
    long epoch = pipeline.status().epoch();
    cut();
    pipeline.close();
    assertThat(pipeline.status().epoch()).isEqualTo(epoch + 1);
    assertThat(lake.snapshots(storage, "a")).hasSize(2);
    pipeline = lake.start(storage);
    assertThat(pipeline.recovered().position()).contains(position(at));
  }

  @Test
  void closeCommitsWhatIsComplete() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    put(a, RowKind.INSERT, 1, "a");
    cut();
    pipeline.close();
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(1L, "a"));
    assertThatThrownBy(() -> changes.cutPoint(position(9), 9))
        .isInstanceOf(PipelineStoppedException.class);
    assertThatThrownBy(() -> pipeline.terminated().join())
        .hasCauseInstanceOf(PipelineStoppedException.class);
  }

  @Test
  void refusesToStartWhenItsFolderIsLost() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    put(a, RowKind.INSERT, 1, "a");
    commit();
    pipeline.abort();
    for (String path : storage.paths()) {
      if (path.contains("/_sluice/")) {
        storage.delete(path);
      }
    }
    assertThatThrownBy(() -> lake.start(storage))
        .isInstanceOfSatisfying(
            PipelineStoppedException.class,
            e -> assertThat(e.reason()).isEqualTo(PipelineStoppedException.Reason.PROTECTED))
        .hasMessageContaining("/lake/shop.db/a");
  }

  @Test
  void refusesALakeTableThatItCannotWrite() throws Exception {
    TableSchema csv =
        new TableSchema(
            0,
            new RowType(
                List.of(
                    new DataField(0, "id", DataTypes.BIGINT.withNullable(false)),
                    new DataField(1, "v", DataTypes.varchar(200)))),
            1,
            List.of(),
            List.of("id"),
            Map.of("bucket", "1", "file.format", "csv"),
            null,
            0);
    storage.put(lake.root("a") + "/schema/schema-0", TableSchemaJson.write(csv));
    assertThatThrownBy(() -> changes.tableChanged(definition("a"), null))
        .isInstanceOf(TableRefusedException.class)
        .hasMessageContaining("shop.a")
        .hasMessageContaining("csv");
  }

  @Test
  void refusesATableThatHasRowsOfAnUnknownPast() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    put(a, RowKind.INSERT, 1, "a");
    commit();
    pipeline.abort();
    for (String path : storage.paths()) {
      if (path.contains("sluice")) {
        storage.delete(path);
      }
    }
    var other = lake.settings();
    var renamed =
        new PipelineSettings(
            "other",
            other.warehouse(),
            other.commitInterval(),
            other.idleInterval(),
            1,
            other.memtableBytesMax(),
            other.queueBytesMax(),
            1,
            other.snapshotTimeRetained(),
            1000,
            10,
            10);
    pipeline = lake.start(storage, renamed, new TestLake.Source(), PipelineListener.NONE, 2);
    assertThatThrownBy(() -> pipeline.changes().tableChanged(definition("a"), null))
        .isInstanceOf(TableRefusedException.class)
        .hasMessageContaining("rows already");
  }

  @Test
  void aSecondPipelineFencesTheFirst() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    put(a, RowKind.INSERT, 1, "a");
    commit();
    Pipeline second = lake.start(storage);
    try {
      put(a, RowKind.INSERT, 2, "lost with the first");
      cut();
      assertThatThrownBy(() -> pipeline.terminated().join())
          .hasCauseInstanceOf(PipelineStoppedException.class)
          .hasMessageContaining("fenced");
      assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(1L, "a"));
      RoutedTable again = second.changes().restoreTable(definition("a")).orElseThrow();
      second.changes().row(again, row(again, RowKind.INSERT, 3, "b"), 1);
      second.changes().cutPoint(position(77), 1);
      awaitPosition(second, position(77));
      assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(1L, "a", 3L, "b"));
    } finally {
      second.abort();
    }
  }

  @Test
  void keepsOneEpochFileAndFoldsTheHistory() throws Exception {
    for (int i = 0; i < 700; i++) {
      changes.history("{\"ddl\":\"" + i + "\"}");
      if (i % 300 == 0) {
        commit();
      }
    }
    commit();
    changes.history("last");
    cut();
    pipeline.close();
    assertThat(epochFiles()).hasSize(1);
    pipeline = lake.start(storage);
    assertThat(pipeline.recovered().history()).hasSize(701).endsWith("last");
    assertThat(storage.paths().stream().filter(p -> p.contains("/history-"))).hasSize(1);
  }

  private List<String> epochFiles() throws IOException {
    return storage.paths().stream().filter(p -> p.contains("/_sluice/shop/epoch-")).toList();
  }

  @Test
  void tellsFreshnessAndCounts() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    put(a, RowKind.INSERT, 1, "a");
    put(a, RowKind.UPDATE_AFTER, 1, "b");
    put(a, RowKind.DELETE, 1, "b");
    assertThat(pipeline.status().freshnessSeconds()).isEqualTo(lake.clock.millis() / 1000.0 - 1);
    commit();
    var table = pipeline.status().tables().get(0);
    assertThat(table.inserts()).isEqualTo(1);
    assertThat(table.updates()).isEqualTo(1);
    assertThat(table.deletes()).isEqualTo(1);
    assertThat(table.snapshotId()).isEqualTo(1);
    assertThat(table.freshnessSeconds()).isZero();
    assertThat(pipeline.status().freshnessSeconds()).isZero();
  }
}
