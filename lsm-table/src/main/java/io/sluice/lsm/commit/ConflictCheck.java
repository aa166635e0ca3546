package io.sluice.lsm.commit;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.manifest.FileIdentity;
import io.sluice.lsm.manifest.LiveFiles;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.manifest.ManifestEntry.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether a delta still fits the table as it is now (format description section 12.3). Pure: it
 * reads nothing and changes nothing.
 */
final class ConflictCheck {

  private final Comparator<byte[]> keyOrder;

  /**
   * @param keyOrder order of serialized trimmed primary keys
   */
  ConflictCheck(Comparator<byte[]> keyOrder) {
    this.keyOrder = keyOrder;
  }

  private record Bucket(BinaryRow partition, int bucket) {}

  /**
   * What is wrong, as half a sentence for the operator; null if the delta fits.
   *
   * @param live at least all live files of the buckets that the delta changes
   */
  @Nullable String findConflict(LiveFiles live, List<ManifestEntry> delta) {
    Set<FileIdentity> added = new HashSet<>();
    Set<FileIdentity> deleted = new HashSet<>();
    Set<Bucket> touched = new LinkedHashSet<>();
    for (ManifestEntry entry : delta) {
      FileIdentity identity = FileIdentity.of(entry);
      touched.add(new Bucket(entry.partition(), entry.bucket()));
      if (entry.kind() == Kind.DELETE) {
        if (!deleted.add(identity) || added.contains(identity)) {
          return "it names " + identity + " twice";
        }
        if (!live.contains(entry)) {
          return "another commit has deleted or moved " + identity;
        }
      } else {
        if (!added.add(identity)) {
          return "it adds " + identity + " twice";
        }
        if (live.contains(entry) && !deleted.contains(identity)) {
          return "the table holds " + identity + " already";
        }
      }
    }
    for (Bucket bucket : touched) {
      String conflict = checkBucket(bucket, live, delta, deleted);
      if (conflict != null) {
        return conflict;
      }
    }
    return null;
  }

  private @Nullable String checkBucket(
      Bucket bucket, LiveFiles live, List<ManifestEntry> delta, Set<FileIdentity> deleted) {
    Map<Integer, List<ManifestEntry>> levels = new HashMap<>();
    int totalBuckets = 0;
    for (ManifestEntry entry : live.ofBucket(bucket.partition(), bucket.bucket())) {
      if (!deleted.contains(FileIdentity.of(entry))) {
        levels.computeIfAbsent(entry.file().level(), level -> new ArrayList<>()).add(entry);
      }
      totalBuckets = Math.max(totalBuckets, entry.totalBuckets());
    }
    for (ManifestEntry entry : delta) {
      if (entry.kind() == Kind.ADD
          && entry.bucket() == bucket.bucket()
          && entry.partition().equals(bucket.partition())) {
        levels.computeIfAbsent(entry.file().level(), level -> new ArrayList<>()).add(entry);
        if (totalBuckets > 0 && entry.totalBuckets() > 0 && entry.totalBuckets() != totalBuckets) {
          return "the table has "
              + totalBuckets
              + " buckets, the new files are made for "
              + entry.totalBuckets();
        }
      }
    }
    for (Map.Entry<Integer, List<ManifestEntry>> level : levels.entrySet()) {
      String conflict = level.getKey() == 0 ? null : checkLevel(level.getValue());
      if (conflict != null) {
        return conflict;
      }
    }
    return null;
  }

  private @Nullable String checkLevel(List<ManifestEntry> files) {
    files.sort((a, b) -> keyOrder.compare(a.file().minKey(), b.file().minKey()));
    for (int i = 1; i < files.size(); i++) {
      ManifestEntry before = files.get(i - 1);
      ManifestEntry after = files.get(i);
      if (keyOrder.compare(before.file().maxKey(), after.file().minKey()) >= 0) {
        return "the keys of "
            + FileIdentity.of(before)
            + " and of "
            + FileIdentity.of(after)
            + " would overlap";
      }
    }
    return null;
  }
}
