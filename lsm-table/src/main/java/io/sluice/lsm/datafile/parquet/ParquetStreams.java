package io.sluice.lsm.datafile.parquet;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIO.RandomReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.io.SeekableInputStream;
import org.jspecify.annotations.Nullable;

/** The one file of a {@link FileIO} that Parquet may read or write. */
final class ParquetStreams {

  private ParquetStreams() {}

  /** A file to be read. */
  static final class Input implements InputFile {

    private final FileIO fileIO;
    private final String path;
    private final long length;
    private @Nullable IOException failure;

    /**
     * @param length bytes, as the manifest says
     */
    Input(FileIO fileIO, String path, long length) {
      this.fileIO = fileIO;
      this.path = path;
      this.length = length;
    }

    /** What storage said when it failed last, null while it hasn't. */
    @Nullable IOException failure() {
      return failure;
    }

    @Override
    public long getLength() {
      return length;
    }

    @Override
    public SeekableInputStream newStream() throws IOException {
      try {
        return new Stream(fileIO.open(path));
      } catch (IOException e) {
        throw noted(e);
      }
    }

    /** Keeps a failure of storage apart from what Parquet makes of wrong bytes. */
    private IOException noted(IOException e) {
      // The end of a file that came too early is a fault of the file.
      if (!(e instanceof EOFException)) {
        failure = e;
      }
      return e;
    }

    private final class Stream extends SeekableInputStream {

      /** Page headers are read byte by byte. */
      private static final int BUFFER_BYTES = 4096;

      private final RandomReader reader;
      private final byte[] buffer = new byte[BUFFER_BYTES];
      private long bufferStart;
      private int buffered;
      private long position;

      Stream(RandomReader reader) {
        this.reader = reader;
      }

      @Override
      public long getPos() {
        return position;
      }

      @Override
      public void seek(long newPosition) throws IOException {
        if (newPosition < 0 || newPosition > length) {
          throw new EOFException("Position " + newPosition + " of " + length + " bytes");
        }
        position = newPosition;
      }

      @Override
      public int read() throws IOException {
        if (position >= length) {
          return -1;
        }
        if (position < bufferStart || position >= bufferStart + buffered) {
          int count = (int) Math.min(BUFFER_BYTES, length - position);
          fill(position, buffer, 0, count);
          bufferStart = position;
          buffered = count;
        }
        return buffer[(int) (position++ - bufferStart)] & 0xff;
      }

      @Override
      public int read(byte[] into, int offset, int count) throws IOException {
        if (count == 0) {
          return 0;
        }
        if (position >= length) {
          return -1;
        }
        int some = (int) Math.min(count, length - position);
        readFully(into, offset, some);
        return some;
      }

      @Override
      public void readFully(byte[] into) throws IOException {
        readFully(into, 0, into.length);
      }

      @Override
      public void readFully(byte[] into, int offset, int count) throws IOException {
        if (count > length - position) {
          throw new EOFException(count + " bytes at " + position + " of " + length);
        }
        fill(position, into, offset, count);
        position += count;
      }

      @Override
      public int read(ByteBuffer into) throws IOException {
        int before = into.remaining();
        if (before > 0 && position >= length) {
          return -1;
        }
        int some = (int) Math.min(before, length - position);
        byte[] bytes = new byte[some];
        readFully(bytes, 0, some);
        into.put(bytes);
        return some;
      }

      @Override
      public void readFully(ByteBuffer into) throws IOException {
        if (into.hasArray()) {
          int count = into.remaining();
          readFully(into.array(), into.arrayOffset() + into.position(), count);
          into.position(into.limit());
        } else {
          byte[] bytes = new byte[into.remaining()];
          readFully(bytes, 0, bytes.length);
          into.put(bytes);
        }
      }

      private void fill(long from, byte[] into, int offset, int count) throws IOException {
        try {
          reader.readFully(from, into, offset, count);
        } catch (IOException e) {
          throw noted(e);
        }
      }

      @Override
      public void close() throws IOException {
        reader.close();
      }
    }
  }

  /** A file to be written. */
  static final class Output implements OutputFile {

    private final OutputStream out;
    private long position;

    Output(OutputStream out) {
      this.out = out;
    }

    long position() {
      return position;
    }

    @Override
    public PositionOutputStream create(long ignored) {
      return new Stream();
    }

    @Override
    public PositionOutputStream createOrOverwrite(long ignored) {
      return new Stream();
    }

    @Override
    public boolean supportsBlockSize() {
      return false;
    }

    @Override
    public long defaultBlockSize() {
      return 0;
    }

    private final class Stream extends PositionOutputStream {

      @Override
      public long getPos() {
        return position;
      }

      @Override
      public void write(int b) throws IOException {
        out.write(b);
        position++;
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
        position += length;
      }

      @Override
      public void flush() throws IOException {
        out.flush();
      }

      @Override
      public void close() throws IOException {
        out.close();
      }
    }
  }
}
