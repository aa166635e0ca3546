package io.sluice.it;

import io.sluice.it.support.TestServers;
import io.sluice.it.support.TrapScript;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * What broke for users of other systems, one script for each below {@code
 * src/test/resources/traps}. {@code -Dtest.trap=12,44} runs the scripts whose names begin so.
 */
abstract class TrapsContract {

  @TempDir Path folder;

  private ThrowawayServer server;

  abstract ServerKind kind();

  @TestFactory
  List<DynamicTest> traps() throws IOException {
    server = TestServers.start(kind());
    String chosen = System.getProperty("test.trap", "");
    List<DynamicTest> tests = new ArrayList<>();
    try (Stream<Path> files = Files.list(Path.of("src/test/resources/traps"))) {
      for (Path file : files.sorted().toList()) {
        TrapScript script = TrapScript.read(file);
        if (script.isFor(server)
            && Stream.of(chosen.split(",", -1)).anyMatch(script.name()::startsWith)) {
          tests.add(
              DynamicTest.dynamicTest(
                  script.name() + " on " + kind(),
                  () -> script.run(server, folder.resolve(script.name()))));
        }
      }
    }
    return tests;
  }

  @AfterEach
  void closeServer() {
    if (server != null) {
      server.close();
    }
  }
}
