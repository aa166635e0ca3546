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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * What broke for users of other systems, one script for each below {@code
 * src/test/resources/traps}. {@code -Dtest.trap=12,44} runs the scripts whose names begin so.
 */
class TrapsIT {
  private static final List<ThrowawayServer> SERVERS = new ArrayList<>();

  @TempDir Path folder;

  @TestFactory
  List<DynamicTest> onMySql() throws IOException {
    return tests(ServerKind.MYSQL);
  }

  @TestFactory
  List<DynamicTest> onMariaDb() throws IOException {
    return tests(ServerKind.MARIADB);
  }

  private List<DynamicTest> tests(ServerKind kind) throws IOException {
    ThrowawayServer server = TestServers.start(kind);
    SERVERS.add(server);
    String chosen = System.getProperty("test.trap", "");
    List<DynamicTest> tests = new ArrayList<>();
    try (Stream<Path> files = Files.list(Path.of("src/test/resources/traps"))) {
      for (Path file : files.sorted().toList()) {
        TrapScript script = TrapScript.read(file);
        if (script.isFor(server)
            && Stream.of(chosen.split(",", -1)).anyMatch(script.name()::startsWith)) {
          tests.add(
              DynamicTest.dynamicTest(
                  script.name() + " on " + kind,
                  () -> script.run(server, folder.resolve(kind + "-" + script.name()))));
        }
      }
    }
    return tests;
  }

  @AfterAll
  static void closeServers() {
    SERVERS.forEach(ThrowawayServer::close);
    SERVERS.clear();
  }
}
