package io.sluice.lsm.testing;

import io.sluice.lsm.io.FileIO;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Storage that counts the bytes read from opened files. Thread safe. */
public final class CountingFileIO implements FileIO {

  private final FileIO inner;
  private final AtomicLong bytes = new AtomicLong();

  public CountingFileIO(FileIO inner) {
    this.inner = inner;
  }

  /** Bytes read since the last call. */
  public long takeBytesRead() {
    return bytes.getAndSet(0);
  }

  @Override
  public RandomReader open(String path) throws IOException {
    RandomReader reader = inner.open(path);
    return new RandomReader() {
      @Override
      public long length() throws IOException {
        return reader.length();
      }

      @Override
      public void readFully(long position, byte[] into, int offset, int length) throws IOException {
        reader.readFully(position, into, offset, length);
        bytes.addAndGet(length);
      }

      @Override
      public void close() throws IOException {
        reader.close();
      }
    };
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
  public boolean createExclusively(String path, byte[] content) throws IOException {
    return inner.createExclusively(path, content);
  }

  @Override
  public void replace(String path, byte[] content) throws IOException {
    inner.replace(path, content);
  }

  @Override
  public boolean delete(String path) throws IOException {
    return inner.delete(path);
  }

  @Override
  public boolean exists(String path) throws IOException {
    return inner.exists(path);
  }

  @Override
  public List<FileStatus> list(String folder) throws IOException {
    return inner.list(folder);
  }

  @Override
  public void makeFolder(String folder) throws IOException {
    inner.makeFolder(folder);
  }

  @Override
  public void deleteQuietly(String path) {
    inner.deleteQuietly(path);
  }
}
