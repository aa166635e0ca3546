package io.sluice.replicator.demo.servers;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where unpacked servers and empty data folders are kept between runs, and work on whole folders.
 */
public final class ServerFiles {
  private static final String PREPARE_SCRIPT = "testcontainers-it/servers/prepare.sh";

  private ServerFiles() {}

  /**
   * The folder that keeps servers between runs: the system property {@code sluice.servers}, else
   * the environment's {@code SLUICE_SERVERS}, else {@code .servers} of the source tree that the
   * working folder is in. Empty outside of a source tree: then everything is unpacked to a
   * temporary folder and deleted at the end.
   */
  public static Optional<Path> cache() {
    String named =
        System.getProperty("sluice.servers", System.getenv().getOrDefault("SLUICE_SERVERS", ""));
    if (!named.isEmpty()) {
      return Optional.of(Path.of(named).toAbsolutePath());
    }
    return sourceTree().map(root -> root.resolve(".servers"));
  }

  /** The script that fetches MySQL into {@link #cache}, when this runs inside a source tree. */
  static Optional<Path> prepareScript() {
    return sourceTree().map(root -> root.resolve(PREPARE_SCRIPT));
  }

  private static Optional<Path> sourceTree() {
    @Nullable Path folder = Path.of("").toAbsolutePath();
    while (folder != null) {
      if (Files.isRegularFile(folder.resolve(PREPARE_SCRIPT))) {
        return Optional.of(folder);
      }
      folder = folder.getParent();
    }
    return Optional.empty();
  }

  /** Copies a folder with all its files; {@code to} must not exist. */
  static void copyTree(Path from, Path to) throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<Path>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            Files.createDirectory(to.resolve(from.relativize(folder)));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /**
   * Deletes a folder with all that is in it; well when it is not there or when somebody else
   * deletes files of it at the same time.
   */
  public static void deleteTree(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<Path>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure) {
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
              throws IOException {
            Files.deleteIfExists(folder);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
