package io.sluice.lsm.manifest;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.manifest.ManifestEntry.Kind;
import io.sluice.lsm.merge.ColumnComparator;
import io.sluice.lsm.schema.RowType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the number of manifests small (format description section 4.4). The state of a table is the
 * sum of its manifests' entries, so merging never changes it.
 *
 * <ul>
 *   <li>Full: once manifests that are small or hold deletes add up to the threshold, they are
 *       rewritten without DELETE entries and without the ADDs these cancel. A big manifest without
 *       deletes stays as it is unless one of its ADDs is cancelled, and is then rewritten by
 *       itself; where neither its partitions nor its buckets are those of a deleted file it isn't
 *       even read. So no more is on the heap than what made it due, and one manifest.
 *   <li>Minor: otherwise, once the newest manifests that are below the target size are many, the
 *       newest of them are joined, back to the first that is larger than all after it together (by
 *       a factor). So an entry is rewritten as often as the table's manifests double, not once
 *       every so many commits. A DELETE whose ADD lies outside of these is kept.
 * </ul>
 *
 * <p>What is rewritten is put in order of partition and bucket, so that each manifest holds few of
 * them and whoever asks for some reads few manifests.
 */
public final class ManifestMerge {

  /** A manifest larger than so many times all newer ones is left out of a minor merge. */
  private static final int LARGER_FACTOR = 2;

  private final ManifestFile manifestFile;
  private final RowType partitionType;
  private final long targetSizeBytes;
  private final long fullThresholdBytes;
  private final int mergeCountMin;

  /**
   * @param partitionType the partition columns
   */
  public ManifestMerge(
      ManifestFile manifestFile,
      RowType partitionType,
      long targetSizeBytes,
      long fullThresholdBytes,
      int mergeCountMin) {
    this.manifestFile = manifestFile;
    this.partitionType = partitionType;
    this.targetSizeBytes = targetSizeBytes;
    this.fullThresholdBytes = fullThresholdBytes;
    this.mergeCountMin = mergeCountMin;
  }

  /** By partition and bucket. For one thread, as its comparators are. */
  private Comparator<ManifestEntry> order() {
    Comparator<ManifestEntry> result = (a, b) -> 0;
    for (int i = 0; i < partitionType.size(); i++) {
      int column = i;
      ColumnComparator values = new ColumnComparator(partitionType.type(i));
      result =
          result.thenComparing(
              (a, b) -> values.compareNullable(a.partition(), column, b.partition(), column));
    }
    return result.thenComparingInt(ManifestEntry::bucket);
  }

  /**
   * What a merge made.
   *
   * @param manifests the new base list, in order
   * @param created those of them that are new files
   */
  public record Result(List<ManifestFileMeta> manifests, List<ManifestFileMeta> created) {}

  /**
   * Merges the manifests of a snapshot's base and delta. What is created is not durable yet.
   *
   * @throws IOException what was written until then is deleted again
   */
  public Result merge(List<ManifestFileMeta> manifests) throws IOException {
    List<ManifestFileMeta> created = new ArrayList<>();
    try {
      long worth = 0;
      for (ManifestFileMeta manifest : manifests) {
        if (isCandidate(manifest)) {
          worth += manifest.fileSize();
        }
      }
      List<ManifestFileMeta> result =
          worth >= fullThresholdBytes ? full(manifests, created) : minor(manifests, created);
      return new Result(List.copyOf(result), List.copyOf(created));
    } catch (IOException | RuntimeException e) {
      discard(created);
      throw e;
    }
  }

  /** Deletes manifests that nothing refers to. */
  public void discard(List<ManifestFileMeta> created) {
    created.forEach(manifest -> manifestFile.deleteQuietly(manifest.fileName()));
  }

  private boolean isCandidate(ManifestFileMeta manifest) {
    return manifest.deletedFiles() > 0 || manifest.fileSize() < targetSizeBytes;
  }

