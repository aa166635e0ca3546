package io.sluice.lsm.manifest;

import io.sluice.lsm.error.CorruptTableException;
import io.sluice.lsm.manifest.ManifestEntry.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Keeps the number of manifests small (format description section 4.4). The state of a table is the
 * sum of its manifests' entries, so merging never changes it.
 *
 * <ul>
 *   <li>Full: once manifests that are small or hold deletes add up to the threshold, they are
 *       rewritten without DELETE entries and without the ADDs these cancel. A big manifest without
 *       deletes stays as it is unless one of its ADDs is cancelled.
 *   <li>Minor: otherwise, runs of small neighbours are joined once they reach the target size, or
 *       are many. A DELETE whose ADD lies outside of the run is kept.
 * </ul>
 */
public final class ManifestMerge {

  private final ManifestFile manifestFile;
  private final long targetSizeBytes;
  private final long fullThresholdBytes;
  private final int mergeCountMin;

  public ManifestMerge(
      ManifestFile manifestFile, long targetSizeBytes, long fullThresholdBytes, int mergeCountMin) {
    this.manifestFile = manifestFile;
    this.targetSizeBytes = targetSizeBytes;
    this.fullThresholdBytes = fullThresholdBytes;
    this.mergeCountMin = mergeCountMin;
  }

  /**
   * What a merge made.
   *
   * @param manifests the new base list, in order
   * @param created those of them that are new files
   */
  public record Result(List<ManifestFileMeta> manifests, List<ManifestFileMeta> created) {}

  /**
   * Merges the manifests of a snapshot's base and delta.
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
    Set<FileIdentity> deleted = new HashSet<>();
    for (ManifestFileMeta manifest : manifests) {
      if (manifest.deletedFiles() > 0) {
        for (ManifestEntry entry : manifestFile.read(manifest.fileName())) {
          if (entry.kind() == Kind.DELETE) {
            deleted.add(FileIdentity.of(entry));
          }
        }
      }
    }
    List<ManifestFileMeta> result = new ArrayList<>();
    Map<FileIdentity, ManifestEntry> rewritten = new LinkedHashMap<>();
    for (ManifestFileMeta manifest : manifests) {
      // Most big manifests are never touched again: without any delete there is nothing to look up.
      if (!isCandidate(manifest) && (deleted.isEmpty() || !holdsAny(manifest, deleted))) {
        result.add(manifest);
      } else {
        cancel(manifestFile.read(manifest.fileName()), rewritten);
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

  private boolean holdsAny(ManifestFileMeta manifest, Set<FileIdentity> deleted)
      throws IOException {
    for (ManifestEntry entry : manifestFile.read(manifest.fileName())) {
      if (deleted.contains(FileIdentity.of(entry))) {
        return true;
      }
    }
    return false;
  }

  private List<ManifestFileMeta> minor(
      List<ManifestFileMeta> manifests, List<ManifestFileMeta> created) throws IOException {
    List<ManifestFileMeta> result = new ArrayList<>();
    List<ManifestFileMeta> candidates = new ArrayList<>();
    long size = 0;
    for (ManifestFileMeta manifest : manifests) {
      size += manifest.fileSize();
      candidates.add(manifest);
      if (size >= targetSizeBytes) {
        result.addAll(join(candidates, created));
        candidates.clear();
        size = 0;
      }
    }
    if (candidates.size() >= mergeCountMin) {
      result.addAll(join(candidates, created));
    } else {
      result.addAll(candidates);
    }
    return result;
  }

  private List<ManifestFileMeta> join(
      List<ManifestFileMeta> candidates, List<ManifestFileMeta> created) throws IOException {
    if (candidates.size() == 1) {
      return List.copyOf(candidates);
    }
    Map<FileIdentity, ManifestEntry> entries = new LinkedHashMap<>();
    for (ManifestFileMeta candidate : candidates) {
      cancel(manifestFile.read(candidate.fileName()), entries);
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
    List<ManifestFileMeta> written = manifestFile.write(entries);
    created.addAll(written);
    return written;
  }
}
