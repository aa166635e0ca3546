package io.sluice.replicator.demo.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A throwaway server as a process of this machine.
 *
 * <p>The process runs under a few lines of shell that hold the reading end of a pipe from this JVM.
 * When the pipe ends without a word, because the JVM has exited or was killed, the shell kills the
 * server and deletes its folder; a shutdown hook is not needed and would run beside those of others
 * that still want the server. Interrupts of the terminal (Ctrl-C) do not reach the server either:
 * who started it decides when it ends.
 */
final class NativeServer implements ThrowawayServer {
  private static final long START_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final long STOP_LIMIT_SECONDS = 60;
  private static final long POLL_MILLIS = 40;

  // $1 and $2 are the folders to delete when the JVM is gone, the rest is the server's command
  // line.
  // With a terminal (set -m) the server gets a process group of its own. The shell in between waits
  // for it, so that it is gone when it is dead; the outer one keeps the pipe as long as the JVM
  // lives. The file server.pid is there while the server is.
  private static final String GUARD =
      """
      trap '' INT HUP
      set -m 2>/dev/null
      folder=$1
      other=$2
      shift 2
      (
        "$@" </dev/null >>"$folder/server.out" 2>&1 &
        echo $! >"$folder/server.pid"
        echo $!
        exec >/dev/null
        wait
        rm -f "$folder/server.pid"
      ) </dev/null &
      exec >/dev/null 2>&1
      while read -r word; do
        [ "$word" != closed ] || exit 0
      done
      [ ! -s "$folder/server.pid" ] || kill -9 "$(cat "$folder/server.pid")"
      rm -rf "$folder" "$other"
      """;

  private final ServerProgram program;
  private final Path workDir;
  private final Path dataDir;
  private int port;
  private @Nullable Process guard;
  private @Nullable ProcessHandle server;
  private boolean closed;

  private NativeServer(ServerProgram program, Path workDir) {
    this.program = program;
    this.workDir = workDir;
    this.dataDir = workDir.resolve("data");
  }

  /**
   * Starts an empty server on a free port and waits until it answers.
   *
   * @throws ServerUnavailableException when it does not come up; the message holds the end of its
   *     log
   */
  static ThrowawayServer start(ServerProgram program, String... extraArguments) {
    try {
      Path workDir =
          Files.createTempDirectory("sluice-" + program.kind().sourceType() + "-").toRealPath();
      NativeServer server = new NativeServer(program, workDir);
      boolean started = false;
      try {
        server.fillDataDir();
        server.port = freePort();
        server.start(extraArguments);
        started = true;
      } finally {
        if (!started) {
          server.close();
        }
      }
      return server;
    } catch (IOException e) {
      throw new ServerUnavailableException(
          program.kind()
              + " "
              + program.version()
              + " in "
              + program.home()
              + " cannot be started: "
              + e.getMessage(),
          e);
    }
  }

  private void fillDataDir() throws IOException {
    Optional<Path> cache = ServerFiles.cache();
    if (cache.isEmpty()) {
      program.initialize(dataDir, workDir);
      return;
    }
    // The name changes with what is put into it.
    String name =
        "empty-"
            + program.kind().sourceType()
            + "-"
            + program.version().replaceAll("[^A-Za-z0-9.]", "-")
            + "-1";
    Path template = cache.get().resolve(name);
    if (!Files.isDirectory(template)) {
      Files.createDirectories(cache.get());
      Path inProgress = Files.createTempDirectory(cache.get(), ".empty-");
      try {
        program.initialize(inProgress.resolve("data"), workDir);
        moveUnlessThere(inProgress.resolve("data"), template);
      } finally {
        ServerFiles.deleteTree(inProgress);
      }
    }
    ServerFiles.copyTree(template, dataDir);
  }

