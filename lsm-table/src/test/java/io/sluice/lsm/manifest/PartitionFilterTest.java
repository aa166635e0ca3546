package io.sluice.lsm.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.binary.BinaryRowWriter;
import io.sluice.lsm.binary.ColumnStats;
import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.io.TablePaths;
import io.sluice.lsm.manifest.ManifestEntry.Kind;
import io.sluice.lsm.row.RowKind;
import io.sluice.lsm.schema.DataField;
import io.sluice.lsm.schema.DataTypes;
import io.sluice.lsm.schema.RowType;
import io.sluice.lsm.testing.MemoryFileIO;
import io.sluice.lsm.testing.TestFiles;
import io.sluice.lsm.testing.TestIds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PartitionFilterTest {

  private static final RowType TYPE =
      new RowType(
          List.of(
              new DataField(0, "day", DataTypes.INT), new DataField(1, "city", DataTypes.STRING)));

  private final MemoryFileIO storage = new MemoryFileIO();
  private final TablePaths paths = new TablePaths("/t");
  private final ManifestFile files =
      new ManifestFile(
          storage,
          paths,
          TYPE,
          "none",
          8 << 20,
          new ManifestNames(new TestIds()),
          new ManifestCache());

  private static BinaryRow partition(Integer day, String city) {
    BinaryRowWriter writer = new BinaryRowWriter(2);
    if (day == null) {
      writer.setNull(0);
    } else {
      writer.writeInt(0, day);
    }
    if (city == null) {
      writer.setNull(1);
    } else {
      writer.writeString(1, city);
    }
    return writer.finish(RowKind.INSERT).copy();
  }

  private ManifestFileMeta manifest(BinaryRow... partitions) throws IOException {
    List<ManifestEntry> entries = new ArrayList<>();
    for (BinaryRow partition : partitions) {
      entries.add(new ManifestEntry(Kind.ADD, partition, 0, 2, TestFiles.file("f", 0, 1, 2)));
    }
    return files.write(entries).get(0);
  }

  private static boolean mayHold(ManifestFileMeta manifest, BinaryRow... partitions) {
    return PartitionFilter.of(List.of(partitions), TYPE).mayHold(manifest);
  }

  @Test
  void passesOverManifestsOfOtherPartitions() throws IOException {
    ManifestFileMeta manifest = manifest(partition(3, "b"), partition(5, "d"));
    assertThat(mayHold(manifest, partition(3, "b"))).isTrue();
    assertThat(mayHold(manifest, partition(2, "b"))).isFalse();
    assertThat(mayHold(manifest, partition(4, "e"))).isFalse();
    assertThat(mayHold(manifest, partition(null, "c"))).isFalse();
    assertThat(mayHold(manifest, partition(4, null))).isFalse();
    assertThat(mayHold(manifest, partition(9, "b"), partition(5, "d"))).isTrue();
    assertThat(mayHold(manifest)).isFalse();
    // Between the bounds it cannot be told.
    assertThat(mayHold(manifest, partition(4, "c"))).isTrue();
  }

  @Test
  void knowsWhatNullCountsSay() throws IOException {
    ManifestFileMeta someNull = manifest(partition(3, null), partition(5, "d"));
    assertThat(mayHold(someNull, partition(4, null))).isTrue();
    assertThat(mayHold(someNull, partition(4, "a"))).isFalse();
    ManifestFileMeta allNull = manifest(partition(3, null), partition(5, null));
    assertThat(mayHold(allNull, partition(4, null))).isTrue();
    assertThat(mayHold(allNull, partition(4, "a"))).isFalse();
  }

  @Test
  void readsWhatOthersDescribedPoorly() throws IOException {
    ManifestFileMeta good = manifest(partition(3, "b"));
    BinaryRow wanted = partition(100, "z");
    assertThat(mayHold(good, wanted)).isFalse();
    // No counts of nulls, as an old writer leaves them: a null may be there, other values not.
    ColumnStats stats = good.partitionStats();
    ManifestFileMeta uncounted =
        with(good, new ColumnStats(stats.minValues(), stats.maxValues(), List.of()));
    assertThat(mayHold(uncounted, partition(null, "b"))).isTrue();
    assertThat(mayHold(uncounted, wanted)).isFalse();
    // Bounds that are null without a count of nulls say nothing.
    byte[] none = partition(null, null).serialize();
    assertThat(mayHold(with(good, new ColumnStats(none, none, List.of())), wanted)).isTrue();
    assertThat(mayHold(with(good, ColumnStats.EMPTY), wanted)).isTrue();
  }

  private static ManifestFileMeta with(ManifestFileMeta manifest, ColumnStats stats) {
    return new ManifestFileMeta(
        manifest.fileName(),
        manifest.fileSize(),
        manifest.addedFiles(),
        manifest.deletedFiles(),
        stats,
        manifest.schemaId(),
        manifest.minBucket(),
        manifest.maxBucket(),
        manifest.minLevel(),
        manifest.maxLevel(),
        null,
        null);
  }

  @Test
  void neverPassesOverAPartitionThatIsThere() throws IOException {
    long seed = Long.getLong("test.seed", new Random().nextLong());
    System.out.println("PartitionFilterTest seed " + seed);
    Random random = new Random(seed);
    int skipped = 0;
    for (int round = 0; round < 2000; round++) {
      Set<BinaryRow> there = randomPartitions(random, 1 + random.nextInt(4));
      Set<BinaryRow> wanted = randomPartitions(random, 1 + random.nextInt(3));
      boolean holds = there.stream().anyMatch(wanted::contains);
      boolean may =
          PartitionFilter.of(wanted, TYPE).mayHold(manifest(there.toArray(new BinaryRow[0])));
      assertThat(may || !holds).as("round %d: %s in %s", round, wanted, there).isTrue();
      skipped += may ? 0 : 1;
    }
    assertThat(skipped).isGreaterThan(500);
  }

  /** Every nullable field with and without a value, in records of several blocks. */
  private static ManifestEntry randomEntry(Random random, int number) {
    BinaryRow partition = randomPartitions(random, 1).iterator().next();
    DataFileMeta plain = TestFiles.file("f" + number, random.nextInt(6), number, number + 9);
    byte[] bytes = new byte[random.nextInt(300)];
    random.nextBytes(bytes);
    List<String> texts = random.nextBoolean() ? List.of() : List.of("a", "öä" + number);
    DataFileMeta file =
        new DataFileMeta(
            plain.fileName(),
            random.nextLong(),
            random.nextLong() >>> 1,
            plain.minKey(),
            bytes,
            new ColumnStats(bytes, plain.maxKey(), Arrays.asList(1L, null, -7L)),
            plain.valueStats(),
            random.nextLong(),
            random.nextLong(),
            random.nextInt(9),
            plain.level(),
            texts,
            random.nextBoolean() ? null : random.nextLong(),
            random.nextBoolean() ? null : random.nextLong(),
            random.nextBoolean() ? null : bytes,
            random.nextBoolean() ? null : random.nextInt(2),
            random.nextBoolean() ? null : texts,
            random.nextBoolean() ? null : "external" + number,
            random.nextBoolean() ? null : random.nextLong(),
            random.nextBoolean() ? null : texts);
    return new ManifestEntry(
        random.nextBoolean() ? Kind.ADD : Kind.DELETE, partition, random.nextInt(9), 9, file);
  }

  @Test
  void readsTheSameByHandAndByNameAndSkipsWhatIsNotAskedFor() throws IOException {
    long seed = Long.getLong("test.seed", new Random().nextLong());
    System.out.println("PartitionFilterTest seed " + seed);
    Random random = new Random(seed);
    List<ManifestEntry> entries = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      entries.add(randomEntry(random, i));
    }
    ManifestFileMeta written = files.write(entries).get(0);
    String name = written.fileName();
    ManifestFile uncached =
        new ManifestFile(
            storage,
            paths,
            TYPE,
            "none",
            8 << 20,
            new ManifestNames(new TestIds()),
            new ManifestCache(0));
    List<ManifestEntry> byName =
        AvroFiles.read(storage, paths.manifest(name), null, uncached::decodeByName);
    assertThat(described(byName)).isEqualTo(described(entries));
    assertThat(described(uncached.read(name))).isEqualTo(described(entries));
    PartitionFilter some = PartitionFilter.of(randomPartitions(random, 8), TYPE);
    List<ManifestEntry> wanted = entries.stream().filter(e -> some.test(e.partition())).toList();
    assertThat(wanted).isNotEmpty();
    assertThat(described(uncached.read(written, some))).isEqualTo(described(wanted));
  }

  /** Records hold arrays, which are equal by identity alone. */
  private static List<String> described(List<ManifestEntry> entries) {
    List<String> result = new ArrayList<>();
    for (ManifestEntry entry : entries) {
      DataFileMeta f = entry.file();
      result.add(
          entry.kind()
              + " "
              + HexFormat.of().formatHex(entry.partition().serialize())
              + " "
              + entry.bucket()
              + " "
              + entry.totalBuckets()
              + f.toString().replaceAll("\\[B@[0-9a-f]+", "")
              + HexFormat.of().formatHex(f.minKey())
              + HexFormat.of().formatHex(f.maxKey())
              + HexFormat.of().formatHex(f.keyStats().minValues())
              + HexFormat.of().formatHex(f.keyStats().maxValues())
              + HexFormat.of().formatHex(f.valueStats().maxValues())
              + (f.embeddedIndex() == null ? null : HexFormat.of().formatHex(f.embeddedIndex())));
    }
    return result;
  }

  private static Set<BinaryRow> randomPartitions(Random random, int count) {
    Set<BinaryRow> result = new HashSet<>();
    for (int i = 0; i < count; i++) {
      result.add(
          partition(
              random.nextInt(6) == 0 ? null : random.nextInt(12) - 6,
              random.nextInt(6) == 0 ? null : "c" + random.nextInt(12)));
    }
    return result;
  }
}
