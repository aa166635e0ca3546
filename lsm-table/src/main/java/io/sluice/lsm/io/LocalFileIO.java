package io.sluice.lsm.io;

import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A local disk.
 *
 * <ul>
 *   <li>{@link #create}: exclusive; file and folder are synced at {@code close()}.
 *   <li>{@link #createUnsynced}: exclusive; {@link #sync} makes files and their folders durable
 *       side by side.
 *   <li>{@link #createExclusively}: a complete file {@code .<name>.<id>.tmp} is synced, together
 *       with the files that are needed and their folders, then linked to its final name, then the
 *       folder synced. {@code link(2)} never replaces, whoever else tries; the name appears with
 *       its whole content, and after a power failure it is there only if all that is needed is.
 *   <li>{@link #replace}: a complete, synced temporary file is moved over the old one.
 * </ul>
 *
 * <p>Thread safe. Errors say which path, why, and what to do; their types are those of {@code
 * java.nio.file} and {@link FileNotFoundException}.
 */
public final class LocalFileIO implements FileIO {

  private static final Logger log = LoggerFactory.getLogger(LocalFileIO.class);
  private static final int BUFFER_BYTES = 64 << 10;

  private final Supplier<String> ids;
  private final UnsyncedFiles unsynced = new UnsyncedFiles();

  /**
   * @param ids fresh texts (letters, digits, '-') for the names of temporary files
   */
  public LocalFileIO(Supplier<String> ids) {
    this.ids = ids;
  }

  @Override
  public RandomReader open(String path) throws IOException {
    File file = new File(path);
    if (!file.isFile()) {
      throw notFound(path);
    }
    try {
      return new LocalReader(new RandomAccessFile(file, "r"), path);
    } catch (FileNotFoundException e) {
      // RandomAccessFile says "not found" for a lack of permission as well.
      throw file.exists() ? LocalErrors.denied("read", path, e) : notFound(path);
    }
  }

  @Override
  public byte[] readAll(String path) throws IOException {
    try {
      return Files.readAllBytes(Path.of(path));
    } catch (NoSuchFileException | NotDirectoryException e) {
      throw notFound(path);
    } catch (IOException e) {
      throw LocalErrors.explain("read", path, e);
    }
  }

  @Override
  public OutputStream create(String path) throws IOException {
    Path file = Path.of(path);
    try {
      return new BufferedFile(createNew(file), file, null);
    } catch (IOException e) {
      throw LocalErrors.explain("create", path, e);
    }
  }

  @Override
  public OutputStream createUnsynced(String path) throws IOException {
    Path file = Path.of(path);
    try {
      return new BufferedFile(createNew(file), file, unsynced);
    } catch (IOException e) {
      throw LocalErrors.explain("create", path, e);
    }
  }

  @Override
  public void sync(Collection<String> paths) throws IOException {
    List<Path> files = paths.stream().map(Path::of).toList();
    unsynced.sync(files, files.stream().map(LocalFileIO::folderOf).toList());
  }

  @Override
  public boolean createExclusively(String path, byte[] content) throws IOException {
    return createExclusively(path, content, List.of());
  }

  @Override
  public boolean createExclusively(String path, byte[] content, Collection<String> needed)
      throws IOException {
    Path file = Path.of(path);
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    Path temporary = temporary(file);
    try {
      unsynced.add(temporary, written(temporary, content));
      List<Path> files = new ArrayList<>(needed.stream().map(Path::of).toList());
      List<Path> folders = files.stream().map(LocalFileIO::folderOf).toList();
      files.add(temporary);
      unsynced.sync(files, folders);
      Files.createLink(file, temporary);
      deleteQuietly(temporary.toString());
      UnsyncedFiles.syncByPath(folderOf(file));
      return true;
    } catch (NotDurableException e) {
      throw e;
    } catch (FileAlreadyExistsException e) {
      if (temporary.toString().equals(e.getFile())) {
        throw LocalErrors.explain("create", path, e);
      }
      return false;
    } catch (UnsupportedOperationException e) {
      throw LocalErrors.noLinks(path, e);
    } catch (IOException e) {
      throw LocalErrors.explain("create", path, e);
    } finally {
      deleteQuietly(temporary.toString());
    }
  }

  @Override
  public void replace(String path, byte[] content) throws IOException {
    replace(path, content, LocalFileIO::writeSynced);
  }

  @Override
  public void replaceHint(String path, byte[] content) throws IOException {
    replace(path, content, LocalFileIO::write);
  }

  @FunctionalInterface
  private interface Writing {
    void write(Path file, byte[] content) throws IOException;
  }

  private void replace(String path, byte[] content, Writing writing) throws IOException {
    Path file = Path.of(path);
    Path temporary = temporary(file);
    try {
      writing.write(temporary, content);
      try {
        Files.move(
            temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } catch (AtomicMoveNotSupportedException e) {
        throw new IOException("this file system cannot replace a file atomically", e);
      }
    } catch (IOException e) {
      deleteQuietly(temporary.toString());
      throw LocalErrors.explain("replace", path, e);
    }
  }

  @Override
  public boolean delete(String path) throws IOException {
    try {
      unsynced.forget(Path.of(path));
      return Files.deleteIfExists(Path.of(path));
    } catch (NotDirectoryException e) {
      return false;
    } catch (IOException e) {
      throw LocalErrors.explain("delete", path, e);
    }
  }

  @Override
  public boolean exists(String path) throws IOException {
    try {
      Files.readAttributes(Path.of(path), BasicFileAttributes.class);
      return true;
    } catch (NoSuchFileException | NotDirectoryException e) {
      return false;
    } catch (InvalidPathException e) {
      // No file can have such a name, as a damaged manifest may tell one.
      return false;
    } catch (IOException e) {
      // "Not allowed to look" must never pass for "not there".
      throw LocalErrors.explain("look for", path, e);
    }
  }

  @Override
  public List<FileStatus> list(String folder) throws IOException {
    List<FileStatus> result = new ArrayList<>();
    try (var entries = Files.newDirectoryStream(Path.of(folder))) {
      for (Path entry : entries) {
        BasicFileAttributes facts = attributes(entry);
        if (facts != null) {
          result.add(
              new FileStatus(
                  folder + "/" + entry.getFileName(),
                  facts.isDirectory(),
                  facts.isDirectory() ? 0 : facts.size(),
                  facts.lastModifiedTime().toMillis()));
        }
      }
      return result;
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    } catch (DirectoryIteratorException e) {
      IOException cause = e.getCause();
      throw LocalErrors.explain("list", folder, cause == null ? new IOException(e) : cause);
    } catch (IOException e) {
      throw LocalErrors.explain("list", folder, e);
    }
  }

  @Override
  public void makeFolder(String folder) throws IOException {
    try {
      makeFolders(Path.of(folder));
    } catch (IOException e) {
      throw LocalErrors.explain("create folder", folder, e);
    }
  }

  @Override
  public void deleteQuietly(String path) {
    try {
      unsynced.forget(Path.of(path));
      Files.deleteIfExists(Path.of(path));
    } catch (IOException e) {
      log.warn("Could not delete {}: {}. It takes room and harms nothing.", path, e.toString());
    }
  }

  private static @Nullable BasicFileAttributes attributes(Path entry) throws IOException {
    try {
      return Files.readAttributes(entry, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      return null; // deleted since the listing began
    }
  }

  private Path temporary(Path file) {
    return folderOf(file).resolve("." + file.getFileName() + "." + ids.get() + ".tmp");
  }

  private static Path folderOf(Path file) {
    Path folder = file.getParent();
    if (folder == null) {
      throw new IllegalArgumentException(file + " has no folder; paths are absolute");
    }
    return folder;
  }

  /** Opens a file that must not be there yet, making its folders when they lack. */
  private static FileOutputStream createNew(Path file) throws IOException {
    try {
      Files.createFile(file);
    } catch (NoSuchFileException e) {
      makeFolders(folderOf(file));
      Files.createFile(file);
    }
    // To append: some file systems take truncating for replacing, and write such a file at close.
    return new FileOutputStream(file.toFile(), true);
  }

  private static void writeSynced(Path file, byte[] content) throws IOException {
    try (FileOutputStream out = createNew(file)) {
      out.write(content);
      out.getFD().sync();
    }
  }

  private static void write(Path file, byte[] content) throws IOException {
    written(file, content).close();
  }

  /** A new file with all its content, still open. */
  private static FileOutputStream written(Path file, byte[] content) throws IOException {
    FileOutputStream out = createNew(file);
    try {
      out.write(content);
      return out;
    } catch (IOException e) {
      out.close();
      throw e;
    }
  }

  /** Makes a folder and its parents; the name of each new one is synced into its parent. */
  private static void makeFolders(Path folder) throws IOException {
    if (Files.isDirectory(folder)) {
      return;
    }
    Path parent = folderOf(folder);
    makeFolders(parent);
    try {
      Files.createDirectory(folder);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(folder)) {
        throw e;
      }
    }
    UnsyncedFiles.syncByPath(parent);
  }

  private static FileNotFoundException notFound(String path) {
    return new FileNotFoundException("There is no file " + path);
  }

  /** A buffered file. Closed without an error it is durable, name included, or unsynced. */
  private static final class BufferedFile extends OutputStream {
    private final FileOutputStream file;
    private final BufferedOutputStream buffer;
    private final Path path;
    private final @Nullable UnsyncedFiles into;
    private boolean closed;

    /**
     * @param into takes the file once it is complete; null: it is synced at once
     */
    BufferedFile(FileOutputStream file, Path path, @Nullable UnsyncedFiles into) {
      this.into = into;
      this.file = file;
      this.buffer = new BufferedOutputStream(file, BUFFER_BYTES);
      this.path = path;
    }

    @Override
    public void write(int value) throws IOException {
      try {
        buffer.write(value);
      } catch (IOException e) {
        throw LocalErrors.explain("write", path.toString(), e);
      }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      try {
        buffer.write(bytes, offset, length);
      } catch (IOException e) {
        throw LocalErrors.explain("write", path.toString(), e);
      }
    }

    @Override
    public void flush() throws IOException {
      try {
        buffer.flush();
      } catch (IOException e) {
        throw LocalErrors.explain("write", path.toString(), e);
      }
    }

    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      closed = true;
      boolean handedOver = false;
      try {
        buffer.flush();
        if (into != null) {
          into.add(path, file);
          handedOver = true;
        } else {
          file.getFD().sync();
          UnsyncedFiles.syncByPath(folderOf(path));
        }
      } catch (IOException e) {
        throw LocalErrors.explain("write", path.toString(), e);
      } finally {
        if (!handedOver) {
          file.close();
        }
      }
    }
  }

  private static final class LocalReader implements RandomReader {

    /** A read costs little, a large array its clearing and the JVM's attention. */
    private static final int BYTES_AT_ONCE = 256 << 10;

    private final RandomAccessFile file;
    private final String path;

    LocalReader(RandomAccessFile file, String path) {
      this.file = file;
      this.path = path;
    }

    @Override
    public long length() throws IOException {
      return file.length();
    }

    @Override
    public void readFully(long position, byte[] into, int offset, int length) throws IOException {
      try {
        file.seek(position);
        file.readFully(into, offset, length);
      } catch (EOFException e) {
        EOFException better =
            new EOFException(
                path
                    + " has "
                    + file.length()
                    + " bytes; "
                    + length
                    + " from "
                    + position
                    + " on were asked for");
        better.initCause(e);
        throw better;
      }
    }

    @Override
    public int bytesAtOnce() {
      return BYTES_AT_ONCE;
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
