package io.sluice.lsm.testing;

import io.sluice.lsm.io.FileIO;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.util.List;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.fs.ByteArraySeekableStream;
import org.apache.paimon.fs.FileStatus;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.PositionOutputStream;
import org.apache.paimon.fs.SeekableInputStream;

/** Our storage for Paimon 1.4.2, so that it reads and writes tables in memory. */
public final class PaimonStorage implements org.apache.paimon.fs.FileIO {

  private static final long serialVersionUID = 1;

  private final transient FileIO files;

  public PaimonStorage(FileIO files) {
    this.files = files;
  }

  private record Status(Path path, boolean folder, long length, long modified)
      implements FileStatus {
    @Override
    public long getLen() {
      return length;
    }

    @Override
    public boolean isDir() {
      return folder;
    }

    @Override
    public Path getPath() {
      return path;
    }

    @Override
    public long getModificationTime() {
      return modified;
    }
  }

  private static String text(Path path) {
    return path.toUri().getPath();
  }

  @Override
  public boolean isObjectStore() {
    return false;
  }

  @Override
  public void configure(CatalogContext context) {
    // There is nothing to be set.
  }

  @Override
  public SeekableInputStream newInputStream(Path path) throws IOException {
    return new ByteArraySeekableStream(files.readAll(text(path)));
  }

  @Override
  public PositionOutputStream newOutputStream(Path path, boolean overwrite) throws IOException {
    if (!overwrite && exists(path)) {
      throw new FileAlreadyExistsException(text(path));
    }
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    return new PositionOutputStream() {
      private boolean closed;

      @Override
      public long getPos() {
        return content.size();
      }

      @Override
      public void write(int oneByte) {
        content.write(oneByte);
      }

      @Override
      public void write(byte[] bytes) {
        content.writeBytes(bytes);
      }

      @Override
      public void write(byte[] bytes, int offset, int length) {
        content.write(bytes, offset, length);
      }

      @Override
      public void flush() {
        // It shows when it is closed.
      }

      @Override
      public void close() throws IOException {
        if (closed) {
          return;
        }
        closed = true;
        if (overwrite) {
          files.replace(text(path), content.toByteArray());
        } else {
          try (OutputStream out = files.create(text(path))) {
            content.writeTo(out);
          }
        }
      }
    };
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    String name = path.getName();
    for (FileIO.FileStatus child : files.list(text(path.getParent()))) {
      if (child.name().equals(name)) {
        return new Status(path, child.folder(), child.length(), child.modifiedMillis());
      }
    }
    throw new FileNotFoundException(text(path));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    List<FileIO.FileStatus> children = files.list(text(path));
    FileStatus[] result = new FileStatus[children.size()];
    for (int i = 0; i < result.length; i++) {
      FileIO.FileStatus child = children.get(i);
      result[i] =
          new Status(
              new Path(path, child.name()), child.folder(), child.length(), child.modifiedMillis());
    }
    return result;
  }

  @Override
  public boolean exists(Path path) throws IOException {
    return files.exists(text(path));
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    if (recursive) {
      for (FileStatus child : listStatus(path)) {
        delete(child.getPath(), true);
      }
    }
    return files.delete(text(path));
  }

  @Override
  public boolean mkdirs(Path path) throws IOException {
    files.makeFolder(text(path));
    return true;
  }

  /** Of files; the target must not be there. */
  @Override
  public boolean rename(Path from, Path to) throws IOException {
    return files.createExclusively(text(to), files.readAll(text(from))) && files.delete(text(from));
  }

  @Override
  public boolean tryToWriteAtomic(Path path, String content) throws IOException {
    return files.createExclusively(text(path), content.getBytes(StandardCharsets.UTF_8));
  }
}
