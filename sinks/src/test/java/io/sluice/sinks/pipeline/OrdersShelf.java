package io.sluice.sinks.pipeline;

import io.sluice.lsm.io.FileIO.FileStatus;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * All files of a lake in memory, with a hash of those by which programs coordinate (snapshots,
 * epochs, consumers, schemas). Whoever has the turn uses it.
 */
final class OrdersShelf {

  private final NavigableMap<String, byte[]> files = new TreeMap<>();
  private long hash;

  OrdersShelf copy() {
    OrdersShelf result = new OrdersShelf();
    result.files.putAll(files);
    result.hash = hash;
    return result;
  }

  /** Whether programs can learn something of each other by this file; hints are never trusted. */
  static boolean isShared(String path) {
    return (path.contains("/_sluice/")
            || path.contains("/snapshot")
            || path.contains("/consumer")
            || path.contains("/schema"))
        && !path.endsWith("/LATEST")
        && !path.endsWith("/EARLIEST");
  }

  /** Equal for shelves with equal shared files. */
  long hash() {
    return hash;
  }

  byte @Nullable [] get(String path) {
    return files.get(path);
  }

  void put(String path, byte[] content) {
    byte[] before = files.put(path, content);
    if (isShared(path)) {
      hash ^= before == null ? 0 : hash(path, before);
      hash ^= hash(path, content);
    }
  }

  boolean create(String path, byte[] content) {
    if (files.containsKey(path)) {
      return false;
    }
    put(path, content);
    return true;
  }

  boolean remove(String path) {
    byte[] before = files.remove(path);
    if (before != null && isShared(path)) {
      hash ^= hash(path, before);
    }
    return before != null;
  }

  boolean exists(String path) {
    return files.containsKey(path)
        || files.tailMap(path + "/").keySet().stream()
            .findFirst()
            .map(first -> first.startsWith(path + "/"))
            .orElse(false);
  }

  List<FileStatus> list(String folder) {
    String prefix = folder + "/";
    List<FileStatus> result = new ArrayList<>();
    TreeSet<String> folders = new TreeSet<>();
    for (Map.Entry<String, byte[]> file : files.tailMap(prefix, true).entrySet()) {
      String path = file.getKey();
      if (!path.startsWith(prefix)) {
        break;
      }
      int slash = path.indexOf('/', prefix.length());
      if (slash < 0) {
        result.add(new FileStatus(path, false, file.getValue().length, 0));
      } else {
        folders.add(path.substring(0, slash));
      }
    }
    for (String name : folders) {
      result.add(new FileStatus(name, true, 0, 0));
    }
    return result;
  }

  static long hash(String path, byte[] content) {
    long result = mix(path.hashCode());
    for (byte b : content) {
      result = result * 0x100000001b3L ^ b;
    }
    return mix(result);
  }

  static long hash(String text) {
    return hash(text, text.getBytes(StandardCharsets.UTF_8));
  }

  static long mix(long value) {
    long z = value + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
