package io.sluice.sinks.pipeline;

import static io.sluice.sinks.pipeline.TestLake.awaitPosition;
import static io.sluice.sinks.pipeline.TestLake.definition;
import static io.sluice.sinks.pipeline.TestLake.position;
import static io.sluice.sinks.pipeline.TestLake.row;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.LocalFileIO;
import io.sluice.lsm.row.Row;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.scan.RowReader;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.table.LsmTable;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.FaultyFileIO;
import io.sluice.lsm.testing.FaultyFileIO.Fault;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.PaimonOracle;
import io.sluice.lsm.testing.TestIds;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.DeadLetter;
import io.sluice.sinks.DeadLetter.State;
import io.sluice.sinks.DeadLetterTable;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineSettings;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.RoutedTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records without a place in their table: part of the epochs, in a table that pipelines share. */
class DeadLettersTest {

  private static final String LETTERS = "/sluice_system.db/dead_letters";

  /** Every so many storage operations one fails. */
  private static final int STEP = Integer.getInteger("test.crash.step", 41);

  @TempDir Path folder;

  private final MemoryFileIO storage = new MemoryFileIO();
  private final TestLake lake = new TestLake("/lake");
  private final List<Pipeline> started = new ArrayList<>();
  private long at;

  @AfterEach
  void stop() {
    started.forEach(Pipeline::abort);
  }

  private Pipeline start(FileIO where, String name, boolean parks) {
    Pipeline pipeline = start(lake, where, name, parks);
    started.add(pipeline);
    return pipeline;
  }

  private static Pipeline start(TestLake lake, FileIO where, String name, boolean parks) {
    PipelineSettings base = lake.settings();
    PipelineSettings named =
        new PipelineSettings(
            name,
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
            parks);
    return lake.start(where, named, new TestLake.Source(), PipelineListener.NONE, 8);
  }

  private static DeadLetter letter(String position, String reason) {
    return new DeadLetter(
        "orders",
        position,
        "shop.a",
        1_700_000_000_000L,
        reason,
        "why it has no place",
        null,
        "value of ".concat(position).getBytes(UTF_8),
        null);
  }

  private void commit(Pipeline pipeline) throws InterruptedException {
    at++;
    pipeline.changes().cutPoint(position(at), at);
    awaitPosition(pipeline, position(at));
  }

  /** {@code pipeline state position number}, sorted; the number is left out where it is null. */
  private static List<String> letters(String warehouse, FileIO where) throws IOException {
    List<String> result = new ArrayList<>();
    String root = warehouse + LETTERS;
    if (!LsmTable.exists(where, root)) {
      return result;
    }
    LsmTable table = LsmTable.open(where, root, new FakeClock(), new TestIds("letters-reader"));
    try (RowReader reader = table.newScan().open()) {
      while (reader.advance()) {
        Row row = reader.row();
        assertThat(new String(row.getByteArray(DeadLetterTable.VALUE), UTF_8))
            .isEqualTo("value of " + row.getString(DeadLetterTable.POSITION));
        result.add(
            row.getString(DeadLetterTable.PIPELINE)
                + " "
                + row.getString(DeadLetterTable.STATE)
                + " "
                + row.getString(DeadLetterTable.POSITION));
      }
    }
    result.sort(null);
    return result;
  }

  private List<String> letters() throws IOException {
    return letters(lake.warehouse, storage);
  }

  @Test
  void areInTheSameEpochAsTheRowsAroundThem() throws Exception {
    Pipeline pipeline = start(storage, "shop", false);
    ChangeInput changes = pipeline.changes();
    RoutedTable a = changes.tableChanged(definition("a"), "create a").orElseThrow();
    changes.row(a, row(a, RowKind.INSERT, 1, "before"), 1);
    changes.deadLetter(letter("0@1", "value"));
    changes.row(a, row(a, RowKind.INSERT, 2, "after"), 1);
    assertThat(letters()).isEmpty();
    commit(pipeline);
    assertThat(letters()).containsExactly("shop set-aside 0@1");
    Snapshot ofRows = lake.snapshots(storage, "a").get(0);
    Snapshot ofLetters =
        LsmTable.open(storage, lake.warehouse + LETTERS, lake.clock, new TestIds("x"))
            .snapshots()
            .findLatest();
    assertThat(ofLetters.commitIdentifier()).isEqualTo(ofRows.commitIdentifier());
    assertThat(ofLetters.properties()).containsEntry("sluice.position", position(at).text());
  }

  @Test
  void areNeverCopied() throws Exception {
    Pipeline pipeline = start(storage, "shop", false);
    pipeline.changes().deadLetter(letter("0@1", "value"));
    commit(pipeline);
    assertThat(pipeline.tables()).isEmpty();
    assertThat(pipeline.backfill().progress())
        .containsEntry(DeadLetterTable.ID, "{\"state\":\"consistent\",\"rows\":0}");
    pipeline.abort();
    Pipeline again = start(storage, "shop", false);
    assertThat(again.recovered().backfillProgress())
        .containsEntry(DeadLetterTable.ID, "{\"state\":\"consistent\",\"rows\":0}");
  }

