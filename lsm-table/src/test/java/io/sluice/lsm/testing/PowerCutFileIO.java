package io.sluice.lsm.testing;

import io.sluice.lsm.io.FileIO;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/**
 * Storage in memory that can lose what was not made durable. A file that {@link #createUnsynced}
 * made is like any other until {@link #cutPower}: then it is gone, empty, half there, or whole, by
 * chance. Thread safe.
 */
public final class PowerCutFileIO implements FileIO {

  private final MemoryFileIO inner;
  private final Random random;
  private final TreeSet<String> unsynced = new TreeSet<>();

  public PowerCutFileIO(MemoryFileIO inner, long seed) {
    this.inner = inner;
    this.random = new Random(seed);
  }

  /** The power fails and comes back. */
  public synchronized void cutPower() throws IOException {
    for (String path : unsynced) {
      byte[] content = inner.readAll(path);
      switch (random.nextInt(4)) {
        case 0 -> inner.delete(path);
        case 1 -> inner.put(path, new byte[0]);
        case 2 -> inner.put(path, Arrays.copyOf(content, content.length / 2));
        default -> {}
      }
    }
    unsynced.clear();
  }

  @Override
  public OutputStream createUnsynced(String path) throws IOException {
    return new FilterOutputStream(inner.create(path)) {
      private boolean closed;

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
      }

      @Override
      public void close() throws IOException {
        if (!closed) {
          closed = true;
          synchronized (PowerCutFileIO.this) {
            super.close();
            unsynced.add(path);
          }
        }
      }
    };
  }

  @Override
  public synchronized void sync(Collection<String> paths) {
    unsynced.removeAll(paths);
  }

  @Override
  public RandomReader open(String path) throws IOException {
    return inner.open(path);
  }

  @Override
  public byte[] readAll(String path) throws IOException {
    return inner.readAll(path);
  }

  @Override
  public OutputStream create(String path) throws IOException {
    return inner.create(path);
  }

  @Override
  public boolean createExclusively(String path, byte[] content) {
    return inner.createExclusively(path, content);
  }

  @Override
  public void replace(String path, byte[] content) {
    inner.replace(path, content);
  }

  @Override
  public synchronized boolean delete(String path) {
    unsynced.remove(path);
    return inner.delete(path);
  }

  @Override
  public boolean exists(String path) {
    return inner.exists(path);
  }

  @Override
  public List<FileStatus> list(String folder) {
    return inner.list(folder);
  }

  @Override
  public void makeFolder(String folder) {
    inner.makeFolder(folder);
  }

  @Override
  public void deleteQuietly(String path) {
    delete(path);
  }
}
