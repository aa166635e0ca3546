package io.sluice.lsm.testing;

import io.sluice.lsm.io.FileIO;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Storage in memory, as strict as real storage: a created file appears when it is closed, names are
 * created exclusively, folders are what the paths of files imply. Thread safe.
 */
public final class MemoryFileIO implements FileIO {

  private record Stored(byte[] content, long modifiedMillis) {}

  private final NavigableMap<String, Stored> files = new TreeMap<>();
  private long now = 1_000_000;

  /** Another storage with the same files. */
  public synchronized MemoryFileIO copy() {
    MemoryFileIO result = new MemoryFileIO();
    result.files.putAll(files);
    result.now = now;
    return result;
  }

  /** All paths, sorted. */
  public synchronized List<String> paths() {
    return new ArrayList<>(files.keySet());
  }

  /** Puts a file there without any rule. */
  public synchronized void put(String path, byte[] content) {
    files.put(path, new Stored(content.clone(), now++));
  }

  @Override
  public RandomReader open(String path) throws IOException {
    byte[] content = readAll(path);
    return new RandomReader() {
      @Override
      public long length() {
        return content.length;
      }

      @Override
      public void readFully(long position, byte[] into, int offset, int length) throws IOException {
        if (position < 0 || position + length > content.length) {
          throw new EOFException(path + " has " + content.length + " bytes");
        }
        System.arraycopy(content, (int) position, into, offset, length);
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public synchronized byte[] readAll(String path) throws IOException {
    Stored file = files.get(path);
    if (file == null) {
      throw new FileNotFoundException("There is no file " + path);
    }
    return file.content().clone();
  }

  @Override
  public OutputStream create(String path) throws IOException {
    if (exists(path)) {
      throw new FileAlreadyExistsException(path);
    }
    return new ByteArrayOutputStream() {
      private boolean closed;

      @Override
      public void close() throws IOException {
        if (!closed) {
          closed = true;
          if (!createExclusively(path, toByteArray())) {
            throw new FileAlreadyExistsException(path);
          }
        }
      }
    };
  }

  @Override
  public synchronized boolean createExclusively(String path, byte[] content) {
    return files.putIfAbsent(path, new Stored(content.clone(), now++)) == null;
  }

  @Override
  public void replace(String path, byte[] content) {
    put(path, content);
  }

  @Override
  public synchronized boolean delete(String path) {
    return files.remove(path) != null;
  }

  @Override
  public synchronized boolean exists(String path) {
    return files.containsKey(path) || !list(path).isEmpty();
  }

  @Override
  public synchronized List<FileStatus> list(String folder) {
    String prefix = folder + "/";
    List<FileStatus> result = new ArrayList<>();
    TreeSet<String> folders = new TreeSet<>();
    for (Map.Entry<String, Stored> file : files.tailMap(prefix, true).entrySet()) {
      String path = file.getKey();
      if (!path.startsWith(prefix)) {
        break;
      }
      int slash = path.indexOf('/', prefix.length());
      if (slash < 0) {
        Stored stored = file.getValue();
        result.add(new FileStatus(path, false, stored.content().length, stored.modifiedMillis()));
      } else {
        folders.add(path.substring(0, slash));
      }
    }
    for (String name : folders) {
      result.add(new FileStatus(name, true, 0, 0));
    }
    return result;
  }

  @Override
  public void makeFolder(String folder) {
    // Folders are what the paths of files imply.
  }

  @Override
  public void deleteQuietly(String path) {
    delete(path);
  }
}
