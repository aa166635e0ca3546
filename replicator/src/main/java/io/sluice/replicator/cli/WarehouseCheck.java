package io.sluice.replicator.cli;

import io.sluice.lsm.io.FileIO;
import io.sluice.lsm.io.FileIOs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Whether commits can be made in a warehouse. Leaves nothing behind. */
final class WarehouseCheck {

  private WarehouseCheck() {}

  /**
   * Creates a file exclusively, twice, and deletes it. Where the warehouse doesn't exist yet, the
   * folder that it will be made in is tried.
   *
   * @return what is wrong, in one line; empty: all is well
   */
  static Optional<String> examine(String warehouse, Supplier<String> freshIds) {
    @Nullable Path folder = Path.of(warehouse);
    while (folder != null && !Files.exists(folder)) {
      folder = folder.getParent();
    }
    if (folder == null || !Files.isDirectory(folder)) {
      return Optional.of(
          "The warehouse "
              + warehouse
              + " is not writable: "
              + folder
              + " is not a folder. Give another path.");
    }
    String probe = folder.resolve(".sluice-check-" + freshIds.get()).toString();
    byte[] content = "sluice check".getBytes(StandardCharsets.UTF_8);
    try (FileIO fileIO = FileIOs.forUri(warehouse, freshIds)) {
      try {
        boolean first = fileIO.createExclusively(probe, content);
        boolean second = fileIO.createExclusively(probe, content);
        return first && !second
            ? Optional.empty()
            : Optional.of(
                "The file system of "
                    + folder
                    + " lets two writers create one file, so commits would not be safe there. Use"
                    + " another one for the warehouse.");
      } finally {
        fileIO.deleteQuietly(probe);
      }
    } catch (IOException e) {
      return Optional.of(
          "The warehouse "
              + warehouse
              + " is not writable: "
              + Failures.text(e)
              + " Give the user who runs this the right to create files in "
              + folder
              + ", or free space there.");
    }
  }
}
