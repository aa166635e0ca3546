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
import io.sluice.sinks.BackfillInput.Chunk;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.ChunkOutdatedException;
import io.sluice.sinks.KeyStretch;
import io.sluice.sinks.PartCopy;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.TableRefusedException;
import java.math.BigInteger;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A table is copied over the rows that it has: it becomes what the source is, and never less. */
class ResyncTest {

  private static final String COPIED = "{\"state\":\"copied\"}";

  private MemoryFileIO storage = new MemoryFileIO();
  private TestLake lake = new TestLake("/lake");
  private Pipeline pipeline;
  private ChangeInput changes;
  private long at;

  @BeforeEach
  void start() {
    pipeline =
        lake.start(
            storage,
            ParkingTest.parking(lake.settings()),
            new TestLake.Source(),
            PipelineListener.NONE,
            2);
    changes = pipeline.changes();
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

  private void commit() throws InterruptedException {
    at++;
    changes.cutPoint(position(at), at);
    awaitPosition(pipeline, position(at));
  }

  private void copy(RoutedTable table, SortedMap<Long, String> rows) throws Exception {
    Chunk chunk = pipeline.backfill().openChunk(table);
    for (Map.Entry<Long, String> each : rows.entrySet()) {
      chunk.row(row(table, RowKind.INSERT, each.getKey(), each.getValue()));
    }
    chunk.done(COPIED);
  }

  private static SourceTable withTypes(String key, String value) {
    return new SourceTable(
        TestLake.id("a"),
        List.of(
            new SourceColumn("id", key, null, null, false, null, List.of(), null),
            new SourceColumn("v", "VARCHAR", 200, null, true, "utf8mb4", List.of(), null),
            new SourceColumn("c", value, null, null, true, null, List.of(), null)),
        List.of("id"));
  }

  @Test
  void bringsAParkedTableBackInTheSourcesShape() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a", "gone"), "create").orElseThrow();
    for (long id = 0; id < 6; id++) {
      put(a, RowKind.INSERT, id, "old", 7);
    }
    commit();
    assertThat(changes.tableChanged(definition("a", "new"), "rename gone")).isEmpty();
    commit();
    restart();
    RoutedTable b = changes.resync(definition("a", "new"), null);
    assertThat(changes.isParked(TestLake.id("a"))).isFalse();
    assertThat(pipeline.backfill().progress()).containsEntry(TestLake.id("a"), BackfillInput.AGAIN);
    put(b, RowKind.INSERT, 9, "by the stream", 9);
    put(b, RowKind.DELETE, 2, "deleted by the stream");
    commit();
    // Readers see all that was there.
    assertThat(lake.rows(storage, "a")).hasSize(6).containsEntry(1L, "old,null");
    Chunk chunk = pipeline.backfill().openChunk(b);
    chunk.row(row(b, RowKind.INSERT, 1, "copied", 1));
    chunk.row(row(b, RowKind.INSERT, 9, "copied too late", 0));
    put(b, RowKind.UPDATE_AFTER, 9, "by the stream again", 99);
    chunk.done(COPIED);
    assertThat(pipeline.backfill().mustSweep(TestLake.id("a"))).isTrue();
    at++;
    changes.cutPoint(position(at), at);
    assertThat(pipeline.backfill().sweep(b, null)).isEqualTo(4);
    assertThat(pipeline.backfill().mustSweep(TestLake.id("a"))).isFalse();
    pipeline.awaitCommitted();
    Map<Long, String> expected = Map.of(1L, "copied,1", 9L, "by the stream again,99");
    assertThat(lake.rows(storage, "a")).isEqualTo(expected);
    restart();
    assertThat(pipeline.backfill().mustSweep(TestLake.id("a"))).isFalse();
    assertThat(pipeline.recovered().backfillProgress()).containsEntry(TestLake.id("a"), COPIED);
    assertThat(changes.restoreTable(definition("a", "new"))).isPresent();
    assertThat(lake.rows(storage, "a")).isEqualTo(expected);
  }

