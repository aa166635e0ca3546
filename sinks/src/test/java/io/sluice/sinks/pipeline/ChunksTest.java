package io.sluice.sinks.pipeline;

import static io.sluice.sinks.pipeline.TestLake.awaitPosition;
import static io.sluice.sinks.pipeline.TestLake.definition;
import static io.sluice.sinks.pipeline.TestLake.position;
import static io.sluice.sinks.pipeline.TestLake.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.compaction.CompactionListener;
import io.sluice.lsm.compaction.TableCompactor;
import io.sluice.lsm.error.CommitConflictException;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.sinks.BackfillInput.Chunk;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.ChunkOutdatedException;
import io.sluice.sinks.ChunkOutdatedException.Cause;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.RoutedTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Chunks of a backfill beside the stream. */
class ChunksTest {

  private static final long SEED = Long.getLong("test.seed", 77L);

  private final MemoryFileIO storage = new MemoryFileIO();
  private final TestLake lake = new TestLake("/lake");
  private final TestLake.Source source = new TestLake.Source();
  private Pipeline pipeline;
  private ChangeInput changes;
  private RoutedTable a;
  private long at;

  @BeforeEach
  void begin() {
    start();
    a = changes.tableChanged(definition("a"), "create").orElseThrow();
  }

  @AfterEach
  void end() {
    pipeline.abort();
  }

  private void start() {
    pipeline = lake.start(storage, lake.settings(), source, PipelineListener.NONE, 4);
    changes = pipeline.changes();
  }

  private void commit() throws InterruptedException {
    at++;
    changes.cutPoint(position(at), at);
    awaitPosition(pipeline, position(at));
  }

  private void put(RowKind kind, long id, String v) {
    changes.row(a, row(a, kind, id, v), at + 1);
  }

  private Chunk open() {
    return pipeline.backfill().openChunk(a);
  }

  private void read(Chunk chunk, long id, String v) throws Exception {
    chunk.row(row(chunk.table(), RowKind.INSERT, id, v));
  }

  /** Compacts every bucket into its deepest level, where deletes are dropped. */
  private void compactFully() throws Exception {
    while (true) {
      try (TableCompactor compactor =
          lake.table(storage, "a")
              .newCompactor(
                  TableCompactor.Settings.of("by-hand"),
                  Runnable::run,
                  CompactionListener.logging("a"))) {
        compactor.compactFully();
        return;
      } catch (CommitConflictException e) {
        // The pipeline's own compaction was faster: again.
      }
    }
  }

  @Test
  void aChunkIsOlderThanWhatTheStreamBringsLater() throws Exception {
    put(RowKind.INSERT, 1, "before");
    put(RowKind.INSERT, 2, "before");
    source.delivered = "gtid:1-7";
    Chunk chunk = open();
    assertThat(chunk.delivered()).isEqualTo("gtid:1-7");
    put(RowKind.UPDATE_AFTER, 2, "after");
    read(chunk, 1, "selected");
    read(chunk, 2, "selected");
    read(chunk, 3, "selected");
    chunk.done("{\"done\":1}");
    commit();
    assertThat(lake.rows(storage, "a"))
        .isEqualTo(Map.of(1L, "selected", 2L, "after", 3L, "selected"));
  }

