package io.sluice.sinks.pipeline;

import static io.sluice.sinks.pipeline.TestLake.awaitPosition;
import static io.sluice.sinks.pipeline.TestLake.definition;
import static io.sluice.sinks.pipeline.TestLake.position;
import static io.sluice.sinks.pipeline.TestLake.row;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.commit.CommitRequest;
import io.sluice.lsm.commit.CommitRequest.AttemptGuard;
import io.sluice.lsm.compaction.CompactionPlan;
import io.sluice.lsm.compaction.CompactionResult;
import io.sluice.lsm.compaction.Compactor;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.datafile.orc.OrcFormat;
import io.sluice.lsm.error.CommitConflictException;
import io.sluice.lsm.level.Levels;
import io.sluice.lsm.merge.SerializedKeyComparator;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.TableSchema;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.TestIds;
import io.sluice.sinks.BackfillInput.Chunk;
import io.sluice.sinks.ChunkOutdatedException;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.shard.ForgottenDeletes;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * A small table is copied while it changes: updates, deletes, re-inserts, key changes, TRUNCATE,
 * chunks, commits, full compactions that drop deletes, kills, in any order. In the end the lake has
 * the source's rows. And each rule of the copy is needed.
 */
class BackfillSimulationTest {

  private static final int KEYS = 6;
  private static final int CHUNKS = 2;
  private static final int STEPS = 45;

  /** A rule of the copy that is broken. */
  private enum Broken {
    NOTHING,
    READ_NUMBER_AFTER_WAIT,
    DELETES_FORGOTTEN,
    NUMBERS_RESTART,
    NUMBER_SHARED
  }

  @BeforeAll
  static void beQuiet() {
    ((Logger) LoggerFactory.getLogger("io.sluice")).setLevel(Level.OFF);
  }

  @AfterAll
  static void speakAgain() {
    ((Logger) LoggerFactory.getLogger("io.sluice")).setLevel(null);
  }