  private List<ManifestFileMeta> full(
      List<ManifestFileMeta> manifests, List<ManifestFileMeta> created) throws IOException {
    Deleted deleted = new Deleted();
    for (ManifestFileMeta manifest : manifests) {
      if (manifest.deletedFiles() > 0) {
        manifestFile.read(manifest).forEach(deleted::add);
      }
    }
    List<ManifestFileMeta> result = new ArrayList<>();
    Map<FileIdentity, ManifestEntry> rewritten = new LinkedHashMap<>();
    for (ManifestFileMeta manifest : manifests) {
      // Most big manifests are never touched again: without any delete there is nothing to look up.
      if (isCandidate(manifest)) {
        cancel(manifestFile.read(manifest), rewritten);
      } else if (!deleted.mayBeIn(manifest)) {
        result.add(manifest);
      } else {
        List<ManifestEntry> kept = new ArrayList<>();
        List<ManifestEntry> cancelled = new ArrayList<>();
        for (ManifestEntry entry : manifestFile.read(manifest)) {
          (deleted.files.contains(FileIdentity.of(entry)) ? cancelled : kept).add(entry);
        }
        cancel(cancelled, rewritten);
        if (cancelled.isEmpty()) {
          result.add(manifest);
        } else {
          result.addAll(write(kept, created));
        }
      }
    }
    for (ManifestEntry left : rewritten.values()) {
      if (left.kind() == Kind.DELETE) {
        throw new CorruptTableException(
            "The table's manifests delete a file that none of them adds: "
                + FileIdentity.of(left)
                + ". Keep the files and compare the last commits of its writers.");
      }
    }
    result.addAll(write(new ArrayList<>(rewritten.values()), created));
    return result;
  }

  /** The files that the manifests delete, and where these were. */
  private final class Deleted {
    private final Set<FileIdentity> files = new HashSet<>();
    private final Set<BinaryRow> partitions = new HashSet<>();
    private int minBucket = Integer.MAX_VALUE;
    private int maxBucket = Integer.MIN_VALUE;
    private @Nullable PartitionFilter filter;

    void add(ManifestEntry entry) {
      if (entry.kind() == Kind.DELETE) {
        files.add(FileIdentity.of(entry));
        partitions.add(entry.partition());
        minBucket = Math.min(minBucket, entry.bucket());
        maxBucket = Math.max(maxBucket, entry.bucket());
      }
    }

    /** False only if a manifest adds none of them. */
    boolean mayBeIn(ManifestFileMeta manifest) {
      Integer min = manifest.minBucket();
      Integer max = manifest.maxBucket();
      if (min != null && max != null && (maxBucket < min || minBucket > max)) {
        return false;
      }
      PartitionFilter among = filter;
      if (among == null) {
        among = PartitionFilter.of(partitions, partitionType);
        filter = among;
      }
      return among.mayHold(manifest);
    }
  }

  private List<ManifestFileMeta> minor(
      List<ManifestFileMeta> manifests, List<ManifestFileMeta> created) throws IOException {
    int first = manifests.size();
    while (first > 0 && manifests.get(first - 1).fileSize() < targetSizeBytes) {
      first--;
    }
    if (manifests.size() - first < mergeCountMin) {
      return manifests;
    }
    int from = manifests.size() - 1;
    long size = manifests.get(from).fileSize();
    while (from > first && manifests.get(from - 1).fileSize() <= LARGER_FACTOR * size) {
      from--;
      size += manifests.get(from).fileSize();
    }
    List<ManifestFileMeta> result = new ArrayList<>(manifests.subList(0, from));
    result.addAll(join(manifests.subList(from, manifests.size()), created));
    return result;
  }

  private List<ManifestFileMeta> join(
      List<ManifestFileMeta> candidates, List<ManifestFileMeta> created) throws IOException {
    if (candidates.size() == 1) {
      return List.copyOf(candidates);
    }
    Map<FileIdentity, ManifestEntry> entries = new LinkedHashMap<>();
    for (ManifestFileMeta candidate : candidates) {
      cancel(manifestFile.read(candidate), entries);
    }
    return write(new ArrayList<>(entries.values()), created);
  }

  /** Adds entries in order; a DELETE that meets its ADD takes both away, else it stays. */
  private static void cancel(List<ManifestEntry> entries, Map<FileIdentity, ManifestEntry> into) {
    for (ManifestEntry entry : entries) {
      FileIdentity identity = FileIdentity.of(entry);
      ManifestEntry before = into.get(identity);
      if (before == null) {
        into.put(identity, entry);
      } else if (before.kind() == entry.kind()) {
        throw new CorruptTableException(
            "Manifests hold "
                + entry.kind()
                + " twice for "
                + identity
                + ". Keep the files and compare the last commits of the table's writers.");
      } else {
        // ADD and DELETE, or a DELETE of an ADD outside and that ADD again: the net is nothing.
        into.remove(identity);
      }
    }
  }

  private List<ManifestFileMeta> write(List<ManifestEntry> entries, List<ManifestFileMeta> created)
      throws IOException {
    entries.sort(order());
    List<ManifestFileMeta> written = manifestFile.write(entries);
    created.addAll(written);
    return written;
  }
}
