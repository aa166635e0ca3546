package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIO.RandomReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.zip.CRC32C;
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
import org.apache.orc.OrcProto;
import org.jspecify.annotations.Nullable;

/**
 * The one file of a {@link FileIO} that an ORC reader may open, dressed as a Hadoop file system.
 * Everything else is refused. Once {@link #verify} has found checksums, what is read is compared
 * with them, in whole blocks.
 */
final class OrcStreams extends FileSystem {

  private static final URI NAME = URI.create("sluice:///");

  /** What ORC is told the file is called; the true path may be no Hadoop path. */
  static final Path PATH = new Path("/file.orc");

  /** Unwanted bytes between two ranges that are read along. */
  private static final long GAP_BYTES_MAX = 64 << 10;

  /** Longer streams come in pieces: large arrays would cost the JVM collections of their own. */
  static final int RANGE_BYTES_MAX = 256 << 10;

  private static final int BLOCKS_KEPT = 4;

  private final FileIO fileIO;
  private final String path;
  private @Nullable IOException failure;
  private @Nullable BlockChecksums checksums;

  /** What was read before it was known whether there are checksums; null since then. */
  private @Nullable List<Piece> early = new ArrayList<>();

  /** The last blocks of what was read lately: what is read next often begins or ends there. */
  private final Map<Long, byte[]> kept =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, byte[]> eldest) {
          return size() > BLOCKS_KEPT;
        }
      };

  /** Some bytes of the file. */
  private record Piece(long start, byte[] bytes, int offset, int length) {
    long end() {
      return start + length;
    }
  }

  OrcStreams(FileIO fileIO, String path, Configuration configuration) {
    this.fileIO = fileIO;
    this.path = path;
    setConf(configuration);
  }

  /** Another, which reads the same file by the same checksums; for another thread. */
  OrcStreams another() {
    if (early != null) {
      throw new IllegalStateException("The footer of " + path + " was not looked at yet");
    }
    OrcStreams another = new OrcStreams(fileIO, path, getConf());
    another.checksums = checksums;
    another.early = null;
    return another;
  }

  /** What storage said when it failed last, null while it hasn't. */
  @Nullable IOException failure() {
    return failure;
  }

  /**
   * Looks for checksums in a footer that was just read, and checks those bytes; from here on what
   * is read is checked, too. {@code false}: there are none.
   */
  boolean verify(OrcProto.FileTail tail) throws IOException {
    List<Piece> read = early;
    if (read == null) {
      throw new IllegalStateException("The footer of " + path + " was looked at before");
    }
    checksums = BlockChecksums.of(tail, (crc, from, to) -> addTail(crc, read, from, to));
    early = null;
    return checksums != null;
  }

  private static void addTail(CRC32C crc, List<Piece> pieces, long from, long to)
      throws IOException {
    long at = from;
    while (at < to) {
      Piece holder = null;
      for (Piece piece : pieces) {
        holder = piece.start() <= at && at < piece.end() ? piece : holder;
      }
      if (holder == null) {
        throw new IOException("its footer says that it is longer than it is");
      }
      int count = (int) (Math.min(to, holder.end()) - at);
      crc.update(holder.bytes(), holder.offset() + (int) (at - holder.start()), count);
      at += count;
    }
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
      if (checksums != null) {
        checked(from, from + length).get(into, offset, length);
        return;
      }
      fill(from, into, offset, length);
      if (early != null) {
        early.add(new Piece(from, into, offset, length));
      }
    }

    private void fill(long from, byte[] into, int offset, int length) throws IOException {
      try {
        reader.readFully(from, into, offset, length);
      } catch (IOException e) {
        throw noted(e);
      }
    }

    /** Reads {@code [from, to)}, and of its first and last block what their checksums need. */
    private ByteBuffer checked(long from, long to) throws IOException {
      BlockChecksums known = checksums;
      if (known == null) {
        byte[] bytes = new byte[Math.toIntExact(to - from)];
        fill(from, bytes, 0, bytes.length);
        return ByteBuffer.wrap(bytes);
      }
      if (from < 0 || to > known.end()) {
        throw new IOException(
            "bytes "
                + from
                + " to "
                + to
                + " are asked for; the last stripe ends at "
                + known.end());
      }
      if (from == to) {
        return ByteBuffer.allocate(0);
      }
      long first = from / BlockChecksums.BLOCK_BYTES;
      long last = (to - 1) / BlockChecksums.BLOCK_BYTES;
      long start = first * BlockChecksums.BLOCK_BYTES;
      byte[] bytes = new byte[(int) (known.blockEnd(last) - start)];
      long left = first;
      while (left <= last && takeKept(left, bytes, start)) {
        left++;
      }
      long right = last;
      while (right > left && takeKept(right, bytes, start)) {
        right--;
      }
      if (left <= right) {
        long missing = left * BlockChecksums.BLOCK_BYTES;
        int offset = (int) (missing - start);
        int end = (int) (known.blockEnd(right) - start);
        fill(missing, bytes, offset, end - offset);
        known.check(bytes, offset, end, missing);
        int block = (int) (right * BlockChecksums.BLOCK_BYTES - start);
        kept.put(right, Arrays.copyOfRange(bytes, block, end));
      }
      return ByteBuffer.wrap(bytes, (int) (from - start), (int) (to - from)).slice();
    }

    /** Puts a block that was kept into bytes of the file from a start on, if it is at hand. */
    private boolean takeKept(long block, byte[] bytes, long start) {
      byte[] known = kept.get(block);
      if (known == null) {
        return false;
      }
      System.arraycopy(
          known, 0, bytes, (int) (block * BlockChecksums.BLOCK_BYTES - start), known.length);
      return true;
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
          if (next.getOffset() - end > GAP_BYTES_MAX || nextEnd - start > reader.bytesAtOnce()) {
            break;
          }
          end = nextEnd;
          to++;
        }
        ByteBuffer bytes = checked(start, end);
        for (FileRange range : sorted.subList(from, to)) {
          int offset = (int) (range.getOffset() - start);
          range.setData(CompletableFuture.completedFuture(bytes.slice(offset, range.getLength())));
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
