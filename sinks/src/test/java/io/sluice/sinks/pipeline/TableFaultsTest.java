package io.sluice.sinks.pipeline;

import static io.sluice.sinks.pipeline.TestLake.awaitPosition;
import static io.sluice.sinks.pipeline.TestLake.definition;
import static io.sluice.sinks.pipeline.TestLake.position;
import static io.sluice.sinks.pipeline.TestLake.row;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.expire.ConsumerFiles;
import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.NotDurableException;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.sinks.ChangeInput;
import io.sluice.sinks.PipelineListener;
import io.sluice.sinks.PipelineSettings;
import io.sluice.sinks.PipelineStatus.TableStatus;
import io.sluice.sinks.PipelineStoppedException;
import io.sluice.sinks.PipelineStoppedException.Reason;
import io.sluice.sinks.RoutedTable;
import io.sluice.sinks.TableRefusedException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to one table's folder while its pipeline runs: that table is parked, alone. */
class TableFaultsTest {

  /** What {@link #refusing} is when nothing can be made durable. */
  private static final String DISK = "(disk)";

  private final MemoryFileIO memory = new MemoryFileIO();

  /** Part of the paths that can't be written; empty: all can. */
  private final AtomicReference<String> refusing = new AtomicReference<>("");

  private final FileIO storage = refusing(memory, refusing);
  private final TestLake lake = new TestLake("/lake");
  private Pipeline pipeline = start(true);
  private ChangeInput changes = pipeline.changes();
  private RoutedTable a = changes.tableChanged(definition("a"), null).orElseThrow();
  private RoutedTable b = changes.tableChanged(definition("b"), null).orElseThrow();
  private long at;

