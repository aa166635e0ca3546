package io.sluice.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.support.Await;
import io.sluice.it.support.TestServers;
import io.sluice.replicator.demo.servers.ServerKind;
import io.sluice.replicator.demo.servers.ThrowawayServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The throwaway servers themselves: what the other tests stand on. */
class ServersIT {
  @TempDir Path folder;

  @Test
  void keepsCommittedRowsOverAKillAndTakesArgumentsAtARestart() throws Exception {
    for (ServerKind kind : ServerKind.values()) {
      try (ThrowawayServer server = TestServers.start(kind)) {
        assertThat(
                text(
                    server,
                    "SELECT CONCAT(@@binlog_format, ' ', @@binlog_row_image, ' ', @@binlog_row_metadata)"))
            .isEqualTo("ROW FULL FULL");
        execute(server, "CREATE DATABASE d");
        execute(server, "CREATE TABLE d.t (id INT PRIMARY KEY)");
        execute(server, "INSERT INTO d.t VALUES (1)");
        server.kill();
        server.start("--binlog-row-image=MINIMAL");
        assertThat(
                text(server, "SELECT CONCAT(@@binlog_row_image, ' ', (SELECT COUNT(*) FROM d.t))"))
            .isEqualTo("MINIMAL 1");
      }
    }
  }

  @Test
  void endsWithTheJvmThatStartedItEvenWhenThatIsKilled() throws Exception {
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                System.getProperty("java.class.path"),
                Holder.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(jvm.getInputStream(), StandardCharsets.UTF_8))) {
      String line = lines.readLine();
      while (line != null && !line.startsWith("port ")) {
        line = lines.readLine();
      }
      assertThat(line).isNotNull();
      int port = Integer.parseInt(line.substring("port ".length()));
      assertThat(answers(port)).isTrue();
      jvm.destroyForcibly().waitFor();
      Await.until(
          Duration.ofSeconds(20),
          () -> "the server on port " + port + " is gone",
          () -> !answers(port));
      Await.until(
          Duration.ofSeconds(20),
          () -> "nothing of it is left in " + folder,
          () -> {
            String[] left = folder.toFile().list((parent, name) -> name.startsWith("sluice-"));
            return left != null && left.length == 0;
          });
    } finally {
      jvm.destroyForcibly();
    }
  }

  /** Starts a server, says its port and waits to be killed. */
  public static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) throws Exception {
      ThrowawayServer server = TestServers.start(ServerKind.MARIADB);
      System.out.println("port " + server.port());
      Thread.currentThread().join();
    }
  }

  private static boolean answers(int port) {
    try (java.net.Socket socket = new java.net.Socket()) {
      socket.connect(new java.net.InetSocketAddress("127.0.0.1", port), 500);
      return true;
    } catch (java.io.IOException e) {
      return false;
    }
  }

  private static void execute(ThrowawayServer server, String sql) throws Exception {
    try (Connection connection = server.connect("");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String text(ThrowawayServer server, String sql) throws Exception {
    try (Connection connection = server.connect("", ThrowawayServer.CDC);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getString(1);
    }
  }
}
