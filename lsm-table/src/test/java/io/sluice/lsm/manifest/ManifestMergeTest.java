package io.sluice.lsm.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.manifest.ManifestEntry.Kind;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.testing.FaultyFileIO;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.TestFiles;
import io.sluice.lsm.testing.TestIds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ManifestMergeTest {

  private static final RowType UNPARTITIONED = new RowType(List.of());

  private final MemoryFileIO memory = new MemoryFileIO();
  private final TablePaths paths = new TablePaths("/t");
  private final TestIds ids = new TestIds();

  private ManifestFile files(FaultyFileIO storage, long target) {
    return new ManifestFile(
        storage, paths, UNPARTITIONED, "none", target, new ManifestNames(ids), new ManifestCache());
  }

  private static ManifestEntry entry(Kind kind, DataFileMeta file) {
    return new ManifestEntry(kind, BinaryRow.EMPTY, 0, 2, file);
  }

  @Test
  void rollsAtTheTargetSize() throws IOException {
    ManifestFile small = files(new FaultyFileIO(memory), 64 << 10);
    List<ManifestEntry> entries = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      entries.add(entry(Kind.ADD, TestFiles.file("f" + i, 0, i, i)));
    }

    List<ManifestFileMeta> written = small.write(entries);

    assertThat(written.size()).isBetween(3, 12);
    assertThat(written.stream().mapToLong(ManifestFileMeta::addedFiles).sum()).isEqualTo(3000);
    List<ManifestEntry> read = new ArrayList<>();
    for (ManifestFileMeta meta : written) {
      assertThat(meta.fileSize()).isEqualTo(memory.readAll(paths.manifest(meta.fileName())).length);
      read.addAll(small.read(meta.fileName()));
    }
    assertThat(read).isEqualTo(entries);
    assertThat(small.write(List.of())).isEmpty();
  }

  @Test
  void neverChangesWhatIsLive() throws IOException {
    long seed = Long.getLong("test.seed", 20260115L);
    for (int round = 0; round < 60; round++) {
      Random random = new Random(seed + round);
      long target = 300L << random.nextInt(6);
      ManifestFile files = files(new FaultyFileIO(memory), target);
      ManifestMerge merge =
          new ManifestMerge(
              files,
              UNPARTITIONED,
              target,
              target * (1 + random.nextInt(6)),
              2 + random.nextInt(6));
      List<ManifestFileMeta> manifests = List.of();
      List<DataFileMeta> live = new ArrayList<>();
      for (int commit = 0; commit < 40; commit++) {
        List<ManifestEntry> delta = new ArrayList<>();
        int deletes = live.isEmpty() ? 0 : random.nextInt(Math.min(4, live.size()) + 1);
        for (int i = 0; i < deletes; i++) {
          DataFileMeta gone = live.remove(random.nextInt(live.size()));
          delta.add(entry(Kind.DELETE, gone));
          if (random.nextInt(3) == 0) {
            // An upgrade: the same name at another level.
            DataFileMeta moved = gone.withLevel(gone.level() + 1);
            delta.add(entry(Kind.ADD, moved));
            live.add(moved);
          }
        }
        for (int i = random.nextInt(4); i > 0; i--) {
          DataFileMeta file = TestFiles.file(round + "-" + commit + "-" + i, 0, i, i + 5);
          delta.add(entry(Kind.ADD, file));
          live.add(file);
        }
        List<ManifestFileMeta> before = new ArrayList<>(manifests);
        before.addAll(files.write(delta));

        ManifestMerge.Result result = merge.merge(before);

        manifests = result.manifests();
        assertThat(manifests).containsAll(result.created());
        LiveFiles state = new LiveFiles();
        for (ManifestFileMeta manifest : manifests) {
          state.apply(files.read(manifest.fileName()), manifest.fileName());
        }
        Set<DataFileMeta> got = new HashSet<>();
        state.entries().forEach(e -> got.add(e.file()));
        assertThat(got)
            .as("seed %d round %d commit %d", seed, round, commit)
            .isEqualTo(new HashSet<>(live));
      }
    }
  }

  @Test
  void joinsManySmallManifestsAndLeavesFewAlone() throws IOException {
    ManifestFile files = files(new FaultyFileIO(memory), 8 << 20);
    ManifestMerge merge = new ManifestMerge(files, UNPARTITIONED, 8 << 20, 16 << 20, 3);
    List<ManifestFileMeta> manifests = List.of();
    List<Integer> counts = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      manifests = merge.merge(manifests).manifests();
      counts.add(manifests.size());
      List<ManifestFileMeta> next = new ArrayList<>(manifests);
      next.addAll(files.write(List.of(entry(Kind.ADD, TestFiles.file("f" + i, 0, i, i)))));
      manifests = next;
    }
    // As Paimon does with manifest.merge-min-count=3 (format description section 4.4).
    assertThat(counts).containsExactly(0, 1, 2, 1, 2, 1);
  }

  @Test
  void dropsDeletesAndTheirAddsInAFullMerge() throws IOException {
    ManifestFile files = files(new FaultyFileIO(memory), 8 << 20);
    ManifestMerge merge = new ManifestMerge(files, UNPARTITIONED, 8 << 20, 1, 30);
    DataFileMeta a = TestFiles.file("a", 0, 1, 2);
    DataFileMeta b = TestFiles.file("b", 0, 1, 2);
    List<ManifestFileMeta> manifests = new ArrayList<>();
    manifests.addAll(files.write(List.of(entry(Kind.ADD, a), entry(Kind.ADD, b))));
    manifests.addAll(files.write(List.of(entry(Kind.DELETE, a), entry(Kind.ADD, a.withLevel(5)))));

    List<ManifestFileMeta> merged = merge.merge(manifests).manifests();

    assertThat(merged).hasSize(1);
    assertThat(merged.get(0).deletedFiles()).isZero();
    assertThat(files.read(merged.get(0).fileName()))
        .containsExactly(entry(Kind.ADD, b), entry(Kind.ADD, a.withLevel(5)));
  }

  @Test
  void leavesBigManifestsAloneInAFullMerge() throws IOException {
    ManifestFile files = files(new FaultyFileIO(memory), 2000);
    List<ManifestEntry> many = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      many.add(entry(Kind.ADD, TestFiles.file("f" + i, 0, i, i)));
    }
    ManifestFileMeta big = files(new FaultyFileIO(memory), 8 << 20).write(many).get(0);
    ManifestFileMeta other =
        files(new FaultyFileIO(memory), 8 << 20)
            .write(many.stream().map(e -> entry(Kind.ADD, e.file().withLevel(3))).toList())
            .get(0);
    ManifestFileMeta delete = files.write(List.of(entry(Kind.DELETE, many.get(7).file()))).get(0);

    ManifestMerge.Result result =
        new ManifestMerge(files, UNPARTITIONED, 2000, 1, 30).merge(List.of(big, other, delete));

    assertThat(result.manifests()).contains(other).doesNotContain(big, delete);
    assertThat(result.created().stream().mapToLong(ManifestFileMeta::addedFiles).sum())
        .isEqualTo(399);
  }

  @Test
  void refusesEntriesThatContradict() throws IOException {
    ManifestFile files = files(new FaultyFileIO(memory), 8 << 20);
    DataFileMeta a = TestFiles.file("a", 0, 1, 2);
    List<ManifestFileMeta> twice = new ArrayList<>();
    twice.addAll(files.write(List.of(entry(Kind.ADD, a))));
    twice.addAll(files.write(List.of(entry(Kind.ADD, a))));
    List<ManifestFileMeta> lonely = files.write(List.of(entry(Kind.DELETE, a)));

    assertThatThrownBy(
            () -> new ManifestMerge(files, UNPARTITIONED, 8 << 20, 16 << 20, 2).merge(twice))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining("ADD twice for bucket 0 a at level 0");
    assertThatThrownBy(() -> new ManifestMerge(files, UNPARTITIONED, 8 << 20, 1, 2).merge(lonely))
        .isInstanceOf(CorruptTableException.class);
    assertThatThrownBy(() -> new LiveFiles().apply(List.of(entry(Kind.DELETE, a)), "m-1"))
        .isInstanceOf(CorruptTableException.class)
        .hasMessageContaining("m-1 deletes a file that is not there: bucket 0 a at level 0");
    LiveFiles live = new LiveFiles();
    live.apply(List.of(entry(Kind.ADD, a)), "m-1");
    assertThatThrownBy(() -> live.apply(List.of(entry(Kind.DELETE, a.withLevel(1))), "m-2"))
        .isInstanceOf(CorruptTableException.class);
  }

  @Test
  void leavesNoFileBehindWhenStorageFails() throws IOException {
    ManifestFile good = files(new FaultyFileIO(memory), 400);
    List<ManifestFileMeta> manifests = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      manifests.addAll(good.write(List.of(entry(Kind.ADD, TestFiles.file("f" + i, 0, i, i)))));
    }
    int before = memory.paths().size();
    for (int n = 1; ; n++) {
      FaultyFileIO faulty = new FaultyFileIO(memory).inject(n, FaultyFileIO.Fault.TEAR);
      ManifestMerge merge =
          new ManifestMerge(files(faulty, 8 << 20), UNPARTITIONED, 3000, 100 << 20, 3);
      try {
        merge.discard(merge.merge(manifests).created());
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("Injected");
      }
      if (faulty.operations() < n) {
        break;
      }
      // Only a deletion that itself fails may leave its file.
      boolean deletionFailed = faulty.log().get(n - 1).startsWith("delete");
      assertThat(memory.paths()).hasSize(deletionFailed ? ++before : before);
    }
  }
}
