package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIO.RandomReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.Seekable;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;

/**
 * The one file of a {@link FileIO} that an ORC reader may open, dressed as a Hadoop file system.
 * Everything else is refused.
 */
final class OrcStreams extends FileSystem {

  private static final URI NAME = URI.create("sluice:///");

  /** What ORC is told the file is called; the true path may be no Hadoop path. */
  static final Path PATH = new Path("/file.orc");

  /** Unwanted bytes between two ranges that are read along. */
  private static final long GAP_BYTES_MAX = 64 << 10;

  private static final long READ_BYTES_MAX = 8 << 20;

  private final FileIO fileIO;
  private final String path;
  private @Nullable IOException failure;

  OrcStreams(FileIO fileIO, String path, Configuration configuration) {
    this.fileIO = fileIO;
    this.path = path;
    setConf(configuration);
  }

  /** What storage said when it failed last, null while it hasn't. */
  @Nullable IOException failure() {
    return failure;
  }

  /** Keeps a failure of storage apart from what ORC makes of wrong bytes. */
  private IOException noted(IOException e) {
    // The end of a file that came too early is a fault of the file.
    if (!(e instanceof EOFException)) {
      failure = e;
    }
    return e;
  }

  @Override
  public URI getUri() {
    return NAME;
  }

  @Override
  public FSDataInputStream open(Path ignored, int bufferBytes) throws IOException {
    try {
      return new FSDataInputStream(new Input(fileIO.open(path)));
    } catch (IOException e) {
      throw noted(e);
    }
  }

  @Override
  public FileStatus getFileStatus(Path ignored) throws IOException {
    try (RandomReader reader = fileIO.open(path)) {
      return new FileStatus(reader.length(), false, 1, 1L << 20, 0, PATH);
    } catch (IOException e) {
      throw noted(e);
    }
  }

  @Override
  public Path getWorkingDirectory() {
    return new Path("/");
  }

  @Override
  public void setWorkingDirectory(Path folder) {
    throw refused();
  }

  @Override
  public FSDataOutputStream create(
      Path ignored,
      FsPermission permission,
      boolean overwrite,
      int bufferBytes,
      short replication,
      long blockBytes,
      Progressable progress) {
    throw refused();
  }

  @Override
  public FSDataOutputStream append(Path ignored, int bufferBytes, Progressable progress) {
    throw refused();
  }

  @Override
  public boolean rename(Path from, Path to) {
    throw refused();
  }

  @Override
  public boolean delete(Path ignored, boolean recursive) {
    throw refused();
  }

  @Override
  public FileStatus[] listStatus(Path ignored) {
    throw refused();
  }

  @Override
  public boolean mkdirs(Path ignored, FsPermission permission) {
    throw refused();
  }

  private static UnsupportedOperationException refused() {
    return new UnsupportedOperationException("An ORC file may only be read through this");
  }

  /** Hadoop's view of a {@link RandomReader}. */
  private final class Input extends InputStream implements Seekable, PositionedReadable {

    private final RandomReader reader;
    private final byte[] one = new byte[1];
    private long position;

    Input(RandomReader reader) {
      this.reader = reader;
    }

    @Override
    public int read() throws IOException {
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int count = read(position, into, offset, length);
      if (count > 0) {
        position += count;
      }
      return count;
    }

    @Override
    public int read(long from, byte[] into, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      long left = reader.length() - from;
      if (left <= 0) {
        return -1;
      }
      int count = (int) Math.min(length, left);
      readFully(from, into, offset, count);
      return count;
    }

    @Override
    public void readFully(long from, byte[] into, int offset, int length) throws IOException {
      try {
        reader.readFully(from, into, offset, length);
      } catch (IOException e) {
        throw noted(e);
      }
    }

    @Override
    public void readFully(long from, byte[] into) throws IOException {
      readFully(from, into, 0, into.length);
    }

    /** Reads neighbouring ranges in one go: on object stores each read is a request. */
    @Override
    public void readVectored(
        List<? extends FileRange> ranges, IntFunction<ByteBuffer> ignoredAllocator)
        throws IOException {
      List<FileRange> sorted = new ArrayList<>(ranges);
      sorted.sort(Comparator.comparingLong(FileRange::getOffset));
      int from = 0;
      while (from < sorted.size()) {
        long start = sorted.get(from).getOffset();
        long end = start + sorted.get(from).getLength();
        int to = from + 1;
        while (to < sorted.size()) {
          FileRange next = sorted.get(to);
          long nextEnd = Math.max(end, next.getOffset() + next.getLength());
          if (next.getOffset() - end > GAP_BYTES_MAX || nextEnd - start > READ_BYTES_MAX) {
            break;
          }
          end = nextEnd;
          to++;
        }
        byte[] bytes = new byte[Math.toIntExact(end - start)];
        readFully(start, bytes, 0, bytes.length);
        for (FileRange range : sorted.subList(from, to)) {
          int offset = (int) (range.getOffset() - start);
          range.setData(
              CompletableFuture.completedFuture(
                  ByteBuffer.wrap(bytes, offset, range.getLength()).slice()));
        }
        from = to;
      }
    }

    @Override
    public void seek(long newPosition) throws IOException {
      if (newPosition < 0 || newPosition > reader.length()) {
        throw new EOFException("Position " + newPosition + " of " + reader.length() + " bytes");
      }
      position = newPosition;
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public boolean seekToNewSource(long target) {
      return false;
    }

    @Override
    public void close() throws IOException {
      reader.close();
    }
  }
}
