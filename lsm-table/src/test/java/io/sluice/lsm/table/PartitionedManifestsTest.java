package io.sluice.lsm.table;

import static io.sluice.lsm.testing.TestFiles.append;
import static io.sluice.lsm.testing.TestFiles.file;
import static io.sluice.lsm.testing.TestFiles.partition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.commit.CommitMessage;
import io.sluice.lsm.commit.CommitRequest;
import io.sluice.lsm.commit.CommitRequest.AttemptGuard;
import io.sluice.lsm.commit.CommitRequest.Change;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.expire.Retention;
import io.sluice.lsm.manifest.ManifestCache;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.manifest.ManifestEntry.Kind;
import io.sluice.lsm.manifest.ManifestFileMeta;
import io.sluice.lsm.manifest.ManifestStore;
import io.sluice.lsm.manifest.PartitionFilter;
import io.sluice.lsm.scan.PredicateParser;
import io.sluice.lsm.scan.Split;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.testing.FakeClock;
import io.sluice.lsm.testing.FaultyFileIO;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.TestFiles;
import io.sluice.lsm.testing.TestIds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whoever asks for a few partitions reads no manifests of others. */
class PartitionedManifestsTest {

  private static final String ROOT = "/lake/w.db/t";
  private static final int PARTITIONS = 12;

  private final MemoryFileIO memory = new MemoryFileIO();
  private final FakeClock clock = new FakeClock();
  private long identifier;

  /** A manifest of each partition, and more manifests than are merged. */
  @BeforeEach
  void fill() throws IOException {
    LsmTable table =
        LsmTable.create(
            memory,
            ROOT,
            TestFiles.partitionedSchema(Map.of("manifest.merge-min-count", "100")),
            clock,
            new TestIds("fill"));
    for (int p = 0; p < PARTITIONS; p++) {
      commit(
          table,
          new CommitRequest.Append(
              table.committer().prepare(List.of(append(name(p), 0, file("f" + p, 0, 1, 9))))));
    }
  }

  private static BinaryRow name(int p) {
    return partition(String.format("p%02d", p));
  }

  private Snapshot commit(LsmTable table, Change change) throws IOException {
    return table
        .committer()
        .commit(new CommitRequest("u", ++identifier, change, Map.of()), AttemptGuard.ALWAYS);
  }

  private interface Work {
    void run(LsmTable table) throws IOException;
  }

  /** How many manifests a table that has nothing cached reads for some work. */
  private int manifestsRead(Work work) throws IOException {
    FaultyFileIO watched = new FaultyFileIO(memory);
    LsmTable table = LsmTable.open(watched, ROOT, clock, new TestIds("w" + identifier));
    int from = watched.operations();
    work.run(table);
    return (int)
        watched.log().subList(from, watched.operations()).stream()
            .filter(operation -> operation.matches("readAll .*/manifest/manifest-(?!list).*"))
            .count();
  }

  private static CommitMessage compaction(int p, DataFileMeta before) {
    return new CommitMessage(
        name(p), 0, 2, List.of(), List.of(before), List.of(before.withLevel(5)));
  }

  @Test
  void aScanReadsThoseOfItsPartitions() throws IOException {
    List<Split> splits = new ArrayList<>();
    assertThat(manifestsRead(t -> t.newScan().splits())).isEqualTo(PARTITIONS);
    assertThat(
            manifestsRead(
                t -> splits.addAll(t.newScan().where(PredicateParser.parse("p = 'p03'")).splits())))
        .isEqualTo(1);
    assertThat(splits).singleElement().satisfies(s -> assertThat(s.partition()).isEqualTo(name(3)));
    assertThat(
            manifestsRead(
                t ->
                    t.newScan()
                        .where(PredicateParser.parse("p >= 'p04' and p < 'p06' or p = 'p00'"))
                        .splits()))
        .isEqualTo(3);
    assertThat(manifestsRead(t -> t.newScan().where(PredicateParser.parse("p is null")).splits()))
        .isZero();
    assertThat(
            manifestsRead(
                t -> t.newScan().where(PredicateParser.parse("p = 'p03' or id = 1")).splits()))
        .isEqualTo(PARTITIONS);
  }

  @Test
  void aCompactionReadsThoseOfItsPartitions() throws IOException {
    DataFileMeta before = file("f7", 0, 1, 9);
    assertThat(
            manifestsRead(
                t -> commit(t, new CommitRequest.Compaction(List.of(compaction(7, before))))))
        .isEqualTo(1);
    // And what it knows is right all the same: nobody can move the file twice.
    assertThat(
            manifestsRead(
                t ->
                    assertThat(
                            org.assertj.core.api.Assertions.catchThrowable(
                                () ->
                                    commit(
                                        t,
                                        new CommitRequest.Compaction(
                                            List.of(compaction(7, before))))))
                        .hasMessageContaining("deleted or moved bucket 0 f7 at level 0")))
        .isEqualTo(2);
  }

  @Test
  void emptyingAPartitionReadsItsOwn() throws IOException {
    assertThat(manifestsRead(t -> commit(t, new CommitRequest.DeleteAll(name(2))))).isEqualTo(1);
    LsmTable table = LsmTable.open(memory, ROOT, clock, new TestIds("check"));
    assertThat(table.liveFiles(table.snapshots().findLatest()))
        .hasSize(PARTITIONS - 1)
        .noneMatch(entry -> entry.partition().equals(name(2)));
  }

