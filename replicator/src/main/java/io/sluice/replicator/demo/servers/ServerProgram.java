package io.sluice.replicator.demo.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The unpacked or installed binaries of one server and how they are called. */
sealed interface ServerProgram permits NativeMySql, NativeMariaDb {
  ServerKind kind();

  /** Version, as the program prints it. */
  String version();

  /** Where the program is; for messages. */
  Path home();

  /**
   * Fills {@code dataDir}, which does not exist yet, with an empty server that has the two
   * accounts. {@code workDir} takes logs and other files that are of no use later.
   */
  void initialize(Path dataDir, Path workDir) throws IOException;

  /** The command line of a server over that data folder; extra arguments may be appended. */
  List<String> command(Path dataDir, Path workDir, int port);

  /** The folder that it was unpacked to for this one use, to be deleted at the end. */
  Optional<Path> temporaryFolder();
}
