package io.sluice.lsm.datafile.orc;

import io.sluice.lsm.io.FileIO;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** Local files, as much of them as the tests of data files need. */
final class FolderFileIO implements FileIO {

  @Override
  public RandomReader open(String path) throws IOException {
    RandomAccessFile file = new RandomAccessFile(path, "r");
    return new RandomReader() {
      @Override
      public long length() throws IOException {
        return file.length();
      }

      @Override
      public void readFully(long position, byte[] into, int offset, int length) throws IOException {
        if (position + length > file.length()) {
          throw new EOFException(path + " ends before " + (position + length));
        }
        file.seek(position);
        file.readFully(into, offset, length);
      }

      @Override
      public void close() throws IOException {
        file.close();
      }
    };
  }

  @Override
  public byte[] readAll(String path) throws IOException {
    try {
      return Files.readAllBytes(Path.of(path));
    } catch (NoSuchFileException e) {
      throw new FileNotFoundException(path);
    }
  }

  @Override
  public OutputStream create(String path) throws IOException {
    Files.createDirectories(Path.of(path).getParent());
    return Files.newOutputStream(Path.of(path), java.nio.file.StandardOpenOption.CREATE_NEW);
  }

  @Override
  public boolean createExclusively(String path, byte[] content) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void replace(String path, byte[] content) throws IOException {
    Files.write(Path.of(path), content);
  }

  @Override
  public boolean delete(String path) throws IOException {
    return Files.deleteIfExists(Path.of(path));
  }

  @Override
  public boolean exists(String path) {
    return Files.exists(Path.of(path));
  }

  @Override
  public List<FileStatus> list(String folder) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void makeFolder(String folder) throws IOException {
    Files.createDirectories(Path.of(folder));
  }

  @Override
  public void deleteQuietly(String path) {
    try {
      delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
