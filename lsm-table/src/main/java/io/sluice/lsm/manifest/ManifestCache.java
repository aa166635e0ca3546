package io.sluice.lsm.manifest;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decoded manifests and lists by path, the least lately used leave first. Files never change under
 * their unique names, so nothing goes stale. One may serve all tables of a process. Thread safe.
 */
public final class ManifestCache {

  /**
   * For the cache of one table among a thousand: entries take about 1 KiB each, and those of the
   * last thirty small commits, which are merged next, have room.
   */
  public static final int DEFAULT_RECORDS_MAX = 256;

  /** Lists hold the same descriptions of manifests one after the other: references only. */
  private static final int LIST_RECORDS_PER_WEIGHT = 16;

  private record Cached(List<?> content, int weight) {}

  private final int recordsMax;
  private final Map<String, Cached> files = new LinkedHashMap<>(64, 0.75f, true);
  private int records;

  public ManifestCache() {
    this(DEFAULT_RECORDS_MAX);
  }

  /**
   * @param recordsMax records of all files together; 0 keeps nothing
   */
  public ManifestCache(int recordsMax) {
    this.recordsMax = recordsMax;
  }

  @SuppressWarnings("unchecked") // a path holds records of one kind
  synchronized <T> @Nullable List<T> find(String path) {
    Cached cached = files.get(path);
    return cached == null ? null : (List<T>) cached.content();
  }

  void putEntries(String path, List<ManifestEntry> entries) {
    put(path, entries, 1 + entries.size());
  }

  void putList(String path, List<ManifestFileMeta> manifests) {
    put(path, manifests, 1 + manifests.size() / LIST_RECORDS_PER_WEIGHT);
  }

  private synchronized void put(String path, List<?> content, int weight) {
    if (weight > recordsMax / 2) {
      return;
    }
    forget(path);
    files.put(path, new Cached(content, weight));
    records += weight;
    Iterator<Cached> oldest = files.values().iterator();
    while (records > recordsMax && oldest.hasNext()) {
      records -= oldest.next().weight();
      oldest.remove();
    }
  }

  synchronized void forget(String path) {
    Cached before = files.remove(path);
    if (before != null) {
      records -= before.weight();
    }
  }
}