  /** Two that unpack at once: the first one's folder stays. */
  static void moveUnlessThere(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      if (!Files.isDirectory(to)) {
        throw e;
      }
      ServerFiles.deleteTree(from);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void start(String... extraArguments) {
    if (closed || server != null) {
      throw new IllegalStateException(
          "the server on port " + port + " is " + (closed ? "closed" : "running already"));
    }
    List<String> command =
        new ArrayList<>(
            List.of(
                "sh",
                "-c",
                GUARD,
                "sluice-server-guard",
                workDir.toString(),
                program.temporaryFolder().map(Path::toString).orElse("")));
    command.addAll(program.command(dataDir, workDir, port));
    command.addAll(List.of(extraArguments));
    dismissGuard();
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      guard = process;
      BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
      String pid = reader.readLine();
      if (pid == null) {
        throw new IOException("the shell that guards the server ended at once");
      }
      server =
          ProcessHandle.of(Long.parseLong(pid.strip()))
              .orElseThrow(
                  () ->
                      new IOException(
                          "it ended at once; its log ends with:\n"
                              + tailOf(workDir.resolve("server.log"))));
      awaitAnswer(server);
    } catch (IOException e) {
      kill();
      throw new ServerUnavailableException(
          program.kind() + " did not come up: " + e.getMessage(), e);
    }
  }

  private void awaitAnswer(ProcessHandle process) throws IOException {
    long deadline = System.nanoTime() + START_LIMIT_NANOS;
    SQLException last = new SQLException("not tried yet");
    while (System.nanoTime() < deadline) {
      if (!process.isAlive()) {
        throw new IOException(
            "it ended; its log ends with:\n" + tailOf(workDir.resolve("server.log")));
      }
      try (Connection connection = listening() ? connect("") : null) {
        if (connection != null) {
          return;
        }
      } catch (SQLException e) {
        if (e.getSQLState() != null
            && e.getSQLState().equals("08001")
            && String.valueOf(e.getMessage()).contains("suitable driver")) {
          throw new IOException("the JDBC driver is not on the class path", e);
        }
        last = e;
      }
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while the server started", e);
      }
    }
    throw new IOException(
        "no answer on port "
            + port
            + " within 120 s ("
            + last.getMessage()
            + "); its log ends with:\n"
            + tailOf(workDir.resolve("server.log")),
        last);
  }

  /** Asked before JDBC is: a driver that cannot connect takes its time. */
  private boolean listening() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host(), port), 1_000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  static String tailOf(Path log) {
    try {
      return Files.exists(log)
          ? Commands.tail(Files.readString(log, StandardCharsets.ISO_8859_1))
          : "(" + log + " is missing)";
    } catch (IOException e) {
      return "(" + log + " cannot be read: " + e.getMessage() + ")";
    }
  }

  @Override
  public ServerKind kind() {
    return program.kind();
  }

  @Override
  public String host() {
    return "127.0.0.1";
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public String version() {
    return program.version();
  }

  @Override
  public void stop() {
    end(ProcessHandle::destroy);
  }

  @Override
  public void kill() {
    end(ProcessHandle::destroyForcibly);
  }

  private void end(Consumer<ProcessHandle> signal) {
    ProcessHandle running = server;
    if (running == null) {
      return;
    }
    signal.accept(running);
    try {
      running.onExit().get(STOP_LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      running.destroyForcibly();
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      running.destroyForcibly();
      running.onExit().join();
    }
    server = null;
  }

  private void dismissGuard() {
    Process process = guard;
    if (process == null) {
      return;
    }
    guard = null;
    try (OutputStream words = process.getOutputStream()) {
      words.write("closed\n".getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException("the shell that guards the server has ended too early", e);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    kill();
    closed = true;
    dismissGuard();
    try {
      ServerFiles.deleteTree(workDir);
      Optional<Path> temporary = program.temporaryFolder();
      if (temporary.isPresent()) {
        ServerFiles.deleteTree(temporary.get());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + workDir, e);
    }
  }
}
