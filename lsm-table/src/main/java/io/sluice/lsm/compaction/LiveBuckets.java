package io.sluice.lsm.compaction;

import io.sluice.lsm.datafile.DataFileMeta;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.level.BucketId;
import io.sluice.lsm.level.Levels;
import io.sluice.lsm.manifest.ManifestEntry;
import io.sluice.lsm.manifest.ManifestStore;
import io.sluice.lsm.snapshot.Snapshot;
import io.sluice.lsm.snapshot.SnapshotStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The levels of all buckets of the newest snapshot, kept up by applying the changes of each new
 * one. Reads everything anew when the chain of snapshots from the last known one is broken (a
 * roll-back, expiry) or its changes do not fit. One thread at a time.
 */
final class LiveBuckets {

  /** Above so many new snapshots one look at the whole is cheaper. */
  private static final int CHANGES_MAX = 50;

  /**
   * One bucket.
   *
   * @param totalBuckets as its newest file says
   */
  record Bucket(int totalBuckets, Levels levels) {}

  private final SnapshotStore snapshots;
  private final ManifestStore manifests;
  private final Comparator<byte[]> keyOrder;
  private final int levelCount;
  private Map<BucketId, Bucket> buckets = new HashMap<>();
  private @Nullable Snapshot known;

  LiveBuckets(
      SnapshotStore snapshots,
      ManifestStore manifests,
      Comparator<byte[]> keyOrder,
      int levelCount) {
    this.snapshots = snapshots;
    this.manifests = manifests;
    this.keyOrder = keyOrder;
    this.levelCount = levelCount;
  }

  /** The snapshot that {@link #buckets} shows; null before the first. */
  @Nullable Snapshot known() {
    return known;
  }

  Map<BucketId, Bucket> buckets() {
    return buckets;
  }

  /** The next {@link #refresh} reads everything. */
  void forget() {
    known = null;
  }

  /** Moves on to the newest snapshot; the buckets that changed or went away. */
  Set<BucketId> refresh() throws IOException {
    Snapshot from = known;
    Snapshot latest = snapshots.findLatest(from);
    if (latest == null) {
      Set<BucketId> gone = new HashSet<>(buckets.keySet());
      buckets = new HashMap<>();
      known = null;
      return gone;
    }
    if (from != null && latest.id() >= from.id() && latest.id() - from.id() <= CHANGES_MAX) {
      try {
        Set<BucketId> changed = applyChanges(from, latest);
        if (changed != null) {
          known = latest;
          return changed;
        }
      } catch (FileNotFoundException | CorruptTableException e) {
        // The chain was cut while it was followed; the whole state below tells, or throws again.
        known = null;
      }
    }
    return readAll(latest);
  }

  /** Null if the snapshots between cannot be followed. */
  private @Nullable Set<BucketId> applyChanges(Snapshot from, Snapshot latest) throws IOException {
    if (!from.equals(snapshots.readIfThere(from.id()))) {
      return null;
    }
    Map<BucketId, Bucket> next = new HashMap<>();
    for (long id = from.id() + 1; id <= latest.id(); id++) {
      Snapshot snapshot = id == latest.id() ? latest : snapshots.readIfThere(id);
      if (snapshot == null) {
        return null;
      }
      Map<BucketId, List<ManifestEntry>> changes = byBucket(manifests.delta(snapshot));
      for (Map.Entry<BucketId, List<ManifestEntry>> change : changes.entrySet()) {
        Bucket before = next.getOrDefault(change.getKey(), buckets.get(change.getKey()));
        next.put(change.getKey(), apply(before, change.getValue()));
      }
    }
    next.forEach(this::putOrRemove);
    return new HashSet<>(next.keySet());
  }

  private Bucket apply(@Nullable Bucket before, List<ManifestEntry> changes) {
    List<DataFileMeta> added = new ArrayList<>();
    List<DataFileMeta> removed = new ArrayList<>();
    for (ManifestEntry change : changes) {
      switch (change.kind()) {
        case ADD -> added.add(change.file());
        case DELETE -> removed.add(change.file());
      }
    }
    Levels levels = before == null ? Levels.of(keyOrder, levelCount, List.of()) : before.levels();
    return new Bucket(changes.get(changes.size() - 1).totalBuckets(), levels.with(added, removed));
  }

  private void putOrRemove(BucketId id, Bucket bucket) {
    if (bucket.levels().files().isEmpty()) {
      buckets.remove(id);
    } else {
      buckets.put(id, bucket);
    }
  }

  private Set<BucketId> readAll(Snapshot latest) throws IOException {
    Map<BucketId, List<ManifestEntry>> entries =
        byBucket(List.copyOf(manifests.liveFiles(latest).entries()));
    Set<BucketId> changed = new HashSet<>(buckets.keySet());
    changed.addAll(entries.keySet());
    Map<BucketId, Bucket> next = new HashMap<>();
    entries.forEach((id, list) -> next.put(id, apply(null, list)));
    buckets = next;
    known = latest;
    return changed;
  }

  private static Map<BucketId, List<ManifestEntry>> byBucket(List<ManifestEntry> entries) {
    Map<BucketId, List<ManifestEntry>> result = new HashMap<>();
    for (ManifestEntry entry : entries) {
      result
          .computeIfAbsent(new BucketId(entry.partition(), entry.bucket()), id -> new ArrayList<>())
          .add(entry);
    }
    return result;
  }
}
