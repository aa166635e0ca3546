package io.sluice.bench;

import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Config files of the benchmarks' pipelines. */
final class BenchConfig {

  private BenchConfig() {}

  /** Writes {@code bench.conf} into the folder, with the warehouse beside it. */
  static Path write(Path folder, ThrowawayServer server, String include) throws IOException {
    return Files.writeString(
        folder.resolve("bench.conf"),
        """
        sluice {
          pipeline = bench
          warehouse = "%s"
          commit-interval = 200ms
          source {
            type = %s, host = "%s", port = %d
            user = %s, password = %s
            include = ["%s"]
          }
          http.listen = off
        }
        """
            .formatted(
                Files.createDirectories(folder.resolve("warehouse")),
                server.kind().sourceType(),
                server.host(),
                server.port(),
                ThrowawayServer.CDC.user(),
                ThrowawayServer.CDC.password(),
                include));
  }
}
