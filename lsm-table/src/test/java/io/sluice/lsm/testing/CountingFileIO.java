package io.sluice.lsm.testing;

import io.sluice.lsm.io.FileIO;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Storage that counts what is done with opened files, and fails the read that a test says. Thread
 * safe.
 */
public final class CountingFileIO implements FileIO {

  private final FileIO inner;
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger reads = new AtomicInteger();
  private volatile int failing;

  public CountingFileIO(FileIO inner) {
    this.inner = inner;
  }

  /** Bytes read since the last call. */
  public long takeBytesRead() {
    return bytes.getAndSet(0);
  }

  /** Files that were opened and not closed. */
  public int openFiles() {
    return open.get();
  }

  /**
   * Reads since the last call; from here on one of them fails.
   *
   * @param number of that read, from 1; 0: none
   */
  public int takeReads(int number) {
    failing = number;
    return reads.getAndSet(0);
  }

  @Override
  public RandomReader open(String path) throws IOException {
    RandomReader reader = inner.open(path);
    open.incrementAndGet();
    return new RandomReader() {
      @Override
      public long length() throws IOException {
        return reader.length();
      }

      @Override
      public void readFully(long position, byte[] into, int offset, int length) throws IOException {
        if (reads.incrementAndGet() == failing) {
          throw new IOException("The disk does not answer");
        }
        reader.readFully(position, into, offset, length);
        bytes.addAndGet(length);
      }

      @Override
      public int bytesAtOnce() {
        return reader.bytesAtOnce();
      }

      @Override
      public void close() throws IOException {
        open.decrementAndGet();
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
