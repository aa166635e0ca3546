package io.sluice.lsm.manifest;

import io.sluice.lsm.binary.BinaryRow;
import io.sluice.lsm.error.CorruptTableException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The files that a snapshot's rows are in: all entries of its base and delta manifests, in order,
 * with every DELETE taking away its ADD. Refuses an ADD of what is there and a DELETE of what is
 * not. One thread at a time.
 */
public final class LiveFiles {

  private final Map<FileIdentity, ManifestEntry> entries = new LinkedHashMap<>();

  /** No files: the state before the first snapshot. */
  public LiveFiles() {}

  /** A copy that goes its own way. */
  public LiveFiles copy() {
    LiveFiles result = new LiveFiles();
    result.entries.putAll(entries);
    return result;
  }

  /**
   * Applies entries in order.
   *
   * @param source where they come from, for the message
   * @throws CorruptTableException if they do not fit; the state is then half changed: drop it
   */
  public void apply(List<ManifestEntry> changes, String source) {
    for (ManifestEntry change : changes) {
      FileIdentity identity = FileIdentity.of(change);
      switch (change.kind()) {
        case ADD -> {
          if (entries.put(identity, change) != null) {
            throw new CorruptTableException(
                source
                    + " adds a file that is there already: "
                    + identity
                    + ". Keep the files and compare the last commits of its writers.");
          }
        }
        case DELETE -> {
          if (entries.remove(identity) == null) {
            throw new CorruptTableException(
                source
                    + " deletes a file that is not there: "
                    + identity
                    + ". Keep the files and compare the last commits of its writers.");
          }
        }
      }
    }
  }

  public boolean contains(FileIdentity identity) {
    return entries.containsKey(identity);
  }

  /** All live files as their ADD entries, in the order of their adding. A view. */
  public Collection<ManifestEntry> entries() {
    return Collections.unmodifiableCollection(entries.values());
  }

  /** Live files of one bucket. */
  public List<ManifestEntry> ofBucket(BinaryRow partition, int bucket) {
    List<ManifestEntry> result = new ArrayList<>();
    for (ManifestEntry entry : entries.values()) {
      if (entry.bucket() == bucket && entry.partition().equals(partition)) {
        result.add(entry);
      }
    }
    return result;
  }

  public int count() {
    return entries.size();
  }
}