  @Test
  void expiryReadsWhatChangedAndNotWhatIsLive() throws IOException {
    LsmTable table = LsmTable.open(memory, ROOT, clock, new TestIds("change"));
    commit(table, new CommitRequest.DeleteAll(name(2)));
    commit(table, new CommitRequest.DeleteAll(name(9)));
    table.paths();
    clock.advance(Duration.ofDays(1));
    Retention retention = new Retention(Duration.ofHours(1), 1, 1, 100);
    // The deltas of snapshots 2 to 14: one manifest each. Those of the newest base list, never.
    assertThat(manifestsRead(t -> t.newExpiry().expire(retention))).isEqualTo(PARTITIONS + 1);
    assertThat(manifestsRead(t -> t.newScan().splits())).isEqualTo(PARTITIONS + 2);
  }

  @Test
  void aTagKeepsItsFilesThoughOnlyTheManifestsInQuestionAreRead() throws IOException {
    LsmTable table = LsmTable.open(memory, ROOT, clock, new TestIds("change"));
    String folder = table.partitionPaths().bucketFolder(name(2), 0);
    memory.put(folder + "/f2", new byte[] {1});
    String other = table.partitionPaths().bucketFolder(name(3), 0);
    memory.put(other + "/f3", new byte[] {1});
    Snapshot tagged = table.snapshots().findLatest();
    memory.put(ROOT + "/tag/tag-kept", memory.readAll(table.paths().snapshot(tagged.id())));
    commit(
        table,
        new CommitRequest.Append(
            table.committer().prepare(List.of(append(name(3), 1, file("late", 0, 1, 9))))));
    memory.put(table.partitionPaths().bucketFolder(name(3), 1) + "/late", new byte[] {1});
    commit(table, new CommitRequest.DeleteAll(name(2)));
    commit(table, new CommitRequest.DeleteAll(name(3)));
    clock.advance(Duration.ofDays(1));
    table.newExpiry().expire(new Retention(Duration.ofHours(1), 1, 1, 100));
    assertThat(memory.paths()).contains(folder + "/f2", other + "/f3");
    assertThat(memory.paths()).noneMatch(path -> path.endsWith("/late"));
  }

  /** Also of entries of partitions that nobody asks for. */
  @Test
  void aManifestThatIsReadInPartIsTheOneThatIsToldOf() throws IOException {
    DataFileMeta lower = file("f", 0, 1, 9);
    List<ManifestEntry> told =
        List.of(entry(Kind.ADD, 1, 0, lower), entry(Kind.ADD, 2, 0, lower.withLevel(5)));
    Map<String, ManifestEntry> others =
        Map.of(
            "adds 1 files and deletes 1", entry(Kind.DELETE, 2, 0, lower.withLevel(5)),
            "has buckets from 0 to 1", entry(Kind.ADD, 2, 1, lower.withLevel(5)),
            "has levels from 0 to 6", entry(Kind.ADD, 2, 0, lower.withLevel(6)));
    LsmTable table =
        LsmTable.create(
            memory,
            ROOT + "2",
            TestFiles.partitionedSchema(Map.of("manifest.compression", "none")),
            clock,
            new TestIds("told"));
    ManifestStore store = manifests(table);
    ManifestFileMeta right = store.files().write(told).get(0);
    assertThat(manifests(table).files().read(right, store.only(List.of(name(1))))).hasSize(1);
    for (Map.Entry<String, ManifestEntry> other : others.entrySet()) {
      ManifestFileMeta wrong = store.files().write(List.of(told.get(0), other.getValue())).get(0);
      assertThat(wrong.fileSize()).isEqualTo(right.fileSize());
      memory.put(
          table.paths().manifest(right.fileName()),
          memory.readAll(table.paths().manifest(wrong.fileName())));
      for (int asked = 1; asked <= 3; asked++) {
        PartitionFilter filter = store.only(List.of(name(asked)));
        assertThatThrownBy(() -> manifests(table).files().read(right, filter))
            .isInstanceOf(CorruptTableException.class)
            .hasMessageContaining(right.fileName() + ' ' + other.getKey());
      }
    }
  }

  private static ManifestEntry entry(Kind kind, int p, int bucket, DataFileMeta file) {
    return new ManifestEntry(kind, name(p), bucket, 2, file);
  }

  /** With nothing cached. */
  private ManifestStore manifests(LsmTable table) throws IOException {
    return new ManifestStore(
        memory,
        table.paths(),
        table.schemas().findLatest(),
        new TestIds("m"),
        new ManifestCache(0));
  }

  @Test
  void theFilesOfASnapshotHaveTheRecordsThatItTells() throws IOException {
    LsmTable table = LsmTable.open(memory, ROOT, clock, new TestIds("count"));
    Snapshot newest = table.snapshots().findLatest();
    String path = table.paths().snapshot(newest.id());
    String json = new String(memory.readAll(path), StandardCharsets.UTF_8);
    String total = "\"totalRecordCount\" : " + newest.totalRecordCount();
    String delta = "\"deltaRecordCount\" : " + newest.deltaRecordCount();
    assertThat(json).contains(total, delta);
    memory.put(path, json.replace(total, total + 0).getBytes(StandardCharsets.UTF_8));
    LsmTable other = LsmTable.open(memory, ROOT, clock, new TestIds("other"));
    assertThatThrownBy(() -> other.newScan().splits())
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining(path)
        .hasMessageContaining(newest.totalRecordCount() + " records, by its own count ");
    memory.put(path, json.replace(delta, delta + 0).getBytes(StandardCharsets.UTF_8));
    ManifestStore store = manifests(table);
    Snapshot changed = table.snapshots().readIfThere(newest.id());
    assertThatThrownBy(() -> store.delta(changed)).hasMessageContaining("the changes of " + path);
    assertThatThrownBy(() -> store.baseFiles(changed))
        .hasMessageContaining("the files before it of " + path);
    assertThat(store.liveFiles(changed).records()).isEqualTo(newest.totalRecordCount());
  }
}
