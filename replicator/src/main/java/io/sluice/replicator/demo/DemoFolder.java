package io.sluice.replicator.demo;

import io.sluice.replicator.demo.servers.ServerFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The folder of one demo: config file, warehouse, log. It is the demo's own: a folder that holds
 * anything else is refused, and what an earlier demo left is replaced, since its database is gone.
 * One demo at a time.
 */
final class DemoFolder implements AutoCloseable {
  private static final String MARK = ".sluice-demo";

  private final Path root;
  private final FileChannel markFile;
  private final boolean renewed;

  private DemoFolder(Path root, FileChannel markFile, boolean renewed) {
    this.root = root;
    this.markFile = markFile;
    this.renewed = renewed;
  }

  /** The folder cannot be taken; the message says what to do. */
  static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    RefusedException(String message) {
      super(message);
    }
  }

  /** Takes the folder, empties it if an earlier demo left something there, or makes it. */
  static DemoFolder take(Path folder) throws IOException, RefusedException {
    Path root = folder.toAbsolutePath().normalize();
    if (Files.exists(root) && !Files.isDirectory(root)) {
      throw new RefusedException(root + " is a file. Choose another folder with --dir.");
    }
    Files.createDirectories(root);
    Path mark = root.resolve(MARK);
    boolean earlier = Files.exists(mark);
    if (!earlier && !isEmpty(root)) {
      throw new RefusedException(
          root
              + " holds files that no demo has made; they stay. Choose an empty or new folder with --dir.");
    }
    FileChannel channel =
        FileChannel.open(mark, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (lock(channel) == null) {
      channel.close();
      throw new RefusedException(
          "another demo runs in " + root + " now. End it, or choose another folder with --dir.");
    }
    boolean renewed = false;
    try (Stream<Path> entries = Files.list(root)) {
      for (Path entry : entries.toList()) {
        if (!entry.equals(mark)) {
          ServerFiles.deleteTree(entry);
          renewed = true;
        }
      }
    }
    return new DemoFolder(root, channel, renewed);
  }

  private static @Nullable FileLock lock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  private static boolean isEmpty(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.findAny().isEmpty();
    }
  }

  Path root() {
    return root;
  }

  Path warehouse() {
    return root.resolve("warehouse");
  }

  /** Whether something of an earlier demo was deleted. */
  boolean renewed() {
    return renewed;
  }

  @Override
  public void close() throws IOException {
    markFile.close();
  }
}
