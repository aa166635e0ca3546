package io.sluice.replicator.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckCommandTest {

  @TempDir Path folder;

  @Test
  void aWrongConfigIsExitCodeTwoWithAllProblems() throws IOException {
    Path file = Files.writeString(folder.resolve("shop.conf"), "sluice { pipelin = a }");
    CommandLineRun run = CommandLineRun.of("check", "-c", file.toString());
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .contains("shop.conf:1: sluice.pipelin: there is no such key. Did you mean pipeline?")
        .contains("sluice.warehouse: is missing.")
        .doesNotContain("\tat ");
  }

  @Test
  void anUnreachableSourceIsExitCodeThree() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    for (String type : new String[] {"mysql", "mariadb"}) {
      Path file =
          Files.writeString(
              folder.resolve("shop.conf"),
              "sluice { pipeline = shop, warehouse = lake, source { type = "
                  + type
                  + ", host = 127.0.0.1, port = "
                  + port
                  + ", user = cdc, password = geheim, connect.timeout = 2s, include = [\"a.*\"] } }");
      CommandLineRun run = CommandLineRun.of("check", "-c", file.toString());
      assertThat(run.exitCode()).isEqualTo(3);
      assertThat(run.out())
          .contains("127.0.0.1:" + port, "lake is writable")
          .doesNotContain("geheim", "\tat ");
      assertThat(folder.resolve("lake")).doesNotExist();
    }
  }

  @Test
  void aWarehouseIsTriedWithoutATrace() throws IOException {
    assertThat(WarehouseCheck.examine(folder.resolve("a/b").toString(), () -> "id")).isEmpty();
    try (var left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void aWarehouseInAFileIsNotWritable() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "");
    Optional<String> fault = WarehouseCheck.examine(file.resolve("lake").toString(), () -> "id");
    assertThat(fault).get().asString().contains("is not a folder");
  }
}