  /** A row that came later wins, one that came before loses, wherever they meet. */
  @Test
  void aReplayedRowCountsAsIfItHadComeInItsPlace() throws Exception {
    Pipeline pipeline = start(storage, "shop", false);
    ChangeInput changes = pipeline.changes();
    RoutedTable a = changes.tableChanged(definition("a"), "create a").orElseThrow();
    changes.row(a, row(a, RowKind.INSERT, 1, "before"), 1);
    changes.row(a, row(a, RowKind.INSERT, 2, "before"), 1);
    changes.deadLetter(letter("0@2", "value"));
    changes.row(a, row(a, RowKind.UPDATE_AFTER, 2, "after"), 1);
    commit(pipeline);
    long sequence = sequence("0@2");
    changes.replayedRow(a, row(a, RowKind.UPDATE_AFTER, 1, "replayed first"), 1, sequence);
    changes.replayedRow(a, row(a, RowKind.UPDATE_AFTER, 1, "replayed"), 1, sequence + 1);
    changes.replayedRow(a, row(a, RowKind.UPDATE_AFTER, 2, "replayed"), 1, sequence + 2);
    changes.deadLetterNow(letter("0@2", "value"), State.REPLAYED, sequence);
    commit(pipeline);
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(1L, "replayed", 2L, "after"));
    assertThat(letters()).containsExactly("shop replayed 0@2", "shop set-aside 0@2");
    assertThat(sequence("0@2")).isEqualTo(sequence);
  }

  /** The number that a letter has kept. */
  private long sequence(String position) throws IOException {
    LsmTable table =
        LsmTable.open(storage, lake.warehouse + LETTERS, lake.clock, new TestIds("numbers"));
    try (RowReader reader = table.newScan().open()) {
      while (reader.advance()) {
        if (reader.row().getString(DeadLetterTable.POSITION).equals(position)) {
          return reader.row().getLong(DeadLetterTable.SEQUENCE);
        }
      }
    }
    throw new AssertionError("No letter " + position);
  }

  /** Something goes wrong at many storage operations: no letter is lost, none is there twice. */
  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"CRASH", "CRASH_AFTER"})
  void areNeitherLostNorDoubledByACrash(Fault fault) throws Exception {
    int crashes = 0;
    for (int n = 1 + fault.ordinal(); ; n += STEP) {
      MemoryFileIO memory = new MemoryFileIO();
      FaultyFileIO faulty = new FaultyFileIO(memory).inject(n, fault);
      TestLake world = new TestLake("/lake");
      try {
        Pipeline pipeline = start(world, faulty, "shop", false);
        try {
          deliver(pipeline);
        } finally {
          pipeline.abort();
        }
      } catch (PipelineStoppedException | CompletionException e) {
        crashes++;
      }
      boolean reached = faulty.operations() >= n;
      Pipeline again = start(world, memory, "shop", false);
      try {
        deliver(again);
      } finally {
        again.abort();
      }
      assertThat(letters("/lake", memory)).as(fault + " at operation " + n).isEqualTo(expected());
      assertThat(world.rows(memory, "a")).as(fault + " at operation " + n).hasSize(12);
      if (!reached) {
        break;
      }
    }
    assertThat(crashes).isPositive();
  }

  private static List<String> expected() {
    return IntStream.rangeClosed(1, 12)
        .boxed()
        .flatMap(
            i ->
                i % 4 == 0
                    ? java.util.stream.Stream.of("shop dropped 0@" + i, "shop set-aside 0@" + i)
                    : java.util.stream.Stream.of("shop set-aside 0@" + i))
        .sorted()
        .toList();
  }

  /** From where the pipeline stands: twelve transactions of a row and a letter each. */
  private static void deliver(Pipeline pipeline) throws InterruptedException {
    long from = ScriptedSource.positionOf(pipeline);
    ChangeInput changes = pipeline.changes();
    RoutedTable a =
        from == 0
            ? changes.tableChanged(definition("a"), "create a").orElseThrow()
            : changes.restoreTable(definition("a")).orElseThrow();
    for (long i = from + 1; i <= 12; i++) {
      changes.row(a, row(a, RowKind.INSERT, i, "row"), i);
      changes.deadLetter(letter("0@" + i, "value"));
      if (i % 4 == 0) {
        changes.deadLetterNow(letter("0@" + i, "value"), State.DROPPED, i);
      }
      changes.cutPoint(position(i), i);
      if (i % 3 == 0) {
        awaitPosition(pipeline, position(i));
      }
    }
    awaitPosition(pipeline, position(12));
  }

  @Test
  void severalPipelinesMakeAndFillTheirTableAtOnce() throws Exception {
    String warehouse = folder.toString();
    LocalFileIO disk = new LocalFileIO(() -> UUID.randomUUID().toString());
    TestLake world = new TestLake(warehouse);
    List<String> names = List.of("one", "two", "three");
    int rounds = 40;
    List<Pipeline> pipelines = names.stream().map(name -> start(world, disk, name, true)).toList();
    try {
      List<CompletableFuture<Void>> runs =
          pipelines.stream()
              .map(pipeline -> CompletableFuture.runAsync(() -> fill(pipeline, rounds)))
              .toList();
      for (CompletableFuture<Void> run : runs) {
        run.join();
      }
      for (Pipeline pipeline : pipelines) {
        assertThat(pipeline.terminated()).isNotDone();
        pipeline.close();
      }
    } finally {
      pipelines.forEach(Pipeline::abort);
    }
    List<String> expected =
        names.stream()
            .flatMap(
                name -> IntStream.rangeClosed(1, rounds).mapToObj(i -> name + " set-aside 0@" + i))
            .sorted()
            .toList();
    assertThat(letters(warehouse, disk)).isEqualTo(expected);
    List<String> byPaimon =
        new PaimonOracle(Path.of(warehouse + LETTERS))
            .readLatest().stream()
                .map(
                    row -> row.get("pipeline") + " " + row.get("state") + " " + row.get("position"))
                .sorted()
                .collect(Collectors.toList());
    assertThat(byPaimon).isEqualTo(expected);
    assertThat(disk.list(warehouse + LETTERS + "/schema"))
        .extracting(FileIO.FileStatus::name)
        .containsExactly("schema-0");
    // They compact it, each by its own mind, and do no harm by that.
    LsmTable table = LsmTable.open(disk, warehouse + LETTERS, world.clock, new TestIds("look"));
    List<String> kinds = new ArrayList<>();
    for (long id : table.snapshots().listIds()) {
      kinds.add(table.snapshots().read(id).commitKind().name());
    }
    assertThat(kinds).contains("COMPACT");
  }

  private static void fill(Pipeline pipeline, int rounds) {
    try {
      for (int i = 1; i <= rounds; i++) {
        pipeline.changes().deadLetter(letter("0@" + i, "value"));
        pipeline.changes().cutPoint(position(i), i);
        awaitPosition(pipeline, position(i));
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** A letter that is dropped would be lost: the pipeline stops, though it parks tables. */
  @Test
  void stopThePipelineWhenTheirTableCanNotBeWritten() throws Exception {
    FaultyFileIO faulty =
        new FaultyFileIO(storage)
            .observe(
                (number, verb, path) -> {
                  if (path.contains(LETTERS) && verb.startsWith("create")) {
                    throw new IOException("No right to write " + path);
                  }
                });
    Pipeline pipeline = start(faulty, "shop", true);
    ChangeInput changes = pipeline.changes();
    RoutedTable a = changes.tableChanged(definition("a"), "create a").orElseThrow();
    changes.row(a, row(a, RowKind.INSERT, 1, "committed"), 1);
    commit(pipeline);
    assertThatThrownBy(
            () -> {
              changes.row(a, row(a, RowKind.INSERT, 2, "not committed"), 1);
              changes.deadLetter(letter("0@1", "value"));
              changes.cutPoint(position(++at), at);
              pipeline.terminated().join();
            })
        .satisfies(
            e ->
                assertThat(e instanceof CompletionException ? e.getCause() : e)
                    .isInstanceOf(PipelineStoppedException.class)
                    .hasMessageContaining("dead_letters"));
    pipeline.abort();
    assertThat(lake.rows(storage, "a")).isEqualTo(Map.of(1L, "committed"));
    Pipeline again = start(storage, "shop", true);
    assertThat(again.recovered().position()).contains(position(1));
    assertThat(letters()).isEmpty();
  }

  @Test
  void areLeftAloneWhenAllTablesAreLeftBehind() throws Exception {
    Pipeline pipeline = start(storage, "shop", true);
    ChangeInput changes = pipeline.changes();
    RoutedTable a = changes.tableChanged(definition("a"), "create a").orElseThrow();
    changes.row(a, row(a, RowKind.INSERT, 1, "a"), 1);
    changes.deadLetter(letter("0@1", "value"));
    commit(pipeline);
    assertThat(pipeline.leaveAllBehind("asked")).isPresent();
    assertThat(changes.isParked(TestLake.id("a"))).isTrue();
    assertThat(changes.isParked(DeadLetterTable.ID)).isFalse();
    assertThat(changes.park(DeadLetterTable.ID, "no")).isFalse();
    changes.deadLetter(letter("0@2", "value"));
    commit(pipeline);
    assertThat(letters()).containsExactly("shop set-aside 0@1", "shop set-aside 0@2");
  }
}
