package io.sluice.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A temporary folder that goes with all that is in it, when the process ends: ext4 looks past
 * inodes that were deleted a minute ago whenever a file is made, so that one turn would pay for the
 * deletes of another.
 */
record BenchFolder(Path path) implements AutoCloseable {

  static BenchFolder create(String prefix) throws IOException {
    return new BenchFolder(Files.createTempDirectory(prefix));
  }

  /** Where a table of this folder stands. */
  Path table(String name) {
    return path.resolve("bench.db").resolve(name);
  }

  /** Bytes of all data files below a table's folder, live or not. */
  static long dataFileBytes(Path table) throws IOException {
    try (Stream<Path> paths = Files.walk(table)) {
      long bytes = 0;
      for (Path path : paths.filter(Files::isRegularFile).toList()) {
        if (table.relativize(path).toString().startsWith("bucket-")) {
          bytes += Files.size(path);
        }
      }
      return bytes;
    }
  }

  @Override
  public void close() {
    Runtime.getRuntime().addShutdownHook(new Thread(this::delete));
  }

  private void delete() {
    try (Stream<Path> paths = Files.walk(path)) {
      for (Path each : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    } catch (IOException e) {
      System.err.println("Could not delete " + path + ": " + e);
    }
  }
}