  @Test
  void emptiesATableThatIsEmptyAtTheSource() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    for (long id = 0; id < 500; id++) {
      put(a, RowKind.INSERT, id, "v" + id);
    }
    commit();
    RoutedTable again = changes.resync(definition("a"), null);
    copy(again, new TreeMap<>());
    assertThat(lake.rows(storage, "a")).hasSize(500);
    assertThat(pipeline.backfill().sweep(again, null)).isEqualTo(500);
    pipeline.awaitCommitted();
    assertThat(lake.rows(storage, "a")).isEmpty();
  }

  @Test
  void sweepsAgainAfterAKillAndNothingAfterATruncate() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    put(a, RowKind.INSERT, 1, "stale");
    put(a, RowKind.INSERT, 2, "old");
    commit();
    RoutedTable again = changes.resync(definition("a"), null);
    copy(again, new TreeMap<>(Map.of(2L, "copied")));
    commit();
    restart();
    assertThat(pipeline.recovered().backfillProgress()).containsEntry(TestLake.id("a"), COPIED);
    again = changes.restoreTable(definition("a")).orElseThrow();
    assertThat(pipeline.backfill().sweep(again, null)).isEqualTo(1);
    pipeline.awaitCommitted();
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(2L, "copied"));
    RoutedTable third = changes.resync(definition("a"), null);
    changes.truncate(third, ++at);
    assertThat(pipeline.backfill().mustSweep(TestLake.id("a"))).isFalse();
    commit();
    assertThatThrownBy(() -> copy(third, new TreeMap<>(Map.of(3L, "copied too late"))))
        .isInstanceOf(ChunkOutdatedException.class);
    assertThat(lake.rows(storage, "a")).isEmpty();
  }

  @Test
  void copiesAPartAgainAndLeavesTheRest() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    KeyStretch keys = new KeyStretch("id", BigInteger.TWO, new BigInteger("4"));
    SortedMap<Long, String> rows = new TreeMap<>();
    for (long id = 1; id <= 6; id++) {
      rows.put(id, "old");
    }
    assertThatThrownBy(() -> changes.resync(definition("a"), new PartCopy(keys, COPIED)))
        .isInstanceOf(TableRefusedException.class)
        .hasMessageContaining("being copied");
    copy(a, rows);
    commit();
    RoutedTable part = changes.resync(definition("a"), new PartCopy(keys, COPIED));
    assertThat(pipeline.backfill().progress())
        .containsEntry(TestLake.id("a"), BackfillInput.again(keys));
    assertThatThrownBy(() -> changes.resync(definition("a"), new PartCopy(keys, COPIED)))
        .isInstanceOf(TableRefusedException.class);
    copy(part, new TreeMap<>(Map.of(3L, "copied")));
    // All is copied, but what is stale is not deleted yet.
    assertThatThrownBy(() -> changes.resync(definition("a"), new PartCopy(keys, COPIED)))
        .isInstanceOf(TableRefusedException.class);
    commit();
    restart();
    part = changes.restoreTable(definition("a")).orElseThrow();
    assertThat(pipeline.backfill().sweep(part, keys)).isEqualTo(2);
    pipeline.awaitCommitted();
    assertThat(lake.rows(storage, "a"))
        .isEqualTo(Map.of(1L, "old", 3L, "copied", 5L, "old", 6L, "old"));
    assertThat(changes.park(TestLake.id("a"), "for a test")).isTrue();
    assertThatThrownBy(() -> changes.resync(definition("a"), new PartCopy(keys, COPIED)))
        .isInstanceOf(TableRefusedException.class)
        .hasMessageContaining("Leave out --where");
    assertThat(changes.isParked(TestLake.id("a"))).isTrue();
  }

  @Test
  void outdatesChunksOfTheCopyUnderWay() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    Chunk chunk = pipeline.backfill().openChunk(a);
    RoutedTable again = changes.resync(definition("a"), null);
    assertThat(again.generation()).isGreaterThan(a.generation());
    assertThatThrownBy(() -> chunk.done(COPIED))
        .isInstanceOfSatisfying(
            ChunkOutdatedException.class,
            e -> assertThat(e.why()).isEqualTo(ChunkOutdatedException.Cause.ALTERED));
    chunk.abandon();
    assertThat(pipeline.backfill().progress()).containsEntry(TestLake.id("a"), BackfillInput.AGAIN);
  }

  @Test
  void changesTheTypeOfAColumnButNotOfAKey() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a", "c"), null).orElseThrow();
    put(a, RowKind.INSERT, 1, "old", 7);
    commit();
    assertThat(changes.tableChanged(withTypes("BIGINT", "BIGINT"), "modify c")).isEmpty();
    commit();
    assertThatThrownBy(() -> changes.resync(withTypes("INT", "BIGINT"), null))
        .isInstanceOf(TableRefusedException.class)
        .hasMessageContaining("column id")
        .hasMessageContaining("Move the lake table's folder away");
    assertThat(changes.isParked(TestLake.id("a"))).isTrue();
    RoutedTable wide = changes.resync(withTypes("BIGINT", "BIGINT"), null);
    assertThat(wide.lakeSchema().rowType().type(2).toString()).contains("BIGINT");
    commit();
    try (var rows = lake.table(storage, "a").newScan().open()) {
      assertThat(rows.advance()).isTrue();
      assertThat(rows.row().isNullAt(2)).isTrue();
    }
  }

  @Test
  void makesATableAnewWhoseFolderWasMovedAway() throws Exception {
    RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
    put(a, RowKind.INSERT, 1, "old");
    commit();
    assertThat(changes.park(TestLake.id("a"), "its key was changed")).isTrue();
    commit();
    for (String path : storage.paths()) {
      if (path.startsWith(lake.root("a") + "/")) {
        storage.delete(path);
      }
    }
    RoutedTable again = changes.resync(definition("a"), null);
    copy(again, new TreeMap<>(Map.of(5L, "copied")));
    assertThat(pipeline.backfill().sweep(again, null)).isZero();
    pipeline.awaitCommitted();
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(5L, "copied"));
  }

  /**
   * Rows change, the table is parked, copied, killed, swept, in any order: in the end it is what
   * the source is, and meanwhile no reader misses a row that was there and still is.
   */
  @Test
  void comesToTheSourcesRowsWhateverTheOrder() throws Exception {
    int histories = Integer.getInteger("test.resync.histories", 20);
    long first = Long.getLong("test.seed", System.nanoTime());
    System.out.println("ResyncTest -Dtest.seed=" + first);
    for (long seed = first; seed < first + histories; seed++) {
      stop();
      storage = new MemoryFileIO();
      lake = new TestLake("/lake");
      at = 0;
      start();
      try {
        new History(new Random(seed)).run();
      } catch (AssertionError | Exception e) {
        throw new AssertionError("-Dtest.seed=" + seed, e);
      }
    }
  }

  /** One random history of one table of eight keys. */
  private final class History {
    private final Random random;
    private final SortedMap<Long, String> source = new TreeMap<>();

    /** Keys that the lake had at the last look. */
    private final Set<Long> had = new HashSet<>();

    /** Keys that the source has deleted since. */
    private final Set<Long> deleted = new HashSet<>();

    private RoutedTable table;
    private boolean copied;
    private int values;

    History(Random random) {
      this.random = random;
    }

    void run() throws Exception {
      table = changes.tableChanged(definition("a"), "create").orElseThrow();
      change(8);
      commitAndLook();
      for (int step = 0; step < 30; step++) {
        step();
      }
      finish();
      assertThat(lake.rows(storage, "a")).isEqualTo(source);
    }

    private void step() throws Exception {
      switch (random.nextInt(8)) {
        case 0, 1 -> {
          change(1 + random.nextInt(4));
          commitAndLook();
        }
        case 2 -> {
          changes.park(TestLake.id("a"), "for a test");
          commitAndLook();
        }
        case 3 -> {
          table = changes.resync(definition("a"), null);
          copied = false;
          commitAndLook();
        }
        case 4, 5 -> copyAll();
        case 6 -> sweep();
        default -> {
          restart();
          table = changes.restoreTable(definition("a")).orElse(null);
          copied = COPIED.equals(pipeline.recovered().backfillProgress().get(TestLake.id("a")));
        }
      }
    }

    private boolean parked() {
      return changes.isParked(TestLake.id("a"));
    }

    /** Events come whether or not the table is parked. */
    private void change(int count) {
      for (int i = 0; i < count; i++) {
        long id = random.nextInt(8);
        if (random.nextInt(3) == 0) {
          source.remove(id);
          deleted.add(id);
          send(RowKind.DELETE, id, "x");
        } else {
          String value = "v" + values++;
          source.put(id, value);
          send(RowKind.UPDATE_AFTER, id, value);
        }
      }
    }

    /** A source that was started on a parked table sends nothing of it. */
    private void send(RowKind kind, long id, String value) {
      if (table != null) {
        put(table, kind, id, value);
      }
    }

    private void copyAll() throws Exception {
      if (parked() || copied || !pipeline.backfill().mustSweep(TestLake.id("a"))) {
        return;
      }
      Chunk chunk = pipeline.backfill().openChunk(table);
      SortedMap<Long, String> selected = new TreeMap<>(source);
      boolean killed = random.nextInt(5) == 0;
      for (Map.Entry<Long, String> each : selected.entrySet()) {
        if (random.nextInt(3) == 0) {
          change(1);
        }
        if (random.nextInt(4) == 0) {
          commitAndLook();
        }
        chunk.row(row(table, RowKind.INSERT, each.getKey(), each.getValue()));
      }
      if (killed) {
        chunk.abandon();
        commitAndLook();
        return;
      }
      chunk.done(COPIED);
      copied = true;
      commitAndLook();
    }

    private void sweep() throws Exception {
      if (parked() || !copied) {
        return;
      }
      change(random.nextInt(3));
      at++;
      changes.cutPoint(position(at), at);
      pipeline.backfill().sweep(table, null);
      change(random.nextInt(3));
      commitAndLook();
      assertThat(lake.rows(storage, "a")).isEqualTo(source);
    }

    /** Commits; rows that the lake had and that the source didn't lose meanwhile are there. */
    private void commitAndLook() throws Exception {
      commit();
      SortedMap<Long, String> now = lake.rows(storage, "a");
      for (Long id : had) {
        if (source.containsKey(id) && !deleted.contains(id)) {
          assertThat(now).containsKey(id);
        }
      }
      had.clear();
      had.addAll(now.keySet());
      deleted.clear();
    }

    private void finish() throws Exception {
      if (parked() || !copied) {
        table = changes.resync(definition("a"), null);
        copied = false;
        copyAll();
        while (!copied) {
          copyAll();
        }
      }
      if (pipeline.backfill().mustSweep(TestLake.id("a"))) {
        sweep();
      }
      commitAndLook();
    }
  }
}