  @Test
  void comesToTheSourcesRowsInAnyOrder() throws Exception {
    long first = Long.getLong("test.seed", System.nanoTime());
    int histories = Integer.getInteger("test.backfill.histories", 20);
    System.out.println("BackfillSimulationTest -Dtest.seed=" + first);
    long begin = System.nanoTime();
    for (long seed = first; seed < first + histories; seed++) {
      String wrong = wrongIn(seed, Broken.NOTHING);
      assertThat(wrong).as("-Dtest.seed=" + seed).isNull();
    }
    System.out.printf("%d histories, %.1f s%n", histories, (System.nanoTime() - begin) / 1e9);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NOTHING")
  void goesWrongWithoutTheRule(Broken broken) throws Exception {
    for (long seed = 1; seed <= 400; seed++) {
      String wrong = wrongIn(seed, broken);
      if (wrong != null) {
        System.out.println(broken + " shows at seed " + seed + ": " + wrong);
        return;
      }
    }
    throw new AssertionError("Nothing goes wrong with " + broken);
  }

  private static String wrongIn(long seed, Broken broken) throws Exception {
    History history = new History(seed, broken);
    try {
      return history.run();
    } finally {
      history.pipeline.abort();
    }
  }

  private record Event(RowKind kind, long id, String v) {}

  /** Empty: TRUNCATE. */
  private record Transaction(List<Event> events) {}

  private static final class History {
    private final Random random;
    private final Broken broken;
    private final MemoryFileIO storage = new MemoryFileIO();
    private final TestLake lake = new TestLake("/lake");
    private final TestIds ids = new TestIds("other");
    private final List<Transaction> log = new ArrayList<>();
    private final List<String> story = new ArrayList<>();
    private Pipeline pipeline;
    private RoutedTable table;
    private int delivered;

    /** What a SELECT sees: behind the log, and an instant behind what was delivered perhaps. */
    private int visible;

    private int chunksDone;
    private Chunk open;
    private SortedMap<Long, String> selected;
    private int needed;

    History(long seed, Broken broken) {
      this.random = new Random(seed);
      this.broken = broken;
    }

    String run() throws Exception {
      for (int i = 0; i < 6; i++) {
        change();
      }
      visible = log.size();
      start();
      // The stream begins behind the rows that are there.
      table = pipeline.changes().tableChanged(definition("a"), "create").orElseThrow();
      delivered = log.size();
      commit();
      for (int i = 0; i < STEPS; i++) {
        step();
      }
      while (chunksDone < CHUNKS) {
        copy();
      }
      while (delivered < log.size()) {
        deliver();
      }
      commit();
      SortedMap<Long, String> found = lake.rows(storage, "a");
      SortedMap<Long, String> expected = model(log.size());
      return found.equals(expected) ? null : found + " and not " + expected + " after " + story;
    }

    private void step() throws Exception {
      switch (random.nextInt(12)) {
        case 0, 1 -> change();
        case 2, 3, 4 -> deliver();
        case 5 -> visible = Math.min(log.size(), visible + random.nextInt(3));
        case 6 -> commit();
        case 7, 8 -> {
          commit();
          compact();
        }
        case 9, 10 -> copy();
        default -> {
          if (random.nextInt(3) == 0) {
            story.add("kill");
            pipeline.abort();
            start();
          }
        }
      }
    }

    private void start() throws Exception {
      TestLake.Source source = new TestLake.Source();
      source.buckets = 1;
      pipeline = lake.start(storage, lake.settings(), source, PipelineListener.NONE, 8);
      open = null;
      selected = null;
      if (pipeline.recovered().position().isPresent()) {
        delivered = (int) ScriptedSource.positionOf(pipeline);
        table = pipeline.changes().restoreTable(definition("a")).orElseThrow();
        String progress = pipeline.recovered().backfillProgress().get(TestLake.id("a"));
        chunksDone = progress == null ? 0 : Integer.parseInt(progress);
        if (broken == Broken.NUMBERS_RESTART) {
          setNextNumber(0);
        }
      }
    }

    private void setNextNumber(long number) throws ReflectiveOperationException {
      PipelineMonitor monitor = field(pipeline, "monitor", PipelineMonitor.class);
      Field next = PipelineMonitor.class.getDeclaredField("nextNumber");
      next.setAccessible(true);
      monitor.lock();
      try {
        next.setLong(monitor, number);
      } finally {
        monitor.unlock();
      }
    }

    private static <T> T field(Object of, String name, Class<T> type)
        throws ReflectiveOperationException {
      Field field = of.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return type.cast(field.get(of));
    }

    // ---- the source

    private void change() {
      long id = random.nextInt(KEYS);
      String v = "v" + log.size();
      SortedMap<Long, String> now = model(log.size());
      List<Event> events = new ArrayList<>();
      if (!now.containsKey(id)) {
        events.add(new Event(RowKind.INSERT, id, v));
      } else {
        switch (random.nextInt(5)) {
          case 0, 1 -> events.add(new Event(RowKind.UPDATE_AFTER, id, v));
          case 2, 3 -> events.add(new Event(RowKind.DELETE, id, "gone"));
          default -> {
            long other = random.nextInt(KEYS);
            if (!now.containsKey(other)) {
              events.add(new Event(RowKind.DELETE, id, "gone"));
              events.add(new Event(RowKind.INSERT, other, v));
            } else if (random.nextInt(3) > 0) {
              events.add(new Event(RowKind.UPDATE_AFTER, id, v));
            }
          }
        }
      }
      log.add(new Transaction(events));
      story.add(events.isEmpty() ? "truncate" : "change " + events);
    }

    private SortedMap<Long, String> model(int until) {
      SortedMap<Long, String> rows = new TreeMap<>();
      for (Transaction transaction : log.subList(0, until)) {
        if (transaction.events().isEmpty()) {
          rows.clear();
        }
        for (Event event : transaction.events()) {
          if (event.kind() == RowKind.DELETE) {
            rows.remove(event.id());
          } else {
            rows.put(event.id(), event.v());
          }
        }
      }
      return rows;
    }

    // ---- the daemon

    private void deliver() throws Exception {
      if (delivered == log.size()) {
        return;
      }
      Transaction transaction = log.get(delivered++);
      story.add("deliver " + delivered);
      if (transaction.events().isEmpty()) {
        table = pipeline.changes().truncate(table, delivered);
        // All chunks are over: what comes later comes by the stream.
        open = null;
        selected = null;
        chunksDone = CHUNKS;
        commit();
        assertThat(pipeline.backfill().progress(table, Integer.toString(CHUNKS))).isTrue();
      }
      for (Event event : transaction.events()) {
        BinaryRow row = row(table, event.kind(), event.id(), event.v());
        pipeline.changes().row(table, row, delivered);
      }
      pipeline.changes().cutPoint(position(delivered), delivered);
    }

    private void commit() throws Exception {
      pipeline.changes().cutPoint(position(delivered), delivered);
      pipeline.awaitCommitted();
      awaitPosition(pipeline, position(delivered));
    }

    /** One step of a copy: number, SELECT, rows. */
    private void copy() throws Exception {
      if (chunksDone == CHUNKS) {
        return;
      }
      boolean late = broken == Broken.READ_NUMBER_AFTER_WAIT;
      if (open == null && !(late && selected == null)) {
        story.add("number of chunk " + chunksDone);
        open = pipeline.backfill().openChunk(table);
        needed = delivered;
        if (broken == Broken.NUMBER_SHARED) {
          setNextNumber(open.readNumber());
        }
      } else if (selected == null) {
        // The wait: until what was delivered when the number was drawn is visible.
        visible = Math.max(visible, late ? delivered : needed);
        story.add("select at " + visible);
        selected = model(visible);
      } else {
        finishChunk();
      }
    }

    private void finishChunk() throws Exception {
      story.add("rows of chunk " + chunksDone);
      if (broken == Broken.DELETES_FORGOTTEN) {
        commit();
        TableState state = field(pipeline, "tables", TableRegistry.class).find(TestLake.id("a"));
        ForgottenDeletes.forget(state.sink(), 1);
      }
      Chunk chunk = open;
      try {
        for (Map.Entry<Long, String> each : selected.entrySet()) {
          if (each.getKey() * CHUNKS / KEYS == chunksDone) {
            chunk.row(row(table, RowKind.INSERT, each.getKey(), each.getValue()));
          }
        }
        chunk.done(Integer.toString(chunksDone + 1));
        chunksDone++;
      } catch (ChunkOutdatedException e) {
        story.add("outdated");
        chunk.abandon();
      }
      open = null;
      selected = null;
    }

    // ---- somebody else: a full compaction drops deletes, and knows nothing of a copy

    private void compact() throws IOException {
      LsmTable lsm = lake.table(storage, "a");
      Snapshot latest = lsm.snapshots().findLatest();
      if (latest == null) {
        return;
      }
      TableSchema schema = lsm.newestSchema();
      List<DataFileMeta> files = lsm.liveFiles(latest).stream().map(entry -> entry.file()).toList();
      if (files.stream().allMatch(file -> file.level() == 5)) {
        return;
      }
      Levels levels = Levels.of(new SerializedKeyComparator(schema), 6, files);
      CompactionResult result =
          new Compactor(storage, new OrcFormat(lake.clock), lsm.schemas()::read, ids)
              .run(
                  new CompactionPlan(levels.runs(), List.of(), 5, CompactionPlan.Deletes.DROPPED),
                  lsm.partitionPaths().bucketFolder(BinaryRow.EMPTY, 0),
                  schema,
                  5,
                  () -> false);
      try {
        lsm.committer()
            .commit(
                new CommitRequest(
                    "other",
                    latest.id(),
                    new CommitRequest.Compaction(
                        List.of(
                            new CommitMessage(
                                BinaryRow.EMPTY,
                                0,
                                1,
                                List.of(),
                                result.before(),
                                result.after()))),
                    Map.of()),
                AttemptGuard.ALWAYS);
        story.add("compact");
      } catch (CommitConflictException e) {
        story.add("compaction lost");
      }
    }
  }
}
