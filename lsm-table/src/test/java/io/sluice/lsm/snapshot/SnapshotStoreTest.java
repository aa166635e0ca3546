package io.sluice.lsm.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.error.CommitConflictException;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.error.UnsupportedTableException;
import io.sluice.lsm.io.Backoff;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.schema.TableSchemaJson;
import io.sluice.lsm.testing.FaultyFileIO;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.TestFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SnapshotStoreTest {

  private static final TablePaths PATHS = new TablePaths("/lake/t");

  private final MemoryFileIO memory = new MemoryFileIO();
  private final SnapshotStore store = new SnapshotStore(memory, PATHS, Backoff.NONE);

  @Test
  void writesWhatPaimonHasWrittenByteForByte() throws IOException {
    int files = 0;
    try (Stream<Path> all = Files.walk(Path.of("src/test/resources/golden"))) {
      for (Path file :
          all.filter(f -> f.getFileName().toString().startsWith("snapshot-")).toList()) {
        byte[] golden = Files.readAllBytes(file);
        Snapshot snapshot = SnapshotJson.parse(golden, file.toString());
        assertThat(new String(SnapshotJson.write(snapshot), StandardCharsets.UTF_8))
            .isEqualTo(new String(golden, StandardCharsets.UTF_8));
        files++;
      }
    }
    assertThat(files).isGreaterThan(10);
  }

  @Test
  void writesAllMembersAndReadsThemBack() throws IOException {
    Snapshot full =
        new Snapshot(
            3,
            7,
            2,
            "b",
            1L,
            "d",
            2L,
            "c",
            3L,
            "i",
            "u",
            Long.MAX_VALUE,
            CommitKind.OVERWRITE,
            5,
            -1,
            -6,
            4L,
            9L,
            "stat",
            Map.of("sluice.epoch", "12\"\n"),
            0L);

    assertThat(SnapshotJson.parse(SnapshotJson.write(full), "x")).isEqualTo(full);
  }

  @Test
  void readsOldAndForeignMembers() throws IOException {
    String json =
        "{\"id\":1,\"schemaId\":0,\"baseManifestList\":\"b\",\"deltaManifestList\":\"d\","
            + "\"commitUser\":\"u\",\"commitIdentifier\":3,\"commitKind\":\"ANALYZE\","
            + "\"timeMillis\":4,\"unheardOf\":{\"x\":[1]},\"watermark\":null}";

    Snapshot snapshot = SnapshotJson.parse(json.getBytes(StandardCharsets.UTF_8), "x");

    assertThat(snapshot.version()).isEqualTo(1);
    assertThat(snapshot.commitKind()).isEqualTo(CommitKind.ANALYZE);
    assertThat(snapshot.nextRowId()).isNull();
    assertThat(snapshot.properties()).isEmpty();
  }

  @Test
  void refusesWhatIsNoSnapshot() {
    memory.put(PATHS.snapshot(1), bytes("{\"version\":9,\"id\":1}"));
    memory.put(PATHS.snapshot(2), bytes("{\"version\":3,\"id\":2}"));
    memory.put(PATHS.snapshot(3), bytes("{\"version\":3,\"id\":"));
    memory.put(PATHS.snapshot(5), SnapshotJson.write(snapshot(4)));

    assertThatThrownBy(() -> store.read(1))
        .isInstanceOf(UnsupportedTableException.class)
        .hasMessageContaining("snapshot-1: it has snapshot version 9");
    assertThatThrownBy(() -> store.read(2))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining("snapshot-2 is no snapshot: it lacks schemaId");
    assertThatThrownBy(() -> store.read(3))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining("no whole JSON after 10 readings");
    assertThatThrownBy(() -> store.read(5)).hasMessageContaining("says that it is snapshot 4");
  }

  @Test
  void waitsForAFileThatIsStillBeingWritten() throws IOException {
    byte[] whole = SnapshotJson.write(snapshot(1));
    memory.put(PATHS.snapshot(1), java.util.Arrays.copyOf(whole, whole.length / 2));
    AtomicInteger pauses = new AtomicInteger();
    SnapshotStore patient =
        new SnapshotStore(
            memory,
            PATHS,
            failures -> {
              if (pauses.incrementAndGet() == 3) {
                memory.put(PATHS.snapshot(1), whole);
              }
            });

    assertThat(patient.read(1)).isEqualTo(snapshot(1));
    assertThat(pauses).hasValue(3);
  }

  @Test
  void findsTheNewestWhateverTheHintsSay() throws IOException {
    assertThat(store.findLatest()).isNull();
    for (int id : new int[] {5, 9, 10, 11}) {
      put(snapshot(id));
    }
    memory.put(PATHS.snapshotFolder() + "/.snapshot-99.x.tmp", bytes("{}"));
    memory.put(PATHS.snapshotFolder() + "/snapshot-x", bytes("{}"));

    for (String hint : new String[] {"5", "99", "11\n", "", "9"}) {
      memory.put(PATHS.latestHint(), bytes(hint));
      assertThat(store.findLatest()).isEqualTo(snapshot(11));
    }
    assertThat(store.listIds()).containsExactly(5L, 9L, 10L, 11L);
  }

  @Test
  void goesOnFromAKnownSnapshotWithoutListing() throws IOException {
    for (int id = 1; id <= 4; id++) {
      put(snapshot(id));
    }
    FaultyFileIO counting = new FaultyFileIO(memory);
    SnapshotStore counted = new SnapshotStore(counting, PATHS, Backoff.NONE);

    assertThat(counted.findLatest(snapshot(3))).isEqualTo(snapshot(4));

    assertThat(counting.log()).noneMatch(operation -> operation.startsWith("list"));
  }

  @Test
  void listsAgainWhenTheKnownSnapshotIsGoneOrAnother() throws IOException {
    put(snapshot(7));
    put(snapshot(8));
    // Expired meanwhile; a slow writer has put snapshot-4 into the hole.
    put(snapshot(4));

    assertThat(store.findLatest(snapshot(3))).isEqualTo(snapshot(8));
    // Rolled back below 9, and 8 was given again.
    Snapshot otherEight = withUser(snapshot(8), "another");
    assertThat(store.findLatest(otherEight)).isEqualTo(snapshot(8));
    assertThat(store.findLatest(snapshot(9))).isEqualTo(snapshot(8));
  }

  @Test
  void createsOnceAndToleratesFailingHints() throws IOException {
    FaultyFileIO faulty = new FaultyFileIO(memory);
    SnapshotStore failing = new SnapshotStore(faulty, PATHS, Backoff.NONE);

    assertThat(failing.tryCreate(snapshot(1), List.of())).isEqualTo(SnapshotStore.Creation.CREATED);
    assertThat(failing.tryCreate(withUser(snapshot(1), "b"), List.of()))
        .isEqualTo(SnapshotStore.Creation.EXISTS);
    assertThat(failing.read(1)).isEqualTo(snapshot(1));

    faulty.injectNext(FaultyFileIO.Fault.FAIL);
    failing.writeLatestHint(1);
    assertThat(memory.exists(PATHS.latestHint())).isFalse();
    failing.writeLatestHint(1);
    assertThat(memory.readAll(PATHS.latestHint())).isEqualTo(bytes("1"));
  }

  @Test
  void createsASchemaOnceAndTellsAForeignOne() throws IOException {
    SchemaStore schemas = new SchemaStore(memory, PATHS);
    assertThat(schemas.findLatest()).isNull();
    assertThat(schemas.findLatestId()).isEqualTo(-1);
    String text =
        new String(TableSchemaJson.write(TestFiles.schema(Map.of())), StandardCharsets.UTF_8);

    schemas.createExclusively(0, text);
    schemas.createExclusively(0, text);

    assertThat(schemas.findLatestId()).isZero();
    assertThat(schemas.read(0)).isEqualTo(TestFiles.schema(Map.of()));
    assertThatThrownBy(() -> schemas.createExclusively(0, text.replace("\"v\"", "\"w\"")))
        .isInstanceOf(CommitConflictException.class)
        .hasMessageContaining("Table /lake/t was altered by another writer")
        .hasMessageContaining("schema-0");
    assertThatThrownBy(() -> schemas.createExclusively(1, text))
        .isInstanceOf(IllegalArgumentException.class);
    // Another process adds one.
    new SchemaStore(memory, PATHS)
        .createExclusively(1, text.replaceFirst("\"id\" : 0", "\"id\" : 1"));
    assertThat(schemas.findLatestId()).isEqualTo(1);
    assertThatThrownBy(() -> schemas.read(5))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining("schema-5 is missing");
  }

  @Test
  void findsOutAboutASchemaWithoutAnswer() throws IOException {
    FaultyFileIO faulty = new FaultyFileIO(memory);
    SchemaStore schemas = new SchemaStore(faulty, PATHS);
    String text =
        new String(TableSchemaJson.write(TestFiles.schema(Map.of())), StandardCharsets.UTF_8);
    faulty.injectNext(FaultyFileIO.Fault.NO_ANSWER);

    assertThatThrownBy(() -> schemas.createExclusively(0, text)).isInstanceOf(IOException.class);
    schemas.createExclusively(0, text);

    assertThat(schemas.findLatestId()).isZero();
  }

  private void put(Snapshot snapshot) {
    memory.put(PATHS.snapshot(snapshot.id()), SnapshotJson.write(snapshot));
  }

  private static Snapshot snapshot(long id) {
    return withUser(null, "u", id);
  }

  private static Snapshot withUser(Snapshot snapshot, String user) {
    return withUser(snapshot, user, snapshot.id());
  }

  private static Snapshot withUser(Snapshot ignored, String user, long id) {
    return new Snapshot(
        3,
        id,
        0,
        "b" + id,
        1L,
        "d" + id,
        2L,
        null,
        null,
        null,
        user,
        id,
        CommitKind.APPEND,
        1000 + id,
        id,
        1,
        null,
        null,
        null,
        Map.of(),
        0L);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
