package io.sluice.lsm.manifest;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.error.CorruptTableException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The files that a snapshot's rows are in: all entries of its base and delta manifests, in order,
 * with every DELETE taking away its ADD. Refuses an ADD of what is there and a DELETE of what is
 * not. One thread at a time.
 */
public final class LiveFiles {

  private record Bucket(BinaryRow partition, int bucket) {
    static Bucket of(ManifestEntry entry) {
      return new Bucket(entry.partition(), entry.bucket());
    }
  }

  private final Map<Bucket, Map<FileIdentity, ManifestEntry>> buckets = new LinkedHashMap<>();
  private int count;
  private long records;

  /** No files: the state before the first snapshot. */
  public LiveFiles() {}

  /**
   * Applies entries in order.
   *
   * @param source where they come from, for the message
   * @throws CorruptTableException if they do not fit; the state is then half changed: drop it
   */
  public void apply(List<ManifestEntry> changes, String source) {
    apply(changes, source, PartitionFilter.ALL);
  }

  /** Applies those entries whose partition is asked for, in order. */
  public void apply(List<ManifestEntry> changes, String source, PartitionFilter filter) {
    for (ManifestEntry change : changes) {
      if (filter.test(change.partition())) {
        apply(change, source);
      }
    }
  }

  private void apply(ManifestEntry change, String source) {
    FileIdentity identity = FileIdentity.of(change);
    switch (change.kind()) {
      case ADD -> {
        Map<FileIdentity, ManifestEntry> files =
            buckets.computeIfAbsent(Bucket.of(change), bucket -> new LinkedHashMap<>());
        records += change.file().rowCount();
        if (files.put(identity, change) != null) {
          throw new CorruptTableException(
              source
                  + " adds a file that is there already: "
                  + identity
                  + ". Keep the files and compare the last commits of its writers.");
        }
        count++;
      }
      case DELETE -> {
        Bucket bucket = Bucket.of(change);
        Map<FileIdentity, ManifestEntry> files = buckets.get(bucket);
        ManifestEntry before = files == null ? null : files.remove(identity);
        if (files == null || before == null) {
          throw new CorruptTableException(
              source
                  + " deletes a file that is not there: "
                  + identity
                  + ". Keep the files and compare the last commits of its writers.");
        }
        if (files.isEmpty()) {
          buckets.remove(bucket);
        }
        count--;
        records -= before.file().rowCount();
      }
    }
  }

  /** Whether the entry's file is live, at its level. */
  public boolean contains(ManifestEntry entry) {
    Map<FileIdentity, ManifestEntry> files = buckets.get(Bucket.of(entry));
    return files != null && files.containsKey(FileIdentity.of(entry));
  }

  /**
   * All live files as their ADD entries, bucket by bucket, in each in the order of their adding.
   */
  public Collection<ManifestEntry> entries() {
    List<ManifestEntry> result = new ArrayList<>(count);
    buckets.values().forEach(files -> result.addAll(files.values()));
    return result;
  }

  /** Live files of one bucket. */
  public List<ManifestEntry> ofBucket(BinaryRow partition, int bucket) {
    Map<FileIdentity, ManifestEntry> files = buckets.get(new Bucket(partition, bucket));
    return files == null ? List.of() : List.copyOf(files.values());
  }

  public int count() {
    return count;
  }

  /** Physical records in the files. */
  public long records() {
    return records;
  }
}