  /** Without the memory of deletes key 1 comes back: the compaction has dropped its delete. */
  @Test
  void aDeletedKeyDoesNotComeBackThoughItsDeleteWasCompactedAway() throws Exception {
    put(RowKind.INSERT, 1, "old");
    put(RowKind.INSERT, 2, "old");
    put(RowKind.INSERT, 3, "old");
    commit();
    Chunk chunk = open();
    put(RowKind.DELETE, 1, "old");
    put(RowKind.DELETE, 2, "old");
    put(RowKind.INSERT, 2, "again");
    put(RowKind.UPDATE_AFTER, 3, "new");
    commit();
    compactFully();
    read(chunk, 1, "selected");
    read(chunk, 2, "selected");
    read(chunk, 3, "selected");
    chunk.done("{}");
    commit();
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(2L, "again", 3L, "new"));
  }

  @Test
  void aSecondChunkKeepsTheMemoryThatItNeeds() throws Exception {
    put(RowKind.INSERT, 1, "old");
    commit();
    Chunk first = open();
    Chunk second = open();
    put(RowKind.DELETE, 1, "old");
    first.done("{}");
    commit();
    compactFully();
    read(second, 1, "selected");
    second.done("{}");
    Chunk third = open();
    read(third, 5, "selected");
    third.done("{}");
    commit();
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(5L, "selected"));
  }

  @Test
  void progressStandsInTheEpochOfTheLastRow() throws Exception {
    commit();
    Chunk chunk = open();
    read(chunk, 1, "selected");
    // A change whose transaction has not ended: until then there is no epoch.
    put(RowKind.INSERT, 2, "streamed");
    chunk.done("{\"done\":\"1\"}");
    pipeline.abort();
    start();
    assertThat(pipeline.recovered().backfillProgress()).isEmpty();
    a = changes.restoreTable(definition("a")).orElseThrow();
    chunk = open();
    read(chunk, 1, "selected");
    chunk.done("{\"done\":\"1\"}");
    assertThat(pipeline.backfill().progress(a, "{\"state\":\"consistent\"}")).isTrue();
    commit();
    pipeline.abort();
    start();
    assertThat(pipeline.recovered().backfillProgress())
        .isEqualTo(Map.of(TestLake.id("a"), "{\"state\":\"consistent\"}"));
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(1L, "selected"));
  }

  @Test
  void anAlterEndsTheTablesChunks() throws Exception {
    Chunk chunk = open();
    read(chunk, 1, "selected");
    RoutedTable old = a;
    a = changes.tableChanged(definition("a", "c"), "alter").orElseThrow();
    assertThatThrownBy(() -> chunk.done("{}"))
        .isInstanceOfSatisfying(
            ChunkOutdatedException.class, e -> assertThat(e.why()).isEqualTo(Cause.ALTERED));
    chunk.abandon();
    assertThat(pipeline.backfill().progress(old, "{}")).isFalse();
    assertThat(pipeline.backfill().progress()).isEmpty();
    Chunk late = pipeline.backfill().openChunk(old);
    assertThatThrownBy(() -> read(late, 2, "x")).isInstanceOf(ChunkOutdatedException.class);
    late.abandon();
    Chunk fresh = open();
    read(fresh, 3, "wide");
    fresh.done("{}");
    commit();
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(3L, "wide,null"));
  }

  @Test
  void aTruncateEndsTheTablesChunksAndDropsTheirRows() throws Exception {
    Chunk done = open();
    read(done, 1, "selected");
    done.done("{}");
    Chunk under = open();
    for (int i = 0; i < 5_000; i++) {
      read(under, 1_000 + i, "selected, long enough to be handed on before the end");
    }
    RoutedTable old = a;
    a = changes.truncate(a, 1);
    assertThatThrownBy(() -> under.done("{}"))
        .isInstanceOfSatisfying(
            ChunkOutdatedException.class, e -> assertThat(e.why()).isEqualTo(Cause.TRUNCATED));
    under.abandon();
    Chunk late = pipeline.backfill().openChunk(old);
    assertThatThrownBy(() -> read(late, 2, "x"))
        .isInstanceOfSatisfying(
            ChunkOutdatedException.class, e -> assertThat(e.why()).isEqualTo(Cause.TRUNCATED));
    commit();
    put(RowKind.INSERT, 9, "after");
    commit();
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(9L, "after"));
  }

  @Test
  void aChunkThatOutgrowsTheMemoryIsGivenUp() throws Exception {
    for (int i = 0; i < 1_200; i++) {
      put(RowKind.INSERT, i, "old");
    }
    commit();
    Chunk chunk = open();
    read(chunk, 5, "selected");
    for (int i = 0; i < 1_200; i++) {
      put(RowKind.DELETE, i, "old");
    }
    commit();
    compactFully();
    assertThatThrownBy(() -> chunk.done("{}"))
        .isInstanceOfSatisfying(
            ChunkOutdatedException.class,
            e -> assertThat(e.why()).isEqualTo(Cause.DELETES_OUTGREW_MEMORY));
    chunk.abandon();
    Chunk again = open();
    read(again, 7_000, "selected");
    again.done("{}");
    commit();
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(7_000L, "selected"));
  }

  /**
   * A chunk as the model has it: what its SELECT saw, and what of it is still to be handed over.
   */
  private record OpenRead(Chunk chunk, Deque<Map.Entry<Long, String>> rows) {}

  @Test
  void anyInterleavingEndsLikeTheSource() throws Exception {
    for (int run = 0; run < 12; run++) {
      long seed = SEED + run;
      Random random = new Random(seed);
      String name = "r" + run;
      a = changes.tableChanged(definition(name), null).orElseThrow();
      SortedMap<Long, String> model = new TreeMap<>();
      // Rows that were there before the stream: only chunks bring them.
      for (long id = 0; id < 40; id += 2) {
        model.put(id, "old" + id);
      }
      List<OpenRead> open = new ArrayList<>();
      List<long[]> ranges =
          new ArrayList<>(List.of(new long[] {0, 13}, new long[] {13, 26}, new long[] {26, 40}));
      for (int step = 0; step < 300 || !ranges.isEmpty() || !open.isEmpty(); step++) {
        int what = random.nextInt(20);
        if (what < 10 && step < 300) {
          change(random, model, step);
        } else if (what < 13 && !ranges.isEmpty()) {
          long[] range = ranges.remove(random.nextInt(ranges.size()));
          Chunk chunk = open();
          open.add(
              new OpenRead(
                  chunk,
                  new ArrayDeque<>(Map.copyOf(model.subMap(range[0], range[1])).entrySet())));
        } else if (what < 18 && !open.isEmpty()) {
          OpenRead reading = open.get(random.nextInt(open.size()));
          Map.Entry<Long, String> next = reading.rows().poll();
          if (next == null) {
            reading.chunk().done("{\"step\":" + step + "}");
            open.remove(reading);
          } else {
            read(reading.chunk(), next.getKey(), next.getValue());
          }
        } else if (what == 18) {
          commit();
        } else if (what == 19 && random.nextInt(2) == 0) {
          commit();
          compact(name);
        }
      }
      commit();
      assertThat(lake.rows(storage, name)).as("seed " + seed).isEqualTo(model);
    }
  }

  private void compact(String name) throws Exception {
    try (TableCompactor compactor =
        lake.table(storage, name)
            .newCompactor(
                TableCompactor.Settings.of("by-hand"),
                Runnable::run,
                CompactionListener.logging(name))) {
      compactor.compactFully();
    } catch (CommitConflictException e) {
      // The pipeline's own compaction was faster: that will do.
    }
  }

  private void change(Random random, SortedMap<Long, String> model, int step) {
    long id = random.nextInt(40);
    String old = model.get(id);
    if (old == null) {
      model.put(id, "new" + step);
      put(RowKind.INSERT, id, "new" + step);
    } else if (random.nextBoolean()) {
      model.remove(id);
      put(RowKind.DELETE, id, old);
    } else {
      model.put(id, "upd" + step);
      put(RowKind.UPDATE_AFTER, id, "upd" + step);
    }
  }
}
