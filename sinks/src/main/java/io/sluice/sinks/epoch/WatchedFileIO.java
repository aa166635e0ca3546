package io.sluice.sinks.epoch;

import io.sluice.lsm.io.FileIO;
import io.sluice.sinks.Liveness;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collection;
import java.util.List;

/**
 * Storage of which each answer, good or bad, is a sign of life of the thread that asked: a thread
 * that waits for an answer gives none. Thread safe.
 */
public final class WatchedFileIO implements FileIO {

  private final FileIO inner;
  private final Liveness liveness;

  public WatchedFileIO(FileIO inner, Liveness liveness) {
    this.inner = inner;
    this.liveness = liveness;
  }

  @FunctionalInterface
  private interface Request<T> {
    T answer() throws IOException;
  }

  private <T> T ask(Request<T> request) throws IOException {
    try {
      return request.answer();
    } finally {
      liveness.step();
    }
  }

  @Override
  public RandomReader open(String path) throws IOException {
    RandomReader reader = ask(() -> inner.open(path));
    return new RandomReader() {
      @Override
      public long length() throws IOException {
        return ask(reader::length);
      }

      @Override
      public void readFully(long position, byte[] into, int offset, int length) throws IOException {
        try {
          reader.readFully(position, into, offset, length);
        } finally {
          liveness.step();
        }
      }

      @Override
      public int bytesAtOnce() {
        return reader.bytesAtOnce();
      }

      @Override
      public void close() throws IOException {
        reader.close();
      }
    };
  }

  @Override
  public byte[] readAll(String path) throws IOException {
    return ask(() -> inner.readAll(path));
  }

  @Override
  public OutputStream create(String path) throws IOException {
    return watched(ask(() -> inner.create(path)));
  }

  @Override
  public OutputStream createUnsynced(String path) throws IOException {
    return watched(ask(() -> inner.createUnsynced(path)));
  }

  private OutputStream watched(OutputStream stream) {
    return new FilterOutputStream(stream) {
      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
          out.write(bytes, offset, length);
        } finally {
          liveness.step();
        }
      }

      @Override
      public void close() throws IOException {
        // Its own close would flush first, and hide a failure of that.
        try {
          out.close();
        } finally {
          liveness.step();
        }
      }
    };
  }

  @Override
  public void sync(Collection<String> paths) throws IOException {
    try {
      inner.sync(paths);
    } finally {
      liveness.step();
    }
  }

  @Override
  public boolean createExclusively(String path, byte[] content) throws IOException {
    return ask(() -> inner.createExclusively(path, content));
  }

  @Override
  public boolean createExclusively(String path, byte[] content, Collection<String> needed)
      throws IOException {
    return ask(() -> inner.createExclusively(path, content, needed));
  }

  @Override
  public void replace(String path, byte[] content) throws IOException {
    try {
      inner.replace(path, content);
    } finally {
      liveness.step();
    }
  }

  @Override
  public void replaceHint(String path, byte[] content) throws IOException {
    try {
      inner.replaceHint(path, content);
    } finally {
      liveness.step();
    }
  }

  @Override
  public boolean delete(String path) throws IOException {
    return ask(() -> inner.delete(path));
  }

  @Override
  public boolean exists(String path) throws IOException {
    return ask(() -> inner.exists(path));
  }

  @Override
  public List<FileStatus> list(String folder) throws IOException {
    return ask(() -> inner.list(folder));
  }

  @Override
  public void makeFolder(String folder) throws IOException {
    try {
      inner.makeFolder(folder);
    } finally {
      liveness.step();
    }
  }

  @Override
  public void deleteQuietly(String path) {
    try {
      inner.deleteQuietly(path);
    } finally {
      liveness.step();
    }
  }

  @Override
  public void close() throws IOException {
    inner.close();
  }
}