  /** Storage of which a part refuses to be written. */
  private static FileIO refusing(FileIO whole, AtomicReference<String> part) {
    return (FileIO)
        Proxy.newProxyInstance(
            FileIO.class.getClassLoader(),
            new Class<?>[] {FileIO.class},
            (proxy, method, arguments) -> {
              boolean writes =
                  switch (method.getName()) {
                    case "create", "createUnsynced", "createExclusively", "replace" -> true;
                    default -> false;
                  };
              if (method.getName().equals("sync") && part.get().equals(DISK)) {
                throw new NotDurableException("The disk lost it", new IOException("EIO"));
              }
              if (writes
                  && !part.get().isEmpty()
                  && String.valueOf(arguments[0]).contains(part.get())) {
                throw new IOException("No right to write " + arguments[0]);
              }
              try {
                return method.invoke(whole, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private Pipeline start(boolean parks) {
    PipelineSettings settings = lake.settings();
    return lake.start(
        storage,
        parks ? ParkingTest.parking(settings) : settings,
        new TestLake.Source(),
        PipelineListener.NONE,
        3);
  }

  private void restart(boolean parks) {
    pipeline.abort();
    pipeline = start(parks);
    changes = pipeline.changes();
  }

  @AfterEach
  void stop() {
    pipeline.abort();
  }

  private void put(RoutedTable table, long id, String v) {
    changes.row(table, row(table, RowKind.INSERT, id, v), ++at);
  }

  private void commit() throws InterruptedException {
    at++;
    changes.cutPoint(position(at), at);
    awaitPosition(pipeline, position(at));
    // Until the epoch is cleaned up after, and nobody looks at the snapshots of the one before.
    TestLake.await(
        () -> memory.paths().stream().filter(path -> path.contains("/epoch-")).count() == 1);
  }

  private TableStatus status(String table) {
    return pipeline.status().tables().stream()
        .filter(each -> each.source().equals(TestLake.id(table)))
        .findFirst()
        .orElseThrow();
  }

  private void fillAndCommit() throws InterruptedException {
    put(a, 1, "a");
    put(b, 1, "b");
    commit();
    put(a, 2, "a");
    put(b, 2, "b");
    commit();
  }

  /** The table is parked where it stood before, the other goes on, a restart and a resync do. */
  private void parkedAloneAndBackAgain(long before, String reason) throws Exception {
    TestLake.await(() -> status("a").parked() != null);
    assertThat(status("a").parked().reason()).contains(reason);
    assertThat(status("a").parked().epoch()).isEqualTo(before);
    put(b, 4, "b");
    commit();
    assertThat(lake.rows(memory, "b")).containsOnlyKeys(1L, 2L, 3L, 4L);
    refusing.set("");
    restart(true);
    assertThat(status("a").parked().reason()).contains(reason);
    assertThat(changes.restoreTable(definition("a"))).isEmpty();
    b = changes.restoreTable(definition("b")).orElseThrow();
    a = changes.resync(definition("a"), null);
    BackfillChunk.copy(pipeline.backfill(), a, Map.of(1L, "a", 3L, "a"));
    pipeline.backfill().sweep(a, null);
    pipeline.awaitCommitted();
    put(a, 5, "a");
    put(b, 5, "b");
    commit();
    assertThat(lake.rows(memory, "a")).isEqualTo(Map.of(1L, "a", 3L, "a", 5L, "a"));
    assertThat(lake.rows(memory, "b")).hasSize(5);
  }

  @Test
  void parksATableThatWasRolledBack() throws Exception {
    fillAndCommit();
    put(b, 3, "b");
    commit();
    long before = pipeline.status().epoch();
    delete("a", lake.snapshots(memory, "a").size());
    put(a, 3, "a");
    commit();
    parkedAloneAndBackAgain(before, "rolled back");
  }

  private void delete(String table, long snapshot) throws IOException {
    memory.delete(lake.root(table) + "/snapshot/snapshot-" + snapshot);
  }

  @Test
  void parksATableThatWasRolledBackWhileNoDaemonRan() throws Exception {
    fillAndCommit();
    // A schema alone makes no snapshot, and is no roll-back.
    assertThat(changes.tableChanged(definition("b", "c"), "add c")).isPresent();
    commit();
    b = changes.routed(TestLake.id("b")).orElseThrow();
    changes.history("nothing");
    commit();
    restart(true);
    assertThat(changes.restoreTable(definition("a"))).isPresent();
    assertThat(changes.restoreTable(definition("b", "c"))).isPresent();
    pipeline.abort();
    delete("a", lake.snapshots(memory, "a").size());
    pipeline = start(true);
    changes = pipeline.changes();
    assertThat(changes.restoreTable(definition("a"))).isEmpty();
    assertThat(status("a").parked().reason()).contains("rolled back").contains("has epoch 2");
    a = changes.resync(definition("a"), null);
    BackfillChunk.copy(pipeline.backfill(), a, Map.of(9L, "a"));
    pipeline.backfill().sweep(a, null);
    pipeline.awaitCommitted();
    // Before any further epoch of it, and after.
    restart(true);
    assertThat(changes.restoreTable(definition("a"))).isPresent();
    assertThat(lake.rows(memory, "a")).isEqualTo(Map.of(9L, "a"));
  }

  /** The rows are in no memory any more, so it doesn't help to try again. */
  @Test
  void readsAgainWhatTheDiskLost() throws Exception {
    fillAndCommit();
    refusing.set(DISK);
    put(a, 3, "a");
    at++;
    changes.cutPoint(position(at), at);
    assertThatThrownBy(() -> pipeline.terminated().join())
        .hasCauseInstanceOf(PipelineStoppedException.class)
        .hasMessageContaining("Rows of table shop.a can't be kept: The disk lost it")
        .satisfies(
            e ->
                assertThat(((PipelineStoppedException) e.getCause()).reason())
                    .isEqualTo(Reason.UNREACHABLE));
    refusing.set("");
    restart(true);
    a = changes.restoreTable(definition("a")).orElseThrow();
    b = changes.restoreTable(definition("b")).orElseThrow();
    assertThat(lake.rows(memory, "a")).containsOnlyKeys(1L, 2L);
    put(a, 3, "a");
    commit();
    assertThat(lake.rows(memory, "a")).containsOnlyKeys(1L, 2L, 3L);
  }

  @Test
  void stopsAtATableThatWasRolledBackIfThatIsWanted() throws Exception {
    fillAndCommit();
    put(b, 3, "b");
    commit();
    pipeline.abort();
    delete("a", lake.snapshots(memory, "a").size());
    pipeline = start(false);
    assertThatThrownBy(() -> pipeline.changes().restoreTable(definition("a")))
        .isInstanceOfSatisfying(
            TableRefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.PROTECTED))
        .hasMessageContaining("rolled back");
  }

  /** A file of table a that is needed to go on with it. */
  @ParameterizedTest
  @ValueSource(strings = {"snapshot/snapshot-", "schema/schema-", "manifest/manifest-list-"})
  void parksATableOfWhichAFileIsDamaged(String file) throws Exception {
    fillAndCommit();
    put(b, 3, "b");
    commit();
    pipeline.abort();
    String newest = newest(file);
    memory.replace(newest, "{\"not\": \"what it was\"".getBytes(UTF_8));
    pipeline = start(true);
    changes = pipeline.changes();
    assertThat(changes.restoreTable(definition("a"))).isEmpty();
    assertThat(status("a").parked().reason()).contains(newest);
    b = changes.restoreTable(definition("b")).orElseThrow();
    put(b, 4, "b");
    commit();
    assertThat(lake.rows(memory, "b")).hasSize(4);
    assertThatThrownBy(() -> changes.resync(definition("a"), null))
        .isInstanceOf(TableRefusedException.class)
        .hasMessageContaining(newest);
    for (String path : memory.paths()) {
      if (path.startsWith(lake.root("a") + "/")) {
        memory.delete(path);
      }
    }
    a = changes.resync(definition("a"), null);
    BackfillChunk.copy(pipeline.backfill(), a, Map.of(9L, "a"));
    pipeline.awaitCommitted();
    assertThat(lake.rows(memory, "a")).isEqualTo(Map.of(9L, "a"));
  }

  private String newest(String file) {
    return memory.paths().stream()
        .filter(path -> path.startsWith(lake.root("a") + "/" + file))
        .max(java.util.Comparator.naturalOrder())
        .orElseThrow();
  }

  @Test
  void stopsAtADamagedFileIfThatIsWanted() throws Exception {
    fillAndCommit();
    // Else the start would put the newest epoch into it.
    put(b, 3, "b");
    commit();
    pipeline.abort();
    String schema = newest("schema/schema-");
    memory.replace(schema, new byte[] {'{'});
    pipeline = start(false);
    assertThatThrownBy(() -> pipeline.changes().restoreTable(definition("a")))
        .isInstanceOfSatisfying(
            TableRefusedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.PROTECTED))
        .hasMessageContaining(schema);
  }

  @Test
  void parksATableWhoseNewestEpochIsDamagedBeforeItIsFinished() throws Exception {
    fillAndCommit();
    long before = pipeline.status().epoch();
    refusing.set(lake.root("a") + "/snapshot/snapshot-");
    put(a, 3, "a");
    put(b, 3, "b");
    commit();
    pipeline.abort();
    refusing.set("");
    memory.replace(newest("snapshot/snapshot-"), new byte[] {'{'});
    pipeline = start(true);
    changes = pipeline.changes();
    assertThat(changes.restoreTable(definition("a"))).isEmpty();
    assertThat(changes.restoreTable(definition("b"))).isPresent();
    assertThat(status("a").parked().epoch()).isEqualTo(before);
    assertThat(lake.rows(memory, "b")).hasSize(3);
  }

  @Test
  void parksATableThatIsDamagedWhileItRuns() throws Exception {
    fillAndCommit();
    put(b, 3, "b");
    commit();
    long before = pipeline.status().epoch();
    String snapshot = newest("snapshot/snapshot-");
    byte[] sound = memory.readAll(snapshot);
    memory.replace(snapshot, new byte[] {'{'});
    put(a, 3, "a");
    commit();
    TestLake.await(() -> status("a").parked() != null);
    memory.replace(snapshot, sound);
    parkedAloneAndBackAgain(before, snapshot);
  }

  @Test
  void parksATableWhoseSnapshotWasReplaced() throws Exception {
    fillAndCommit();
    put(b, 3, "b");
    commit();
    long before = pipeline.status().epoch();
    long newest = lake.snapshots(memory, "a").size();
    Snapshot other = lake.snapshots(memory, "a").get(0);
    String path = lake.root("a") + "/snapshot/snapshot-";
    String text = new String(memory.readAll(path + other.id()), UTF_8);
    memory.replace(
        path + newest,
        text.replaceFirst("\"id\" ?: ?" + other.id(), "\"id\" : " + newest).getBytes(UTF_8));
    put(a, 3, "a");
    commit();
    parkedAloneAndBackAgain(before, "another one now");
  }

  @Test
  void parksATableOfWhichSomebodyElseHasChangedTheSchema() throws Exception {
    fillAndCommit();
    long before = pipeline.status().epoch();
    String schema = lake.root("a") + "/schema/schema-";
    String foreign =
        new String(memory.readAll(schema + 0), UTF_8)
            .replaceFirst("\"id\" ?: ?0", "\"id\" : 1")
            .replace("VARCHAR(200)", "VARCHAR(300)");
    memory.replace(schema + 1, foreign.getBytes(UTF_8));
    changes.tableChanged(definition("a", "c"), "add c");
    put(b, 3, "b");
    commit();
    TestLake.await(() -> status("a").parked() != null);
    assertThat(status("a").parked().reason()).contains("somebody else");
    assertThat(status("a").parked().epoch()).isEqualTo(before);
    commit();
    restart(true);
    assertThat(status("a").parked()).isNotNull();
    assertThat(lake.rows(memory, "a")).hasSize(2);
    assertThat(lake.rows(memory, "b")).hasSize(3);
  }

  @Test
  void parksATableWhoseDataFilesAreRefused() throws Exception {
    fillAndCommit();
    long before = pipeline.status().epoch();
    refusing.set(lake.root("a") + "/bucket-");
    for (long id = 10; id < 30; id++) {
      put(a, id, "lost until the resync");
    }
    put(b, 3, "b");
    commit();
    parkedAloneAndBackAgain(before, "bucket-");
  }

  @Test
  void parksATableWhoseManifestsAreRefused() throws Exception {
    fillAndCommit();
    long before = pipeline.status().epoch();
    refusing.set(lake.root("a") + "/manifest");
    put(a, 3, "a");
    put(b, 3, "b");
    commit();
    parkedAloneAndBackAgain(before, "manifest");
  }

  @Test
  void parksATableWhoseSnapshotIsRefusedAlsoThroughAKill() throws Exception {
    fillAndCommit();
    long before = pipeline.status().epoch();
    refusing.set(lake.root("a") + "/snapshot/snapshot-");
    put(a, 3, "a");
    put(b, 3, "b");
    commit();
    // As if killed before the next epoch's file: a start finds the same again.
    restart(true);
    b = changes.restoreTable(definition("b")).orElseThrow();
    parkedAloneAndBackAgain(before, "snapshot-");
  }

  @Test
  void parksATableWhoseLastSnapshotWasDeletedWhileItIsIdle() throws Exception {
    fillAndCommit();
    delete("a", lake.snapshots(memory, "a").size());
    put(b, 3, "b");
    commit();
    // No epoch is known to be in it.
    parkedAloneAndBackAgain(0, "is gone");
  }

  @Test
  void leavesATableAloneThatIsToBeRolledBack() throws Exception {
    fillAndCommit();
    put(a, 3, "a");
    put(b, 3, "b");
    commit();
    long before = pipeline.status().epoch();
    put(a, 4, "of the epoch that gathers");
    assertThatThrownBy(() -> pipeline.leaveBehind(TestLake.id("nothing"), "x"))
        .isInstanceOf(TableRefusedException.class);
    CompletableFuture<Boolean> parked =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return pipeline.leaveBehind(TestLake.id("a"), "An operator rolls it back.");
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    TestLake.await(() -> changes.isParked(TestLake.id("a")));
    commit();
    assertThat(parked.join()).isTrue();
    ConsumerFiles pins = new ConsumerFiles(memory, new TablePaths(lake.root("a")));
    pins.advance("sluice-" + TestLake.PIPELINE, 3);
    // Back to the first: two newer ones go.
    delete("a", 3);
    delete("a", 2);
    assertThat(lake.rows(memory, "a")).containsOnlyKeys(1L);
    parkedAloneAndBackAgain(before, "operator");
    assertThat(pins.read("sluice-" + TestLake.PIPELINE).orElseThrow())
        .as("not above what is there")
        .isEqualTo(1);
  }

  @Test
  void stopsWhenAllOfStorageIsAway() throws Exception {
    fillAndCommit();
    refusing.set("/lake");
    put(a, 3, "a");
    at++;
    changes.cutPoint(position(at), at);
    assertThatThrownBy(() -> pipeline.terminated().join()).hasMessageContaining("Gave up");
    refusing.set("");
    restart(true);
    assertThat(changes.restoreTable(definition("a"))).isPresent();
    assertThat(lake.rows(memory, "a")).hasSize(2);
  }

  @Test
  void stopsInsteadIfThatIsWanted() throws Exception {
    fillAndCommit();
    restart(false);
    a = changes.restoreTable(definition("a")).orElseThrow();
    put(a, 3, "a");
    commit();
    delete("a", lake.snapshots(memory, "a").size());
    put(a, 4, "a");
    at++;
    changes.cutPoint(position(at), at);
    assertThatThrownBy(() -> pipeline.terminated().join()).hasMessageContaining("rolled back");
  }

  /** One chunk over the whole table. */
  private static final class BackfillChunk {
    static void copy(
        io.sluice.sinks.BackfillInput backfill, RoutedTable table, Map<Long, String> rows)
        throws Exception {
      var chunk = backfill.openChunk(table);
      for (Map.Entry<Long, String> each : rows.entrySet()) {
        chunk.row(row(table, RowKind.INSERT, each.getKey(), each.getValue()));
      }
      chunk.done("{\"state\":\"copied\"}");
    }
  }
}
