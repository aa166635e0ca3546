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

  /** About 1 KiB each. */
  public static final int DEFAULT_RECORDS_MAX = 20_000;

  private final int recordsMax;
  private final Map<String, List<?>> files = new LinkedHashMap<>(64, 0.75f, true);
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
    return (List<T>) files.get(path);
  }

  synchronized void put(String path, List<?> content) {
    // An empty file takes room as well.
    int weight = content.size() + 1;
    if (weight > recordsMax / 4) {
      return;
    }
    List<?> before = files.put(path, content);
    records += weight - (before == null ? 0 : before.size() + 1);
    Iterator<List<?>> oldest = files.values().iterator();
    while (records > recordsMax && oldest.hasNext()) {
      records -= oldest.next().size() + 1;
      oldest.remove();
    }
  }

  synchronized void forget(String path) {
    List<?> before = files.remove(path);
    if (before != null) {
      records -= before.size() + 1;
    }
  }
}
